// Goal: a scenario's run is a function of its seed, and what is shown of it is true.
#include "scenarios/runner/run.h"

#include <gtest/gtest.h>

#include "scenarios/language/parse.h"
#include "scenarios/runner/trace_file.h"

namespace ktrial::scenario {
namespace {

constexpr std::string_view kText = R"(
title = "t"
duration = "2s"
[cluster]
brokers = 3
[[topic]]
name = "orders"
partitions = 3
[network]
latency = "1ms..3ms"
[producer]
max.in.flight.requests.per.connection = 1
[[workload]]
topic = "orders"
rate = "200/s"
arrival = "poisson"
[[fault]]
at = "1s"
move_leader = { topic = "orders", partition = "*" }
[expect]
lost = 0
failed = 0
[[expect_that]]
metric = "records.acked"
from = "0s"
to = "1s"
holds = ">= 100"
)";

Scenario Parsed(const ParseOptions& options = {}) {
  ParseResult result = ParseScenario(kText, "t.toml", options);
  EXPECT_TRUE(result.errors.empty());
  return result.scenario.value_or(Scenario());
}

RunReport RunSeed(const RunSettings& settings) {
  const absl::StatusOr<RunReport> report = RunScenario(Parsed(), settings);
  EXPECT_TRUE(report.ok());
  return report.value_or(RunReport());
}

// Expects the numbers of events to follow each other.
class Collector : public sim::TraceSink {
 public:
  void OnTraceEvent(const sim::TraceEvent& event) override {
    gaps_ += count_ > 0 && event.index != last_index_ + 1 ? 1 : 0;
    last_index_ = event.index;
    ++count_;
    last_.clear();
    AppendTraceLine(event, last_);
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t last_index() const { return last_index_; }
  int gaps() const { return gaps_; }
  const std::string& last() const { return last_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t last_index_ = 0;
  int gaps_ = 0;
  std::string last_;
};

TEST(RunTest, TheSameSeedGivesTheSameRun) {
  const RunReport one = RunSeed({.seed = 7});
  const RunReport other = RunSeed({.seed = 7});
  EXPECT_TRUE(one.passed);
  EXPECT_EQ(one.result.hash, other.result.hash);
  EXPECT_EQ(one.result.metrics, other.result.metrics);
}

TEST(RunTest, AnotherSeedGivesAnotherRun) {
  EXPECT_NE(RunSeed({.seed = 7}).result.hash, RunSeed({.seed = 8}).result.hash);
}

TEST(RunTest, TheReportSaysWhatWasRun) {
  const RunReport report = RunSeed({.seed = 7, .overrides = {"producer.linger.ms=5"}});
  EXPECT_EQ(report.scenario, "t.toml");
  EXPECT_EQ(report.seed, 7u);
  EXPECT_EQ(report.repro, "ktrial run t.toml --seed 7 --set producer.linger.ms=5");
  EXPECT_GE(report.Metric("records.sent"), 300);
  ASSERT_EQ(report.result.faults.size(), 1u);
  EXPECT_EQ(report.result.faults[0].fired, 1);
}

TEST(RunTest, ATraceSeesEveryEventAndChangesNothing) {
  Collector collector;
  const RunReport traced = RunSeed({.seed = 7, .trace = &collector});
  EXPECT_EQ(traced.result.hash, RunSeed({.seed = 7}).result.hash);
  EXPECT_GT(collector.count(), 1000u);
  EXPECT_EQ(collector.gaps(), 0);
  // Its moments count from the start of the run, which lasts two seconds and a little.
  EXPECT_TRUE(collector.last().starts_with("{\"n\":" + std::to_string(collector.last_index()) + ",\"t\":2.0"))
      << collector.last();
}

TEST(RunTest, TwoRunsOfOneSeedDoNotDiffer) {
  const RunReport first = RunSeed({.seed = 7});
  EXPECT_EQ(*CheckDeterminism(Parsed(), first), "");
}

TEST(RunTest, ARunThatWasAnotherIsFoundOut) {
  RunReport first = RunSeed({.seed = 7});
  first.result.hash ^= 1;
  EXPECT_EQ(*CheckDeterminism(Parsed(), first), "the difference did not show again in two more runs");
}

TEST(SummaryTest, APassEndsWithPassAndAFailureWithTheLineToPaste) {
  RunReport report = RunSeed({.seed = 7});
  const std::string pass = RenderSummary(report, false);
  EXPECT_TRUE(pass.starts_with("t  t.toml, seed 7\n")) << pass;
  EXPECT_TRUE(pass.ends_with("\nPASS\n")) << pass;
  EXPECT_NE(pass.find("  faults     move_leader once\n"), std::string::npos) << pass;
  report.passed = false;
  report.failures = {"expected lost 0"};
  const std::string fail = RenderSummary(report, false);
  EXPECT_TRUE(fail.ends_with("FAIL\n  expected lost 0\nreproduce: ktrial run t.toml --seed 7\n")) << fail;
}

TEST(SummaryTest, WhatNeverFailedIsNotMentioned) {
  const std::string summary = RenderSummary(RunReport(), false);
  EXPECT_EQ(summary.find("\n  calls "), std::string::npos) << summary;
  EXPECT_EQ(summary.find("\n  producers "), std::string::npos) << summary;
}

TEST(SummaryTest, ProducersThatFailedForGoodStandBeforeTheCallsThatFailed) {
  RunReport report;
  report.result.failed_producers = {
      {.producer = "p", .error = "PRODUCER_FENCED", .text = "taken over", .at = std::chrono::milliseconds(12'300)}};
  report.result.failed_calls = {{.call = "flush",
                                 .producer = "p",
                                 .error = "DEADLINE_EXCEEDED",
                                 .first = std::chrono::milliseconds(12'400),
                                 .count = 3}};
  const std::string summary = RenderSummary(report, false);
  EXPECT_NE(summary.find("  producers  p failed for good at 12.300 s: PRODUCER_FENCED: taken over\n"
                         "  calls      flush of p: DEADLINE_EXCEEDED 3 times, first at 12.400 s\n"),
            std::string::npos)
      << summary;
}

TEST(SummaryTest, OfManyFailedCallsTheFirstStandThere) {
  RunReport report;
  for (int i = 1; i <= 10; ++i) {
    report.result.failed_calls.push_back({.call = "flush", .producer = "p-" + std::to_string(i), .error = "CANCELLED"});
  }
  const std::string summary = RenderSummary(report, false);
  EXPECT_NE(summary.find("flush of p-8: "), std::string::npos) << summary;
  EXPECT_EQ(summary.find("flush of p-9: "), std::string::npos) << summary;
  EXPECT_NE(summary.find("             and 2 more like these: --json has all\n"), std::string::npos) << summary;
}

TEST(SummaryTest, ATableHasALineForEachAndACount) {
  RunReport good = RunSeed({.seed = 7});
  RunReport bad = good;
  bad.passed = false;
  const std::string table = RenderTable({good, bad}, false);
  EXPECT_NE(table.find("t.toml    PASS"), std::string::npos) << table;
  EXPECT_NE(table.find("t.toml    FAIL"), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with("reproduce: ktrial run t.toml --seed 7\n1 passed, 1 failed\n")) << table;
}

}  // namespace
}  // namespace ktrial::scenario
