#include <gtest/gtest.h>

#include "scenarios/runner/report.h"

namespace ktrial::scenario {
namespace {

using Lines = std::vector<std::string>;

Expectation Expect(const std::string& metric, const std::string& condition) {
  Expectation expectation;
  expectation.query.metric = metric;
  expectation.condition = *ParseCondition(condition);
  return expectation;
}

sim::Violation Objection(const std::string& checker) { return {checker, Instant(), "text"}; }

TEST(JudgeTest, ARunWithoutObjectionsPasses) {
  const RunReport report = Judge(Scenario(), sim::RunResult());
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.failures, Lines());
}

TEST(JudgeTest, AnyCheckerThatObjectsFailsTheRun) {
  sim::RunResult result;
  result.violations = {Objection("loss"), Objection("loss"), Objection("order")};
  const RunReport report = Judge(Scenario(), std::move(result));
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.failures, (Lines{"checker loss objects", "checker order objects"}));
}

TEST(JudgeTest, ANegativeScenarioPassesIfExactlyItsCheckersObject) {
  Scenario scenario;
  scenario.violations = Lines{"loss", "order"};
  sim::RunResult both;
  both.violations = {Objection("order"), Objection("loss")};
  EXPECT_TRUE(Judge(scenario, both).passed);
  sim::RunResult one;
  one.violations = {Objection("loss")};
  EXPECT_EQ(Judge(scenario, one).failures, Lines{"checker order must object and does not"});
  sim::RunResult three = both;
  three.violations.push_back(Objection("memory"));
  EXPECT_EQ(Judge(scenario, three).failures, Lines{"checker memory objects"});
}

TEST(JudgeTest, AFaultThatNeverFiredFailsTheRunUnlessItMay) {
  sim::RunResult result;
  result.faults = {{.kind = "crash", .fired = 0, .may_not_fire = true},
                   {.kind = "disconnect", .fired = 0, .may_not_fire = false},
                   {.kind = "error", .fired = 2, .may_not_fire = false}};
  EXPECT_EQ(Judge(Scenario(), std::move(result)).failures, Lines{"fault disconnect never fired"});
}

TEST(JudgeTest, ExpectationsAreComparedWithTheMetrics) {
  Scenario scenario;
  scenario.expectations = {Expect("lost", "0"), Expect("delivery.p99", "<= 6s"), Expect("records.sent", ">= 3")};
  sim::RunResult result;
  result.metrics = {{"lost", 1}, {"delivery.p99", 5999}, {"records.sent", 3}};
  const RunReport report = Judge(scenario, std::move(result));
  EXPECT_EQ(report.failures, Lines{"expected lost 0"});
  ASSERT_EQ(report.expectations.size(), 3u);
  EXPECT_EQ(report.expectations[0].got, 1);
  EXPECT_FALSE(report.expectations[0].holds);
  EXPECT_TRUE(report.expectations[1].holds);
  EXPECT_TRUE(report.expectations[1].is_duration);
  EXPECT_TRUE(report.expectations[2].holds);
}

TEST(JudgeTest, WithStallsOnTopOnlyCheckersAndCountsAreJudged) {
  Scenario scenario;
  scenario.stalls_on_top = true;
  scenario.expectations = {Expect("lost", "0"), Expect("delivery.p99", "<= 6s")};
  sim::RunResult result;
  result.metrics = {{"lost", 1}, {"delivery.p99", 60000}};
  result.faults = {{.kind = "crash", .fired = 0}};
  result.violations = {Objection("loss")};
  EXPECT_EQ(Judge(scenario, std::move(result)).failures, (Lines{"checker loss objects", "expected lost 0"}));
}

TEST(JudgeTest, WhereNothingWasMeasuredNothingHolds) {
  Scenario scenario;
  scenario.expectations = {Expect("delivery.p99", "<= 6s"), Expect("recovery", "<= 3s"), Expect("batch.fill", ">= 0")};
  const RunReport report = Judge(scenario, sim::RunResult());
  EXPECT_EQ(report.failures, (Lines{"expected delivery.p99 <= 6s: there was nothing to measure",
                                    "expected recovery <= 3s: there was nothing to measure",
                                    "expected batch.fill >= 0: there was nothing to measure"}));
  EXPECT_FALSE(report.passed);
  const std::string summary = RenderSummary(report, false);
  EXPECT_NE(summary.find("FAIL recovery <= 3s, got nothing: there was nothing to measure\n"), std::string::npos)
      << summary;
  EXPECT_NE(RenderJson(report).find(R"({"name":"recovery","want":"<= 3s","got":null,"holds":false})"),
            std::string::npos);
}

TEST(JudgeTest, MomentsCountFromTheStartOfTheRun) {
  sim::RunResult result;
  result.start = Instant::FromNanos(4'000'000'000);
  result.violations = {{"loss", Instant::FromNanos(5'500'000'000), "gone"}};
  RunReport report = Judge(Scenario(), std::move(result));
  EXPECT_NE(RenderSummary(report, false).find("loss at 1.500 s: gone\n"), std::string::npos);
  EXPECT_NE(RenderJson(report).find(R"({"checker":"loss","at":1.5,"text":"gone"})"), std::string::npos);
  report.result.virtual_time = std::chrono::seconds(7);
  report.AddFailure("command", "it ended badly");
  EXPECT_NE(RenderJson(report).find(R"({"checker":"command","at":7.0,"text":"it ended badly"})"), std::string::npos);
  EXPECT_EQ(report.failures, (Lines{"checker loss objects", "it ended badly"}));
}

TEST(JudgeTest, ACounterThatNeverCountedIsZero) {
  Scenario scenario;
  scenario.expectations = {Expect("errors.NOT_LEADER_OR_FOLLOWER", "0")};
  EXPECT_TRUE(Judge(scenario, sim::RunResult()).passed);
}

}  // namespace
}  // namespace ktrial::scenario
