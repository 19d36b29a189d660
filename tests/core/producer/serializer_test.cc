// The standard serializers, byte for byte as Kafka's own write (clients 4.0), and headers while a record is serialized.
#include "core/producer/serializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/core/wire/hex.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

template <class T>
std::string HexOf(const T& data) {
  RecordHeaders headers({});
  const absl::StatusOr<SerializedBytes> bytes = StandardSerializer<T>().Serialize("t", headers, &data);
  return bytes.ok() && bytes->has_value() ? wire::ToHex(**bytes) : "nothing";
}

TEST(SerializerTest, IntegersHaveTheirMostSignificantByteFirst) {
  EXPECT_EQ(HexOf<std::int16_t>(258), "0102");
  EXPECT_EQ(HexOf<std::int16_t>(-1), "ffff");
  EXPECT_EQ(HexOf(std::numeric_limits<std::int16_t>::min()), "8000");
  EXPECT_EQ(HexOf<std::int32_t>(16909060), "01020304");
  EXPECT_EQ(HexOf<std::int32_t>(-1), "ffffffff");
  EXPECT_EQ(HexOf(std::numeric_limits<std::int32_t>::min()), "80000000");
  EXPECT_EQ(HexOf<std::int64_t>(72623859790382856), "0102030405060708");
  EXPECT_EQ(HexOf<std::int64_t>(-1), "ffffffffffffffff");
  EXPECT_EQ(HexOf(std::numeric_limits<std::int64_t>::max()), "7fffffffffffffff");
}

TEST(SerializerTest, FloatsKeepEveryBit) {
  EXPECT_EQ(HexOf(-0.0F), "80000000");
  EXPECT_EQ(HexOf(-1.5F), "bfc00000");
  EXPECT_EQ(HexOf(std::numbers::pi_v<float>), "40490fdb");
  EXPECT_EQ(HexOf(std::numeric_limits<float>::denorm_min()), "00000001");
  EXPECT_EQ(HexOf(-std::numeric_limits<float>::infinity()), "ff800000");
  EXPECT_EQ(HexOf(std::bit_cast<float>(0xffc00001U)), "ffc00001");
}

TEST(SerializerTest, DoublesHaveOneNaN) {
  EXPECT_EQ(HexOf(-0.0), "8000000000000000");
  EXPECT_EQ(HexOf(std::numbers::pi), "400921fb54442d18");
  EXPECT_EQ(HexOf(std::numeric_limits<double>::denorm_min()), "0000000000000001");
  EXPECT_EQ(HexOf(std::numeric_limits<double>::infinity()), "7ff0000000000000");
  EXPECT_EQ(HexOf(std::bit_cast<double>(0x7ff0000000000001U)), "7ff8000000000000");
}

TEST(SerializerTest, TextIsItsBytes) {
  EXPECT_EQ(HexOf<std::string_view>("grüß €"), "6772c3bcc39f20e282ac");
  EXPECT_EQ(HexOf<std::string_view>(""), "");
  EXPECT_EQ(HexOf<std::string>("grüß €"), "6772c3bcc39f20e282ac");
}

TEST(SerializerTest, OneSerializerTakesBothKindsOfStrings) {
  RecordHeaders headers({});
  StringSerializer serializer;
  const std::string text = "paid";
  const std::string_view view = text;
  EXPECT_EQ(serializer.Serialize("t", headers, &text).value(), "paid");
  EXPECT_EQ(serializer.Serialize("t", headers, &view).value(), "paid");
  EXPECT_EQ(serializer.Close().code(), absl::StatusCode::kOk);
}

TEST(SerializerTest, TruthIsOne) {
  EXPECT_EQ(HexOf(true), "01");
  EXPECT_EQ(HexOf(false), "00");
}

TEST(SerializerTest, AUuidIsItsText) {
  const Uuid uuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
  EXPECT_EQ(HexOf(uuid), "30313233343536372d383961622d636465662d666564632d626139383736353433323130");
}

TEST(SerializerTest, NothingIsNull) {
  RecordHeaders headers({});
  const std::monostate nothing;
  EXPECT_EQ(VoidSerializer().Serialize("t", headers, &nothing).value(), std::nullopt);
  EXPECT_EQ(VoidSerializer().Serialize("t", headers, nullptr).value(), std::nullopt);
}

// PR-08
TEST(SerializerTest, NullStaysNull) {
  RecordHeaders headers({});
  EXPECT_EQ(StringSerializer().Serialize("t", headers, static_cast<std::string*>(nullptr)).value(), std::nullopt);
  EXPECT_EQ(StringSerializer().Serialize("t", headers, static_cast<std::string_view*>(nullptr)).value(), std::nullopt);
  EXPECT_EQ(Int64Serializer().Serialize("t", headers, nullptr).value(), std::nullopt);
  EXPECT_EQ(UuidSerializer().Serialize("t", headers, nullptr).value(), std::nullopt);
}

TEST(RecordHeadersTest, WhatIsAddedStandsBehindAndIsKept) {
  const std::vector<Header> original = {{.key = "a", .value = "1"}};
  RecordHeaders headers(original);
  {
    std::string key = "b";
    std::string value = "2";
    headers.Add(key, value);
    headers.Add(key, std::nullopt);
    key = value = "gone";
  }
  EXPECT_THAT(headers.all(), ElementsAre(Header{.key = "a", .value = "1"}, Header{.key = "b", .value = "2"},
                                         Header{.key = "b", .value = std::nullopt}));
}

TEST(RecordHeadersTest, TheLastOneOfAKeyCountsAndAllOfAKeyGo) {
  const std::vector<Header> original = {
      {.key = "a", .value = "1"}, {.key = "b", .value = "2"}, {.key = "a", .value = "3"}};
  RecordHeaders headers(original);
  ASSERT_NE(headers.Last("a"), nullptr);
  EXPECT_EQ(headers.Last("a")->value, "3");
  headers.Remove("a");
  EXPECT_EQ(headers.Last("a"), nullptr);
  EXPECT_THAT(headers.all(), ElementsAre(Header{.key = "b", .value = "2"}));
}

}  // namespace
}  // namespace ktrial
