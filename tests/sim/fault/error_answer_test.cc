#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(ErrorFault, EveryRequestThatFitsGetsIt) {
  const RunResult result = RunWith(ErrorAnswer{.api = wire::ApiKey::kProduce,
                                               .code = wire::ErrorCode::kNotEnoughReplicas,
                                               .topic = TopicSelector::Name("orders"),
                                               .partition = PartitionSelector::Index(0)},
                                   {.at = 4s, .lasting = 2s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(Measure(result, "batches.retried", 4, 6,
                    {{MetricFilter::kPartition, "0"}, {MetricFilter::kError, "NOT_ENOUGH_REPLICAS"}}),
            3);
  EXPECT_EQ(Measure(result, "batches.retried", 0, 10, {{MetricFilter::kPartition, "1"}}), 0);
  EXPECT_EQ(*result.Metric("duplicates"), 0);
}

TEST(ErrorFault, AfterTheAppendTheAnswerLies) {
  const RunResult result = RunWith(ErrorAnswer{.api = wire::ApiKey::kProduce,
                                               .code = wire::ErrorCode::kNotEnoughReplicasAfterAppend,
                                               .phase = FaultPhase::kAfterAppend},
                                   {.at = 4s, .lasting = 500ms});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_GE(*result.Metric("duplicates"), 1);
}

TEST(ErrorFault, WithATriggerItMeetsOneRequest) {
  const RunResult result =
      RunWith(ErrorAnswer{.api = wire::ApiKey::kProduce, .code = wire::ErrorCode::kInvalidTopicException},
              {.on = RequestTrigger{.request = wire::ApiKey::kProduce, .nth = 5}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(*result.Metric("failed"), 1);
  EXPECT_LE(*result.Metric("failed"), 5);
  EXPECT_EQ(*result.Metric("failed"), *result.Metric("errors.INVALID_TOPIC_EXCEPTION"));
}

TEST(ErrorFault, MetadataCanFailToo) {
  const RunResult result =
      RunWith(ErrorAnswer{.api = wire::ApiKey::kMetadata, .code = wire::ErrorCode::kLeaderNotAvailable},
              {.on = RequestTrigger{.request = wire::ApiKey::kMetadata, .nth = 1}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
}

// One producer that commits what it has sent, with brokers of a release.
WorldSpec Transactions(const std::string& release) {
  WorldSpec spec = SteadyLoad();
  spec.cluster.version = release;
  spec.producers = {{.config = {{"transactional.id", "t"}}}};
  spec.workloads.front().transactions = {.records = 20, .offsets = ConsumedSpec{.group = "readers", .topic = "orders"}};
  return spec;
}

TEST(ErrorFault, PartitionOfAddPartitionsToTxnCanBeMeant) {
  const RunResult result = RunWith(ErrorAnswer{.api = wire::ApiKey::kAddPartitionsToTxn,
                                               .code = wire::ErrorCode::kConcurrentTransactions,
                                               .topic = TopicSelector::Name("orders"),
                                               .partition = PartitionSelector::Index(1)},
                                   {.at = 4s, .lasting = 500ms}, Transactions("2.8"));
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(*result.Metric("offsets.committed"), 1);
}

TEST(ErrorFault, PartitionOfTxnOffsetCommitCanBeMeant) {
  for (const char* const release : {"2.8", "4.4"}) {
    const RunResult result = RunWith(ErrorAnswer{.api = wire::ApiKey::kTxnOffsetCommit,
                                                 .code = wire::ErrorCode::kCoordinatorLoadInProgress,
                                                 .topic = TopicSelector::Name("orders"),
                                                 .partition = PartitionSelector::Index(1)},
                                     {.at = 4s, .lasting = 500ms}, Transactions(release));
    EXPECT_TRUE(result.Passed()) << release << Summary(result);
    EXPECT_EQ(result.faults[0].fired, 1) << release;
  }
}

}  // namespace
}  // namespace ktrial::sim
