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

TEST_F(ClusterTest, DeletedTopicStaysAsItWasForWhoLooksBack) {
  ClusterSpec spec = SpecOf(2);
  spec.topics[0] = {.name = "orders", .partitions = 2, .replication = 2, .settings = {{"min.insync.replicas", "2"}}};
  const auto cluster = *Make(spec);
  cluster->Append(*cluster->FindPartition("orders", PartitionIndex(1)), {}, std::vector<RecordIdentity>{7});
  ASSERT_EQ(cluster->FindDeletedTopic("orders"), nullptr);
  ASSERT_TRUE(cluster->DeleteTopic("orders"));
  const Topic* deleted = cluster->FindDeletedTopic("orders");
  ASSERT_NE(deleted, nullptr);
  EXPECT_EQ(deleted->partitions[1]->log().record_count(), 1);
  ASSERT_EQ(CodeOf(*cluster, deleted->Shape()), ErrorCode::kNone);
  const Topic& again = *cluster->FindTopic("orders");
  EXPECT_EQ(again.partitions.size(), 2U);
  EXPECT_EQ(again.replication, 2);
  EXPECT_EQ(cluster->MinInsyncReplicas(again), 2);
  EXPECT_EQ(again.partitions[1]->log().record_count(), 0);
}

TEST_F(ClusterTest, BrokersHearOfTopicsLater) {
  const auto cluster = *Make(SpecOf(2));
  const auto seen = [&cluster](std::int32_t broker) { return cluster->SeenTopic(NodeId(broker), "orders"); };
  const Topic* const old = cluster->FindTopic("orders");
  ASSERT_TRUE(cluster->DeleteTopic("orders", {{NodeId(2), std::chrono::seconds(3)}}));
  EXPECT_EQ(seen(1), nullptr);
  EXPECT_EQ(seen(2), old);
  clock_.Advance(std::chrono::seconds(1));
  ASSERT_TRUE(cluster->CreateTopic({.name = "orders"}, {{NodeId(1), std::chrono::seconds(1)}}).ok());
  const Topic* const made = cluster->FindTopic("orders");
  EXPECT_EQ(seen(1), nullptr);
  EXPECT_EQ(seen(2), made);
  EXPECT_EQ(cluster->SeenTopicById(NodeId(2), old->id), nullptr);
  EXPECT_EQ(cluster->SeenTopicById(NodeId(2), made->id), made);
  EXPECT_TRUE(cluster->SeenTopics(NodeId(1)).empty());
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(seen(1), made);
  EXPECT_EQ(cluster->SeenTopics(NodeId(1)).size(), 1U);
}

TEST_F(ClusterTest, BrokerThatLagsHearsOfTopicsLaterStill) {
  const auto cluster = *Make(SpecOf(2));
  cluster->SetMetadataLag(NodeId(1), std::chrono::seconds(1));
  ASSERT_TRUE(cluster->DeleteTopic("orders", {{NodeId(1), std::chrono::seconds(1)}}));
  clock_.Advance(std::chrono::milliseconds(1999));
  EXPECT_NE(cluster->SeenTopic(NodeId(1), "orders"), nullptr);
  EXPECT_EQ(cluster->SeenTopic(NodeId(2), "orders"), nullptr);
  clock_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(cluster->SeenTopic(NodeId(1), "orders"), nullptr);
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
