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

TEST(ReproLineTest, ItCallsTheProgramAsItWasCalled) {
  EXPECT_EQ(ReproLine({"bin/k trial", "run", "a b.toml", 7, {"duration=5s"}, {}}),
            "'bin/k trial' run 'a b.toml' --seed 7 --set duration=5s");
  EXPECT_EQ(ReproLine({"ktrial", "serve", "a.toml", 1, {}, {"--", "sh", "-c", "exit 7"}}),
            "ktrial serve a.toml --seed 1 -- sh -c 'exit 7'");
}

TEST(ReproLineTest, WhatCameFromStandardInputMustComeAgain) {
  EXPECT_EQ(ReproLine({"ktrial", "run", "-", 7, {}, {}}),
            "ktrial run - --seed 7 < FILE  # FILE: save there what standard input held");
}

}  // namespace
}  // namespace ktrial::scenario
