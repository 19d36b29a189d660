#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "sim/world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

WorldSpec Base() {
  WorldSpec spec;
  spec.duration = 2s;
  spec.topics = {{.name = "a", .partitions = 3}};
  spec.network.latency = Distribution::Constant(1ms);
  spec.producers = {{.config = {{"linger.ms", "60000"}, {"delivery.timeout.ms", "120000"}}}};
  return spec;
}

RunResult RunCalls(WorldSpec spec, std::vector<CallSpec> calls) {
  spec.calls = std::move(calls);
  absl::StatusOr<RunResult> result = RunWorld(spec);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : RunResult();
}

TEST(CallTest, SendAndFlushDeliverOneRecord) {
  const RunResult result =
      RunCalls(Base(), {{.at = 100ms, .call = SendCall{.topic = "a", .partition = PartitionIndex(1), .value = "paid"}},
                        {.at = 200ms, .call = FlushCall{}}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(*result.Metric("records.acked"), 1);
  ASSERT_EQ(result.calls.size(), 2U);
  EXPECT_EQ(result.calls[0].call, "send");
  EXPECT_EQ(result.calls[0].at, 100ms);
  EXPECT_EQ(result.calls[1].call, "flush");
  EXPECT_EQ(result.calls[1].result, "OK");
}

TEST(CallTest, FlushWithATimeoutEndsByIt) {
  WorldSpec spec = Base();
  spec.faults = {{.action = PauseBroker{.broker = BrokerSelector::All()}, .trigger = {.at = 150ms, .lasting = 1s}}};
  const RunResult result = RunCalls(
      spec, {{.at = 100ms, .call = SendCall{.topic = "a"}}, {.at = 200ms, .call = FlushCall{.timeout = 300ms}}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.calls[1].result, "DEADLINE_EXCEEDED");
  EXPECT_EQ(result.calls[1].took, 300ms);
}

TEST(CallTest, CallsAfterCloseAreRefused) {
  const RunResult result = RunCalls(Base(), {{.at = 100ms, .call = CloseCall{}},
                                             {.at = 200ms, .call = SendCall{.topic = "a"}},
                                             {.at = 300ms, .call = PartitionsForCall{.topic = "a"}}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  ASSERT_EQ(result.calls.size(), 3U);
  EXPECT_EQ(result.calls[0].result, "OK");
  EXPECT_EQ(result.calls[1].result, "FAILED_PRECONDITION");
  EXPECT_EQ(result.calls[2].result, "FAILED_PRECONDITION");
  EXPECT_EQ(*result.Metric("failed"), 1);
}

TEST(CallTest, CallsOfOneThreadWaitForEachOther) {
  WorldSpec spec = Base();
  spec.faults = {{.action = PauseBroker{.broker = BrokerSelector::All()}, .trigger = {.at = 0ms, .lasting = 1s}}};
  const RunResult result = RunCalls(spec, {{.at = 100ms, .thread = "one", .call = PartitionsForCall{.topic = "a"}},
                                           {.at = 200ms, .thread = "one", .call = FlushCall{}},
                                           {.at = 200ms, .thread = "two", .call = FlushCall{}}});
  ASSERT_EQ(result.calls.size(), 3U);
  EXPECT_EQ(result.calls[0].thread, "two");
  EXPECT_EQ(result.calls[2].call, "flush");
  EXPECT_GT(result.calls[2].at, 1s);
}

TEST(CallTest, TransactionsAreBegunAndEnded) {
  WorldSpec spec = Base();
  spec.producers[0].config["transactional.id"] = "t";
  const RunResult result = RunCalls(spec, {{.at = 100ms, .call = BeginCall{}},
                                           {.at = 600ms, .call = SendCall{.topic = "a"}},
                                           {.at = 700ms, .call = CommitCall{}},
                                           {.at = 1s, .call = BeginCall{}},
                                           {.at = 1200ms, .call = SendCall{.topic = "a"}},
                                           {.at = 1300ms, .call = AbortCall{}},
                                           {.at = 1800ms, .call = CommitCall{}}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  ASSERT_EQ(result.calls.size(), 7U);
  EXPECT_EQ(result.calls[0].call, "begin");
  EXPECT_EQ(result.calls[2].result, "OK");
  EXPECT_EQ(result.calls[5].result, "OK");
  EXPECT_EQ(result.calls[6].result, "FAILED_PRECONDITION");
  EXPECT_EQ(*result.Metric("transactions.committed"), 1);
  EXPECT_EQ(*result.Metric("transactions.aborted"), 1);
}

// It has ended by itself meanwhile, and still has to be called again.
TEST(CallTest, ABeginAfterAnInitWhoseTimeRanOutFetchesItsEnd) {
  WorldSpec spec = Base();
  spec.producers[0].config["transactional.id"] = "t";
  spec.producers[0].config["max.block.ms"] = "200";
  spec.faults = {{.action = PauseBroker{.broker = BrokerSelector::All()}, .trigger = {.at = 50ms, .lasting = 500ms}}};
  const RunResult result = RunCalls(spec, {{.at = 100ms, .call = BeginCall{}},
                                           {.at = 1s, .call = BeginCall{}},
                                           {.at = 1100ms, .call = SendCall{.topic = "a"}},
                                           {.at = 1500ms, .call = CommitCall{}}});
  ASSERT_EQ(result.calls.size(), 4U);
  EXPECT_EQ(result.calls[0].result, "REQUEST_TIMED_OUT");
  EXPECT_EQ(result.calls[1].result, "OK");
  EXPECT_EQ(result.calls[3].result, "OK");
  EXPECT_EQ(*result.Metric("transactions.committed"), 1);
}

TEST(CallTest, CallsThatFailAlikeAreCountedTogether) {
  const RunResult result = RunCalls(Base(), {{.at = 100ms, .call = CloseCall{}},
                                             {.at = 200ms, .call = SendCall{.topic = "a"}},
                                             {.at = 300ms, .call = PartitionsForCall{.topic = "a"}},
                                             {.at = 400ms, .call = SendCall{.topic = "a"}}});
  ASSERT_EQ(result.failed_calls.size(), 2U);
  EXPECT_EQ(Describe(result.failed_calls[0]),
            "send of producer: FAILED_PRECONDITION 2 times, first at 0.200 s: the producer is closed");
  EXPECT_EQ(Describe(result.failed_calls[1]),
            "partitions_for of producer: FAILED_PRECONDITION once, at 0.300 s: the producer is closed");
}

TEST(CallTest, CallsThatSucceedAreNoFailures) {
  EXPECT_TRUE(
      RunCalls(Base(), {{.at = 100ms, .call = FlushCall{}}, {.at = 200ms, .call = CloseCall{}}}).failed_calls.empty());
}

TEST(CallTest, EachCallThatATransactionRefusesIsNamed) {
  WorldSpec spec = Base();
  spec.producers[0].config["transactional.id"] = "t";
  const RunResult result =
      RunCalls(spec, {{.at = 100ms, .call = CommitCall{}},
                      {.at = 200ms, .call = BeginCall{}},
                      {.at = 600ms, .call = BeginCall{}},
                      {.at = 700ms, .call = CommitCall{}},
                      {.at = 1s, .call = AbortCall{}},
                      {.at = 1100ms, .call = SendOffsetsCall{.consumed = {.group = "g", .topic = "a"}}}});
  std::vector<std::string> calls;
  for (const FailedCalls& failed : result.failed_calls) {
    EXPECT_EQ(failed.error, "FAILED_PRECONDITION");
    calls.push_back(failed.call);
  }
  EXPECT_EQ(calls, (std::vector<std::string>{"commit", "begin", "abort", "send_offsets"}));
}

TEST(CallTest, FlushAndCloseWhoseTimeRanOutAreNamed) {
  WorldSpec spec = Base();
  spec.faults = {{.action = PauseBroker{.broker = BrokerSelector::All()}, .trigger = {.at = 150ms, .lasting = 1s}}};
  const RunResult result = RunCalls(spec, {{.at = 100ms, .call = SendCall{.topic = "a"}},
                                           {.at = 200ms, .call = FlushCall{.timeout = 300ms}},
                                           {.at = 600ms, .call = CloseCall{.timeout = 100ms}}});
  ASSERT_EQ(result.failed_calls.size(), 2U);
  EXPECT_EQ(result.failed_calls[0].call, "flush");
  EXPECT_EQ(result.failed_calls[0].error, "DEADLINE_EXCEEDED");
  EXPECT_EQ(result.failed_calls[0].first, 500ms);
  EXPECT_EQ(result.failed_calls[1].call, "close");
  EXPECT_EQ(result.failed_calls[1].error, "DEADLINE_EXCEEDED");
}

TEST(CallTest, ACallOfSeveralInstancesIsMadeOnEach) {
  WorldSpec spec = Base();
  spec.producers[0].instances = 3;
  EXPECT_EQ(RunCalls(spec, {{.at = 100ms, .call = FlushCall{}}}).calls.size(), 3U);
}

}  // namespace
}  // namespace ktrial::sim
