#include "sim/broker/cluster.h"

#include <gtest/gtest.h>

#include "core/wire/status.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

class ClusterTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Cluster>> Make(ClusterSpec spec) {
    return Cluster::Create(std::move(spec), clock_, Stream(1, "cluster", "test", trace_));
  }
  std::string ErrorOf(ClusterSpec spec) {
    const auto cluster = Make(std::move(spec));
    EXPECT_EQ(cluster.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(cluster.status().message());
  }
  static ErrorCode CodeOf(Cluster& cluster, TopicSpec topic) { return wire::KafkaCode(cluster.CreateTopic(topic)); }

  HandClock clock_;
  Trace trace_;
};

TEST_F(ClusterTest, ReplicasOfAPartitionStartAtItsNumberAndTheFirstLeads) {
  ClusterSpec spec = SpecOf(3);
  spec.topics = {{.name = "t", .partitions = 4, .replication = 2}};
  const auto cluster = *Make(spec);
  const auto replicas = [&cluster](std::int32_t p) {
    return cluster->FindPartition("t", PartitionIndex(p))->state().replicas;
  };
  EXPECT_EQ(replicas(0), (std::vector{NodeId(1), NodeId(2)}));
  EXPECT_EQ(replicas(2), (std::vector{NodeId(3), NodeId(1)}));
  EXPECT_EQ(replicas(3), (std::vector{NodeId(1), NodeId(2)}));
  EXPECT_EQ(cluster->LeaderOf("t", PartitionIndex(2)), NodeId(3));
  EXPECT_EQ(cluster->LeaderOf("t", PartitionIndex(4)), kNoNode);
}

TEST_F(ClusterTest, WrongSpecsAreRefused) {
  EXPECT_EQ(ErrorOf({}), "a cluster needs at least one broker");
  ClusterSpec twice = SpecOf(1);
  twice.brokers.push_back(twice.brokers[0]);
  EXPECT_EQ(ErrorOf(twice), "broker 1 stands there twice");
  ClusterSpec release = SpecOf(1);
  release.brokers[0].release = "5.0";
  EXPECT_EQ(ErrorOf(release), "broker 1: version \"5.0\" is not one of 0.9, 0.10, 0.11, 1.0, 2.0, 2.8, 3.9, 4.0, 4.4");
}

TEST_F(ClusterTest, TopicsThatCannotBeAreRefusedWithKafkasCodes) {
  const auto cluster = *Make(SpecOf(2));
  EXPECT_EQ(CodeOf(*cluster, {.name = "orders"}), ErrorCode::kTopicAlreadyExists);
  EXPECT_EQ(CodeOf(*cluster, {.name = ".."}), ErrorCode::kInvalidTopicException);
  EXPECT_EQ(CodeOf(*cluster, {.name = std::string(250, 'a')}), ErrorCode::kInvalidTopicException);
  EXPECT_EQ(CodeOf(*cluster, {.name = "a/b"}), ErrorCode::kInvalidTopicException);
  EXPECT_EQ(CodeOf(*cluster, {.name = "t", .partitions = 0}), ErrorCode::kInvalidPartitions);
  EXPECT_EQ(CodeOf(*cluster, {.name = "t", .replication = 3}), ErrorCode::kInvalidReplicationFactor);
  EXPECT_EQ(CodeOf(*cluster, {.name = "t", .settings = {{"cleanup", "x"}}}), ErrorCode::kInvalidConfig);
  EXPECT_EQ(CodeOf(*cluster, {.name = "t"}), ErrorCode::kNone);
}

TEST_F(ClusterTest, TopicMadeAgainHasAnotherId) {
  const auto cluster = *Make(SpecOf(1));
  const TopicId before = cluster->FindTopic("orders")->id;
  ASSERT_TRUE(cluster->DeleteTopic("orders"));
  EXPECT_FALSE(cluster->DeleteTopic("orders"));
  ASSERT_EQ(CodeOf(*cluster, {.name = "orders"}), ErrorCode::kNone);
  EXPECT_NE(cluster->FindTopic("orders")->id, before);
}

TEST_F(ClusterTest, PartitionsAreAddedAndNeverTakenAway) {
  const auto cluster = *Make(SpecOf(3));
  EXPECT_TRUE(cluster->AddPartitions("orders", 3));
  EXPECT_EQ(cluster->LeaderOf("orders", PartitionIndex(2)), NodeId(3));
  EXPECT_FALSE(cluster->AddPartitions("orders", 2));
  EXPECT_FALSE(cluster->AddPartitions("nothing", 2));
}

TEST_F(ClusterTest, SettingsOfATopicGoBeforeThoseOfTheBrokers) {
  ClusterSpec spec = SpecOf(1);
  spec.settings = {{"min.insync.replicas", "2"}, {"message.max.bytes", "500"}};
  spec.topics[0].settings = {{"min.insync.replicas", "1"}};
  const auto cluster = *Make(spec);
  const Topic& topic = *cluster->FindTopic("orders");
  EXPECT_EQ(cluster->MinInsyncReplicas(topic), 1);
  EXPECT_EQ(cluster->MaxMessageBytes(topic), 500);
  EXPECT_EQ(cluster->timestamp_type(topic), TimestampType::kCreateTime);
}

}  // namespace
}  // namespace ktrial::sim
