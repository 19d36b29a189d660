// What decoders do with bytes that are not what they should be.
#include <gtest/gtest.h>

#include <charconv>
#include <string>
#include <string_view>

#include "core/wire/codec.h"
#include "core/wire/status.h"
#include "tests/core/wire/filled_message.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

template <class Message>
std::string ErrorOf(std::string_view hex, std::int16_t version) {
  const absl::StatusOr<Message> message = Decode<Message>(FromHex(hex), version);
  EXPECT_EQ(message.status().code(), absl::StatusCode::kDataLoss);
  return std::string(message.status().message());
}

// The number behind "byte " in an error, or -1.
long OffsetIn(const absl::Status& status) {
  const std::string text(status.message());
  const std::size_t at = text.find(": byte ");
  long offset = -1;
  if (at != std::string::npos) std::from_chars(text.data() + at + 7, text.data() + text.size(), offset);
  return offset;
}

// WP-01, WP-02
TEST(CodecErrorsTest, EveryMessageOfEveryVersionIsReadBack) {
  int messages = 0;
  ForEachFilledMessage(/*seeds=*/20, [&]<class Message>(const Filled<Message>& filled, std::int16_t version) {
    std::string bytes;
    Encode(filled.message, version, bytes);
    const absl::StatusOr<Message> back = Decode<Message>(bytes, version);
    ASSERT_EQ(back.status(), absl::OkStatus());
    EXPECT_EQ(*back, filled.message) << ApiKeyName(Message::kApi) << " v" << version;
    ++messages;
  });
  EXPECT_EQ(messages, 20 * 2 * (14 + 14 + 6 + 6 + 7 + 6 + 5 + 7 + 6 + 2 + 3));
}

TEST(CodecErrorsTest, EveryTruncationIsAnErrorWithAnOffsetInside) {
  ForEachFilledMessage(/*seeds=*/3, []<class Message>(const Filled<Message>& filled, std::int16_t version) {
    std::string bytes;
    Encode(filled.message, version, bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      // A buffer of its own, so that a sanitizer sees a read past the end.
      const std::string part(bytes, 0, size);
      const absl::StatusOr<Message> message = Decode<Message>(part, version);
      ASSERT_EQ(message.status().code(), absl::StatusCode::kDataLoss)
          << ApiKeyName(Message::kApi) << " v" << version << " cut at " << size << " of " << bytes.size();
      const long offset = OffsetIn(message.status());
      EXPECT_GE(offset, 0) << message.status().message();
      EXPECT_LE(offset, static_cast<long>(size)) << message.status().message();
    }
  });
}

TEST(CodecErrorsTest, TrailingBytesAreAnError) {
  ForEachFilledMessage(/*seeds=*/2, []<class Message>(const Filled<Message>& filled, std::int16_t version) {
    std::string bytes;
    Encode(filled.message, version, bytes);
    const std::size_t size = bytes.size();
    bytes += '\0';
    const absl::StatusOr<Message> message = Decode<Message>(bytes, version);
    EXPECT_EQ(message.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(OffsetIn(message.status()), static_cast<long>(size)) << message.status().message();
  });
}

// Damage anywhere gives a value or an error, never anything else; the sanitizers of CI judge.
TEST(CodecErrorsTest, EveryFlippedByteIsSurvived) {
  ForEachFilledMessage(/*seeds=*/2, []<class Message>(const Filled<Message>& filled, std::int16_t version) {
    std::string bytes;
    Encode(filled.message, version, bytes);
    for (char& byte : bytes) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        byte = static_cast<char>(byte ^ flip);
        const absl::Status status = Decode<Message>(bytes, version).status();
        if (!status.ok()) {
          ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss);
        }
        byte = static_cast<char>(byte ^ flip);
      }
    }
  });
}

TEST(CodecErrorsTest, ErrorsNameMessageFieldAndByte) {
  EXPECT_EQ(ErrorOf<MetadataResponse>("00000001 00000001 0009 68 0000000000", 0),
            "Metadata response v0, host: byte 8: length goes beyond the end");
  EXPECT_EQ(ErrorOf<InitProducerIdRequest>("ffff 0000", 0),
            "InitProducerId request v0, transactionTimeoutMs: byte 2: number is cut short");
}

TEST(CodecErrorsTest, NullWhereTheVersionHasNoneIsAnError) {
  EXPECT_EQ(ErrorOf<MetadataRequest>("ffffffff", 0),
            "Metadata request v0, topics: byte 0: null where this version has none");
  EXPECT_EQ(ErrorOf<MetadataRequest>("00000001 ffff", 1),
            "Metadata request v1, name: byte 4: null where this version has none");
  EXPECT_EQ(ErrorOf<ApiVersionsRequest>("00 0161 00", 3),
            "ApiVersions request v3, clientSoftwareName: byte 0: null where this version has none");
}

TEST(CodecErrorsTest, NegativeLengthsAreErrors) {
  EXPECT_EQ(ErrorOf<MetadataRequest>("fffffffe", 1), "Metadata request v1, topics: byte 0: negative count");
  EXPECT_EQ(ErrorOf<MetadataRequest>("00000001 fffe", 1), "Metadata request v1, name: byte 4: negative length");
  EXPECT_EQ(ErrorOf<ProduceRequest>("ffff ffff 00000000 00000001 0000 00000001 00000000 fffffffe", 3),
            "Produce request v3, records: byte 22: negative length");
}

// A topic of version 0 takes eight bytes at least, so fourteen cannot hold two.
TEST(CodecErrorsTest, CountsThatCannotBeAreErrors) {
  EXPECT_EQ(ErrorOf<MetadataResponse>("7fffffff 00000000000000000000", 0),
            "Metadata response v0, brokers: byte 0: count goes beyond the end");
  EXPECT_EQ(ErrorOf<MetadataResponse>("00000000 00000002 0000000000000000000000000000", 0),
            "Metadata response v0, topics: byte 4: count goes beyond the end");
  EXPECT_EQ(ErrorOf<ApiVersionsResponse>("0000 ffffffff0f", 3),
            "ApiVersions response v3, apiKeys: byte 2: count goes beyond the end");
}

TEST(CodecErrorsTest, OverlongVarintsAreErrors) {
  EXPECT_EQ(ErrorOf<ApiVersionsResponse>("0000 808080808000", 3),
            "ApiVersions response v3, apiKeys: byte 2: varint is too long");
}

// WP-02
TEST(CodecErrorsTest, UnknownTaggedFieldsAreSkipped) {
  // Tag 7 of three bytes at the end; tag 5, empty, inside the only api key.
  const auto message =
      Decode<ApiVersionsResponse>(FromHex("0000 02 0003 0000 000d 010500 00000000 01 07 03 aabbcc"), 3);
  ASSERT_EQ(message.status(), absl::OkStatus());
  ApiVersionsResponse expected;
  expected.api_keys = {{.api_key = 3, .min_version = 0, .max_version = 13}};
  EXPECT_EQ(*message, expected);
}

// WP-02: between two tags that we know there may be one that we do not.
TEST(CodecErrorsTest, KnownTagsAroundUnknownOnesAreRead) {
  const auto message =
      Decode<ApiVersionsResponse>(FromHex("0000 01 00000000 03 01 08 0000000000000009 03 01 01 04 00"), 3);
  ASSERT_EQ(message.status(), absl::OkStatus());
  EXPECT_EQ(message->finalized_features_epoch, 9);
  EXPECT_TRUE(message->zk_migration_ready);
}

// WP-02: a known tag of a later version is unknown in this one.
TEST(CodecErrorsTest, TagsOfLaterVersionsAreSkipped) {
  ProduceResponse expected;
  const auto nine = Decode<ProduceResponse>(FromHex("01 00000000 01 00 01 01"), 9);
  ASSERT_EQ(nine.status(), absl::OkStatus());
  EXPECT_EQ(*nine, expected);
}

// WP-02
TEST(CodecErrorsTest, TagsMustAscendAndFillTheirSize) {
  EXPECT_EQ(ErrorOf<ApiVersionsResponse>("0000 01 00000000 02 07 00 07 00", 3),
            "ApiVersions response v3: byte 10: tags are not in ascending order");
  EXPECT_EQ(ErrorOf<ApiVersionsResponse>("0000 01 00000000 01 03 02 0101", 3),
            "ApiVersions response v3, zkMigrationReady: byte 11: bytes after the end");
  EXPECT_EQ(ErrorOf<ApiVersionsResponse>("0000 01 00000000 01 01 04 00000000", 3),
            "ApiVersions response v3, finalizedFeaturesEpoch: byte 10: number is cut short");
  EXPECT_EQ(ErrorOf<ApiVersionsResponse>("0000 01 00000000 ffffffff0f", 3),
            "ApiVersions response v3: byte 12: varint is cut short");
}

// WP-23
TEST(CodecErrorsTest, UnknownErrorCodesBecomeUnknownServerError) {
  const auto message = Decode<InitProducerIdResponse>(FromHex("00000000 7fff 0000000000000001 0000"), 0);
  ASSERT_EQ(message.status(), absl::OkStatus());
  EXPECT_EQ(message->error, ErrorCode::kUnknownServerError);
}

TEST(CodecErrorsTest, UnknownVersionsAreRefused) {
  EXPECT_EQ(KafkaCode(Decode<ProduceRequest>("", -1).status()), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(KafkaCode(Decode<ProduceRequest>("", 14).status()), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(KafkaCode(Decode<MetadataRequest>("", -1).status()), ErrorCode::kUnsupportedVersion);
}

// WP-08
TEST(CodecErrorsDeathTest, WhatAVersionCannotSayIsOurMistake) {
  std::string out;
  MetadataRequest none;
  EXPECT_DEATH(Encode(none, 0, out), "check failed");
  MetadataRequest unnamed;
  unnamed.topics->push_back({});
  EXPECT_DEATH(Encode(unnamed, 9, out), "check failed");
  EXPECT_DEATH(Encode(none, 14, out), "check failed");
}

}  // namespace
}  // namespace ktrial::wire
