// Which nodes are ready, and what is drained for them.
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kFifty(50, 'x');
// Two of these fill a batch of 200 bytes so that no third fits.
void AppendFull(AccumulatorWorld& world, std::int32_t partition) {
  for (int i = 0; i < 3; ++i) world.Append("orders", partition, kFifty);
}

// --- Ready ---

// AC-08, AC-12, D-9
TEST(ReadyTest, ABatchIsReadyExactlyAtTheEndOfItsLinger) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(5) - Duration(1));
  EXPECT_THAT(world.Ready().nodes, IsEmpty());
  world.Advance(Duration(1));
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
}

// AC-12
TEST(ReadyTest, LingerRunsFromTheCreationOfTheBatchAndNotFromTheLastRecord) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(4));
  world.Append("orders", 0, "b");
  EXPECT_EQ(world.Ready().next_ready, AtMillis(1005));
}

// AC-12
TEST(ReadyTest, WithoutLingerABatchIsReadyAtOnce) {
  AccumulatorWorld world({.linger = {}});
  world.Append("orders", 0, "a");
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
}

// AC-12
TEST(ReadyTest, AnEndlessLingerDoesNotOverflow) {
  AccumulatorWorld world({.linger = Duration::max()});
  world.Append("orders", 0, "a");
  const ReadyNodes ready = world.Ready();
  EXPECT_THAT(ready.nodes, IsEmpty());
  EXPECT_EQ(ready.next_ready, Instant::Never());
}

// AC-08
TEST(ReadyTest, AFullBatchIsReadyAtOnce) {
  AccumulatorWorld world;
  AppendFull(world, 0);
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
}

// AC-09
TEST(ReadyTest, TheNextCheckIsTheFirstEndOfLingerAmongThoseThatAreNotReady) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(2));
  world.Append("orders", 2, "b");
  world.Advance(Millis(2));
  EXPECT_EQ(world.Ready().next_ready, AtMillis(1005));
  world.Advance(Millis(1));
  const ReadyNodes ready = world.Ready();
  EXPECT_THAT(ready.nodes, ElementsAre(NodeId(1)));
  EXPECT_EQ(ready.next_ready, AtMillis(1007));
}

// AC-09
TEST(ReadyTest, APartitionWhoseLeaderIsReadyAnywayDoesNotBoundTheWait) {
  AccumulatorWorld world;
  AppendFull(world, 0);
  world.Append("orders", 1, "a");
  const ReadyNodes ready = world.Ready();
  EXPECT_THAT(ready.nodes, ElementsAre(NodeId(1)));
  EXPECT_EQ(ready.next_ready, Instant::Never());
}

// AC-09
TEST(ReadyTest, WithNothingQueuedThereIsNothingToWaitFor) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(5));
  world.Succeed(*world.Drain(1).front(), 0);
  const ReadyNodes ready = world.Ready();
  EXPECT_THAT(ready.nodes, IsEmpty());
  EXPECT_EQ(ready.next_ready, Instant::Never());
}

TEST(ReadyTest, APartitionThatWasEmptyForAWhileIsSeenAgain) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Succeed(*world.Drain(1).front(), 0);
  world.Ready();
  world.Append("orders", 0, "b");
  world.Advance(Millis(5));
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 b"));
}

// AC-10
TEST(ReadyTest, ATopicWithARecordForAPartitionWithoutLeaderIsReportedAndDoesNotBoundTheWait) {
  AccumulatorWorld world;
  world.SetCluster({{"orders", {{-1}, {-1}, {2}}}, {"audit", {{-1}}}, {"quiet", {{-1}}}});
  world.Append("orders", 0, "a");
  world.Append("orders", 1, "a");
  world.Append("audit", 0, "a");
  const ReadyNodes ready = world.Ready();
  EXPECT_THAT(ready.topics_without_leader, ElementsAre("audit", "orders"));
  EXPECT_EQ(ready.next_ready, Instant::Never());
}

// AC-10: an empty queue reports nothing.
TEST(ReadyTest, APartitionWithoutLeaderIsForgottenWithItsLastBatch) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Drain(1);
  world.SetCluster({{"orders", {{-1}, {-1}, {-1}}}});
  EXPECT_THAT(world.Ready().topics_without_leader, IsEmpty());
}

// AC-11, SN-17
TEST(ReadyTest, AMutedPartitionIsNeitherReadyNorDrainedNorWaitedFor) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  std::vector<BatchRef> sent = world.Drain(1);
  AppendFull(world, 0);
  world.accumulator->Mute(*sent.front());
  const ReadyNodes ready = world.Ready();
  EXPECT_THAT(ready.nodes, IsEmpty());
  EXPECT_EQ(ready.next_ready, Instant::Never());
  EXPECT_THAT(world.Drain(1), IsEmpty());
  world.Succeed(*sent.front(), 0);
  world.accumulator->Unmute(*sent.front());
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
}

// AC-13
TEST(ReadyTest, CloseOverridesLinger) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.accumulator->Close();
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
}

// AC-13
TEST(ReadyTest, SomebodyWhoWaitsForMemoryOverridesLinger) {
  AccumulatorWorld world({.buffer_memory = 200});
  world.Append("orders", 0, "a");
  EXPECT_THAT(world.Ready().nodes, IsEmpty());
  NewRecord record;
  record.partition = PartitionIndex(1);
  record.max_block = Duration::max();
  const auto waiter = world.env->threads().Spawn(
      "waiter", [&] { ASSERT_TRUE(world.accumulator->Append(world.accumulator->Topic("orders"), record).ok()); });
  while (world.accumulator->buffer_pool_stats().waiters == 0) std::this_thread::yield();
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
  world.Succeed(*world.Drain(1).front(), 0);
  EXPECT_TRUE(waiter->Join(Instant::Never()));
}

// --- Retry ---

std::vector<BatchRef> SendAndRetry(AccumulatorWorld& world) {
  std::vector<BatchRef> sent = world.Drain(1);
  world.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  return sent;
}

// AC-08, AC-14, AC-23, D-9
TEST(ReadyTest, ARetriedBatchIsReadyExactlyWhenItsBackoffEnds) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  SendAndRetry(world);
  EXPECT_EQ(world.Ready().next_ready, AtMillis(1100));
  world.Advance(Millis(100) - Duration(1));
  EXPECT_THAT(world.Ready().nodes, IsEmpty());
  EXPECT_THAT(world.Drain(1), IsEmpty());
  world.Advance(Duration(1));
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 a"));
}

// AC-14
TEST(ReadyTest, TheBackoffDoublesUpToItsLimit) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 4; ++i) {
    SendAndRetry(world);
    const Instant next = world.Ready().next_ready;
    waits.push_back((next - world.clock.now) / Millis(1));
    world.clock.now = next;
  }
  EXPECT_THAT(waits, ElementsAre(100, 200, 400, 400));
}

// AC-13
TEST(ReadyTest, FlushAndCloseDoNotOverrideBackoff) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  SendAndRetry(world);
  const RecordAccumulator::Flush flush(*world.accumulator);
  world.accumulator->Close();
  EXPECT_THAT(world.Ready().nodes, IsEmpty());
}

// D-4
TEST(ReadyTest, TheJitterIsDrawnOncePerFailureAndNotAtEachLook) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  SendAndRetry(world);
  const int draws = world.entropy.draws;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.Ready().next_ready, AtMillis(1100));
  world.Drain(1);
  EXPECT_EQ(world.entropy.draws, draws);
}

// AC-23
TEST(ReadyTest, ARetriedBatchGoesToTheHeadOfItsQueue) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  std::vector<BatchRef> sent = world.Drain(1);
  world.Append("orders", 0, "b");
  world.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  EXPECT_EQ(sent.front()->attempts(), 1);
  world.Advance(Millis(100));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 a"));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 b"));
}

// AC-03, AC-08: it was closed when it was sent, so it counts as full and lingers no more.
TEST(ReadyTest, ARetriedBatchDoesNotLinger) {
  AccumulatorWorld world({.linger = Millis(500)});
  world.Append("orders", 0, "a");
  world.Advance(Millis(500));
  SendAndRetry(world);
  world.Advance(Millis(100));
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
}

class LeaderEpochTest : public ::testing::Test {
 protected:
  void SetEpoch(std::int32_t epoch) { world_.SetCluster({{"orders", {{1, epoch}}}}); }
  bool IsReady() { return !world_.Ready().nodes.empty(); }
  AccumulatorWorld world_;
};

// AC-15
TEST_F(LeaderEpochTest, ANewLeaderIsTriedWithoutBackoffButOnlyOnce) {
  SetEpoch(5);
  world_.Append("orders", 0, "a");
  SendAndRetry(world_);
  EXPECT_FALSE(IsReady());
  SetEpoch(6);
  EXPECT_TRUE(IsReady());
  SendAndRetry(world_);
  EXPECT_FALSE(IsReady());  // The same epoch failed again.
}

// AC-15
TEST_F(LeaderEpochTest, ALowerOrUnknownEpochDoesNotSkipTheBackoff) {
  SetEpoch(5);
  world_.Append("orders", 0, "a");
  SendAndRetry(world_);
  SetEpoch(4);
  EXPECT_FALSE(IsReady());
  SetEpoch(-1);
  EXPECT_FALSE(IsReady());
}

// AC-15
TEST_F(LeaderEpochTest, AnEpochThatRoseBeforeTheFirstAttemptFailedIsNoNews) {
  SetEpoch(5);
  world_.Append("orders", 0, "a");
  world_.Ready();
  SetEpoch(6);
  world_.Ready();
  SendAndRetry(world_);
  EXPECT_FALSE(IsReady());
}

// AC-15: another leader without an epoch.
TEST_F(LeaderEpochTest, ALeaderChangeWithoutEpochsKeepsTheBackoff) {
  world_.Append("orders", 0, "a");
  SendAndRetry(world_);
  world_.SetCluster({{"orders", {{2}}}});
  EXPECT_FALSE(IsReady());
}

// --- Drain ---

// AC-16
TEST(DrainTest, TakesOneBatchOfEachPartition) {
  AccumulatorWorld world;
  AppendFull(world, 0);
  AppendFull(world, 1);
  AppendFull(world, 2);
  EXPECT_EQ(world.Drain(1).size(), 2u);
}

// AC-16, AC-18
TEST(DrainTest, StopsAtTheRequestSizeAndStartsThereNextTime) {
  AccumulatorWorld world;
  world.SetCluster({{"orders", {{1}, {1}, {1}}}});
  for (int i = 0; i < 3; ++i) world.Append("orders", i, "a");  // 69 bytes each
  EXPECT_THAT(Contents(world.Drain(1, 2 * 69)), ElementsAre("orders/0 a", "orders/1 a"));
  for (int i = 0; i < 2; ++i) world.Append("orders", i, "b");
  EXPECT_THAT(Contents(world.Drain(1, 2 * 69)), ElementsAre("orders/2 a", "orders/0 b"));
}

// AC-16
TEST(DrainTest, TheFirstBatchGoesHoweverLargeItIs) {
  AccumulatorWorld world;
  world.Append("orders", 0, std::string(500, 'x'));
  world.Append("orders", 1, "a");
  EXPECT_EQ(world.Drain(1, 10).size(), 1u);
}

// AC-17: each node has a place of its own, so a stop at one starves nobody at another.
TEST(DrainTest, UnderConstantBacklogEveryPartitionOfEveryNodeIsServedInTurn) {
  AccumulatorWorld world({.buffer_memory = 1'000'000});
  world.SetCluster({{"orders", {{1}, {2}, {1}, {2}, {1}, {2}, {1}, {2}, {1}, {2}}}});
  for (int i = 0; i < 10; ++i) {
    for (int n = 0; n < 100; ++n) AppendFull(world, i);
  }
  std::map<std::int32_t, int> last_served;
  for (int round = 1; round <= 50; ++round) {
    for (const std::int32_t node : {1, 2}) {
      for (const BatchRef& batch : world.Drain(node, 400)) {  // Two batches.
        const int gap = round - std::exchange(last_served[batch->partition().value()], round);
        EXPECT_LE(gap, 3);
        world.Succeed(*batch, 0);
      }
    }
  }
  EXPECT_EQ(last_served.size(), 10u);
}

// AC-17: after a whole round the last partition that was visited is the first.
TEST(DrainTest, AfterACompleteRoundTheLastVisitedComesFirst) {
  AccumulatorWorld world;
  world.SetCluster({{"orders", {{1}, {1}, {1}}}});
  for (int i = 0; i < 3; ++i) world.Append("orders", i, "a");
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 a", "orders/1 a", "orders/2 a"));
  for (int i = 0; i < 3; ++i) world.Append("orders", i, "b");
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/2 b", "orders/0 b", "orders/1 b"));
}

// AC-20
TEST(DrainTest, ANodeThatLeadsNothingGivesNothing) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  EXPECT_THAT(world.Drain(3), IsEmpty());
}

// D-5
TEST(DrainTest, OrderIsByTopicAndPartitionAndNotByTimeOrHash) {
  AccumulatorWorld world;
  world.SetCluster({{"b", {{1}, {1}}}, {"a", {{1}, {1}}}, {"c", {{1}}}});
  world.Append("c", 0, "x");
  world.Append("b", 1, "x");
  world.Append("a", 1, "x");
  world.Append("b", 0, "x");
  world.Append("a", 0, "x");
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("a/0 x", "a/1 x", "b/0 x", "b/1 x", "c/0 x"));
}

TEST(DrainTest, ServesSeveralNodesAtOnce) {
  AccumulatorWorld world;
  for (int i = 0; i < 3; ++i) world.Append("orders", i, "a");
  const std::vector<NodeId> nodes = {NodeId(2), NodeId(3), NodeId(1)};
  const std::vector<NodeBatches> drained = world.accumulator->Drain(world.cluster, nodes, 1000, world.clock.now);
  ASSERT_EQ(drained.size(), 2u);
  EXPECT_EQ(drained[0].node, NodeId(2));
  EXPECT_THAT(Contents(drained[0].batches), ElementsAre("orders/2 a"));
  EXPECT_EQ(drained[1].node, NodeId(1));
  EXPECT_THAT(Contents(drained[1].batches), ElementsAre("orders/0 a", "orders/1 a"));
}

// SN-02: what a turn has left behind decides whether the next one may wait.
TEST(DrainTest, ANodeWhoseQueuesAreEmptyThenHasNothingLeft) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Append("orders", 1, "a");
  const std::vector<NodeBatches> drained = world.DrainAll();
  ASSERT_EQ(drained.size(), 1u);
  EXPECT_FALSE(drained[0].left_some);
}

TEST(DrainTest, ASecondBatchOfAPartitionIsLeft) {
  AccumulatorWorld world;
  AppendFull(world, 0);
  const std::vector<NodeBatches> drained = world.DrainAll();
  ASSERT_EQ(drained.size(), 1u);
  EXPECT_TRUE(drained[0].left_some);
}

TEST(DrainTest, WhatDidNotFitIsLeft) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Append("orders", 1, "a");
  const std::vector<NodeBatches> drained = world.DrainAll(/*max_request_bytes=*/69);
  ASSERT_EQ(drained.size(), 1u);
  EXPECT_TRUE(drained[0].left_some);
}

TEST(DrainTest, AMutedPartitionHasNothingLeft) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.accumulator->Mute(*sent.front());
  world.Append("orders", 0, "b");
  world.Append("orders", 1, "a");
  const std::vector<NodeBatches> drained = world.DrainAll();
  ASSERT_EQ(drained.size(), 1u);
  EXPECT_FALSE(drained[0].left_some);
}

TEST(DrainTest, FollowsALeaderThatMoves) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Ready();
  world.SetCluster({{"orders", {{3}, {1}, {2}}}});
  EXPECT_THAT(world.Drain(1), IsEmpty());
  EXPECT_THAT(Contents(world.Drain(3)), ElementsAre("orders/0 a"));
}

// AC-19
TEST(DrainTest, ADrainedBatchTakesNoMoreRecordsAndKnowsWhenItLeft) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(3));
  const std::vector<BatchRef> sent = world.Drain(1);
  EXPECT_EQ(sent.front()->drained(), AtMillis(1003));
  EXPECT_TRUE(world.Append("orders", 0, "b").new_batch);
  EXPECT_THAT(Contents(sent), ElementsAre("orders/0 a"));
}

// AC-36
TEST(DrainTest, UndrainedMeansQueuedAndIncompleteMeansNotEnded) {
  AccumulatorWorld world;
  EXPECT_FALSE(world.accumulator->HasUndrained());
  world.Append("orders", 0, "a");
  EXPECT_TRUE(world.accumulator->HasUndrained());
  const std::vector<BatchRef> sent = world.Drain(1);
  EXPECT_FALSE(world.accumulator->HasUndrained());
  EXPECT_TRUE(world.accumulator->HasIncomplete());
  world.Succeed(*sent.front(), 0);
  EXPECT_FALSE(world.accumulator->HasIncomplete());
}

// --- Loads of the built-in partitioner ---

class AdaptiveTest : public ::testing::Test {
 protected:
  // Partition 0 has one batch queued, 1 four, 2 two; partition 0 is the sticky one, and its batch is complete.
  static void Fill(AccumulatorWorld& world) {
    world.entropy.Script(0, 3);
    world.Append("orders", -1, std::string(300, 'x'));
    for (int i = 0; i < 4; ++i) world.Append("orders", 1, std::string(300, 'x'));
    for (int i = 0; i < 2; ++i) world.Append("orders", 2, std::string(300, 'x'));
  }
  // The partition of the next record if this is drawn. The record is large, so each of them moves on.
  static std::int32_t Next(AccumulatorWorld& world, std::uint64_t drawn, std::uint64_t bound) {
    world.entropy.Script(drawn, bound);
    world.Append("orders", -1, std::string(300, 'x'));
    return world.accumulator->Topic("orders").sticky().Current().partition.value();
  }
};

// PT-12: weights 4, 1, 3.
TEST_F(AdaptiveTest, ThePassOfReadyMakesShortQueuesMoreLikely) {
  AccumulatorWorld world;
  Fill(world);
  world.Ready();
  EXPECT_EQ(Next(world, 3, 8), 0);
  EXPECT_EQ(Next(world, 4, 8), 1);
  EXPECT_EQ(Next(world, 5, 8), 2);
}

TEST_F(AdaptiveTest, WithoutAdaptivePartitioningTheChoiceIsUniform) {
  AccumulatorWorld world({.adaptive_partitioning = false});
  Fill(world);
  world.Ready();
  EXPECT_EQ(Next(world, 1, 3), 1);
}

// PT-13
TEST_F(AdaptiveTest, UntilEveryPartitionHadABatchTheChoiceIsUniform) {
  AccumulatorWorld world;
  world.SetCluster({{"orders", {{1}, {1}, {2}, {2}}}});
  Fill(world);
  world.Ready();
  EXPECT_EQ(Next(world, 1, 4), 1);
}

// PT-13
TEST_F(AdaptiveTest, TheTableIsForgottenWhenAllQueuesAreEmpty) {
  AccumulatorWorld world;
  Fill(world);
  world.Ready();
  for (int i = 0; i < 5; ++i) {
    world.Drain(1);
    world.Drain(2);
  }
  world.Ready();
  EXPECT_EQ(Next(world, 1, 3), 1);
}

// PT-13: the choices until the next pass of Ready are made without what has left.
TEST_F(AdaptiveTest, TheTableIsForgottenWithTheDrainThatTakesTheLastBatch) {
  AccumulatorWorld world;
  Fill(world);
  world.Ready();
  for (int i = 0; i < 5; ++i) {
    world.Drain(1);
    world.Drain(2);
  }
  EXPECT_EQ(Next(world, 1, 3), 1);
}

// PT-14
TEST_F(AdaptiveTest, PartitionsOfANodeThatCannotBeSentToAreLeftOut) {
  AccumulatorWorld world({.partition_availability_timeout = Millis(10)});
  Fill(world);
  world.accumulator->UpdateNodeLatency(NodeId(1), world.clock.now, true);
  world.Advance(Millis(11));
  world.accumulator->UpdateNodeLatency(NodeId(1), world.clock.now, false);
  world.Ready();
  EXPECT_EQ(Next(world, 0, 1), 2);
}

// PT-14
TEST_F(AdaptiveTest, ANodeIsLeftOutOnlyAfterTheTimeout) {
  AccumulatorWorld world({.partition_availability_timeout = Millis(10)});
  Fill(world);
  world.accumulator->UpdateNodeLatency(NodeId(1), world.clock.now, true);
  world.Advance(Millis(10));
  world.accumulator->UpdateNodeLatency(NodeId(1), world.clock.now, false);
  world.Ready();
  EXPECT_EQ(Next(world, 0, 8), 0);
}

}  // namespace
}  // namespace ktrial
