#include "sim/run_result.h"

#include <gtest/gtest.h>

#include "sim/metrics/run_record.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

class RunResultTest : public ::testing::Test {
 protected:
  RunResultTest() {
    auto record = std::make_shared<RunRecord>();
    record->start = Instant::FromNanos(5);
    record->end = Instant::FromNanos(3'000'000'005);
    record->producers = {"p"};
    record->events.Add({.at_nanos = 5, .broker = 1, .kind = EventKind::kConnecting});
    record->events.Add({.at_nanos = 1'000'000'005, .broker = 2, .kind = EventKind::kConnecting});
    record->index.emplace(record->history, record->partitions);
    result_.metrics = CountMetrics(*record, {});
    result_.record = record;
  }
  RunResult result_;
};

TEST_F(RunResultTest, ACounterThatNeverCountedIsZero) {
  EXPECT_EQ(*result_.Metric("errors.REQUEST_TIMED_OUT"), 0);
  EXPECT_EQ(*result_.Metric("connects"), 2);
}

TEST(DescribeTest, FailedCallsSayHowOftenAndSinceWhen) {
  FailedCalls failed = {.call = "commit",
                        .producer = "p",
                        .error = "PRODUCER_FENCED",
                        .text = "taken over",
                        .first = 12'300ms,
                        .count = 3};
  EXPECT_EQ(Describe(failed), "commit of p: PRODUCER_FENCED 3 times, first at 12.300 s: taken over");
  failed.count = 1;
  failed.text = "";
  EXPECT_EQ(Describe(failed), "commit of p: PRODUCER_FENCED once, at 12.300 s");
}

TEST(DescribeTest, AFailedProducerSaysSinceWhenAndWhy) {
  EXPECT_EQ(Describe(FailedProducer{.producer = "p", .error = "PRODUCER_FENCED", .text = "taken over", .at = 12'300ms}),
            "p failed for good at 12.300 s: PRODUCER_FENCED: taken over");
}

TEST_F(RunResultTest, ANameThatDoesNotExistIsAnError) {
  EXPECT_EQ(result_.Metric("conects").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result_.Query({.metric = "conects"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RunResultTest, AStatisticOfNothingIsNotZero) {
  EXPECT_EQ(result_.Metric("delivery.p99").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(result_.Metric("recovery").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(result_.Query({.metric = "batch.fill", .from = 1s}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(RunResultTest, AWindowBehindTheEndHasNothing) {
  EXPECT_EQ(*result_.Query({.metric = "connects", .from = 2s}), 0);
  const absl::Status status = result_.Query({.metric = "connects", .from = 3s}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "the run had ended before that, at 3.000 s");
}

TEST_F(RunResultTest, WhatIsOfTheWholeRunHasNoWindow) {
  EXPECT_EQ(*result_.Query({.metric = "lost"}), 0);
  EXPECT_EQ(result_.Query({.metric = "lost", .from = 1s}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RunResultTest, WindowsCountFromTheStartOfTheRun) {
  EXPECT_EQ(*result_.Query({.metric = "connects", .from = 0s, .to = 1s}), 1);
  EXPECT_EQ(*result_.Query({.metric = "connects", .from = 1s}), 1);
}

TEST_F(RunResultTest, FiltersNarrowAndAreChecked) {
  EXPECT_EQ(*result_.Query({.metric = "connects", .where = {{MetricFilter::kBroker, "2"}}}), 1);
  EXPECT_EQ(result_.Query({.metric = "connects", .where = {{MetricFilter::kBroker, "two"}}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result_.Query({.metric = "connects", .where = {{MetricFilter::kPartition, "2"}}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result_.Query({.metric = "failed", .where = {{MetricFilter::kError, "OOPS"}}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(RunResultTest, PassedNeedsNoViolationAndFaultsThatFired) {
  EXPECT_TRUE(result_.Passed());
  result_.faults = {{.kind = "crash", .fired = 0}};
  EXPECT_FALSE(result_.Passed());
  result_.faults[0].may_not_fire = true;
  EXPECT_TRUE(result_.Passed());
  result_.violations = {{.checker = "loss"}};
  EXPECT_FALSE(result_.Passed());
  EXPECT_TRUE(result_.HasViolation("loss"));
}

}  // namespace
}  // namespace ktrial::sim
