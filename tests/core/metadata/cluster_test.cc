#include "core/metadata/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial {
namespace {

using ::testing::ElementsAre;

PartitionInfo Partition(std::int32_t index, std::int32_t leader) {
  return {.index = PartitionIndex(index), .reported_leader = leader < 0 ? kNoNode : NodeId(leader)};
}

std::shared_ptr<const TopicInfo> MakeTopic(std::string name, std::vector<PartitionInfo> partitions) {
  return std::make_shared<const TopicInfo>(TopicInfo{.name = std::move(name), .partitions = std::move(partitions)});
}

Cluster TwoTopics() {
  return Cluster({.nodes = {{.id = NodeId(2), .host = "b2", .port = 2}, {.id = NodeId(1), .host = "b1", .port = 1}},
                  .topics = {MakeTopic("zebra", {Partition(0, 1)}),
                             MakeTopic("apple", {Partition(0, 2), Partition(1, -1), Partition(2, 7), Partition(3, 1)})},
                  .controller = NodeId(2)});
}

TEST(ClusterTest, NodesAndTopicsAreInOrder) {
  const Cluster cluster = TwoTopics();
  EXPECT_EQ(cluster.nodes()[0].id, NodeId(1));
  EXPECT_EQ(cluster.nodes()[1].id, NodeId(2));
  EXPECT_EQ(cluster.topics()[0]->name, "apple");
  EXPECT_EQ(cluster.topics()[1]->name, "zebra");
  EXPECT_EQ(cluster.controller()->host, "b2");
}

// MD-44
TEST(ClusterTest, LeaderThatIsNoKnownNodeIsUnknown) {
  const Cluster cluster = TwoTopics();
  EXPECT_EQ(cluster.LeaderOf("apple", PartitionIndex(2)), nullptr);
  EXPECT_EQ(cluster.FindPartition("apple", PartitionIndex(2))->reported_leader, NodeId(7));
  EXPECT_EQ(cluster.LeaderOf("apple", PartitionIndex(0))->id, NodeId(2));
}

// MD-47
TEST(ClusterTest, AvailablePartitionsAreThoseWithALeader) {
  const Cluster cluster = TwoTopics();
  EXPECT_THAT(cluster.FindTopic("apple")->available, ElementsAre(PartitionIndex(0), PartitionIndex(3)));
  EXPECT_EQ(cluster.FindTopic("apple")->partition_count(), 4);
}

// MD-47
TEST(ClusterTest, UnknownTopicIsNotATopicWithoutPartitions) {
  const Cluster cluster({.nodes = {}, .topics = {MakeTopic("empty", {})}});
  EXPECT_EQ(cluster.FindTopic("nothing"), nullptr);
  ASSERT_NE(cluster.FindTopic("empty"), nullptr);
  EXPECT_EQ(cluster.FindTopic("empty")->partition_count(), 0);
}

TEST(ClusterTest, GapsInThePartitionsAreNoPartitions) {
  const Cluster cluster({.topics = {MakeTopic("t", {Partition(1, -1), Partition(4, -1)})}});
  EXPECT_EQ(cluster.FindPartition("t", PartitionIndex(0)), nullptr);
  EXPECT_EQ(cluster.FindPartition("t", PartitionIndex(4))->index, PartitionIndex(4));
  EXPECT_EQ(cluster.FindPartition("t", PartitionIndex(5)), nullptr);
  EXPECT_EQ(cluster.FindPartition("t", PartitionIndex(-1)), nullptr);
}

TEST(ClusterTest, EveryOneOfManyTopicsIsFound) {
  std::vector<std::shared_ptr<const TopicInfo>> topics;
  for (int i = 0; i < 1000; ++i) topics.push_back(MakeTopic("topic-" + std::to_string(i), {}));
  const Cluster cluster({.topics = topics});
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "topic-" + std::to_string(i);
    ASSERT_NE(cluster.FindTopic(name), nullptr) << name;
    ASSERT_EQ(cluster.FindTopic(name)->name, name);
  }
  EXPECT_EQ(cluster.FindTopic("topic-1000"), nullptr);
}

// MD-02: what did not change is shared by snapshots, so a partial update of one topic does not copy the others.
TEST(ClusterTest, SuccessorSharesUnchangedTopics) {
  const Cluster first = TwoTopics();
  const Cluster same(first.parts());
  EXPECT_EQ(first.FindTopic("apple"), same.FindTopic("apple"));
  Cluster::Parts parts = first.parts();
  parts.nodes.push_back({.id = NodeId(7), .host = "b7", .port = 7});
  const Cluster grown(std::move(parts));
  EXPECT_EQ(grown.LeaderOf("apple", PartitionIndex(2))->id, NodeId(7));
  EXPECT_EQ(first.LeaderOf("apple", PartitionIndex(2)), nullptr);
  EXPECT_EQ(first.FindTopic("zebra"), grown.FindTopic("zebra"));
}

TEST(ClusterTest, ErrorsOfTopicsAreTold) {
  const Cluster cluster({.topic_errors = {{"bad", wire::ErrorCode::kInvalidTopicException}}});
  EXPECT_EQ(cluster.TopicError("bad"), wire::ErrorCode::kInvalidTopicException);
  EXPECT_EQ(cluster.TopicError("good"), wire::ErrorCode::kNone);
}

}  // namespace
}  // namespace ktrial
