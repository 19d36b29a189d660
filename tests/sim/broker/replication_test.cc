#include <gtest/gtest.h>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using wire::ErrorCode;

constexpr PartitionIndex kZero{0};

class ReplicationTest : public ::testing::Test {
 protected:
  static ClusterSpec Spec() {
    ClusterSpec spec = SpecOf(3);
    spec.replication_delay = Distribution::Constant(milliseconds(10));
    return spec;
  }
  Offset Append(std::int64_t count = 1) {
    return cluster()
        .Append(world_.orders(), {}, std::vector<RecordIdentity>(static_cast<std::size_t>(count), 7))
        .needed;
  }
  Cluster& cluster() { return *world_.cluster; }
  Offset high_watermark() { return world_.orders().high_watermark(); }
  Offset end() { return world_.orders().log().end_offset(); }

  BrokerWorld world_{Spec()};
};

TEST_F(ReplicationTest, HighWatermarkFollowsAfterTheDelay) {
  Append();
  world_.Advance(milliseconds(5));
  Append();
  world_.Advance(milliseconds(5));
  EXPECT_EQ(high_watermark(), Offset(1));
  world_.Advance(milliseconds(5));
  EXPECT_EQ(high_watermark(), Offset(2));
}

TEST_F(ReplicationTest, ReplicaAloneInSyncWaitsForNobody) {
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(2)));
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(3)));
  Append();
  EXPECT_EQ(high_watermark(), Offset(1));
}

TEST_F(ReplicationTest, LeaderlessTimeAndTheSameLeaderLoseNothing) {
  Append(3);
  ASSERT_TRUE(cluster().RemoveLeader("orders", kZero));
  ASSERT_TRUE(cluster().ElectLeader("orders", kZero));
  EXPECT_EQ(end(), Offset(3));
  world_.Advance(milliseconds(10));
  EXPECT_EQ(high_watermark(), Offset(3));
}

TEST_F(ReplicationTest, NewLeaderContinuesFromWhatItHadCopied) {
  Append(2);
  world_.Advance(milliseconds(6));
  Append(3);
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {}));
  EXPECT_EQ(end(), Offset(2));
  EXPECT_EQ(world_.orders().log().truncated_records(), 3);
  world_.Advance(milliseconds(10));
  EXPECT_EQ(high_watermark(), Offset(2));
}

TEST_F(ReplicationTest, NobodyCopiesFromALeaderThatIsGoneBeforeTheControllerNotices) {
  Append();
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {.failover = milliseconds(1000)}));
  world_.Advance(milliseconds(999));
  EXPECT_EQ(cluster().LeaderOf("orders", kZero), NodeId(1));
  EXPECT_EQ(end(), Offset(1));
  world_.Advance(milliseconds(1));
  EXPECT_EQ(cluster().LeaderOf("orders", kZero), NodeId(2));
  EXPECT_EQ(end(), Offset(0));
}

TEST_F(ReplicationTest, PausedFollowerHoldsReplicationUpUntilItGoesOn) {
  Append();
  world_.Advance(milliseconds(7));
  ASSERT_TRUE(world_.host->Pause(NodeId(2)));
  world_.Advance(milliseconds(100));
  EXPECT_EQ(high_watermark(), Offset(0));
  ASSERT_TRUE(world_.host->Resume(NodeId(2)));
  world_.Advance(milliseconds(10));
  EXPECT_EQ(high_watermark(), Offset(1));
}

TEST_F(ReplicationTest, WhatAPausedFollowerHasNotCopiedIsLostWithTheLeader) {
  Append();
  world_.Advance(milliseconds(4));
  ASSERT_TRUE(world_.host->Pause(NodeId(2)));
  world_.Advance(milliseconds(100));
  ASSERT_TRUE(cluster().MoveLeader("orders", kZero, NodeId(3), {}));
  EXPECT_EQ(end(), Offset(0));
}

TEST_F(ReplicationTest, FollowerThatIsGivenUpHoldsNothingUp) {
  ASSERT_TRUE(world_.host->Pause(NodeId(2)));
  Append();
  world_.Advance(std::chrono::seconds(9));  // broker.session.timeout.ms
  world_.Advance(milliseconds(10));
  EXPECT_EQ(high_watermark(), Offset(1));
  EXPECT_FALSE(world_.orders().state().IsInSync(NodeId(2)));
}

TEST_F(ReplicationTest, LastFollowerThatFallsOutOfSyncHoldsNothingUp) {
  Append();
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(2)));
  ASSERT_TRUE(cluster().ShrinkIsr("orders", kZero, NodeId(3)));
  world_.Settle();
  EXPECT_EQ(high_watermark(), Offset(1));
}

TEST_F(ReplicationTest, WaitersAreToldInOrderOfTheirOffsets) {
  std::vector<int> told;
  const Offset first = Append();
  const Offset second = Append();
  const auto wait = [&](Offset needed, int name) {
    cluster().AwaitReplication(world_.orders(), needed, Instant::Never(), [&told, name](ErrorCode code) {
      EXPECT_EQ(code, ErrorCode::kNone);
      told.push_back(name);
    });
  };
  wait(first, 1);
  wait(second, 2);
  EXPECT_TRUE(told.empty());
  world_.Advance(milliseconds(10));
  EXPECT_EQ(told, (std::vector{1, 2}));
  wait(second, 3);
  EXPECT_EQ(told.back(), 3);  // at once
}

TEST_F(ReplicationTest, LossOfLeadershipIsToldOnceTheChangeIsComplete) {
  std::vector<ErrorCode> told;
  cluster().AwaitReplication(world_.orders(), Append(), Instant::Never(),
                             [&](ErrorCode code) { told.push_back(code); });
  ASSERT_TRUE(cluster().MoveLeader("orders", kZero, NodeId(3), {}));
  EXPECT_TRUE(told.empty());
  world_.Settle();
  EXPECT_EQ(told, std::vector{ErrorCode::kNotLeaderOrFollower});
}

// Whoever is told may change the cluster under our feet.
TEST_F(ReplicationTest, WaiterMayDeleteTheTopic) {
  Append();
  const Offset last = Append();
  std::vector<ErrorCode> told;
  cluster().AwaitReplication(world_.orders(), Offset(1), Instant::Never(), [&](ErrorCode code) {
    told.push_back(code);
    cluster().DeleteTopic("orders");
  });
  cluster().AwaitReplication(world_.orders(), last, Instant::Never(), [&](ErrorCode code) { told.push_back(code); });
  world_.Advance(milliseconds(10));
  EXPECT_EQ(told, (std::vector{ErrorCode::kNone, ErrorCode::kUnknownTopicOrPartition}));
}

}  // namespace
}  // namespace ktrial::sim
