#include <gtest/gtest.h>

#include "sim/fault_plan_check.h"
#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

// A topic that is away from 2 s on, and would be until the end.
WorldSpec Deleted() {
  WorldSpec spec = SteadyLoad();
  spec.cluster.settings["auto.create.topics.enable"] = "false";
  spec.faults = {{.action = DeleteTopic{.topic = TopicSelector::Name("orders")}, .trigger = {.at = 2s}}};
  return spec;
}

RunResult Result(const WorldSpec& spec) {
  absl::StatusOr<RunResult> result = RunWorld(spec);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : RunResult();
}

TEST(CreateTopicFault, MakesWhatWasDeleted) {
  WorldSpec spec = Deleted();
  spec.faults.push_back({.action = CreateTopic{.topic = "orders"}, .trigger = {.at = 5s}});
  const RunResult result = Result(spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(Measure(result, "records.acked", 3, 5), 0);
  EXPECT_GE(Measure(result, "records.acked", 7, 9, {{MetricFilter::kPartition, "1"}}), 90);
}

TEST(CreateTopicFault, MayGiveItOtherPartitions) {
  WorldSpec spec = Deleted();
  spec.workloads[0].partition.reset();
  spec.faults.push_back({.action = CreateTopic{.topic = "orders", .partitions = 4}, .trigger = {.at = 5s}});
  const RunResult result = Result(spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(Measure(result, "records.acked", 0, 5, {{MetricFilter::kPartition, "3"}}), 0);
  EXPECT_GE(Measure(result, "records.acked", 5, 10, {{MetricFilter::kPartition, "3"}}), 1);
}

TEST(CreateTopicFault, FiresOnlyWhereTheTopicIsNotThere) {
  WorldSpec spec = Deleted();
  spec.faults.push_back({.action = CreateTopic{.topic = "orders"}, .trigger = {.at = 1s}});
  const RunResult result = Result(spec);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(result.faults[1].fired, 0);
}

TEST(CreateTopicFault, WhatCannotBeMadeIsRefused) {
  WorldSpec spec = Deleted();
  const auto why = [&spec](const CreateTopic& fault) {
    spec.faults = {{.action = fault, .trigger = {.at = 5s}}};
    return std::string(CheckFaultPlan(spec).message());
  };
  EXPECT_EQ(why({.topic = "*"}), "faults[0] (create_topic): topic: one is made at a time, allowed: a name");
  EXPECT_EQ(why({.topic = "orders", .partitions = 0}), "faults[0] (create_topic): partitions: 0, allowed: 1 or more");
  EXPECT_EQ(why({.topic = "orders", .replication = 4}), "faults[0] (create_topic): replication: 4, allowed: 1 to 3");
  EXPECT_EQ(why({.topic = "orders", .lag = {Duration(2s), Duration(1s)}}),
            "faults[0] (create_topic): lag: from 2s to 1s, allowed: the shorter one first");
}

}  // namespace
}  // namespace ktrial::sim
