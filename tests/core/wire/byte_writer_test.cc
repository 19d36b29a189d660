#include "core/wire/byte_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/wire/byte_reader.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

// WP-01
TEST(ByteWriterTest, FixedNumbersAreBigEndian) {
  std::string out;
  ByteWriter writer(out);
  writer.Fixed(std::int8_t{-1});
  writer.Fixed(std::int16_t{0x0102});
  writer.Fixed(std::int32_t{0x01020304});
  writer.Fixed(std::int64_t{1});
  writer.Bool(true);
  EXPECT_EQ(ToHex(out),
            "ff"
            "0102"
            "01020304"
            "0000000000000001"
            "01");
}

// WP-01, WP-02
TEST(ByteWriterTest, StringsInBothForms) {
  std::string out;
  ByteWriter writer(out);
  writer.NullableString("ab");
  writer.NullableString("");
  writer.NullableString(std::nullopt);
  writer.CompactNullableString("ab");
  writer.CompactNullableString("");
  writer.CompactNullableString(std::nullopt);
  EXPECT_EQ(ToHex(out),
            "00026162"
            "0000"
            "ffff"
            "036162"
            "01"
            "00");
}

// WP-02: the length plus one takes a second byte from 127 on.
TEST(ByteWriterTest, CompactLengthsGrowAt127) {
  std::string out;
  ByteWriter writer(out);
  writer.CompactLength(126);
  writer.CompactLength(127);
  EXPECT_EQ(ToHex(out), "7f8001");
}

// WP-18
TEST(ByteWriterTest, VarintsOfEverySizeAreReadBack) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const std::int64_t step : {-1, 0, 1}) {
      const auto n = static_cast<std::int64_t>((std::uint64_t{1} << shift) + static_cast<std::uint64_t>(step));
      for (const std::int64_t value : {n, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(n))}) {
        char bytes[kVarlongBytesMax];
        const char* const end = WriteVarlong(bytes, value);
        const std::string_view written(bytes, static_cast<std::size_t>(end - bytes));
        EXPECT_EQ(written.size(), VarlongSize(value)) << value;
        ByteReader reader(written);
        EXPECT_EQ(reader.Varlong(), value);
        EXPECT_TRUE(reader.ok()) << value;

        const auto narrow = static_cast<std::int32_t>(value);
        const char* const narrow_end = WriteVarint(bytes, narrow);
        EXPECT_EQ(static_cast<std::size_t>(narrow_end - bytes), VarintSize(narrow)) << narrow;
        ByteReader narrow_reader(std::string_view(bytes, VarintSize(narrow)));
        EXPECT_EQ(narrow_reader.Varint(), narrow);
      }
    }
  }
}

TEST(ByteWriterDeathTest, AStringTooLongForTheOldFormIsOurMistake) {
  std::string out;
  ByteWriter writer(out);
  writer.NullableString(std::string(32767, 'x'));
  EXPECT_EQ(out.size(), 32769U);
  EXPECT_DEATH(writer.NullableString(std::string(32768, 'x')), "check failed");
}

}  // namespace
}  // namespace ktrial::wire
