#include "core/compression/codec.h"

#include <gtest/gtest.h>
#include <zstd.h>

namespace ktrial {
namespace {

// WP-15
TEST(CodecTest, NamesAreKafkasAndLeadBack) {
  EXPECT_EQ(CodecName(Codec::kNone), "none");
  EXPECT_EQ(CodecName(Codec::kGzip), "gzip");
  EXPECT_EQ(CodecName(Codec::kSnappy), "snappy");
  EXPECT_EQ(CodecName(Codec::kLz4), "lz4");
  EXPECT_EQ(CodecName(Codec::kZstd), "zstd");
  for (int i = 0; i < kCodecCount; ++i) EXPECT_EQ(CodecFromName(CodecName(Codec(i))), Codec(i));
  EXPECT_EQ(CodecFromName("GZIP"), std::nullopt);
  EXPECT_EQ(CodecFromName("unknown"), std::nullopt);
}

// WP-15
TEST(CodecTest, NumbersBeyondTheLastAreUnknown) {
  EXPECT_TRUE(IsKnown(Codec::kZstd));
  EXPECT_FALSE(IsKnown(Codec(5)));
  EXPECT_EQ(CodecName(Codec(7)), "unknown");
}

TEST(CodecTest, LevelsAreThoseOfKafka) {
  EXPECT_EQ(LevelRangeOf(Codec::kGzip), (LevelRange{.min = 1, .max = 9, .fallback = -1}));
  EXPECT_EQ(LevelRangeOf(Codec::kLz4), (LevelRange{.min = 1, .max = 17, .fallback = 9}));
  EXPECT_EQ(LevelRangeOf(Codec::kZstd), (LevelRange{.min = -131072, .max = 22, .fallback = 3}));
  EXPECT_EQ(LevelRangeOf(Codec::kSnappy), std::nullopt);
  EXPECT_EQ(LevelRangeOf(Codec::kNone), std::nullopt);
}

TEST(CodecTest, TheDefaultIsAllowedThoughOutsideTheRange) {
  const LevelRange gzip = *LevelRangeOf(Codec::kGzip);
  EXPECT_TRUE(gzip.Contains(-1));
  EXPECT_TRUE(gzip.Contains(9));
  EXPECT_FALSE(gzip.Contains(0));
  EXPECT_FALSE(gzip.Contains(10));
}

TEST(CodecTest, OurZstdHasTheLevelsThatKafkaAllows) {
  EXPECT_EQ(LevelRangeOf(Codec::kZstd)->min, ZSTD_minCLevel());
  EXPECT_EQ(LevelRangeOf(Codec::kZstd)->max, ZSTD_maxCLevel());
}

TEST(CodecTest, EveryCodecNamesItsLibrarysVersion) {
  for (int i = 1; i < kCodecCount; ++i) {
    const std::string version = CodecLibraryVersion(Codec(i));
    EXPECT_GE(version.size(), 5U) << i;
    EXPECT_NE(version.find('.'), std::string::npos) << version;
  }
  EXPECT_EQ(CodecLibraryVersion(Codec::kNone), "");
}

}  // namespace
}  // namespace ktrial
