#include "core/wire/byte_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

std::string ErrorOf(const ByteReader& reader) { return std::string(reader.status().message()); }

// WP-01
TEST(ByteReaderTest, FixedNumbersAreBigEndian) {
  const std::string bytes = FromHex("ff 0102 01020304 8000000000000000 01");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Fixed<std::int8_t>(), -1);
  EXPECT_EQ(reader.Fixed<std::int16_t>(), 0x0102);
  EXPECT_EQ(reader.Fixed<std::int32_t>(), 0x01020304);
  EXPECT_EQ(reader.Fixed<std::int64_t>(), INT64_MIN);
  EXPECT_TRUE(reader.Bool());
  reader.ExpectEnd();
  EXPECT_EQ(reader.status(), absl::OkStatus());
}

TEST(ByteReaderTest, ANumberCutShortIsAnErrorWhereItBegins) {
  const std::string bytes = FromHex("0001 000000");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Fixed<std::int16_t>(), 1);
  EXPECT_EQ(reader.Fixed<std::int32_t>(), 0);
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ErrorOf(reader), "byte 2: number is cut short");
}

TEST(ByteReaderTest, TheFirstFailureSticks) {
  const std::string bytes = FromHex("00 ffff");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Fixed<std::int64_t>(), 0);
  EXPECT_EQ(reader.Fixed<std::int8_t>(), 0);
  EXPECT_EQ(reader.NullableString().value_or(""), "");
  EXPECT_EQ(reader.UnsignedVarint(), 0U);
  EXPECT_EQ(reader.Varlong(), 0);
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_EQ(ErrorOf(reader), "byte 0: number is cut short");
}

// WP-02, WP-18
TEST(ByteReaderTest, VarintsAtTheirEdges) {
  struct Case {
    const char* hex;
    std::uint32_t value;
  };
  for (const Case& c : {Case{"00", 0}, Case{"7f", 127}, Case{"8001", 128}, Case{"ff7f", 16383}, Case{"808001", 16384},
                        Case{"ffffffff0f", UINT32_MAX}, Case{"8000", 0}}) {
    const std::string bytes = FromHex(c.hex);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.UnsignedVarint(), c.value) << c.hex;
    reader.ExpectEnd();
    EXPECT_TRUE(reader.ok()) << c.hex;
  }
}

// WP-18
TEST(ByteReaderTest, SignedVarintsAreZigZag) {
  const std::string bytes = FromHex("00 01 02 03 feffffff0f ffffffff0f ffffffffffffffffff01");
  ByteReader reader(bytes);
  for (const int expected : {0, -1, 1, -2, INT32_MAX, INT32_MIN}) EXPECT_EQ(reader.Varint(), expected);
  EXPECT_EQ(reader.Varlong(), INT64_MIN);
  reader.ExpectEnd();
  EXPECT_TRUE(reader.ok());
}

// WP-18
TEST(ByteReaderTest, VarintsThatAreTooLongAreErrors) {
  for (const char* hex : {"808080808001", "ffffffff1f", "ffffffffff"}) {
    const std::string bytes = FromHex(hex);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.UnsignedVarint(), 0U);
    EXPECT_EQ(ErrorOf(reader), "byte 0: varint is too long") << hex;
  }
  for (const char* hex : {"8080808080808080808001", "ffffffffffffffffff02"}) {
    const std::string bytes = FromHex(hex);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.Varlong(), 0);
    EXPECT_EQ(ErrorOf(reader), "byte 0: varint is too long") << hex;
  }
}

TEST(ByteReaderTest, AVarintCutShortIsAnError) {
  const std::string bytes = FromHex("00 8080");
  ByteReader reader(bytes);
  reader.UnsignedVarint();
  reader.UnsignedVarint();
  EXPECT_EQ(ErrorOf(reader), "byte 1: varint is cut short");
}

// WP-01, WP-02
TEST(ByteReaderTest, NullIsNotEmpty) {
  const std::string bytes = FromHex("ffff 0000 ffffffff 00000000 00 01 01 00");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.NullableString(), std::nullopt);
  EXPECT_EQ(reader.NullableString(), "");
  EXPECT_EQ(reader.NullableBytes(), std::nullopt);
  EXPECT_EQ(reader.NullableBytes(), "");
  EXPECT_EQ(reader.CompactNullableBytes(), std::nullopt);
  EXPECT_EQ(reader.CompactNullableBytes(), "");
  EXPECT_EQ(reader.VarintNullableBytes(), std::nullopt);
  EXPECT_EQ(reader.VarintNullableBytes(), "");
  EXPECT_TRUE(reader.ok());
}

TEST(ByteReaderTest, LengthsThatLieAreErrorsWhereTheyStand) {
  struct Case {
    const char* hex;
    void (*read)(ByteReader&);
    const char* error;
  };
  const auto string = [](ByteReader& r) { r.NullableString(); };
  const auto bytes32 = [](ByteReader& r) { r.NullableBytes(); };
  const auto compact = [](ByteReader& r) { r.CompactNullableBytes(); };
  const auto varint = [](ByteReader& r) { r.VarintNullableBytes(); };
  for (const Case& c :
       {Case{"fffe", string, "byte 0: negative length"}, Case{"0002 61", string, "byte 0: length goes beyond the end"},
        Case{"80000000", bytes32, "byte 0: negative length"},
        Case{"7fffffff", bytes32, "byte 0: length goes beyond the end"},
        Case{"ffffffff0f 61", compact, "byte 0: length goes beyond the end"},
        Case{"03", varint, "byte 0: negative length"}, Case{"04 61", varint, "byte 0: length goes beyond the end"}}) {
    const std::string bytes = FromHex(c.hex);
    ByteReader reader(bytes);
    c.read(reader);
    EXPECT_EQ(ErrorOf(reader), c.error) << c.hex;
  }
}

TEST(ByteReaderTest, ACountMustFitIntoWhatRemains) {
  const std::string fits = FromHex("00000002 0001 0002");
  ByteReader reader(fits);
  EXPECT_EQ(reader.ArrayCount(/*compact=*/false, 2), 2U);

  const std::string lies = FromHex("00000003 0001 0002");
  ByteReader liar(lies);
  EXPECT_EQ(liar.ArrayCount(/*compact=*/false, 2), std::nullopt);
  EXPECT_EQ(ErrorOf(liar), "byte 0: count goes beyond the end");

  const std::string negative = FromHex("fffffffe");
  ByteReader below(negative);
  EXPECT_EQ(below.ArrayCount(/*compact=*/false, 1), std::nullopt);
  EXPECT_EQ(ErrorOf(below), "byte 0: negative count");

  const std::string null = FromHex("00");
  ByteReader nothing(null);
  EXPECT_EQ(nothing.ArrayCount(/*compact=*/true, 1), std::nullopt);
  EXPECT_TRUE(nothing.ok());
}

TEST(ByteReaderTest, OffsetsCountFromTheOrigin) {
  const std::string bytes = FromHex("00");
  ByteReader reader(bytes, /*origin=*/61);
  reader.Fixed<std::int16_t>();
  EXPECT_EQ(std::string(reader.status("record batch").message()), "record batch: byte 61: number is cut short");
}

TEST(ByteReaderTest, TrailingBytesAreAnError) {
  const std::string bytes = FromHex("0001 02");
  ByteReader reader(bytes);
  reader.Fixed<std::int16_t>();
  reader.ExpectEnd();
  EXPECT_EQ(ErrorOf(reader), "byte 2: bytes after the end");
}

}  // namespace
}  // namespace ktrial::wire
