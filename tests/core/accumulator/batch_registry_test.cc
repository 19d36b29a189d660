#include "core/accumulator/batch_registry.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/accumulator/topic_queues.h"
#include "core/env/posix/posix_env.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/manual_doors.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BatchRegistryTest : public ::testing::Test {
 protected:
  class NoRecycler final : public BatchRecycler {
    void Recycle(ProducerBatch&) override {}
  };
  static PoolBuffer Buffer() {
    PoolBuffer buffer;
    buffer.memory.reset(new char[100]);
    buffer.size = 100;
    return buffer;
  }
  ProducerBatch* Admit(PartitionQueue& queue) {
    PoolBuffer buffer = Buffer();
    MutexLock lock(queue.mutex);
    return registry_.Admit(queue, buffer);
  }
  std::vector<PartitionQueue*> Activated() {
    std::vector<PartitionQueue*> queues;
    registry_.TakeActivated(queues);
    return queues;
  }

  std::unique_ptr<Env> env_ = MakePosixEnv(1);
  ManualClock clock_;
  ScriptedEntropy entropy_;
  NoRecycler recycler_;
  TopicQueues topic_{"t", {.bytes = 100}, env_->threads(), entropy_};
  PartitionQueue& queue_ = topic_.Queue(PartitionIndex(0));
  BatchRegistry registry_{env_->threads(), clock_, recycler_};
};

// AC-31
TEST_F(BatchRegistryTest, KnowsItsBatchesInOrderOfCreation) {
  ProducerBatch* first = Admit(queue_);
  clock_.now = clock_.now + Millis(1);
  ProducerBatch* second = Admit(queue_);
  EXPECT_LT(first->id(), second->id());
  EXPECT_THAT(registry_.CreatedUpTo(Instant::Never()).batches, ElementsAre(first, second));
  const BatchRegistry::Incomplete older = registry_.CreatedUpTo(first->created());
  EXPECT_THAT(older.batches, ElementsAre(first));
  EXPECT_EQ(older.next_created, second->created());
}

// AC-29, AC-31
TEST_F(BatchRegistryTest, APartTakesTheAgeAndThePlaceOfItsWhole) {
  ProducerBatch* whole = Admit(queue_);
  clock_.now = clock_.now + Millis(1);
  ProducerBatch* other = Admit(queue_);
  ProducerBatch& left = registry_.AdmitPart(*whole, Buffer());
  ProducerBatch& right = registry_.AdmitPart(*whole, Buffer());
  registry_.Remove(*whole);
  EXPECT_THAT(registry_.CreatedUpTo(Instant::Never()).batches, ElementsAre(&left, &right, other));
  EXPECT_EQ(right.created(), whole->created());
  registry_.Reuse(*whole);
}

// AC-31
TEST_F(BatchRegistryTest, RemovingFromAnyPlaceKeepsTheOthers) {
  ProducerBatch* a = Admit(queue_);
  ProducerBatch* b = Admit(queue_);
  ProducerBatch* c = Admit(queue_);
  registry_.Remove(*b);
  EXPECT_THAT(registry_.CreatedUpTo(Instant::Never()).batches, ElementsAre(a, c));
  registry_.Remove(*c);
  registry_.Remove(*a);
  EXPECT_FALSE(registry_.HasIncomplete());
  for (ProducerBatch* batch : {a, b, c}) registry_.Reuse(*batch);
}

// AC-31
TEST_F(BatchRegistryTest, EndingTwiceIsADefect) {
  ProducerBatch* batch = Admit(queue_);
  registry_.Remove(*batch);
  EXPECT_DEATH(registry_.Remove(*batch), "incomplete_");
  registry_.Reuse(*batch);
}

// AC-07
TEST_F(BatchRegistryTest, AdmitsNothingOnceClosedAndLeavesTheBuffer) {
  registry_.Close();
  PoolBuffer buffer = Buffer();
  MutexLock lock(queue_.mutex);
  EXPECT_EQ(registry_.Admit(queue_, buffer), nullptr);
  EXPECT_NE(buffer.memory, nullptr);
}

TEST_F(BatchRegistryTest, AQueueIsActivatedOnceUntilItIsPutToRest) {
  Admit(queue_);
  Admit(queue_);
  EXPECT_THAT(Activated(), ElementsAre(&queue_));
  Admit(queue_);
  EXPECT_THAT(Activated(), IsEmpty());
  {
    MutexLock lock(queue_.mutex);
    queue_.active = false;
    registry_.Activate(queue_);
  }
  EXPECT_THAT(Activated(), ElementsAre(&queue_));
}

// AC-32
TEST_F(BatchRegistryTest, TheResultsOfAFlushAreThoseOfTheMoment) {
  Admit(queue_);
  EXPECT_EQ(registry_.Results().size(), 1u);
  Admit(queue_);
  EXPECT_EQ(registry_.Results().size(), 2u);
}

}  // namespace
}  // namespace ktrial
