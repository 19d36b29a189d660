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

TEST(ExpectErrorsTest, ADurationHasAUnit) {
  EXPECT_EQ(
      ErrorsOfAdded("[expect]\ndelivery.p99 = \"<= 6000\"\nrecovery = 5\nsend.blocked.max = \"1..2\"\n"),
      "f.toml:14:16: expect.delivery.p99: found \"<= 6000\", which has no unit, allowed: a duration such as \"<= 6s\" "
      "or "
      "\"1ms..2s\"\n"
      "f.toml:15:12: expect.recovery: found 5, which has no unit, allowed: a duration such as \"<= 6s\" or "
      "\"1ms..2s\"\n"
      "f.toml:16:20: expect.send.blocked.max: found \"1..2\", which has no unit, allowed: a duration such as \"<= 6s\" "
      "or \"1ms..2s\"");
}

TEST(ExpectErrorsTest, ViolationsNameCheckers) {
  EXPECT_EQ(ErrorsOfAdded("[expect]\nviolations = [\"los\"]\n"),
            "f.toml:14:14: expect.violations: there is no checker \"los\", allowed: loss, duplicate, order, "
            "completion, atomicity, "
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

// What stands wrong in one [[expect_that]] about records.acked with these keys on line 15.
std::string ThatErrors(std::string_view keys, const ParseOptions& options = {}) {
  return ErrorsOfAdded("[[expect_that]]\nmetric = \"records.acked\"\n" + std::string(keys) + "\nholds = 0\n", options);
}

TEST(ExpectErrorsTest, APartitionExists) {
  EXPECT_EQ(ThatErrors("where = { partition = 99 }"),
            "f.toml:15:23: expect_that.where.partition: there is no partition 99, allowed: 0 to 5");
  EXPECT_EQ(ThatErrors("where = { partition = 5 }"), "");
  EXPECT_EQ(ThatErrors("where = { topic = \"solo\", partition = 1 }"),
            "f.toml:15:39: expect_that.where.partition: there is no partition 1, allowed: 0 to 0");
}

TEST(ExpectErrorsTest, AThreadOrProducerIsNamedExactly) {
  EXPECT_EQ(
      ThatErrors("where = { workload = \"app-10\" }"),
      "f.toml:15:22: expect_that.where.workload: there is no workload with the thread \"app-10\", allowed: app-1");
  EXPECT_EQ(ThatErrors("where = { producer = \"p\" }"),
            "f.toml:15:22: expect_that.where.producer: there is no producer \"p\", allowed: producer");
  EXPECT_EQ(ThatErrors("where = { producer = \"producer\", workload = \"app-1\" }"), "");
}

TEST(ExpectErrorsTest, AnInstanceHasItsOwnName) {
  const ParseOptions two = {.overrides = {"producer.name=p", "producer.instances=2"}, .purpose = Purpose::kRun};
  EXPECT_EQ(ThatErrors("where = { producer = \"p-2\", workload = \"app-1-2\" }", two), "");
  EXPECT_EQ(ThatErrors("where = { producer = \"p\" }", two),
            "f.toml:15:22: expect_that.where.producer: there is no producer \"p\", allowed: p-1 or p-2");
}

TEST(ExpectErrorsTest, AWindowBeginsBeforeTheEnd) {
  EXPECT_EQ(
      ThatErrors("from = \"240s\""),
      "f.toml:15:8: expect_that.from: found \"240s\", allowed: before the end of the run, 240s (duration and settle)");
  EXPECT_EQ(ThatErrors("from = \"239s\""), "");
}

TEST(ExpectErrorsTest, WhatIsOfTheWholeRunHasNoWindow) {
  EXPECT_EQ(ErrorsOfAdded("[[expect_that]]\nmetric = \"lost\"\nfrom = \"5s\"\nholds = 0\n"),
            "f.toml:15:8: expect_that.from: lost is of the whole run, allowed: without from and to");
}

}  // namespace
}  // namespace ktrial::scenario
