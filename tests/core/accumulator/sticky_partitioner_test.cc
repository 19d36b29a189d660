#include "core/accumulator/sticky_partitioner.h"

#include <memory>
#include <vector>

#include "core/env/posix/posix_env.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

class StickyPartitionerTest : public ::testing::Test {
 protected:
  PartitionIndex Current() const { return sticky_.Current().partition; }
  // Moves on with this draw, below this bound, and says where.
  std::int32_t SwitchDrawing(std::uint64_t drawn, std::uint64_t bound) {
    entropy_.Script(drawn, bound);
    sticky_.Switch(*cluster_, "t");
    return Current().value();
  }

  std::unique_ptr<Env> env_ = MakePosixEnv(1);
  ScriptedEntropy entropy_;
  std::shared_ptr<const Cluster> cluster_ = MakeCluster({{"t", {{1}, {2}, {3}}}});
  StickyPartitioner sticky_{{.bytes = 100}, env_->threads(), entropy_};
};

// PT-07
TEST_F(StickyPartitionerTest, StartsWithADrawAmongThePartitions) {
  EXPECT_EQ(Current(), kUnknownPartition);
  entropy_.Script(2, 3);
  EXPECT_EQ(sticky_.Start(*cluster_, "t").partition, PartitionIndex(2));
  EXPECT_EQ(Current(), PartitionIndex(2));
}

TEST_F(StickyPartitionerTest, ATopicWithoutPartitionsLeavesTheChoiceOpen) {
  EXPECT_EQ(sticky_.Start(*cluster_, "other").partition, kUnknownPartition);
}

TEST_F(StickyPartitionerTest, ASecondStartKeepsTheChoice) {
  const auto first = sticky_.Start(*cluster_, "t");
  EXPECT_EQ(sticky_.Start(*cluster_, "t"), first);
  EXPECT_EQ(entropy_.draws, 1);
}

// PT-08
TEST_F(StickyPartitionerTest, MovesOnAtTheLimitIfItMay) {
  sticky_.Start(*cluster_, "t");
  EXPECT_FALSE(sticky_.Produced(99, true));
  EXPECT_TRUE(sticky_.Produced(1, true));
}

// PT-08, PT-09
TEST_F(StickyPartitionerTest, PutsOffMovingUntilTwiceTheLimit) {
  sticky_.Start(*cluster_, "t");
  EXPECT_FALSE(sticky_.Produced(199, false));
  EXPECT_TRUE(sticky_.Produced(1, false));
}

// PT-09
TEST_F(StickyPartitionerTest, MakesUpForAMoveThatWasPutOff) {
  sticky_.Start(*cluster_, "t");
  EXPECT_FALSE(sticky_.Produced(150, false));
  EXPECT_TRUE(sticky_.Produced(0, true));
}

// PT-08
TEST_F(StickyPartitionerTest, CountsFromZeroAfterAMove) {
  sticky_.Start(*cluster_, "t");
  sticky_.Produced(150, true);
  sticky_.Switch(*cluster_, "t");
  EXPECT_FALSE(sticky_.Produced(99, true));
}

// PT-10
TEST_F(StickyPartitionerTest, AMoveToTheSamePartitionIsAMove) {
  const auto before = sticky_.Start(*cluster_, "t");
  SwitchDrawing(static_cast<std::uint64_t>(before.partition.value()), 3);
  EXPECT_EQ(Current(), before.partition);
  EXPECT_FALSE(sticky_.IsCurrent(before));
}

// PT-11
TEST_F(StickyPartitionerTest, PartitionsWithoutALeaderAreAvoided) {
  cluster_ = MakeCluster({{"t", {{1}, {-1}, {3}}}});
  EXPECT_EQ(SwitchDrawing(0, 2), 0);
  EXPECT_EQ(SwitchDrawing(1, 2), 2);
}

// PT-11
TEST_F(StickyPartitionerTest, WithoutAnyLeaderAllPartitionsAreEqual) {
  cluster_ = MakeCluster({{"t", {{-1}, {-1}, {-1}}}});
  EXPECT_EQ(SwitchDrawing(1, 3), 1);
}

// Brokers 1 and 3 are in our rack, and lead partitions 0 and 2.
class RackTest : public StickyPartitionerTest {
 protected:
  static std::shared_ptr<const Cluster> InRacks(const std::string& of_1_and_3) {
    Cluster::Parts parts = MakeCluster({{"t", {{1}, {2}, {3}}}})->parts();
    for (Node& node : parts.nodes) node.rack = node.id == NodeId(2) ? "far" : of_1_and_3;
    return std::make_shared<const Cluster>(std::move(parts));
  }
  std::int32_t SwitchDrawing(std::uint64_t drawn, std::uint64_t bound) {
    entropy_.Script(drawn, bound);
    near_.Switch(*cluster_, "t");
    return near_.Current().partition.value();
  }
  StickyPartitioner near_{{.bytes = 100, .rack = "here"}, env_->threads(), entropy_};
};

// PT-07, KIP-1123
TEST_F(RackTest, LeadersInTheSameRackAreChosenAmong) {
  cluster_ = InRacks("here");
  EXPECT_EQ(SwitchDrawing(0, 2), 0);
  EXPECT_EQ(SwitchDrawing(1, 2), 2);
}

TEST_F(RackTest, WithoutALeaderInTheRackAllAreChosenAmong) {
  cluster_ = InRacks("elsewhere");
  EXPECT_EQ(SwitchDrawing(1, 3), 1);
}

// PT-12: of the weights 4, 1, 3 the second does not count.
TEST_F(RackTest, QueuesAreComparedWithinTheRack) {
  cluster_ = InRacks("here");
  near_.UpdateLoads({.partitions = {PartitionIndex(0), PartitionIndex(1), PartitionIndex(2)},
                     .queue_lengths = {0, 3, 1},
                     .in_rack = {true, false, true},
                     .partition_count = 3});
  std::vector<std::int32_t> chosen;
  for (std::uint64_t drawn = 0; drawn < 7; ++drawn) chosen.push_back(SwitchDrawing(drawn, 7));
  EXPECT_THAT(chosen, ElementsAre(0, 0, 0, 0, 2, 2, 2));
}

// PT-12: their queues count as those of all do.
TEST_F(RackTest, QueuesAreComparedInAllRacksIfNoneIsInOurs) {
  cluster_ = InRacks("elsewhere");
  near_.UpdateLoads({.partitions = {PartitionIndex(0), PartitionIndex(1), PartitionIndex(2)},
                     .queue_lengths = {0, 3, 1},
                     .in_rack = {false, false, false},
                     .partition_count = 3});
  EXPECT_EQ(SwitchDrawing(4, 8), 1);
}

TEST_F(StickyPartitionerTest, StaysWhenTheTopicIsGone) {
  const auto before = sticky_.Start(*cluster_, "t");
  sticky_.Switch(*MakeCluster({}), "t");
  EXPECT_EQ(sticky_.Current(), before);
}

// PT-12: lengths 0, 3, 1 give weights 4, 1, 3 and sums 4, 5, 8.
TEST_F(StickyPartitionerTest, ShorterQueuesAreChosenMoreOften) {
  sticky_.UpdateLoads({.partitions = {PartitionIndex(0), PartitionIndex(1), PartitionIndex(2)},
                       .queue_lengths = {0, 3, 1},
                       .partition_count = 3});
  std::vector<std::int32_t> chosen;
  for (std::uint64_t drawn = 0; drawn < 8; ++drawn) chosen.push_back(SwitchDrawing(drawn, 8));
  EXPECT_THAT(chosen, ElementsAre(0, 0, 0, 0, 1, 2, 2, 2));
}

// PT-12, PT-14: those left out are never chosen, even if the rest is equal.
TEST_F(StickyPartitionerTest, APartitionThatIsLeftOutIsNotChosen) {
  sticky_.UpdateLoads(
      {.partitions = {PartitionIndex(0), PartitionIndex(2)}, .queue_lengths = {1, 1}, .partition_count = 3});
  EXPECT_EQ(SwitchDrawing(0, 2), 0);
  EXPECT_EQ(SwitchDrawing(1, 2), 2);
}

// PT-13
TEST_F(StickyPartitionerTest, EqualQueuesMeanAUniformChoice) {
  sticky_.UpdateLoads({.partitions = {PartitionIndex(0), PartitionIndex(1), PartitionIndex(2)},
                       .queue_lengths = {2, 2, 2},
                       .partition_count = 3});
  EXPECT_EQ(SwitchDrawing(1, 3), 1);
}

// PT-13
TEST_F(StickyPartitionerTest, NothingToChooseFromMeansAUniformChoice) {
  sticky_.UpdateLoads({.partitions = {}, .queue_lengths = {}, .partition_count = 3});
  EXPECT_EQ(SwitchDrawing(2, 3), 2);
}

// PT-13
TEST_F(StickyPartitionerTest, ForgottenLoadsMeanAUniformChoice) {
  sticky_.UpdateLoads({.partitions = {PartitionIndex(0), PartitionIndex(1), PartitionIndex(2)},
                       .queue_lengths = {0, 9, 9},
                       .partition_count = 3});
  sticky_.ForgetLoads();
  EXPECT_EQ(SwitchDrawing(1, 3), 1);
}

}  // namespace
}  // namespace ktrial
