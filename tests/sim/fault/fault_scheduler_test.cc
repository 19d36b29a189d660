#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

Disconnect All() { return {.broker = BrokerSelector::All()}; }

TEST(FaultSchedulerTest, EveryCountsFromOneIntervalOnAndNeverReachesTheEnd) {
  // At 2, 4, 6 and 8 s; not at 0 and not at 10.
  EXPECT_EQ(RunWith(All(), {.every = 2s}).faults[0].fired, 4);
}

TEST(FaultSchedulerTest, TimesBoundsEvery) { EXPECT_EQ(RunWith(All(), {.every = 1s, .times = 3}).faults[0].fired, 3); }

TEST(FaultSchedulerTest, RangesAreDrawnAnewEachTime) {
  const RunResult result = RunWith(All(), {.every = DurationRange(500ms, 1500ms)});
  EXPECT_GE(result.faults[0].fired, 6);
  EXPECT_LE(result.faults[0].fired, 19);
}

TEST(FaultSchedulerTest, AtTheEndOrLaterNothingBegins) { EXPECT_EQ(RunWith(All(), {.at = 10s}).faults[0].fired, 0); }

TEST(FaultSchedulerTest, AStateWithoutALengthHoldsUntilTheEnd) {
  const RunResult result =
      RunWith(NoLeader{.topic = TopicSelector::Name("orders"), .partition = PartitionSelector::Index(0)}, {.at = 5s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(Measure(result, "records.acked", 6, 10, {{MetricFilter::kPartition, "0"}}), 0);
  // And is healed then: what waited arrives.
  EXPECT_EQ(*result.Metric("records.acked"), 1000);
}

TEST(FaultSchedulerTest, NthMatchesAgainAndAgainUpToTimes) {
  const RunResult result =
      RunWith(DropResponse{}, {.on = RequestTrigger{.request = wire::ApiKey::kProduce, .nth = 20}, .times = 3});
  EXPECT_EQ(result.faults[0].fired, 3);
  EXPECT_EQ(*result.Metric("requests.timed_out"), 3);
}

TEST(FaultSchedulerTest, ATriggerThatIsNotMetNeverFires) {
  EXPECT_EQ(RunWith(DropResponse{}, {.on = RequestTrigger{.request = wire::ApiKey::kInitProducerId}}).faults[0].fired,
            0);
}

TEST(FaultSchedulerTest, OneFaultMoreLeavesTheDrawsOfTheOthersAlone) {
  WorldSpec spec = SteadyLoad();
  spec.faults = {{.action = All(), .trigger = {.at = DurationRange(1s, 2s)}}};
  const absl::StatusOr<RunResult> alone = RunWorld(spec);
  spec.faults.push_back({.action = All(), .trigger = {.at = DurationRange(8s, 9s)}});
  const absl::StatusOr<RunResult> together = RunWorld(spec);
  ASSERT_TRUE(alone.ok() && together.ok());
  EXPECT_EQ(Measure(*alone, "disconnects", 0, 5), Measure(*together, "disconnects", 0, 5));
  EXPECT_EQ(Measure(*alone, "requests", 0, 5), Measure(*together, "requests", 0, 5));
}

TEST(FaultSchedulerTest, ANeverFiredFaultFailsTheRunUnlessItMay) {
  WorldSpec spec = SteadyLoad();
  spec.faults = {{.action = RefuseConnect{.broker = BrokerSelector::Id(1)}, .trigger = {.at = 5s, .lasting = 1s}}};
  EXPECT_FALSE(RunWorld(spec)->Passed());
  spec.faults[0].may_not_fire = true;
  EXPECT_TRUE(RunWorld(spec)->Passed());
}

}  // namespace
}  // namespace ktrial::sim
