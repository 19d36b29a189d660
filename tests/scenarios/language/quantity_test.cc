#include "scenarios/language/quantity.h"

#include <gtest/gtest.h>

namespace ktrial::scenario {
namespace {

using namespace std::chrono_literals;

TEST(QuantityTest, DurationsHaveAUnit) {
  EXPECT_EQ(ParseDuration("250ms"), Duration(250ms));
  EXPECT_EQ(ParseDuration("2s"), Duration(2s));
  EXPECT_EQ(ParseDuration("1m"), Duration(1min));
  EXPECT_EQ(ParseDuration("2h"), Duration(2h));
  EXPECT_EQ(ParseDuration("7us"), Duration(7us));
  EXPECT_EQ(ParseDuration("7ns"), Duration(7ns));
  EXPECT_EQ(ParseDuration("0s"), Duration(0));
}

TEST(QuantityTest, FractionsOfADurationAreExact) {
  EXPECT_EQ(ParseDuration("1.5s"), Duration(1500ms));
  EXPECT_EQ(ParseDuration("0.1ms"), Duration(100us));
  EXPECT_EQ(ParseDuration("0.5ns"), std::nullopt);
}

TEST(QuantityTest, OtherTextIsNoDuration) {
  for (const char* text : {"", "5", "s", "5 s", " 5s", "5s ", "-5s", "5d", "5S", "1..2s", "1.s", "9999999999h"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(QuantityTest, ARangeHasTwoDurationsInOrder) {
  EXPECT_EQ(ParseDurationRange("200ms..2s"), sim::DurationRange(200ms, 2s));
  EXPECT_EQ(ParseDurationRange("2s"), sim::DurationRange(2s));
  EXPECT_EQ(ParseDurationRange("2s..200ms"), std::nullopt);
  EXPECT_EQ(ParseDurationRange("1s..2s..3s"), std::nullopt);
  EXPECT_EQ(ParseDurationRange("1..2s"), std::nullopt);
}

TEST(QuantityTest, SizesMayHaveAUnit) {
  EXPECT_EQ(ParseSize("100"), 100);
  EXPECT_EQ(ParseSize("16KiB"), 16384);
  EXPECT_EQ(ParseSize("16KB"), 16000);
  EXPECT_EQ(ParseSize("1.5MiB"), 1572864);
  EXPECT_EQ(ParseSize("1GiB"), 1073741824);
  EXPECT_EQ(ParseSize("1.5"), std::nullopt);
  EXPECT_EQ(ParseSize("16k"), std::nullopt);
}

TEST(QuantityTest, ARangeOfSizesIsOneSizeOrTwo) {
  const auto range = ParseSizeRange("100..1KiB");
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->min, 100);
  EXPECT_EQ(range->max, 1024);
  EXPECT_EQ(ParseSizeRange("5..4"), std::nullopt);
  EXPECT_EQ(ParseSizeRange("4GiB"), std::nullopt);
}

TEST(QuantityTest, ARateIsACountPerUnit) {
  const auto rate = ParseRate("1000/s");
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->count, 1000);
  EXPECT_EQ(rate->per, Duration(1s));
  for (const char* text : {"1000", "0/s", "1000/", "/s", "1000/us", "1000 /s", "-1/s"}) {
    EXPECT_EQ(ParseRate(text), std::nullopt) << text;
  }
}

TEST(QuantityTest, AFractionalRateLengthensItsInterval) {
  const auto rate = ParseRate("0.5/s");
  ASSERT_TRUE(rate.has_value());
  EXPECT_EQ(rate->count, 5);
  EXPECT_EQ(rate->per, Duration(10s));
}

TEST(QuantityTest, FormattedDurationsAreReadBack) {
  for (const Duration duration : {Duration(0), Duration(1ns), Duration(1500us), Duration(250ms), Duration(90s)}) {
    EXPECT_EQ(ParseDuration(FormatDuration(duration)), duration);
  }
  EXPECT_EQ(FormatDuration(1500ms), "1500ms");
  EXPECT_EQ(FormatDuration(60s), "60s");
}

}  // namespace
}  // namespace ktrial::scenario
