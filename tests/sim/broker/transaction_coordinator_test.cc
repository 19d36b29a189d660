#include "sim/broker/transaction_coordinator.h"

#include <gtest/gtest.h>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::ErrorCode;
using Kind = TransactionCoordinator::KeyKind;

constexpr std::string_view kId = "t";
const TopicPartition kOrders{.topic = "orders", .partition = PartitionIndex(0)};

class TransactionCoordinatorTest : public ::testing::Test {
 protected:
  static ClusterSpec Spec() {
    ClusterSpec spec = SpecOf(3);
    spec.replication_delay = Distribution::Constant(milliseconds(10));
    spec.settings = {{"transaction.state.log.num.partitions", "5"}, {"offsets.topic.num.partitions", "5"}};
    return spec;
  }
  TransactionCoordinatorTest() {
    EXPECT_EQ(coordinator().Find(Kind::kTransaction, kId), kNoNode);
    EXPECT_EQ(coordinator().Find(Kind::kGroup, "g"), kNoNode);
    here_ = coordinator().Find(Kind::kTransaction, kId);
  }
  TransactionCoordinator& coordinator() { return world_.host->transactions(); }
  ProducerIdAndEpoch Begin(std::int32_t timeout_ms = 60000) {
    const ProducerIdAndEpoch producer = coordinator().Init(here_, kId, timeout_ms, std::nullopt).producer;
    EXPECT_EQ(coordinator().AddPartitions(here_, kId, producer, std::span(&kOrders, 1)), ErrorCode::kNone);
    return producer;
  }
  ErrorCode End(ProducerIdAndEpoch producer, bool commit) {
    return coordinator().End(here_, kId, producer, commit, EndRules::kSameEpoch).code;
  }
  TransactionStatus status() { return coordinator().transactions().Find(kId)->status; }
  std::span<const LogBatch> log() { return world_.orders().log().batches(); }

  BrokerWorld world_{Spec()};
  NodeId here_ = kNoNode;
};

TEST_F(TransactionCoordinatorTest, CoordinatorLeadsThePartitionThatTheIdBelongsTo) {
  // 't' is 116, so the second of five.
  EXPECT_EQ(here_, world_.cluster->LeaderOf("__transaction_state", PartitionIndex(1)));
  EXPECT_EQ(here_, NodeId(2));
}

TEST_F(TransactionCoordinatorTest, OthersAreNotTheCoordinator) {
  EXPECT_EQ(coordinator().Init(NodeId(1), kId, 1000, std::nullopt).code, ErrorCode::kNotCoordinator);
  const ProducerIdAndEpoch producer = Begin();
  EXPECT_EQ(coordinator().AddPartitions(NodeId(1), kId, producer, std::span(&kOrders, 1)), ErrorCode::kNotCoordinator);
  EXPECT_EQ(coordinator().End(NodeId(3), kId, producer, true, EndRules::kSameEpoch).code, ErrorCode::kNotCoordinator);
}

TEST_F(TransactionCoordinatorTest, IdsAndTimeoutsThatCannotBeAreRefused) {
  EXPECT_EQ(coordinator().Init(here_, "", 1000, std::nullopt).code, ErrorCode::kInvalidRequest);
  for (const std::int32_t timeout_ms : {0, -1, 900001}) {
    EXPECT_EQ(coordinator().Init(here_, kId, timeout_ms, std::nullopt).code, ErrorCode::kInvalidTransactionTimeout);
  }
  EXPECT_EQ(coordinator().Init(here_, kId, 900000, std::nullopt).code, ErrorCode::kNone);
}

TEST_F(TransactionCoordinatorTest, MarkerForATopicThatIsGoneIsLeftOut) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  ASSERT_TRUE(world_.cluster->DeleteTopic("orders"));
  world_.Advance(milliseconds(10));
  EXPECT_EQ(status(), TransactionStatus::kCompleteCommit);
}

TEST_F(TransactionCoordinatorTest, MarkerThatWaitsForReplicationGoesWithItsTopic) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  world_.Advance(milliseconds(11));
  ASSERT_EQ(log().size(), 1U);
  ASSERT_EQ(status(), TransactionStatus::kPrepareCommit);
  ASSERT_TRUE(world_.cluster->DeleteTopic("orders"));
  world_.Advance(milliseconds(100));
  EXPECT_EQ(status(), TransactionStatus::kCompleteCommit);
}

TEST_F(TransactionCoordinatorTest, CoordinatorMovesAndTheNextOneKnowsAll) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_TRUE(world_.cluster->MoveLeader("__transaction_state", PartitionIndex(1), NodeId(3), {}));
  EXPECT_EQ(coordinator().Find(Kind::kTransaction, kId), NodeId(3));
  EXPECT_EQ(End(producer, true), ErrorCode::kNotCoordinator);
  here_ = NodeId(3);
  EXPECT_EQ(End(producer, true), ErrorCode::kNone);
}

TEST_F(TransactionCoordinatorTest, EndIsAnsweredAtOnceAndCompleteWithTheReplicatedMarker) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  EXPECT_TRUE(log().empty()) << "the marker is on its way";
  world_.Advance(milliseconds(10));
  ASSERT_EQ(log().size(), 1U);
  EXPECT_EQ(log()[0].kind, BatchKind::kCommitMarker);
  EXPECT_EQ(log()[0].producer_id, producer.id);
  EXPECT_EQ(log()[0].producer_epoch, producer.epoch);
  EXPECT_EQ(status(), TransactionStatus::kPrepareCommit);
  EXPECT_EQ(coordinator().Init(here_, kId, 1000, std::nullopt).code, ErrorCode::kConcurrentTransactions);
  world_.Advance(milliseconds(10));
  EXPECT_EQ(status(), TransactionStatus::kCompleteCommit);
}

TEST_F(TransactionCoordinatorTest, AbortWritesTheOtherMarker) {
  ASSERT_EQ(End(Begin(), false), ErrorCode::kNone);
  world_.Advance(milliseconds(20));
  ASSERT_EQ(log().size(), 1U);
  EXPECT_EQ(log()[0].kind, BatchKind::kAbortMarker);
  EXPECT_EQ(status(), TransactionStatus::kCompleteAbort);
}

TEST_F(TransactionCoordinatorTest, MarkerWaitsForALeader) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_TRUE(world_.cluster->RemoveLeader("orders", PartitionIndex(0)));
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  world_.Advance(seconds(5));
  EXPECT_EQ(status(), TransactionStatus::kPrepareCommit);
  ASSERT_TRUE(world_.cluster->ElectLeader("orders", PartitionIndex(0)));
  world_.Advance(milliseconds(200));
  EXPECT_EQ(status(), TransactionStatus::kCompleteCommit);
  EXPECT_EQ(log().size(), 1U);
}

TEST_F(TransactionCoordinatorTest, MarkerThatAnElectionCutsOffIsWrittenAgain) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  world_.Advance(milliseconds(12));
  ASSERT_EQ(log().size(), 1U);
  ASSERT_TRUE(world_.cluster->MoveLeader("orders", PartitionIndex(0), NodeId(2), {}));
  ASSERT_TRUE(log().empty()) << "nobody had copied it";
  world_.Advance(milliseconds(200));
  EXPECT_EQ(log().size(), 1U);
  EXPECT_EQ(status(), TransactionStatus::kCompleteCommit);
}

TEST_F(TransactionCoordinatorTest, DeletedTopicHoldsNobodyUp) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  ASSERT_TRUE(world_.cluster->DeleteTopic("orders"));
  world_.Advance(milliseconds(20));
  EXPECT_EQ(status(), TransactionStatus::kCompleteCommit);
}

// The abort carries the next epoch to the leaders, so that a producer that only paused can write nothing more.
TEST_F(TransactionCoordinatorTest, WhatTakesTooLongIsAbortedAtTheNextLook) {
  const ProducerIdAndEpoch producer = Begin(1000);
  world_.Advance(seconds(9));
  EXPECT_EQ(status(), TransactionStatus::kOngoing) << "nobody has looked yet";
  world_.Advance(seconds(2));
  EXPECT_EQ(status(), TransactionStatus::kCompleteAbort);
  ASSERT_EQ(log().size(), 1U);
  EXPECT_EQ(log()[0].kind, BatchKind::kAbortMarker);
  EXPECT_GT(log()[0].producer_epoch, producer.epoch);
  EXPECT_EQ(End(producer, true), ErrorCode::kProducerFenced);
}

TEST_F(TransactionCoordinatorTest, OffsetsCountOnceTheirTransactionIsCommitted) {
  for (const bool commit : {false, true}) {
    const ProducerIdAndEpoch producer = Begin();
    ASSERT_EQ(coordinator().AddOffsets(here_, kId, producer, "g"), ErrorCode::kNone);
    const NodeId group = coordinator().Find(Kind::kGroup, "g");
    ASSERT_EQ(coordinator().CommitOffsets(group, "g", producer, {{kOrders, Offset(7)}}), ErrorCode::kNone);
    EXPECT_EQ(coordinator().OffsetOf("g", kOrders), kUnknownOffset);
    ASSERT_EQ(End(producer, commit), ErrorCode::kNone);
    world_.Advance(milliseconds(20));
    EXPECT_EQ(coordinator().OffsetOf("g", kOrders), commit ? Offset(7) : kUnknownOffset);
  }
}

TEST_F(TransactionCoordinatorTest, OffsetsThatCountAreKeptInTheirOrder) {
  for (const std::int64_t offset : {7, 5}) {
    const ProducerIdAndEpoch producer = Begin();
    ASSERT_EQ(coordinator().AddOffsets(here_, kId, producer, "g"), ErrorCode::kNone);
    ASSERT_EQ(coordinator().CommitOffsets(coordinator().Find(Kind::kGroup, "g"), "g", producer,
                                          {{kOrders, Offset(offset), "why"}}),
              ErrorCode::kNone);
    ASSERT_EQ(End(producer, true), ErrorCode::kNone);
    world_.Advance(milliseconds(20));
  }
  const GroupOffset first{.group = "g", .partition = kOrders, .offset = Offset(7), .metadata = "why"};
  GroupOffset second = first;
  second.offset = Offset(5);
  EXPECT_EQ(coordinator().group_offsets(), (std::vector<GroupOffset>{first, second}));
}

TEST_F(TransactionCoordinatorTest, OffsetsOfAnEarlierEpochAreFenced) {
  const ProducerIdAndEpoch producer = Begin();
  ASSERT_EQ(coordinator().AddOffsets(here_, kId, producer, "g"), ErrorCode::kNone);
  coordinator().Init(here_, kId, 1000, std::nullopt);  // another producer: aborts
  world_.Advance(milliseconds(20));
  const NodeId group = coordinator().Find(Kind::kGroup, "g");
  EXPECT_EQ(coordinator().CommitOffsets(group, "g", producer, {{kOrders, Offset(7)}}),
            ErrorCode::kInvalidProducerEpoch);
}

TEST_F(TransactionCoordinatorTest, GroupsHaveTheirOwnCoordinator) {
  EXPECT_EQ(coordinator().CommitOffsets(kNoNode, "g", {}, {}), ErrorCode::kNotCoordinator);
  EXPECT_EQ(coordinator().CommitOffsets(NodeId(1), "", {}, {}), ErrorCode::kInvalidGroupId);
}

TEST_F(TransactionCoordinatorTest, LeaderAsksWhetherThePartitionIsInTheTransaction) {
  const ProducerIdAndEpoch producer = coordinator().Init(here_, kId, 1000, std::nullopt).producer;
  EXPECT_EQ(coordinator().Verify(kId, producer, kOrders), ErrorCode::kInvalidTxnState);
  ASSERT_EQ(coordinator().AddImplicitly(kId, producer, kOrders), ErrorCode::kNone);
  EXPECT_EQ(coordinator().Verify(kId, producer, kOrders), ErrorCode::kNone);
  EXPECT_EQ(coordinator().Verify("other", producer, kOrders), ErrorCode::kInvalidProducerIdMapping);
  EXPECT_EQ(coordinator().Verify(kId, {producer.id, ProducerEpoch(5)}, kOrders), ErrorCode::kProducerFenced);
  ASSERT_EQ(End(producer, true), ErrorCode::kNone);
  EXPECT_EQ(coordinator().Verify(kId, producer, kOrders), ErrorCode::kConcurrentTransactions);
}

}  // namespace
}  // namespace ktrial::sim
