// How to write a world: say what the story is about, run it, look at what it left.
#include "sim/world.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

// Three brokers, one topic, a producer that waits for all replicas and keeps strict order.
WorldSpec Orders() {
  WorldSpec spec;
  spec.duration = 20s;
  spec.cluster.brokers = 3;
  spec.topics = {{.name = "orders", .partitions = 3}};
  spec.network.latency = Distribution::Constant(500us);
  spec.producers = {{.config = {{"acks", "all"}, {"linger.ms", "5"}, {"max.in.flight.requests.per.connection", "1"}}}};
  spec.workloads = {{.topic = TopicSelector::Name("orders"), .rate = Rate{.count = 200}}};
  return spec;
}

RunResult RunOrDie(const WorldSpec& spec) {
  absl::StatusOr<RunResult> result = RunWorld(spec);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : RunResult();
}

TEST(WorldTest, QuietWorldDeliversEverythingOnce) {
  const RunResult result = RunOrDie(Orders());
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(*result.Metric("records.sent"), 4000);
  EXPECT_EQ(*result.Metric("records.acked"), 4000);
  EXPECT_EQ(*result.Metric("log.records"), 4000);
  EXPECT_EQ(*result.Metric("duplicates"), 0);
  EXPECT_GE(result.virtual_time, 20s);
  EXPECT_LT(result.virtual_time, 21s);
}

TEST(WorldTest, LeaderMoveLosesAndReordersNothing) {
  WorldSpec spec = Orders();
  spec.faults = {
      {.action = MoveLeader{.topic = TopicSelector::Name("orders"), .partition = PartitionSelector::Index(0)},
       .trigger = {.at = 10s}}};
  const RunResult result = RunOrDie(spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  SCOPED_TRACE(Summary(result));
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(*result.Metric("records.retried"), 1);
  EXPECT_EQ(*result.Metric("records.acked"), 4000);
  EXPECT_EQ(*result.Metric("reordered"), 0);
}

TEST(WorldTest, SameSeedGivesTheSameHash) {
  WorldSpec spec = Orders();
  spec.duration = 2s;
  spec.faults = {
      {.action = Disconnect{.broker = BrokerSelector::Any()}, .trigger = {.every = DurationRange(200ms, 500ms)}}};
  spec.schedule.stalls = StallMode::kRare;
  const RunResult first = RunOrDie(spec);
  EXPECT_EQ(RunOrDie(spec).hash, first.hash);
  EXPECT_EQ(RunOrDie(spec).metrics, first.metrics);
}

TEST(WorldTest, AnotherSeedGivesAnotherHash) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  const RunResult first = RunOrDie(spec);
  spec.seed = 2;
  EXPECT_NE(RunOrDie(spec).hash, first.hash);
}

}  // namespace
}  // namespace ktrial::sim
