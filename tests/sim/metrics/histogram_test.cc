#include "sim/metrics/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ktrial::sim {
namespace {

TEST(HistogramTest, EmptyIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.Percentile(500'000), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.mean(), 0);
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (int value = 1; value <= 1000; ++value) histogram.Add(value);
  EXPECT_EQ(histogram.Percentile(500'000), 500);
  EXPECT_EQ(histogram.Percentile(990'000), 990);
  EXPECT_EQ(histogram.Percentile(1'000'000), 1000);
  EXPECT_EQ(histogram.Percentile(0), 1);
  EXPECT_EQ(histogram.mean(), 500);
}

TEST(HistogramTest, PercentilesAreWithinAThousandthOfTheTruth) {
  Histogram histogram;
  std::vector<std::int64_t> values;
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<std::int64_t>(state >> (20 + i % 40)));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const std::int64_t ppm : {1'000, 100'000, 500'000, 900'000, 990'000, 999'900}) {
    const std::int64_t truth = values[static_cast<std::size_t>((20'000 * ppm + 999'999) / 1'000'000 - 1)];
    const std::int64_t got = histogram.Percentile(ppm);
    EXPECT_GE(got, truth);
    EXPECT_LE(got - truth, truth / 1024 + 1);
  }
}

TEST(HistogramTest, NoPercentileExceedsTheMaximum) {
  Histogram histogram;
  histogram.Add(1'000'000'007);
  EXPECT_EQ(histogram.Percentile(500'000), 1'000'000'007);
}

TEST(HistogramTest, NegativeCountsAsZeroAndHugeAsTheLargest) {
  Histogram histogram;
  histogram.Add(-5);
  EXPECT_EQ(histogram.max(), 0);
  histogram.Add(INT64_MAX);
  EXPECT_EQ(histogram.max(), std::int64_t{1} << 62);
}

}  // namespace
}  // namespace ktrial::sim
