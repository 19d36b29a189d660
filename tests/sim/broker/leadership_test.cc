#include <gtest/gtest.h>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

constexpr PartitionIndex kZero{0};

class LeadershipTest : public ::testing::Test {
 protected:
  Cluster& cluster() { return *world_.cluster; }
  const PartitionState& state() { return world_.orders().state(); }

  BrokerWorld world_;
};

TEST_F(LeadershipTest, MoveRaisesTheEpochByOne) {
  EXPECT_TRUE(cluster().MoveLeader("orders", kZero, NodeId(3), {}));
  EXPECT_EQ(state().leader, NodeId(3));
  EXPECT_EQ(state().epoch, LeaderEpoch(1));
  EXPECT_EQ(state().isr.size(), 3U);
}

TEST_F(LeadershipTest, MoveThatCannotBeChangesNothing) {
  EXPECT_FALSE(cluster().MoveLeader("orders", kZero, NodeId(1), {}));  // leads already
  EXPECT_FALSE(cluster().MoveLeader("orders", kZero, NodeId(4), {}));  // no such broker
  EXPECT_FALSE(cluster().MoveLeader("orders", PartitionIndex(1), NodeId(2), {}));
  EXPECT_FALSE(cluster().MoveLeader("nothing", kZero, NodeId(2), {}));
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(2)));
  EXPECT_FALSE(cluster().MoveLeader("orders", kZero, NodeId(2), {}));  // not in sync
  EXPECT_EQ(state().epoch, LeaderEpoch(0));
}

TEST_F(LeadershipTest, MoveAnywhereTakesTheNextReplicaThatCanLead) {
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(2)));
  EXPECT_TRUE(cluster().MoveLeaderAnywhere("orders", kZero, {}));
  EXPECT_EQ(state().leader, NodeId(3));
  EXPECT_TRUE(cluster().MoveLeaderAnywhere("orders", kZero, {}));
  EXPECT_EQ(state().leader, NodeId(1));
}

TEST_F(LeadershipTest, PartitionStaysLeaderlessUntilElection) {
  EXPECT_TRUE(cluster().RemoveLeader("orders", kZero));
  EXPECT_FALSE(cluster().RemoveLeader("orders", kZero));
  EXPECT_EQ(state().epoch, LeaderEpoch(1));
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {}));
  ASSERT_TRUE(world_.host->Restart(NodeId(1), {}));
  EXPECT_EQ(state().leader, kNoNode);
  EXPECT_TRUE(cluster().ElectLeader("orders", kZero));
  EXPECT_EQ(state().leader, NodeId(1));
  EXPECT_EQ(state().epoch, LeaderEpoch(2));
  EXPECT_FALSE(cluster().ElectLeader("orders", kZero));
}

TEST_F(LeadershipTest, FencedBrokerLeadsNothingAndIsInNoIsr) {
  EXPECT_TRUE(cluster().FenceBroker(NodeId(1)));
  EXPECT_FALSE(cluster().FenceBroker(NodeId(1)));
  EXPECT_EQ(state().leader, NodeId(2));
  EXPECT_EQ(state().isr, (std::vector{NodeId(2), NodeId(3)}));
  EXPECT_EQ(cluster().controller(), NodeId(2));
  EXPECT_TRUE(cluster().UnfenceBroker(NodeId(1)));
  EXPECT_EQ(state().leader, NodeId(2));  // leadership does not come back by itself
  EXPECT_EQ(state().isr, (std::vector{NodeId(1), NodeId(2), NodeId(3)}));
}

TEST_F(LeadershipTest, FollowerComesBackIntoSyncOnlyIfItIsThere) {
  EXPECT_FALSE(cluster().ShrinkIsr("orders", kZero, NodeId(1)));  // the leader
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(2)));
  ASSERT_TRUE(cluster().FenceBroker(NodeId(3)));
  EXPECT_FALSE(cluster().ExpandIsr("orders", kZero, NodeId(3)));
  EXPECT_TRUE(cluster().ExpandIsr("orders", kZero, NodeId(2)));
  EXPECT_FALSE(cluster().ExpandIsr("orders", kZero, NodeId(2)));
  EXPECT_EQ(state().isr, (std::vector{NodeId(1), NodeId(2)}));
}

TEST_F(LeadershipTest, LastReplicaInSyncIsWaitedFor) {
  for (const std::int32_t id : {2, 3}) ASSERT_TRUE(cluster().FenceBroker(NodeId(id)));
  ASSERT_TRUE(cluster().FenceBroker(NodeId(1)));
  EXPECT_EQ(state().leader, kNoNode);
  EXPECT_EQ(state().isr, std::vector{NodeId(1)});
  ASSERT_TRUE(cluster().UnfenceBroker(NodeId(2)));
  EXPECT_EQ(state().leader, kNoNode);  // it may not have everything
  ASSERT_TRUE(cluster().UnfenceBroker(NodeId(1)));
  EXPECT_EQ(state().leader, NodeId(1));
  EXPECT_EQ(state().isr, (std::vector{NodeId(1), NodeId(2)}));
}

TEST_F(LeadershipTest, LaggingBrokerHearsOfEveryChangeLater) {
  ASSERT_TRUE(cluster().SetMetadataLag(NodeId(3), std::chrono::seconds(2)));
  EXPECT_FALSE(cluster().SetMetadataLag(NodeId(3), std::chrono::seconds(2)));
  ASSERT_TRUE(cluster().MoveLeader("orders", kZero, NodeId(2), {}));
  world_.Advance(std::chrono::seconds(1));
  ASSERT_TRUE(cluster().MoveLeader("orders", kZero, NodeId(1), {}));
  const auto seen_by = [this](std::int32_t broker) {
    return cluster().SeenBy(NodeId(broker), world_.orders()).epoch.value();
  };
  EXPECT_EQ(seen_by(1), 2);
  EXPECT_EQ(seen_by(3), 0);
  world_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(seen_by(3), 1);
  world_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(seen_by(3), 2);
}

TEST_F(LeadershipTest, EveryChangeIsTold) {
  ASSERT_TRUE(cluster().MoveLeader("orders", kZero, NodeId(2), {}));
  EXPECT_EQ(world_.notes.changes, std::vector<std::string>{"orders/0 is led by 2, epoch 1"});
}

}  // namespace
}  // namespace ktrial::sim
