#include "core/accumulator/producer_batch.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using enum BatchState;

std::vector<BatchState> After(BatchState from) {
  std::vector<BatchState> next;
  for (int to = 0; to < kBatchStateCount; ++to) {
    if (CanMove(from, static_cast<BatchState>(to))) next.push_back(static_cast<BatchState>(to));
  }
  return next;
}

// SN-14: the table in the header.
TEST(BatchStateTest, MovesAreThoseOfTheTable) {
  EXPECT_THAT(After(kFilling), ElementsAre(kSealed));
  EXPECT_THAT(After(kSealed), ElementsAre(kInFlight, kFailed, kAborted));
  EXPECT_THAT(After(kInFlight), ElementsAre(kSealed, kSucceeded, kFailed, kAborted, kSplit));
}

// SN-14
TEST(BatchStateTest, FinalStatesAreLeftByNobody) {
  for (const BatchState state : {kSucceeded, kFailed, kAborted, kSplit}) {
    EXPECT_TRUE(IsFinal(state));
    EXPECT_TRUE(After(state).empty());
  }
}

TEST(ProducerBatchTest, AViewSaysWhatTheBatchIsNow) {
  AccumulatorWorld world;
  world.Append("orders", 2, "abc");
  const std::vector<BatchRef> sent = world.Drain(2);
  const BatchView view = sent.front()->View();
  EXPECT_EQ(view.topic, "orders");
  EXPECT_EQ(view.partition, PartitionIndex(2));
  EXPECT_EQ(view.record_count, 1);
  EXPECT_EQ(view.bytes, 61 + 7 + 3);
  EXPECT_EQ(view.capacity, 200);
  EXPECT_EQ(view.attempts, 0);
  EXPECT_EQ(view.created, AtMillis(1000));
}

// AC-19, AC-23: a retry sends the very same bytes.
TEST(ProducerBatchTest, ARetrySendsTheSameBytes) {
  AccumulatorWorld world;
  world.Append("orders", 0, "abc");
  std::vector<BatchRef> sent = world.Drain(1);
  const std::string first(sent.front()->bytes());
  world.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  world.Advance(Millis(100));
  sent = world.Drain(1);
  EXPECT_EQ(sent.front()->bytes(), first);
}

// BP-15
TEST(ProducerBatchTest, TheLastHoldLetsGoOfTheMemory) {
  AccumulatorWorld world;
  world.Append("orders", 0, "abc");
  std::vector<BatchRef> sent = world.Drain(1);
  BatchRef another(*sent.front());
  world.Succeed(*another, 0);
  sent.clear();
  EXPECT_EQ(world.used_bytes(), 200);
  another = BatchRef();
  EXPECT_EQ(world.used_bytes(), 0);
}

}  // namespace
}  // namespace ktrial
