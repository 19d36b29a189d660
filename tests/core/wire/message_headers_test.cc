#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/wire/codec.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

std::string RequestHeaderHex(ApiKey api, std::int16_t version, std::optional<std::string_view> client_id) {
  std::string out;
  EncodeRequestHeader({api, version, /*correlation_id=*/7, client_id}, out);
  return ToHex(out);
}

std::string ResponseHeaderHex(ApiKey api, std::int16_t version) {
  std::string out;
  EncodeResponseHeader(api, version, /*correlation_id=*/7, out);
  return ToHex(out);
}

// WP-03
TEST(MessageHeadersTest, RequestHeaderHasTagsFromTheFirstFlexibleVersionOn) {
  EXPECT_EQ(RequestHeaderHex(ApiKey::kProduce, 8, "me"),
            "0000"
            "0008"
            "00000007"
            "00026d65");
  EXPECT_EQ(RequestHeaderHex(ApiKey::kProduce, 9, "me"),
            "0000"
            "0009"
            "00000007"
            "00026d65"
            "00");
  EXPECT_EQ(RequestHeaderHex(ApiKey::kApiVersions, 3, std::nullopt),
            "0012"
            "0003"
            "00000007"
            "ffff"
            "00");
}

// WP-03: version 0 of the header.
TEST(MessageHeadersTest, ControlledShutdown0HasNoClientId) {
  EXPECT_EQ(RequestHeaderHex(ApiKey::kControlledShutdown, 0, "me"),
            "0007"
            "0000"
            "00000007");
}

// WP-04
TEST(MessageHeadersTest, ResponseHeaderHasTagsButForApiVersions) {
  EXPECT_EQ(ResponseHeaderHex(ApiKey::kMetadata, 8), "00000007");
  EXPECT_EQ(ResponseHeaderHex(ApiKey::kMetadata, 9), "0000000700");
  EXPECT_EQ(ResponseHeaderHex(ApiKey::kInitProducerId, 2), "0000000700");
  for (const std::int16_t version : {0, 2, 3, 4}) {
    EXPECT_EQ(ResponseHeaderHex(ApiKey::kApiVersions, version), "00000007");
  }
}

// WP-03
TEST(MessageHeadersTest, RequestHeaderIsReadBackAndTheBodyFollows) {
  const std::string frame = FromHex("0003 0009 00000007 00026d65 02 00 01ff 05 02abcd") + "body";
  const auto parts = DecodeRequestHeader(frame);
  ASSERT_EQ(parts.status(), absl::OkStatus());
  EXPECT_EQ(parts->header, (RequestHeader{ApiKey::kMetadata, 9, 7, "me"}));
  EXPECT_EQ(parts->body, "body");
}

// A peer may ask for what nobody knows; the numbers must come through, for the answer or the log.
TEST(MessageHeadersTest, UnknownApisAreReadAsHeaderVersion1) {
  const auto parts = DecodeRequestHeader(FromHex("7fff 0001 00000007 ffff"));
  ASSERT_EQ(parts.status(), absl::OkStatus());
  EXPECT_EQ(static_cast<int>(parts->header.api), 0x7fff);
  EXPECT_EQ(parts->header.client_id, std::nullopt);
}

// WP-04, WP-22
TEST(MessageHeadersTest, ResponseHeaderIsReadBackByTheVersionOfItsRequest) {
  const std::string frame = FromHex("00000007 00 aa");
  const auto flexible = DecodeResponseHeader(frame, ApiKey::kProduce, 9);
  ASSERT_EQ(flexible.status(), absl::OkStatus());
  EXPECT_EQ(flexible->correlation_id, 7);
  EXPECT_EQ(ToHex(flexible->body), "aa");
  const auto old = DecodeResponseHeader(frame, ApiKey::kProduce, 8);
  ASSERT_EQ(old.status(), absl::OkStatus());
  EXPECT_EQ(ToHex(old->body), "00aa");
}

TEST(MessageHeadersTest, EveryTruncationIsAnErrorWithItsOffset) {
  const std::string frame = FromHex("0003 0009 00000007 00026d65 01 00 01ff");
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const auto parts = DecodeRequestHeader(std::string_view(frame).substr(0, size));
    EXPECT_EQ(parts.status().code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_EQ(std::string(parts.status().message()).find("request header: byte "), 0U) << parts.status().message();
  }
  for (std::size_t size = 0; size < 5; ++size) {
    const auto parts = DecodeResponseHeader(FromHex("0000000700").substr(0, size), ApiKey::kMetadata, 9);
    EXPECT_EQ(parts.status().code(), absl::StatusCode::kDataLoss) << size;
  }
}

TEST(MessageHeadersTest, TagsOutOfOrderAreAnError) {
  const auto parts = DecodeRequestHeader(FromHex("0003 0009 00000007 ffff 02 0500 0400"));
  EXPECT_EQ(std::string(parts.status().message()), "request header: byte 13: tags are not in ascending order");
}

TEST(MessageHeadersTest, CorrelationIdIsFoundWithoutAVersion) {
  EXPECT_EQ(PeekCorrelationId(FromHex("00000007 ff")), 7);
  EXPECT_EQ(PeekCorrelationId(FromHex("000000")), std::nullopt);
}

}  // namespace
}  // namespace ktrial::wire
