#include "scenarios/runner/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace ktrial::scenario {
namespace {

TEST(TextTest, DurationsHaveAUnitThatSuitsThem) {
  EXPECT_EQ(FormatMillis(0), "0 ms");
  EXPECT_EQ(FormatMillis(0.64), "640 us");
  EXPECT_EQ(FormatMillis(6.24), "6.2 ms");
  EXPECT_EQ(FormatMillis(812), "812 ms");
  EXPECT_EQ(FormatMillis(1930), "1.93 s");
  EXPECT_EQ(FormatMillis(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(TextTest, WholeNumbersHaveNoPoint) {
  EXPECT_EQ(FormatNumber(12000), "12000");
  EXPECT_EQ(FormatNumber(0.4123), "0.412");
  EXPECT_EQ(FormatLarge(1'234'567), "1.2 M");
  EXPECT_EQ(FormatLarge(34'567), "35 k");
  EXPECT_EQ(FormatLarge(12), "12");
}

TEST(TextTest, AShellReadsQuotedWordsBackAsOne) {
  EXPECT_EQ(ShellQuote("scenarios/fast/a.toml"), "scenarios/fast/a.toml");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("a b"), "'a b'");
  EXPECT_EQ(ShellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuote("$HOME"), "'$HOME'");
}

TEST(TextTest, WithoutColorNothingIsAdded) {
  EXPECT_EQ(MakeStyle(false).good, "");
  EXPECT_NE(MakeStyle(true).good, "");
}

}  // namespace
}  // namespace ktrial::scenario
