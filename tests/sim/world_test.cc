// How to write a world: say what the story is about, run it, look at what it left.
#include "sim/world.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "core/check.h"
#include "core/env/sync.h"
#include "sim/trace/trace.h"
#include "sim/workload/app_context.h"

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

TEST(WorldTest, AListenerChangesNothing) {
  class Counter final : public TraceSink {
   public:
    void OnTraceEvent(const TraceEvent&) override { ++count; }
    int count = 0;
  } counter;
  WorldSpec spec = Orders();
  spec.duration = 1s;
  const std::uint64_t hash = RunOrDie(spec).hash;
  const absl::StatusOr<RunResult> heard = RunWorld(spec, {.trace_sink = &counter});
  ASSERT_TRUE(heard.ok());
  EXPECT_EQ(heard->hash, hash);
  EXPECT_GT(counter.count, 1000);
}

TEST(WorldTest, WhoWaitsIsToldHowFarItIsAndChangesNothing) {
  class Waiting final : public ProgressListener {
   public:
    void OnProgress(Duration at, std::int64_t records) override {
      goes_back = goes_back || at < last_at || records < last_records;
      last_at = at;
      last_records = records;
      ++count;
    }
    Duration last_at{0};
    std::int64_t last_records = 0;
    bool goes_back = false;
    int count = 0;
  } waiting;
  WorldSpec spec = Orders();
  spec.duration = 1s;
  spec.faults = {{.action = PauseBroker{.broker = BrokerSelector::Id(1)}, .trigger = {.at = 500ms}}};
  spec.schedule.stalls = StallMode::kRare;
  const RunResult alone = RunOrDie(spec);
  const absl::StatusOr<RunResult> watched = RunWorld(spec, {.progress = &waiting});
  ASSERT_TRUE(watched.ok());
  EXPECT_EQ(watched->hash, alone.hash);
  EXPECT_EQ(watched->metrics, alone.metrics);
  EXPECT_EQ(watched->virtual_time, alone.virtual_time);
  EXPECT_GE(waiting.count, 100);
  EXPECT_FALSE(waiting.goes_back);
  EXPECT_GE(waiting.last_at, 1s);
  EXPECT_EQ(waiting.last_records, 200);
}

TEST(WorldTest, EveryRunBeginsAtTheSameMoment) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  EXPECT_EQ(RunOrDie(spec).start, WorldStart());
}

TEST(WorldTest, InstancesWorkSideBySide) {
  WorldSpec spec = Orders();
  spec.duration = 2s;
  spec.producers[0].name = "p";
  spec.producers[0].instances = 3;
  const RunResult result = RunOrDie(spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(*result.Metric("records.acked"), 1200);
  EXPECT_EQ(*result.Query({.metric = "records.acked", .where = {{MetricFilter::kProducer, "p-2"}}}), 400);
  EXPECT_EQ(*result.Query({.metric = "records.acked", .where = {{MetricFilter::kWorkload, "app-1-3"}}}), 400);
}

TEST(WorldTest, WhatDoesNotSettleIsNamed) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  spec.settle = 0s;
  spec.workloads[0].rate.reset();
  spec.workloads[0].count = 1;
  spec.producers[0].config["linger.ms"] = "30000";
  const RunResult result = RunOrDie(spec);
  ASSERT_EQ(result.violations.size(), 1U) << Summary(result);
  EXPECT_EQ(result.violations[0].checker, "completion");
  EXPECT_EQ(result.violations[0].text,
            "1 records are not complete 0 s after everything healed: record 0 of app-1 to orders");
}

TEST(WorldTest, AFailedCheckIsAFindingAboutTheRun) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  spec.threads = {{.name = "main", .body = [](AppContext&) { KT_CHECK(1 + 1 == 3); }}};
  const RunResult result = RunOrDie(spec);
  ASSERT_FALSE(result.violations.empty());
  EXPECT_EQ(result.violations[0].checker, "invariant");
  EXPECT_NE(result.violations[0].text.find("1 + 1 == 3"), std::string::npos);
}

TEST(WorldTest, AWorldThatSpinsEndsAtItsFirstFinding) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  std::int64_t turns = 0;
  spec.threads = {{.name = "spinner", .body = [&turns](AppContext& app) {
                     Mutex mutex(app.env().threads(), Site("world_test.spin"));
                     for (;;) {
                       const MutexLock lock(mutex);
                       ++turns;
                     }
                   }}};
  const RunResult result = RunOrDie(spec);
  ASSERT_EQ(result.violations.size(), 1U) << Summary(result);
  EXPECT_EQ(result.violations[0].checker, "livelock");
  // Two steps a turn, and the kernel bears 50 million of them in one moment: once, not once a phase.
  EXPECT_LT(turns, 30'000'000);
}

TEST(WorldTest, AThreadThatNeverEndsIsNamedAndLeftBehind) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  spec.settle = 1s;
  spec.threads = {{.name = "stuck", .body = [](AppContext& app) {
                     Mutex mutex(app.env().threads(), Site("world_test.mutex"));
                     CondVar never(app.env().threads());
                     MutexLock lock(mutex);
                     never.Wait(mutex, Instant::Never(), [] { return false; }, Site("world_test.stuck"));
                   }}};
  const RunResult result = RunOrDie(spec);
  ASSERT_EQ(result.violations.size(), 1U) << Summary(result);
  EXPECT_EQ(result.violations[0].text, "thread stuck has not ended 1 s after everything healed");
  // The next world does not notice.
  spec.threads.clear();
  EXPECT_TRUE(RunOrDie(spec).Passed());
}

TEST(WorldTest, AnExceptionOfTheApplicationIsTheCallers) {
  WorldSpec spec = Orders();
  spec.duration = 1s;
  spec.threads = {{.name = "main", .body = [](AppContext&) { throw std::runtime_error("mine"); }}};
  EXPECT_THROW(RunWorld(spec).status().IgnoreError(), std::runtime_error);
}

}  // namespace
}  // namespace ktrial::sim
