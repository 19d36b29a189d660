#include "core/wire/message_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/status.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

constexpr std::size_t kPlenty = 1 << 20;
constexpr std::int8_t kMagics[] = {0, 1};
constexpr Codec kCodecs[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4};
const std::string kDigits = "0123456789012345678901234567890123456789";

// ("k", digits, 1000 ms) and (null, digits, 1002 ms).
MessageSetBuilder TwoMessages(std::int8_t magic, std::vector<char>& buffer) {
  buffer.assign(1000, '\x55');
  MessageSetBuilder builder(magic, buffer);
  EXPECT_GT(builder.Append(1000, "k", kDigits), 0U);
  EXPECT_GT(builder.Append(1002, std::nullopt, kDigits), 0U);
  return builder;
}

std::string Plain(std::int8_t magic) {
  std::vector<char> buffer;
  return std::string(TwoMessages(magic, buffer).Close());
}

std::string Wrapped(std::int8_t magic, Codec codec) {
  std::vector<char> buffer;
  MessageSetBuilder builder = TwoMessages(magic, buffer);
  Compressor compressor(codec);
  EXPECT_TRUE(builder.Compress(compressor));
  return std::string(builder.Close());
}

// One message around any value, with a right size and CRC.
std::string Message(std::int8_t magic, std::int64_t offset, int attributes, std::optional<std::string_view> value) {
  std::vector<char> buffer(100'000);
  MessageSetBuilder builder(magic, buffer);
  builder.Append(5000, std::nullopt, value);
  std::string message(builder.Close());
  StoreBigEndian(message.data(), offset);
  message[17] = static_cast<char>(attributes);
  StoreBigEndian(message.data() + 12, Crc32(std::string_view(message).substr(16)));
  return message;
}

struct Owned {
  std::int64_t offset;
  std::int64_t timestamp_ms;
  std::optional<std::string> key;
  std::optional<std::string> value;
  friend bool operator==(const Owned&, const Owned&) = default;
};

absl::Status ReadAll(std::string_view set, std::vector<Owned>& messages, std::size_t plain_bytes_max = kPlenty) {
  Decompressor decompressor;
  MessageSetReader reader(set, decompressor, plain_bytes_max);
  while (const MessageView* message = reader.Next()) {
    messages.push_back({message->offset, message->timestamp_ms, std::optional<std::string>(message->key),
                        std::optional<std::string>(message->value)});
  }
  EXPECT_EQ(reader.Next(), nullptr);
  return reader.status();
}

std::string ErrorOf(std::string_view set, ErrorCode code, std::size_t plain_bytes_max = kPlenty) {
  std::vector<Owned> messages;
  const absl::Status status = ReadAll(set, messages, plain_bytes_max);
  EXPECT_EQ(KafkaCode(status), code);
  return std::string(status.message());
}

std::vector<Owned> Expected(std::int8_t magic) {
  return {{0, magic == 0 ? -1 : 1000, "k", kDigits}, {1, magic == 0 ? -1 : 1002, std::nullopt, kDigits}};
}

// WP-20
TEST(MessageSetTest, Crc32OfTheKnownVectors) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(Crc32(""), 0U);
}

// WP-20
TEST(MessageSetTest, BytesAreTheseAndNoOthers) {
  std::vector<char> buffer(200);
  MessageSetBuilder zero(0, buffer);
  EXPECT_EQ(zero.Append(1000, "k", "v"), 28U);
  EXPECT_EQ(zero.Append(1000, std::nullopt, std::nullopt), 26U);
  const std::string set(zero.Close());
  EXPECT_EQ(ToHex(set.substr(0, 12)), ToHex(FromHex("0000000000000000 00000010")));
  EXPECT_EQ(ToHex(set.substr(16, 12)), ToHex(FromHex("00 00 00000001 6b 00000001 76")));
  EXPECT_EQ(ToHex(set.substr(28, 12)), ToHex(FromHex("0000000000000001 0000000e")));
  EXPECT_EQ(ToHex(set.substr(44)), ToHex(FromHex("00 00 ffffffff ffffffff")));
  MessageSetBuilder one(1, buffer);
  EXPECT_EQ(one.Append(1000, "k", ""), 35U);
  EXPECT_EQ(ToHex(std::string(one.Close()).substr(16)), ToHex(FromHex("01 00 00000000000003e8 00000001 6b 00000000")));
}

// WP-20: what kafka-clients 4.4.0 made of ("k", the digits ten times, 1000 ms) and (null, the same, 1002 ms).
TEST(MessageSetTest, SetsOfTheJavaClientAreRead) {
  std::string digits;
  for (int i = 0; i < 10; ++i) digits += "0123456789";
  struct Case {
    std::int8_t magic;
    const char* hex;
  };
  for (const Case& c : {
           Case{0,
                "00000000000000010000004ef94eb3c40001ffffffff000000401f8b08000000000000ff63608083e2902bab9e80598cd94022"
                "c5c0d0"
                "c8d8c4d4ccdcc292762ca8d58c405cd470b95f9481e13f10d0cb7600d95a0801fd000000"},
           Case{0,
                "000000000000000100000062eb4f0f230002ffffffff0000005482534e4150505900000000010000000100000040fd01000019"
                "011073"
                "54d4aae4050f3c016b0000006430313233343536373839fe0a00660a00000009013c010000007280d38f150000ffffffff00fe"
                "7e009a"
                "7e00"},
           Case{0,
                "00000000000000010000005d93cec3b40003ffffffff0000004f04224d1860401a4000000016000100517354d4aae40f00ff01"
                "016b00"
                "000064303132333435363738390a0047016f00ff020000010000007280d38f150000ffffffff7e00505035363738390000000"
                "0"},
           Case{1,
                "00000000000000010000005c8e6df073010100000000000003eaffffffff000000461f8b08000000000000ff636080836a4bc5"
                "a07446"
                "2887f9059060cc061229068646c626a666e61696b463416d05d95ef5d38d792fdc19affe0301bd5c0100b73be7520d010000"},
           Case{1,
                "0000000000000001000000709288ed4f010200000000000003eaffffffff0000005a82534e4150505900000000010000000100"
                "000046"
                "8d0200001901147b39215267010d105003e8000000016b0000006430313233343536373839fe0a00660a000d76017e107af946"
                "03bd01"
                "0901011403eafffffffffe86009e8600"},
           Case{1,
                "00000000000000010000006d8f394704010300000000000003eaffffffff0000005704224d186040824800000016000100637b"
                "392152"
                "67011000ff0603e8000000016b00000064303132333435363738390a0047037600007e00507af94603bd09000002006f03eaff"
                "ffffff"
                "86005050353637383900000000"},
       }) {
    std::vector<Owned> messages;
    EXPECT_EQ(ReadAll(FromHex(c.hex), messages), absl::OkStatus()) << c.hex;
    std::vector<Owned> expected = Expected(c.magic);
    for (Owned& message : expected) message.value = digits;
    EXPECT_EQ(messages, expected) << c.hex;
  }
}

// WP-20
TEST(MessageSetTest, WhatWasWrittenIsReadBack) {
  for (const std::int8_t magic : kMagics) {
    std::vector<Owned> messages;
    EXPECT_EQ(ReadAll(Plain(magic), messages), absl::OkStatus());
    EXPECT_EQ(messages, Expected(magic));
    for (const Codec codec : kCodecs) {
      messages.clear();
      EXPECT_EQ(ReadAll(Wrapped(magic, codec), messages), absl::OkStatus()) << CodecName(codec);
      EXPECT_EQ(messages, Expected(magic)) << CodecName(codec);
    }
  }
}

// WP-20: wrapper's offset is the last one's, its timestamp the latest, its key null.
TEST(MessageSetTest, AWrapperSpeaksForItsMessages) {
  std::vector<char> buffer(1000);
  MessageSetBuilder builder(1, buffer);
  for (const std::int64_t timestamp : {1000, 3000, 2000}) builder.Append(timestamp, "k", kDigits);
  Compressor compressor(Codec::kGzip);
  ASSERT_TRUE(builder.Compress(compressor));
  EXPECT_EQ(builder.codec(), Codec::kGzip);
  const std::string set(builder.Close());
  EXPECT_EQ(builder.size_bytes(), set.size());
  EXPECT_EQ(LoadBigEndian<std::int64_t>(set.data()), 2);
  EXPECT_EQ(LoadBigEndian<std::int32_t>(set.data() + 8), static_cast<std::int32_t>(set.size() - 12));
  EXPECT_EQ(set[17], 1);
  EXPECT_EQ(LoadBigEndian<std::int64_t>(set.data() + 18), 3000);
  EXPECT_EQ(LoadBigEndian<std::int32_t>(set.data() + 26), -1);
}

// WP-20: a log's wrapper in v1 has the last absolute offset; in v0 each message has its own.
TEST(MessageSetTest, OffsetsAreRelativeInV1AndAbsoluteInV0) {
  for (const std::int8_t magic : kMagics) {
    std::string set = Wrapped(magic, Codec::kSnappy);
    StoreBigEndian(set.data(), std::int64_t{71});
    std::vector<Owned> messages;
    EXPECT_EQ(ReadAll(set, messages), absl::OkStatus());
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].offset, magic == 0 ? 0 : 70);
    EXPECT_EQ(messages[1].offset, magic == 0 ? 1 : 71);
  }
}

// WP-20
TEST(MessageSetTest, LogAppendTimeOfTheWrapperReplacesTheirTimes) {
  std::string set = Wrapped(1, Codec::kGzip);
  set[17] = static_cast<char>(set[17] | 0x08);
  StoreBigEndian(set.data() + 18, std::int64_t{9000});
  StoreBigEndian(set.data() + 12, Crc32(std::string_view(set).substr(16)));
  std::vector<Owned> messages;
  EXPECT_EQ(ReadAll(set, messages), absl::OkStatus());
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].timestamp_ms, 9000);
  EXPECT_EQ(messages[1].timestamp_ms, 9000);
}

TEST(MessageSetTest, WrappersAndPlainMessagesMayBeMixed) {
  const std::string set = Wrapped(1, Codec::kGzip) + Plain(0) + Wrapped(0, Codec::kLz4);
  std::vector<Owned> messages;
  EXPECT_EQ(ReadAll(set, messages), absl::OkStatus());
  EXPECT_EQ(messages.size(), 6U);
}

TEST(MessageSetTest, AnEmptySetHasNoMessages) {
  std::vector<Owned> messages;
  EXPECT_EQ(ReadAll("", messages), absl::OkStatus());
  EXPECT_TRUE(messages.empty());
}

// WP-19
TEST(MessageSetTest, UpperBoundIsThatOfTheRule) {
  EXPECT_EQ(MessageSetUpperBound(0, false, std::nullopt, std::nullopt), 12U + 14);
  EXPECT_EQ(MessageSetUpperBound(1, false, "key", kDigits), 12U + 22 + 3 + 40);
  EXPECT_EQ(MessageSetUpperBound(1, true, "key", kDigits), 2 * (12U + 22) + 3 + 40);
}

TEST(MessageSetTest, ABufferIsFilledToItsLastByte) {
  for (const std::int8_t magic : kMagics) {
    std::vector<char> buffer(MessageSetUpperBound(magic, false, "k", "v"));
    MessageSetBuilder builder(magic, buffer);
    EXPECT_EQ(builder.Append(1, "k", "vv"), 0U);
    EXPECT_EQ(builder.record_count(), 0);
    EXPECT_EQ(builder.Append(1, "k", "v"), buffer.size());
    EXPECT_EQ(builder.Append(1, std::nullopt, std::nullopt), 0U);
  }
}

TEST(MessageSetTest, WhatWouldGrowStaysUnwrapped) {
  std::vector<char> buffer(200);
  MessageSetBuilder builder(1, buffer);
  builder.Append(1, "k", "v");
  Compressor compressor(Codec::kGzip);
  EXPECT_FALSE(builder.Compress(compressor));
  EXPECT_EQ(builder.codec(), Codec::kNone);
  std::vector<Owned> messages;
  EXPECT_EQ(ReadAll(builder.Close(), messages), absl::OkStatus());
  EXPECT_EQ(messages.size(), 1U);
}

TEST(MessageSetTest, AnotherBufferTakesTheWrapperIfItFits) {
  for (const std::int8_t magic : kMagics) {
    const std::string in_place = Wrapped(magic, Codec::kLz4);
    std::vector<char> gathered;
    MessageSetBuilder builder = TwoMessages(magic, gathered);
    std::vector<char> buffer(in_place.size());
    Compressor compressor(Codec::kLz4);
    EXPECT_FALSE(builder.CompressInto(compressor, std::span<char>(buffer).first(buffer.size() - 1)));
    ASSERT_TRUE(builder.CompressInto(compressor, buffer));
    EXPECT_EQ(builder.Close().data(), buffer.data());
    EXPECT_EQ(builder.Close(), in_place);
  }
}

TEST(MessageSetTest, MagicIsWhereItAlwaysWas) {
  EXPECT_EQ(PeekMagic(Plain(0)), 0);
  EXPECT_EQ(PeekMagic(Plain(1)), 1);
  EXPECT_EQ(PeekMagic(Plain(1).substr(0, 16)), std::nullopt);
}

TEST(MessageSetTest, EveryTruncationIsCorrupt) {
  for (const std::int8_t magic : kMagics) {
    const std::string set = Wrapped(magic, Codec::kGzip);
    for (std::size_t size = 1; size < set.size(); ++size) {
      ErrorOf(std::string_view(set).substr(0, size), ErrorCode::kCorruptMessage);
    }
  }
}

TEST(MessageSetTest, AnyChangeBehindTheCrcIsSeen) {
  const std::string good = Message(1, 0, 0, "value");
  for (std::size_t i = 17; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_EQ(ErrorOf(bad, ErrorCode::kCorruptMessage), "message set: byte 12: wrong CRC") << i;
  }
}

TEST(MessageSetTest, OtherFormatsAreInvalid) {
  std::string set = Plain(0);
  set[16] = 2;
  EXPECT_EQ(ErrorOf(set, ErrorCode::kInvalidRecord), "message set: byte 16: neither format v0 nor v1");
}

TEST(MessageSetTest, SizesThatLieAreCorrupt) {
  for (const std::int32_t size : {-1, 0, 13, INT32_MIN}) {
    std::string set = Message(0, 0, 0, "v");
    StoreBigEndian(set.data() + 8, size);
    EXPECT_EQ(ErrorOf(set, ErrorCode::kCorruptMessage), "message set: byte 8: the size is too small") << size;
  }
  std::string set = Message(0, 0, 0, "v");
  StoreBigEndian(set.data() + 8, INT32_MAX);
  EXPECT_EQ(ErrorOf(set, ErrorCode::kCorruptMessage), "message set: byte 8: the size goes beyond the end");
}

// Under a right CRC: what a faulty client would send.
TEST(MessageSetTest, LengthsThatLieAreCorrupt) {
  const auto with_length = [](std::size_t at, std::int32_t length) {
    std::string set = Message(0, 0, 0, "v");
    StoreBigEndian(set.data() + at, length);
    StoreBigEndian(set.data() + 12, Crc32(std::string_view(set).substr(16)));
    return ErrorOf(set, ErrorCode::kCorruptMessage);
  };
  EXPECT_EQ(with_length(18, -2), "message set: byte 18: negative length");
  EXPECT_EQ(with_length(18, 100), "message set: byte 18: length goes beyond the end");
  EXPECT_EQ(with_length(22, 2), "message set: byte 22: length goes beyond the end");
  EXPECT_EQ(with_length(22, 0), "message set: byte 26: bytes after the end");
}

// WP-20: no zstd; WP-15: 5 to 7 are not defined.
TEST(MessageSetTest, CodecsWithoutAPlaceHereAreUnsupported) {
  for (const int codec : {4, 5, 6, 7}) {
    EXPECT_EQ(ErrorOf(Message(1, 0, codec, "x"), ErrorCode::kUnsupportedCompressionType),
              "message set: byte 0: codec " + std::to_string(codec) + " in a message set");
  }
}

TEST(MessageSetTest, AWrapperHoldsMessages) {
  Compressor compressor(Codec::kGzip);
  EXPECT_EQ(ErrorOf(Message(1, 0, 1, std::nullopt), ErrorCode::kCorruptMessage),
            "message set: byte 0: a wrapper without messages");
  EXPECT_EQ(ErrorOf(Message(1, 0, 1, compressor.Compress("")), ErrorCode::kCorruptMessage),
            "message set: byte 0: a wrapper without messages");
  EXPECT_EQ(ErrorOf(Message(1, 0, 1, compressor.Compress("xyz")), ErrorCode::kCorruptMessage),
            "message set: byte 0 of the decompressed messages: the message is cut short");
  EXPECT_EQ(ErrorOf(Message(1, 0, 1, "xyz"), ErrorCode::kCorruptMessage).substr(0, 26), "message set: byte 0: gzip:");
}

TEST(MessageSetTest, WrappersDoNotNest) {
  Compressor compressor(Codec::kGzip);
  for (const std::int8_t magic : kMagics) {
    const std::string nested = Message(magic, 0, 1, compressor.Compress(Message(magic, 0, 1, "whatever")));
    EXPECT_EQ(ErrorOf(nested, ErrorCode::kCorruptMessage),
              "message set: byte 0 of the decompressed messages: a wrapper within a wrapper");
  }
}

TEST(MessageSetTest, AWrapperHoldsItsOwnFormat) {
  Compressor compressor(Codec::kGzip);
  EXPECT_EQ(ErrorOf(Message(1, 0, 1, compressor.Compress(Plain(0))), ErrorCode::kCorruptMessage),
            "message set: byte 0 of the decompressed messages: another format than the wrapper's");
}

TEST(MessageSetTest, ABombIsTooLarge) {
  const std::string zeros(8 << 20, '\0');
  for (const Codec codec : {Codec::kGzip, Codec::kLz4}) {
    Compressor compressor(codec);
    const std::string bomb = Message(1, 0, static_cast<int>(codec), compressor.Compress(zeros));
    ErrorOf(bomb, ErrorCode::kMessageTooLarge);
  }
}

TEST(MessageSetTest, TheBoundIsForAllWrappersTogether) {
  const std::string set = Wrapped(0, Codec::kGzip) + Wrapped(0, Codec::kGzip);
  const std::size_t plain_bytes = Plain(0).size();
  std::vector<Owned> messages;
  EXPECT_EQ(ReadAll(set, messages, 2 * plain_bytes), absl::OkStatus());
  ErrorOf(set, ErrorCode::kMessageTooLarge, 2 * plain_bytes - 1);
}

TEST(MessageSetDeathTest, OnlyTheOldFormatsAndTheirCodecs) {
  std::vector<char> buffer;
  EXPECT_DEATH(MessageSetBuilder(2, buffer), "check failed");
  MessageSetBuilder builder = TwoMessages(1, buffer);
  Compressor zstd(Codec::kZstd);
  EXPECT_DEATH(builder.Compress(zstd), "check failed");
  builder.Close();
  EXPECT_DEATH(builder.Append(1, "k", "v"), "check failed");
}

}  // namespace
}  // namespace ktrial::wire
