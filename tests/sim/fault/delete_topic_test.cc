#include <gtest/gtest.h>

#include "sim/fault_plan_check.h"
#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

// Topics are not made by whoever asks for them, which would end the fault too early.
WorldSpec Strict(WorldSpec spec = SteadyLoad()) {
  spec.cluster.settings["auto.create.topics.enable"] = "false";
  return spec;
}

TEST(DeleteTopicFault, NothingIsAcknowledgedUntilTheTopicIsMadeAgain) {
  const RunResult result =
      RunWith(DeleteTopic{.topic = TopicSelector::Name("orders")}, {.at = 4s, .lasting = 3s}, Strict());
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "records.acked", 5, 7), 0);
  EXPECT_EQ(*result.Metric("records.acked"), 1000);
  EXPECT_GT(*result.Metric("recovery"), 0);
}

TEST(DeleteTopicFault, TheLogGoesWithTheTopicAndThatIsNoLoss) {
  const RunResult result =
      RunWith(DeleteTopic{.topic = TopicSelector::Name("orders")}, {.at = 4s, .lasting = 100ms}, Strict());
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(*result.Metric("lost"), 0);
  // Of ten seconds' records those of the first four are gone.
  EXPECT_NEAR(*result.Metric("log.records"), 600, 5);
}

TEST(DeleteTopicFault, WithoutALengthTheTopicIsThereAgainAtTheEnd) {
  const RunResult result = RunWith(DeleteTopic{.topic = TopicSelector::Name("orders")}, {.at = 4s}, Strict());
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(Measure(result, "records.acked", 5, 10), 0);
  EXPECT_EQ(*result.Metric("records.acked"), 1000);
}

TEST(DeleteTopicFault, BrokersThatHaveNotHeardOfItGoOnNamingTheTopic) {
  WorldSpec spec = Strict();
  spec.producers[0].config["metadata.max.age.ms"] = "100";
  spec.workloads[0].stop = 3s;
  const DeleteTopic deletion{.topic = TopicSelector::Name("orders"), .lag = Duration(2s)};
  const RunResult result = RunWith(deletion, {.at = 4s, .lasting = 5s}, spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  // Whoever hears that a topic is not there asks again soon.
  EXPECT_EQ(Measure(result, "metadata.reason.metadata_error", 0, 6), 0);
}

TEST(DeleteTopicFault, LossInAnotherTopicIsStillFound) {
  WorldSpec spec = Strict();
  spec.topics.push_back({.name = "audit", .partitions = 2});
  spec.workloads[0].topic = TopicSelector::All();
  spec.faults = {
      {.action = DeleteTopic{.topic = TopicSelector::Name("orders")}, .trigger = {.at = 4s, .lasting = 1s}},
      {.action = LoseAckedAppend{.topic = TopicSelector::Name("audit")}, .trigger = {.at = 4s, .lasting = 500ms}}};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_FALSE(result->violations.empty());
  for (const Violation& violation : result->violations) EXPECT_EQ(violation.checker, "loss") << violation.text;
  EXPECT_GE(*result->Metric("lost"), 1);
}

TEST(DeleteTopicFault, LossInTheTopicThatWasMadeAgainIsStillFound) {
  WorldSpec spec = Strict();
  spec.faults = {
      {.action = DeleteTopic{.topic = TopicSelector::Name("orders")}, .trigger = {.at = 2s, .lasting = 1s}},
      {.action = LoseAckedAppend{.topic = TopicSelector::Name("orders")}, .trigger = {.at = 6s, .lasting = 500ms}}};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(result->HasViolation("loss"));
  EXPECT_GE(*result->Metric("lost"), 1);
}

TEST(DeleteTopicFault, TheBrokersKeepTheirOwnTopics) {
  WorldSpec spec = Strict();
  spec.topics.push_back({.name = "__transaction_state", .partitions = 50});
  const FaultTrigger trigger{.at = 4s, .lasting = 1s};
  spec.faults = {{.action = DeleteTopic{.topic = TopicSelector::Name("__transaction_state")}, .trigger = trigger}};
  EXPECT_EQ(CheckFaultPlan(spec).message(),
            "faults[0] (delete_topic): topic: the brokers do not work without __transaction_state");
  spec.faults = {{.action = DeleteTopic{.topic = TopicSelector::All()}, .trigger = trigger}};
  EXPECT_EQ(CheckFaultPlan(spec), absl::OkStatus());
}

}  // namespace
}  // namespace ktrial::sim
