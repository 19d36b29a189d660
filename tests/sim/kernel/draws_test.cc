// Draws: the integer arithmetic against the C library, the distributions against what they are named for, and values
// that no compiler may change.
#include "sim/kernel/draws.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "sim/kernel/draw_tables.h"

namespace ktrial::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr double kOne = 4294967296.0;

TEST(DrawTablesTest, LogarithmsAndPowersAreThoseOfTheCLibrary) {
  for (std::size_t i = 0; i <= 256; ++i) {
    const double x = static_cast<double>(i) / 256;
    EXPECT_NEAR(static_cast<double>(kLog2[i]), std::log2(1 + x) * kOne, 1.0);
    EXPECT_NEAR(static_cast<double>(kExp2[i]), (std::exp2(x) - 1) * kOne, 1.0);
  }
}

TEST(DrawTablesTest, QuantilesHoldTheTailTheyAreFor) {
  for (std::size_t i = 0; i < kNormalQuantile.size(); ++i) {
    const double tail = std::exp2(-2.0 - static_cast<double>(i / 8)) * (1 + static_cast<double>(i % 8) / 8);
    const double quantile = static_cast<double>(kNormalQuantile[i]) / kOne;
    EXPECT_NEAR(std::erfc(quantile / std::sqrt(2.0)) / 2 / tail, 1.0, 1e-8) << i;
  }
}

class DrawsTest : public ::testing::Test {
 protected:
  std::vector<Duration> Sorted(const Distribution& distribution, int count = 200'000) {
    std::vector<Duration> drawn;
    for (int i = 0; i < count; ++i) drawn.push_back(distribution.Draw(stream_));
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  }
  static double Micros(Duration length) { return static_cast<double>(length.count()) / 1000; }

  Trace trace_;
  Stream stream_{1, "test", "draws", trace_};
};

TEST_F(DrawsTest, ALogNormalHasItsMedianAndItsP99) {
  const auto drawn = Sorted(Distribution::LogNormal(microseconds(500), milliseconds(5)));
  EXPECT_NEAR(Micros(drawn[drawn.size() / 2]), 500, 10);
  EXPECT_NEAR(Micros(drawn[drawn.size() * 99 / 100]), 5000, 250);
  // Symmetric in the logarithm: as far below as above.
  EXPECT_NEAR(Micros(drawn[drawn.size() / 100]), 50, 3);
}

TEST_F(DrawsTest, AnExponentialHasItsMeanAndItsMedian) {
  const auto drawn = Sorted(Distribution::Exponential(milliseconds(1)));
  double sum = 0;
  for (const Duration length : drawn) sum += Micros(length);
  EXPECT_NEAR(sum / static_cast<double>(drawn.size()), 1000, 10);
  EXPECT_NEAR(Micros(drawn[drawn.size() / 2]), 693, 10);
  EXPECT_GE(drawn.front(), Duration(0));
}

TEST_F(DrawsTest, AUniformReachesBothItsEnds) {
  const auto drawn = Sorted(Distribution::Uniform(Duration(3), Duration(7)));
  EXPECT_EQ(drawn.front(), Duration(3));
  EXPECT_EQ(drawn.back(), Duration(7));
}

TEST_F(DrawsTest, AConstantDrawsNothing) {
  const std::uint64_t before = trace_.count();
  EXPECT_EQ(Distribution::Constant(microseconds(9)).Draw(stream_), microseconds(9));
  EXPECT_EQ(Distribution().Draw(stream_), Duration(0));
  EXPECT_EQ(trace_.count(), before);
}

TEST_F(DrawsTest, ALogNormalWithoutSpreadIsItsMedian) {
  const auto drawn = Sorted(Distribution::LogNormal(milliseconds(1), milliseconds(1)), 100);
  EXPECT_EQ(drawn.front(), milliseconds(1));
  EXPECT_EQ(drawn.back(), milliseconds(1));
}

TEST_F(DrawsTest, BoundsAreReachedAndKept) {
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) ++seen[stream_.Below(5)];
  for (const int count : seen) EXPECT_NEAR(count, 200, 60);
  EXPECT_EQ(stream_.Between(std::int64_t{-4}, std::int64_t{-4}), -4);
  EXPECT_EQ(stream_.Below(1), 0u);
}

TEST_F(DrawsTest, StreamsOfOneSeedDoNotShiftEachOther) {
  Stream one(7, "entity", "purpose", trace_);
  Stream same(7, "entity", "purpose", trace_);
  Stream other(7, "entity", "another purpose", trace_);
  const std::uint64_t first = one.Next();
  other.Next();
  other.Next();
  EXPECT_EQ(same.Next(), first);
  EXPECT_NE(Stream(8, "entity", "purpose", trace_).Next(), first);
  EXPECT_NE(Stream(7, "entit", "ypurpose", trace_).Next(), first);
}

// What a seed means: a change here changes every run.
TEST_F(DrawsTest, DrawsAreTheSameWithEveryCompiler) {
  Stream stream(42, "golden", "draws", trace_);
  EXPECT_EQ(stream.Next(), 14812591123594417415u);
  EXPECT_EQ(stream.Below(1000), 463u);
  EXPECT_EQ(Distribution::Exponential(milliseconds(1)).Draw(stream).count(), 46334);
  EXPECT_EQ(Distribution::LogNormal(microseconds(500), milliseconds(5)).Draw(stream).count(), 818629);
  EXPECT_EQ(Distribution::LogNormal(microseconds(500), milliseconds(5)).Draw(stream).count(), 637262);
}

}  // namespace
}  // namespace ktrial::sim
