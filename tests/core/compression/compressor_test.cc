#include "core/compression/compressor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/compression/decompressor.h"
#include "tests/core/compression/vectors.h"
#include "tests/core/wire/hex.h"

namespace ktrial {
namespace {

using wire::ToHex;

// Words in any order: something for every codec, and the more the harder it looks.
std::string Words(std::size_t size) {
  constexpr const char* kWords[] = {"broker ",  "leader ", "record ", "batch ", "topic ", "partition ",
                                    "offset ",  "epoch ",  "header ", "value ", "key ",   "sequence ",
                                    "replica ", "acks ",   "retry ",  "linger "};
  std::string text;
  std::uint64_t state = 1;
  while (text.size() < size) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += kWords[state >> 60];
  }
  text.resize(size);
  return text;
}

std::string Restored(Codec codec, std::string_view stream, Framing framing = Framing::kStandard) {
  std::string text;
  EXPECT_EQ(Decompressor().Decompress(codec, stream, 1 << 24, text, framing), absl::OkStatus()) << CodecName(codec);
  return text;
}

// WP-15: around the sizes of blocks.
TEST(CompressorTest, EverySizeComesBack) {
  const std::string text = Words(200'000);
  for (const Codec codec : kAllCodecs) {
    Compressor compressor(codec);
    for (const int size : {0, 1, 2, 7, 100, 32767, 32768, 32769, 65535, 65536, 65537, 200'000}) {
      const std::string_view input = std::string_view(text).substr(0, static_cast<std::size_t>(size));
      EXPECT_EQ(Restored(codec, compressor.Compress(input)), input) << CodecName(codec) << " " << size;
    }
  }
}

// WP-15: the bytes of the other implementations, where their library makes the same choices.
TEST(CompressorTest, BytesAreThoseOfTheJavaClient) {
  const std::string text = TenTimesTheDigits();
  EXPECT_EQ(ToHex(Compressor(Codec::kSnappy).Compress(text)), ToHex(Vectors()[2].bytes));
  EXPECT_EQ(ToHex(Compressor(Codec::kLz4).Compress(text)), ToHex(Vectors()[4].bytes));
}

// WP-15: a wrong checksum on purpose, in that format alone.
TEST(CompressorTest, Lz4OfMessageSetsV0HasTheirHeaderChecksum) {
  const std::string text = TenTimesTheDigits();
  Compressor compressor(Codec::kLz4);
  EXPECT_EQ(ToHex(compressor.Compress(text, Framing::kMessageSetV0)), ToHex(Vectors()[5].bytes));
  EXPECT_EQ(ToHex(compressor.Compress(text)), ToHex(Vectors()[4].bytes));
}

TEST(CompressorTest, NothingGrowsBeyondBytesMax) {
  std::string noise;
  std::uint64_t state = 7;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    noise += static_cast<char>(state >> 56);
  }
  for (const Codec codec : kAllCodecs) {
    Compressor compressor(codec);
    const std::string_view stream = compressor.Compress(noise);
    EXPECT_GE(stream.size(), noise.size()) << CodecName(codec);
    EXPECT_LE(stream.size(), compressor.BytesMax(noise.size())) << CodecName(codec);
  }
}

TEST(CompressorTest, AnOutputOfTheRightSizeIsEnoughAndOneByteLessIsNot) {
  const std::string text = Words(50'000);
  for (const Codec codec : kAllCodecs) {
    Compressor compressor(codec);
    const std::string stream(compressor.Compress(text));
    ASSERT_LT(stream.size(), text.size()) << CodecName(codec);
    std::vector<char> output(stream.size());
    EXPECT_EQ(compressor.Compress(text, output), stream.size()) << CodecName(codec);
    EXPECT_EQ(std::string(output.begin(), output.end()), stream) << CodecName(codec);
    EXPECT_EQ(compressor.Compress(text, std::span<char>(output).first(stream.size() - 1)), 0U) << CodecName(codec);
  }
}

// Runs of the simulator are compared byte by byte.
TEST(CompressorTest, EqualInputGivesEqualBytesWhateverCameBefore) {
  const std::string text = Words(70'000);
  for (const Codec codec : kAllCodecs) {
    Compressor used(codec);
    for (const int size : {1, 70'000, 300, 40'000, 0})
      used.Compress(std::string_view(text).substr(0, static_cast<std::size_t>(size)));
    EXPECT_EQ(ToHex(used.Compress(std::string_view(text).substr(5, 60'000))),
              ToHex(Compressor(codec).Compress(std::string_view(text).substr(5, 60'000))))
        << CodecName(codec);
  }
}

TEST(CompressorTest, EveryLevelIsReadableAndTheHighestIsTheSmallest) {
  const std::string text = Words(60'000);
  for (const Codec codec : {Codec::kGzip, Codec::kLz4, Codec::kZstd}) {
    const LevelRange range = *LevelRangeOf(codec);
    std::size_t at_lowest = 0;
    std::size_t at_highest = 0;
    for (int level = std::max(range.min, -3); level <= range.max; ++level) {
      Compressor compressor(codec, level);
      const std::string stream(compressor.Compress(text));
      EXPECT_EQ(Restored(codec, stream), text) << CodecName(codec) << " " << level;
      if (at_lowest == 0) at_lowest = stream.size();
      at_highest = stream.size();
    }
    EXPECT_LT(at_highest, at_lowest) << CodecName(codec);
  }
}

TEST(CompressorTest, TheLowestLevelOfZstdIsReadable) {
  const std::string text = Words(10'000);
  EXPECT_EQ(Restored(Codec::kZstd, Compressor(Codec::kZstd, -131072).Compress(text)), text);
}

// Kafka's default of 9 is its fast compressor, not the ninth of the slow ones.
TEST(CompressorTest, TheDefaultLevelOfLz4IsTheFastCompressor) {
  const std::string text = Words(60'000);
  EXPECT_EQ(Compressor(Codec::kLz4).Compress(text).size(), Compressor(Codec::kLz4, 1).Compress(text).size());
  EXPECT_GT(Compressor(Codec::kLz4).Compress(text).size(), Compressor(Codec::kLz4, 8).Compress(text).size());
}

TEST(CompressorDeathTest, LevelsAndCodecsAreCheckedByTheCaller) {
  EXPECT_DEATH((void)Compressor(Codec::kGzip, 10), "check failed");
  EXPECT_DEATH((void)Compressor(Codec::kSnappy, 1), "check failed");
  EXPECT_DEATH((void)Compressor(Codec::kNone), "check failed");
}

}  // namespace
}  // namespace ktrial
