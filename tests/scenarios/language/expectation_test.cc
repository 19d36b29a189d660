#include "scenarios/language/expectation.h"

#include <gtest/gtest.h>

namespace ktrial::scenario {
namespace {

bool Holds(std::string_view condition, double number) {
  const std::optional<Condition> parsed = ParseCondition(condition);
  EXPECT_TRUE(parsed.has_value()) << condition;
  return parsed && parsed->Holds(number);
}

TEST(ConditionTest, EachRelationIncludesWhatItSays) {
  EXPECT_TRUE(Holds("5", 5));
  EXPECT_FALSE(Holds("5", 6));
  EXPECT_TRUE(Holds("== 5", 5));
  EXPECT_TRUE(Holds("!= 5", 6));
  EXPECT_FALSE(Holds("!= 5", 5));
  EXPECT_TRUE(Holds("< 5", 4));
  EXPECT_FALSE(Holds("< 5", 5));
  EXPECT_TRUE(Holds("<= 5", 5));
  EXPECT_FALSE(Holds("> 5", 5));
  EXPECT_TRUE(Holds(">=5", 5));
  EXPECT_TRUE(Holds("3..5", 3));
  EXPECT_TRUE(Holds("3..5", 5));
  EXPECT_FALSE(Holds("3..5", 6));
}

TEST(ConditionTest, DurationsAreComparedInMilliseconds) {
  EXPECT_TRUE(Holds("<= 6s", 6000));
  EXPECT_FALSE(Holds("<= 6s", 6001));
  EXPECT_TRUE(Holds("1ms..2s", 1.0));
  EXPECT_TRUE(ParseCondition("<= 6s")->is_duration);
  EXPECT_FALSE(ParseCondition("<= 6")->is_duration);
}

TEST(ConditionTest, OtherTextIsNoCondition) {
  for (const char* text : {"", "x", "<=", "<= x", "=> 5", "5..3", "1..2s", "1s..2", "5 5", "~ 5"}) {
    EXPECT_FALSE(ParseCondition(text).has_value()) << text;
  }
}

TEST(ExpectationTest, ANameTellsPartAndWindow) {
  Expectation expectation;
  expectation.query.metric = "metadata.requests";
  EXPECT_EQ(expectation.Name(), "metadata.requests");
  expectation.query.where = {{sim::MetricFilter::kBroker, "2"}};
  expectation.query.from = std::chrono::seconds(10);
  EXPECT_EQ(expectation.Name(), "metadata.requests{broker=2} in [10s, the end)");
  expectation.query.to = std::chrono::seconds(610);
  EXPECT_EQ(expectation.Name(), "metadata.requests{broker=2} in [10s, 610s)");
}

}  // namespace
}  // namespace ktrial::scenario
