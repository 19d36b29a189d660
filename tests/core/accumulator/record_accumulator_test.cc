// Appending, flushing, closing.
#include "core/accumulator/record_accumulator.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant kAtOnce = Instant::FromNanos(1);
// A record of kRecordOverhead + n bytes, in a batch of 61 and so many records.
constexpr std::int32_t kRecordOverhead = 7;
const std::string kFifty(50, 'x');  // 57 bytes encoded: two fit into 200, three do not.

absl::StatusOr<AppendResult> AppendTo(AccumulatorWorld& world, NewRecord record, std::int32_t partition = 0) {
  record.partition = PartitionIndex(partition);
  return world.accumulator->Append(world.accumulator->Topic("orders"), record);
}

// AC-01
TEST(RecordAccumulatorTest, RecordsOfOnePartitionShareABatchInOrder) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Append("orders", 0, "b");
  world.Append("orders", 1, "c");
  world.Advance(Millis(5));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 a,b", "orders/1 c"));
}

// AC-05
TEST(RecordAccumulatorTest, TheFirstRecordOfABatchSaysThatItIsNew) {
  AccumulatorWorld world;
  EXPECT_TRUE(world.Append("orders", 0, "a").new_batch);
  EXPECT_FALSE(world.Append("orders", 0, "b").new_batch);
}

// AC-02, AC-03, AC-05
TEST(RecordAccumulatorTest, ARecordThatDoesNotFitOpensASecondBatchAndTheQueueCountsAsFull) {
  AccumulatorWorld world;
  EXPECT_FALSE(world.Append("orders", 0, kFifty).batch_full);
  EXPECT_FALSE(world.Append("orders", 0, kFifty).batch_full);
  const AppendResult third = world.Append("orders", 0, kFifty);
  EXPECT_TRUE(third.batch_full);
  EXPECT_TRUE(third.new_batch);
  EXPECT_EQ(third.index, 0);
}

// AC-05, and better: a sender that was told of a full batch and cannot send it yet is not told again with every record.
TEST(RecordAccumulatorTest, ARecordBehindAFullBatchDoesNotWakeTheSenderAgain) {
  AccumulatorWorld world;
  for (int i = 0; i < 3; ++i) world.Append("orders", 0, kFifty);
  const AppendResult fourth = world.Append("orders", 0, "behind the full one");
  EXPECT_FALSE(fourth.batch_full);
  EXPECT_FALSE(fourth.new_batch);
}

// AC-02: closed for appends means closed for small ones too, or the order would be lost.
TEST(RecordAccumulatorTest, AClosedBatchTakesNoSmallerRecordEither) {
  AccumulatorWorld world;
  world.Append("orders", 0, kFifty);
  world.Append("orders", 0, kFifty);
  world.Append("orders", 0, kFifty);
  EXPECT_FALSE(world.Append("orders", 0, "tiny").new_batch);
  world.Advance(Millis(5));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 " + kFifty + "," + kFifty));
}

// AC-03
TEST(RecordAccumulatorTest, ABatchThatIsFilledToTheLastByteIsFull) {
  AccumulatorWorld world({.batch_size = 61 + 2 * (kRecordOverhead + 40)});
  EXPECT_FALSE(world.Append("orders", 0, std::string(40, 'x')).batch_full);
  EXPECT_TRUE(world.Append("orders", 0, std::string(40, 'x')).batch_full);
}

// AC-02, AC-03
TEST(RecordAccumulatorTest, ARecordLargerThanABatchGetsABatchOfItsOwn) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::string large(1000, 'x');
  EXPECT_TRUE(world.Append("orders", 0, large).new_batch);
  EXPECT_TRUE(world.Append("orders", 0, kFifty).new_batch);
  EXPECT_THAT(ValuesOf(*world.Drain(1).front()), ElementsAre("a"));
  EXPECT_THAT(ValuesOf(*world.Drain(1).front()), ElementsAre(large));
  EXPECT_THAT(ValuesOf(*world.Drain(1).front()), ElementsAre(kFifty));
}

// AC-06
TEST(RecordAccumulatorTest, ABatchSizeOfZeroMeansOneRecordABatch) {
  AccumulatorWorld world({.batch_size = 0});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(world.Append("orders", 0, "").new_batch);
}

// AC-06: nor is choosing a partition without end then.
TEST(RecordAccumulatorTest, ABatchSizeOfZeroWorksWithoutAPartitionToo) {
  AccumulatorWorld world({.batch_size = 0});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(world.Append("orders", -1, "a").new_batch);
}

// AC-07
TEST(RecordAccumulatorTest, AnAppendAfterCloseFails) {
  AccumulatorWorld world;
  world.accumulator->Close();
  EXPECT_EQ(world.TryAppend("orders", 0, "a").status().code(), absl::StatusCode::kCancelled);
}

// AC-07: a batch that is open still takes nothing.
TEST(RecordAccumulatorTest, AnAppendToAnOpenBatchAfterCloseFails) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.accumulator->Close();
  EXPECT_EQ(world.TryAppend("orders", 0, "b").status().code(), absl::StatusCode::kCancelled);
}

// AC-07, BP-13
TEST(RecordAccumulatorTest, AnAppendThatWaitsForMemoryFailsOnClose) {
  AccumulatorWorld world({.buffer_memory = 200});
  world.Append("orders", 0, "a");
  std::optional<absl::StatusOr<AppendResult>> result;
  const auto waiter = world.env->threads().Spawn(
      "waiter", [&] { result.emplace(AppendTo(world, {.value = "b", .max_block = Duration::max()}, 1)); });
  while (world.accumulator->buffer_pool_stats().waiters == 0) std::this_thread::yield();
  world.accumulator->Close();
  EXPECT_TRUE(waiter->Join(Instant::Never()));
  EXPECT_EQ(result->status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(world.used_bytes(), 200);
}

// BP-10
TEST(RecordAccumulatorTest, AnAppendFailsWhenMemoryStaysExhaustedForMaxBlock) {
  AccumulatorWorld world({.buffer_memory = 200});
  world.Append("orders", 0, "a");
  const absl::StatusOr<AppendResult> result = AppendTo(world, {.value = "b", .max_block = Millis(7)}, 1);
  EXPECT_EQ(wire::KafkaCode(result.status()), wire::ErrorCode::kRequestTimedOut);
  EXPECT_EQ(world.used_bytes(), 200);
}

// PR-14
TEST(RecordAccumulatorTest, AnAppendThatMayNotBlockFailsAtOnceInsteadOfWaiting) {
  AccumulatorWorld world({.buffer_memory = 200});
  world.Append("orders", 0, "a");
  const absl::StatusOr<AppendResult> result =
      AppendTo(world, {.value = "b", .may_block = false, .max_block = Duration::max()}, 1);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(AppendTo(world, {.value = "b", .may_block = false}, 0).ok());
}

// BP-04
TEST(RecordAccumulatorTest, ARecordThatBufferMemoryCanNeverHoldIsRefusedAtOnce) {
  AccumulatorWorld world({.buffer_memory = 500});
  EXPECT_EQ(
      AppendTo(world, {.value = std::string_view(std::string(500, 'x')), .max_block = Duration::max()}).status().code(),
      absl::StatusCode::kInvalidArgument);
}

// AC-02
TEST(RecordAccumulatorTest, ManyThreadsMakeOneBatchAndGiveTheOtherBuffersBack) {
  AccumulatorWorld world;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(
        world.env->threads().Spawn("appender", [&] { ASSERT_TRUE(AppendTo(world, {.value = "a"}).ok()); }));
  }
  for (const auto& thread : threads) ASSERT_TRUE(thread->Join(Instant::Never()));
  EXPECT_EQ(world.used_bytes(), 200);
  world.Advance(Millis(5));
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 a,a,a,a,a,a,a,a"));
}

// The path of a record.
TEST(RecordAccumulatorTest, TheClockIsReadOncePerBatchAndNotPerRecord) {
  AccumulatorWorld world({.batch_size = 2000});
  world.Append("orders", 0, "a");
  EXPECT_EQ(world.clock.reads, 1);
  for (int i = 0; i < 100; ++i) world.Append("orders", 0, "a");
  EXPECT_EQ(world.clock.reads, 1);
}

TEST(RecordAccumulatorTest, KeyValueHeadersAndTimestampReachTheBatch) {
  AccumulatorWorld world;
  const std::vector<wire::HeaderView> headers = {{.key = "h", .value = "1"}, {.key = "n", .value = std::nullopt}};
  ASSERT_TRUE(
      AppendTo(world, {.timestamp = WallTime::FromMillis(77), .key = "k", .value = std::nullopt, .headers = headers})
          .ok());
  world.Advance(Millis(5));
  const std::vector<BatchRef> drained = world.Drain(1);
  const auto view = wire::RecordBatchView::Parse(drained.front()->bytes());
  ASSERT_TRUE(view.ok());
  wire::RecordReader reader(*view);
  const wire::RecordView* record = reader.Next();
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->timestamp_ms, 77);
  EXPECT_EQ(record->key, "k");
  EXPECT_EQ(record->value, std::nullopt);
  EXPECT_THAT(record->headers, ::testing::ElementsAreArray(headers));
}

TEST(RecordAccumulatorTest, WithoutAWantedResultNoneIsGiven) {
  AccumulatorWorld world;
  EXPECT_FALSE(AppendTo(world, {.value = "a", .want_result = false})->result);
  EXPECT_TRUE(AppendTo(world, {.value = "a"})->result);
}

// The heap is asked without a lock, so it is a place where a test can let something happen between two looks at the queue.
absl::AnyInvocable<void()>& MeanwhileHook() {
  static absl::AnyInvocable<void()> hook;
  return hook;
}
char* HeapWithMeanwhile(std::size_t size) {
  if (absl::AnyInvocable<void()> hook = std::exchange(MeanwhileHook(), nullptr)) hook();
  return new char[size];
}

// AC-07
TEST(RecordAccumulatorTest, AnAppendThatGotItsMemoryAfterCloseFailsAndGivesItBack) {
  AccumulatorWorld world({.heap = &HeapWithMeanwhile});
  MeanwhileHook() = [&] { world.accumulator->Close(); };
  EXPECT_EQ(world.TryAppend("orders", 0, "a").status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(world.used_bytes(), 0);
  EXPECT_FALSE(world.accumulator->HasIncomplete());
}

// PT-10: the buffer is kept.
TEST(RecordAccumulatorTest, AChoiceThatChangedWhileMemoryWasFetchedIsMadeAgain) {
  AccumulatorWorld world({.heap = &HeapWithMeanwhile});
  for (const std::uint64_t draw : {2, 0}) world.entropy.Script(draw, 3);
  MeanwhileHook() = [&] { world.Append("orders", -1, std::string(400, 'x')); };
  EXPECT_EQ(world.Append("orders", -1, "a").partition, PartitionIndex(0));
}

// Locks that lock nothing, for one thread, and let something happen before the next one of them is taken.
class MeanwhileThreads final : public Threads, private SyncHooks {
 public:
  MeanwhileThreads() : Threads(static_cast<SyncHooks*>(this)) {}
  absl::AnyInvocable<void()> before_next_lock;

  std::unique_ptr<Thread> Spawn(std::string_view, absl::AnyInvocable<void()>) override { return nullptr; }
  void SleepUntil(Instant, Site) override {}
  ThreadId Current() const override { return ThreadId(1); }

 private:
  void* CreateMutex(Site) override { return nullptr; }
  void DestroyMutex(void*) override {}
  void Lock(void*) override {
    if (absl::AnyInvocable<void()> hook = std::exchange(before_next_lock, nullptr)) hook();
  }
  bool TryLock(void*) override { return true; }
  void Unlock(void*) override {}
  void* CreateCondVar() override { return nullptr; }
  void DestroyCondVar(void*) override {}
  bool Wait(void*, void*, Instant, absl::FunctionRef<bool()> predicate, Site) override { return predicate(); }
  void NotifyOne(void*) override {}
  void NotifyAll(void*) override {}
  void AtomicAccess(Site) override {}
};

// PT-10
TEST(RecordAccumulatorTest, AChoiceThatChangesBeforeTheQueueIsLockedIsMadeAgain) {
  const std::shared_ptr<const Cluster> cluster = MakeCluster({{"orders", {{1}, {1}, {2}}}});
  MeanwhileThreads threads;
  ManualClock clock;
  ScriptedEntropy entropy;
  for (const std::uint64_t draw : {2, 0}) entropy.Script(draw, 3);
  RecordAccumulator accumulator({.batch_size = 200}, threads, clock, entropy, [&] { return cluster; }, NoObserver());
  TopicQueues& topic = accumulator.Topic("orders");
  EXPECT_EQ(accumulator.Append(topic, {.value = "a"})->partition, PartitionIndex(2));
  const std::string large(400, 'x');  // Enough to move on.
  threads.before_next_lock = [&] {
    EXPECT_EQ(accumulator.Append(topic, {.value = large})->partition, PartitionIndex(2));
  };
  EXPECT_EQ(accumulator.Append(topic, {.value = "b"})->partition, PartitionIndex(0));
}

// --- A partition that is chosen here ---

// PT-07, PT-08: 200 bytes are a batch here; each record brings 57, and the first of a batch 118.
TEST(RecordAccumulatorTest, UnassignedRecordsStayOnAPartitionForABatchAndThenMoveOn) {
  AccumulatorWorld world({.batch_size = 61 + 2 * 57});
  for (const std::uint64_t draw : {2, 0, 1}) world.entropy.Script(draw, 3);
  std::vector<std::int32_t> partitions;
  for (int i = 0; i < 6; ++i) partitions.push_back(world.Append("orders", -1, kFifty).partition.value());
  EXPECT_THAT(partitions, ElementsAre(2, 2, 0, 0, 1, 1));
}

// PT-09: the limit is reached inside the second batch, which is not left half-filled; the move is made up for when it is full.
TEST(RecordAccumulatorTest, AMoveWaitsUntilTheBatchIsFull) {
  AccumulatorWorld world({.batch_size = 200});
  for (const std::uint64_t draw : {2, 0}) world.entropy.Script(draw, 3);
  // 118 and 175 bytes: not yet. The third record opens a batch with 118 more, 293 in all, past the limit; the fourth brings 350. The
  // fifth finds no room, so the batch counts as full.
  std::vector<std::int32_t> partitions;
  for (int i = 0; i < 5; ++i) partitions.push_back(world.Append("orders", -1, kFifty).partition.value());
  EXPECT_THAT(partitions, ElementsAre(2, 2, 2, 2, 0));
}

// PT-08: large records, each of which would fit only once into a batch that is then never full.
TEST(RecordAccumulatorTest, TwiceTheLimitMovesOnEvenFromAHalfFilledBatch) {
  AccumulatorWorld world({.batch_size = 200});
  for (const std::uint64_t draw : {2, 0}) world.entropy.Script(draw, 3);
  EXPECT_EQ(world.Append("orders", -1, std::string(400, 'x')).partition, PartitionIndex(2));
  EXPECT_EQ(world.Append("orders", -1, "a").partition, PartitionIndex(0));
}

// PT-09
TEST(RecordAccumulatorTest, AMoveThatWasPutOffIsMadeOnceTheQueueIsEmpty) {
  AccumulatorWorld world({.batch_size = 200});
  for (const std::uint64_t draw : {2, 0}) world.entropy.Script(draw, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.Append("orders", -1, kFifty).partition, PartitionIndex(2));
  world.Advance(Millis(5));
  world.Drain(2);
  world.Drain(2);
  EXPECT_EQ(world.Append("orders", -1, kFifty).partition, PartitionIndex(0));
}

TEST(RecordAccumulatorTest, AnUnassignedRecordOfATopicWithoutPartitionsIsRefused) {
  AccumulatorWorld world;
  EXPECT_EQ(wire::KafkaCode(world.TryAppend("nowhere", -1, "a").status()), wire::ErrorCode::kUnknownTopicOrPartition);
}

// PT-10
TEST(RecordAccumulatorTest, ThreadsThatShareAChoiceLoseNoRecord) {
  AccumulatorWorld world({.batch_size = 200, .buffer_memory = 100'000'000});
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(world.env->threads().Spawn("appender", [&] {
      for (int n = 0; n < 3000; ++n) ASSERT_TRUE(AppendTo(world, {.value = kFifty}, -1).ok());
    }));
  }
  for (const auto& thread : threads) ASSERT_TRUE(thread->Join(Instant::Never()));
  std::int64_t records = 0;
  for (const std::int32_t node : {1, 2}) {
    for (auto drained = world.Drain(node); !drained.empty(); drained = world.Drain(node)) {
      for (const BatchRef& batch : drained) records += batch->record_count();
    }
  }
  EXPECT_EQ(records, 12'000);
}

// --- Flush ---

// AC-32
TEST(RecordAccumulatorTest, AFlushWithNothingIncompleteIsOverAtOnce) {
  AccumulatorWorld world;
  EXPECT_TRUE(world.accumulator->BeginFlush().Await(kAtOnce));
}

// AC-32, PR-15
TEST(RecordAccumulatorTest, AFlushWaitsForQueuedAndInFlightBatchesAndNotForLaterOnes) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Append("orders", 2, "b");
  std::vector<BatchRef> sent = world.Drain(1);
  RecordAccumulator::Flush flush(*world.accumulator);
  EXPECT_FALSE(flush.Await(kAtOnce));
  world.Succeed(*sent.front(), 0);
  EXPECT_FALSE(flush.Await(kAtOnce));
  bool flushed = false;
  const auto waiter = world.env->threads().Spawn("flush", [&] { flushed = flush.Await(Instant::Never()); });
  std::vector<BatchRef> rest = world.Drain(2);
  world.Fail(*rest.front(), wire::ErrorCode::kInvalidRecord);
  EXPECT_TRUE(waiter->Join(Instant::Never()));
  EXPECT_TRUE(flushed);
}

// AC-32: the counter comes back on every way out.
TEST(RecordAccumulatorTest, LingerHoldsAgainOnceAllFlushesAreOver) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  {
    const RecordAccumulator::Flush outer(*world.accumulator);
    {
      const RecordAccumulator::Flush inner(*world.accumulator);
    }
    EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
  }
  EXPECT_THAT(world.Ready().nodes, IsEmpty());
}

// --- Reuse ---

TEST(RecordAccumulatorTest, ABufferThatCameBackIsUsedForTheNextBatch) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const char* memory = nullptr;
  {
    const std::vector<BatchRef> drained = world.Drain(1);
    memory = drained.front()->bytes().data();
    world.Succeed(*drained.front(), 0);
  }
  world.Append("orders", 2, "b");
  EXPECT_EQ(world.Drain(2).front()->bytes().data(), memory);
}

TEST(RecordAccumulatorTest, AFutureKeepsItsOutcomeThoughTheBatchIsUsedAgain) {
  AccumulatorWorld world;
  const AppendResult first = world.Append("orders", 0, "a");
  world.Succeed(*world.Drain(1).front(), 10);
  const AppendResult second = world.Append("orders", 0, "b");
  world.Succeed(*world.Drain(1).front(), 11);
  EXPECT_EQ(first.result->Await(first.index, kAtOnce)->offset, Offset(10));
  EXPECT_EQ(second.result->Await(second.index, kAtOnce)->offset, Offset(11));
}

TEST(RecordAccumulatorTest, AFutureMayOutliveItsAccumulator) {
  AccumulatorWorld world;
  const AppendResult result = world.Append("orders", 0, "a");
  world.accumulator->Close();
  world.accumulator->AbortIncomplete(absl::CancelledError("closed"));
  world.accumulator.reset();
  EXPECT_EQ(result.result->Await(0, kAtOnce)->status.code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ktrial
