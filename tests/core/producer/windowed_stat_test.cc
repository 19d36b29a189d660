#include "core/producer/windowed_stat.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace ktrial {
namespace {

using std::chrono::seconds;

constexpr StatWindows kWindows{.count = 2, .length = seconds(30)};
constexpr Instant kStart = Instant::FromNanos(1'000'000'000'000);

// PR-27
TEST(WindowedStatTest, WithoutValuesThereIsNothing) {
  const WindowedStat stat(kWindows);
  EXPECT_EQ(stat.RatePerSecond(kStart), 0);
  EXPECT_TRUE(std::isnan(stat.Average(kStart)));
  EXPECT_TRUE(std::isnan(stat.Max(kStart)));
  EXPECT_EQ(stat.total(), 0);
}

// PR-27
TEST(WindowedStatTest, AverageAndMaximumAreOfTheValues) {
  WindowedStat stat(kWindows);
  for (const double value : {3.0, 9.0, 6.0}) stat.Record(kStart, value);
  EXPECT_EQ(stat.Average(kStart), 6);
  EXPECT_EQ(stat.Max(kStart), 9);
  EXPECT_EQ(stat.total(), 18);
  EXPECT_EQ(stat.total_count(), 3);
}

// PR-27: one value a moment ago is not a huge rate; the time is at least all windows but the current one.
TEST(WindowedStatTest, ARateIsOverAtLeastTheWholeWindowsBefore) {
  WindowedStat stat(kWindows);
  stat.Record(kStart, 60);
  EXPECT_DOUBLE_EQ(stat.RatePerSecond(kStart), 2);                // 60 / 30 s
  EXPECT_DOUBLE_EQ(stat.RatePerSecond(kStart + seconds(30)), 2);  // 60 / 30 s
  EXPECT_DOUBLE_EQ(stat.RatePerSecond(kStart + seconds(50)), 1.2);
}

// PR-27
TEST(WindowedStatTest, ACountIsOfTheValuesWhateverTheyAre) {
  WindowedStat stat(kWindows);
  EXPECT_EQ(stat.CountPerSecond(kStart), 0);
  for (const double value : {0.0, 0.0, 500.0}) stat.Record(kStart, value);
  EXPECT_DOUBLE_EQ(stat.CountPerSecond(kStart), 0.1);
  EXPECT_EQ(stat.SumInWindows(kStart), 500);
  EXPECT_EQ(stat.SumInWindows(kStart + seconds(60)), 0);
}

// PR-27
TEST(WindowedStatTest, OldWindowsFallOut) {
  WindowedStat stat(kWindows);
  stat.Record(kStart, 100);
  stat.Record(kStart + seconds(30), 1);
  EXPECT_EQ(stat.Max(kStart + seconds(59)), 100);
  EXPECT_EQ(stat.Max(kStart + seconds(60)), 1);
  EXPECT_TRUE(std::isnan(stat.Max(kStart + seconds(90))));
  EXPECT_EQ(stat.total(), 101);
}

// PR-27
TEST(WindowedStatTest, AWindowIsUsedAgain) {
  WindowedStat stat(kWindows);
  for (int i = 0; i < 10; ++i) stat.Record(kStart + seconds(30 * i), i);
  EXPECT_EQ(stat.Average(kStart + seconds(270)), 8.5);  // 8 and 9
}

TEST(WindowedStatTest, OneWindowHasAFiniteRate) {
  WindowedStat stat({.count = 1, .length = seconds(10)});
  stat.Record(kStart, 5);
  EXPECT_DOUBLE_EQ(stat.RatePerSecond(kStart), 0.5);
}

TEST(WindowedStatTest, AMomentThatGoesBackCountsForNow) {
  WindowedStat stat(kWindows);
  stat.Record(kStart, 1);
  stat.Record(kStart - seconds(1), 2);
  EXPECT_EQ(stat.Average(kStart), 1.5);
}

}  // namespace
}  // namespace ktrial
