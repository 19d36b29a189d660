// Leaders and their epochs, from answers (MD-38 to MD-42) and from produce responses (MD-43).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/metadata/metadata.h"
#include "tests/core/metadata/answers.h"

namespace ktrial::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr PartitionIndex kZero{0};

class MetadataLeadersTest : public ::testing::Test {
 protected:
  MetadataLeadersTest() { world_.metadata.Add("t", world_.now()); }
  void Update(std::int32_t leader, std::int32_t epoch, std::uint8_t topic_id = 0,
              std::int16_t version = kNewestVersion) {
    world_.Update(Answer({1, 2}, {Topic("t", {Led(0, leader, epoch)}, topic_id)}), version);
  }
  NodeId Leader() const {
    const auto cluster = metadata_.Fetch();
    const Node* node = cluster->LeaderOf("t", kZero);
    return node == nullptr ? kNoNode : node->id;
  }
  std::vector<TopicPartition> Merge(std::int32_t leader, std::int32_t epoch, std::vector<Node> nodes = {},
                                    std::string topic = "t", std::int32_t partition = 0) {
    const LeaderHint hint{.topic = std::move(topic),
                          .partition = PartitionIndex(partition),
                          .leader = NodeId(leader),
                          .epoch = LeaderEpoch(epoch)};
    return metadata_.MergeLeaders(std::span(&hint, 1), nodes);
  }

  MetadataWorld world_;
  Metadata& metadata_ = world_.metadata;
};

// MD-38; a lagging broker does not move the leader back.
TEST_F(MetadataLeadersTest, AnOlderEpochKeepsTheOldEntry) {
  Update(2, 6);
  Update(1, 5);
  EXPECT_EQ(Leader(), NodeId(2));
  Update(1, 7);
  EXPECT_EQ(Leader(), NodeId(1));
}

// MD-38
TEST_F(MetadataLeadersTest, AnOlderEpochKeepsTheOldReplicasToo) {
  const auto update = [this](std::int32_t leader, std::int32_t epoch, std::vector<std::int32_t> replicas) {
    wire::MetadataPartition partition = Led(0, leader, epoch);
    partition.replicas = partition.in_sync_replicas = std::move(replicas);
    world_.Update(Answer({1, 2}, {Topic("t", {partition})}));
  };
  update(2, 6, {2, 1});
  update(1, 5, {1});
  const auto cluster = metadata_.Fetch();
  const PartitionInfo* partition = cluster->FindPartition("t", kZero);
  ASSERT_NE(partition, nullptr);
  EXPECT_THAT(partition->replicas, ElementsAre(NodeId(2), NodeId(1)));
  EXPECT_THAT(partition->in_sync_replicas, ElementsAre(NodeId(2), NodeId(1)));
}

// MD-38: nothing is cached, so there is nothing to keep.
TEST_F(MetadataLeadersTest, AnOlderEpochAfterAnErrorLeavesNothing) {
  Update(2, 6);
  world_.Update(Answer({1, 2}, {BadTopic("t", wire::ErrorCode::kUnknownTopicOrPartition)}));
  Update(1, 5);
  EXPECT_EQ(metadata_.Fetch()->FindTopic("t")->partition_count(), 0);
}

// MD-39
TEST_F(MetadataLeadersTest, EpochsBelowVersion9AreIgnored) {
  Update(2, 6);
  Update(1, 5, 0, /*version=*/8);
  EXPECT_EQ(Leader(), NodeId(1));
  EXPECT_EQ(metadata_.Fetch()->FindPartition("t", kZero)->leader_epoch, kUnknownEpoch);
  EXPECT_FALSE(metadata_.SawLeaderEpoch("t", kZero, LeaderEpoch(9)));
}

// MD-40, MD-41
TEST_F(MetadataLeadersTest, ATopicMadeAnewMayHaveALowerEpoch) {
  Update(2, 6, 1);
  world_.Update(Answer({1, 2}, {BadTopic("t", wire::ErrorCode::kUnknownTopicOrPartition)}));
  Update(1, 0, 2);
  EXPECT_EQ(Leader(), NodeId(1));
}

// MD-40: a broker that knows no ids yet, in the middle of an upgrade.
TEST_F(MetadataLeadersTest, AnAnswerWithoutAnIdIsOfTheSameTopic) {
  Update(2, 6, 1);
  Update(1, 5, 0);
  EXPECT_EQ(Leader(), NodeId(2));
  EXPECT_EQ(metadata_.Fetch()->FindTopic("t")->id, TopicId{});
  Update(1, 7, 0);
  EXPECT_EQ(Leader(), NodeId(1));
}

// MD-41
TEST_F(MetadataLeadersTest, EpochsOfTopicsThatAreNotTrackedAnyMoreAreForgotten) {
  Update(2, 6);
  world_.clock.Advance(5min);
  Update(2, 6);  // Drops the topic.
  metadata_.Add("t", world_.now());
  Update(1, 5);
  EXPECT_EQ(Leader(), NodeId(1));
}

// MD-44: a stale entry may name a broker that is gone.
TEST_F(MetadataLeadersTest, AStaleEntryWhoseLeaderIsGoneHasNoLeader) {
  Update(2, 6);
  world_.Update(Answer({1}, {Topic("t", {Led(0, 1, 5)})}));
  EXPECT_EQ(Leader(), kNoNode);
  EXPECT_EQ(metadata_.Fetch()->FindPartition("t", kZero)->reported_leader, NodeId(2));
}

// MD-42
TEST_F(MetadataLeadersTest, ANewerEpochFromElsewhereHidesTheLeader) {
  EXPECT_FALSE(metadata_.SawLeaderEpoch("t", kZero, LeaderEpoch(1)));  // None is known.
  Update(2, 6);
  EXPECT_FALSE(metadata_.SawLeaderEpoch("t", kZero, LeaderEpoch(6)));
  EXPECT_EQ(metadata_.CurrentLeader("t", kZero).node->id, NodeId(2));
  EXPECT_TRUE(metadata_.SawLeaderEpoch("t", kZero, LeaderEpoch(7)));
  EXPECT_EQ(metadata_.CurrentLeader("t", kZero).node, nullptr);
  EXPECT_EQ(metadata_.CurrentLeader("t", kZero).epoch, LeaderEpoch(7));
  EXPECT_EQ(world_.UntilNext(), 100ms);
  EXPECT_EQ(metadata_.BuildRequest(world_.now()).reason, RefreshReason::kNewerEpoch);
  metadata_.UpdateFailed(world_.now());
  Update(1, 7);
  EXPECT_EQ(metadata_.CurrentLeader("t", kZero).node->id, NodeId(1));
}

// MD-43
TEST_F(MetadataLeadersTest, ALeaderHintIsMergedWithoutVersionAndFlag) {
  Update(2, 6);
  EXPECT_THAT(Merge(1, 7), ElementsAre(TopicPartition{"t", kZero}));
  EXPECT_EQ(Leader(), NodeId(1));
  EXPECT_EQ(metadata_.Fetch()->FindPartition("t", kZero)->leader_epoch, LeaderEpoch(7));
  EXPECT_EQ(metadata_.version(), 2);
  EXPECT_EQ(world_.UntilNext(), 5min);
  Update(2, 6);  // Older than the hint.
  EXPECT_EQ(Leader(), NodeId(1));
}

// MD-43
TEST_F(MetadataLeadersTest, NodesOfTheHintOverrideKnownOnes) {
  Update(2, 6);
  Merge(3, 7, {{.id = NodeId(3), .host = "new", .port = 1}, {.id = NodeId(2), .host = "moved", .port = 2}});
  EXPECT_EQ(Leader(), NodeId(3));
  EXPECT_EQ(metadata_.Fetch()->FindNode(NodeId(2))->host, "moved");
  EXPECT_EQ(metadata_.Fetch()->FindNode(NodeId(1))->host, "b1");
}

// MD-43, MD-20: ids below zero belong to the bootstrap list.
TEST_F(MetadataLeadersTest, ANodeOfTheHintThatIsNoBrokerIsIgnored) {
  Update(2, 6);
  Merge(1, 7, {{.id = NodeId(-1), .host = "h", .port = 1}, {.id = NodeId(2), .host = "nowhere", .port = 0}});
  EXPECT_EQ(Leader(), NodeId(1));
  EXPECT_EQ(metadata_.Fetch()->FindNode(NodeId(-1)), nullptr);
  EXPECT_EQ(metadata_.Fetch()->FindNode(NodeId(2))->host, "b2");
}

// MD-43
TEST_F(MetadataLeadersTest, HintsThatDoNotApplyAreIgnored) {
  Update(2, 6);
  const std::uint64_t generation = metadata_.generation();
  EXPECT_THAT(Merge(1, 6), IsEmpty());                                               // Not newer.
  EXPECT_THAT(Merge(1, -1), IsEmpty());                                              // No epoch.
  EXPECT_THAT(Merge(-1, 7), IsEmpty());                                              // No leader.
  EXPECT_THAT(Merge(3, 7), IsEmpty());                                               // Nobody knows where it is.
  EXPECT_THAT(Merge(3, 7, {{.id = NodeId(3), .host = "h", .port = 0}}), IsEmpty());  // Nor where this is.
  EXPECT_THAT(Merge(1, 7, {}, "t", 1), IsEmpty());                                   // No such partition.
  EXPECT_THAT(Merge(1, 7, {}, "unknown", 0), IsEmpty());                             // No such topic.
  EXPECT_EQ(metadata_.generation(), generation);
  EXPECT_EQ(Leader(), NodeId(2));
}

}  // namespace
}  // namespace ktrial::testing
