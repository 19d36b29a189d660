#include <gtest/gtest.h>

#include "tests/scenarios/language/helpers.h"

namespace ktrial::scenario {
namespace {

TEST(ExpectErrorsTest, AMetricThatDoesNotExistIsAnError) {
  EXPECT_EQ(ErrorsOfAdded("[expect]\nlots = 0\n"),
            "f.toml:14:1: expect.lots: there is no metric \"lots\", allowed: what --json prints (did you mean "
            "\"lost\"?)");
}

TEST(ExpectErrorsTest, AConditionIsReadable) {
  EXPECT_EQ(
      ErrorsOfAdded("[expect]\nlost = \"few\"\n"),
      "f.toml:14:8: expect.lost: found \"few\", allowed: a condition such as 0, \"<= 6s\", \">= 3\" or \"3..10\"");
}

TEST(ExpectErrorsTest, OnlyDurationsAreComparedWithDurations) {
  EXPECT_EQ(ErrorsOfAdded("[expect]\nlost = \"< 5s\"\ndelivery.p99 = \"< 5s\"\n"),
            "f.toml:14:8: expect.lost: found a duration, allowed: a number, as lost is none");
}

TEST(ExpectErrorsTest, ViolationsNameCheckers) {
  EXPECT_EQ(
      ErrorsOfAdded("[expect]\nviolations = [\"los\"]\n"),
      "f.toml:14:14: expect.violations: there is no checker \"los\", allowed: loss, duplicate, order, completion, "
      "delivery_timeout, memory or request_rate (did you mean \"loss\"?)");
}

TEST(ExpectErrorsTest, AWindowIsComplete) {
  EXPECT_EQ(ErrorsOfAdded("[[expect_that]]\nfrom = \"5s\"\nto = \"5s\"\n"),
            "f.toml:13:1: expect_that.metric: missing, required: a metric's name\n"
            "f.toml:13:1: expect_that.holds: missing, required: a condition such as 0, \"<= 6s\", \">= 3\" or "
            "\"3..10\"\n"
            "f.toml:15:6: expect_that.to: found \"5s\", allowed: later than from");
}

TEST(ExpectErrorsTest, AFilterNamesWhatExistsAndIsCounted) {
  EXPECT_EQ(ErrorsOfAdded("[[expect_that]]\nmetric = \"metadata.requests\"\nwhere = { broker = 4 }\nholds = 0\n"),
            "f.toml:15:20: expect_that.where.broker: there is no broker 4, allowed: 1 to 3");
  EXPECT_EQ(
      ErrorsOfAdded("[[expect_that]]\nmetric = \"metadata.requests\"\nwhere = { topic = \"orders\" }\nholds = 0\n"),
      "f.toml:15:19: expect_that.where.topic: metadata.requests is not counted by topic");
}

}  // namespace
}  // namespace ktrial::scenario
