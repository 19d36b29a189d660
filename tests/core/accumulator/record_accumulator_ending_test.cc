// How batches end: success, failure, expiry, split, abort.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr Instant kAtOnce = Instant::FromNanos(1);

std::vector<std::string> ValuesTold(const AccumulatorWorld& world) {
  std::vector<std::string> values;
  for (const Told& told : world.told) values.push_back(told.value);
  return values;
}

// --- Finish ---

// SN-04, PR-10, PR-11
TEST(FinishTest, EveryCallbackLearnsItsOffsetItsTimestampAndItsSizes) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Append("orders", 0, "bcd");
  world.Succeed(*world.Drain(1).front(), 40);
  ASSERT_EQ(world.told.size(), 2u);
  const Told& second = world.told[1];
  EXPECT_EQ(second.topic, "orders");
  EXPECT_EQ(second.partition, 0);
  EXPECT_EQ(second.offset, 41);
  EXPECT_EQ(second.timestamp, 1'000'000);
  EXPECT_EQ(second.key_bytes, -1);
  EXPECT_EQ(second.value_bytes, 3);
  EXPECT_EQ(second.error, wire::ErrorCode::kNone);
}

// PR-10
TEST(FinishTest, TheBrokersTimestampReplacesTheRecordsOwn) {
  AccumulatorWorld world;
  const AppendResult future = world.Append("orders", 0, "a");
  BatchOutcome outcome;
  outcome.base_offset = Offset(0);
  outcome.log_append_time = WallTime::FromMillis(5);
  world.accumulator->Finish(*world.Drain(1).front(), std::move(outcome));
  EXPECT_EQ(world.told[0].timestamp, 5);
  EXPECT_EQ(future.result->Await(0, kAtOnce)->log_append_time, WallTime::FromMillis(5));
}

// PR-05
TEST(FinishTest, AFailureTellsTopicAndPartitionAndNothingElse) {
  AccumulatorWorld world;
  world.Append("orders", 1, "a");
  world.Fail(*world.Drain(1).front(), wire::ErrorCode::kInvalidRecord);
  const Told& told = world.told.at(0);
  EXPECT_EQ(told.error, wire::ErrorCode::kInvalidRecord);
  EXPECT_EQ(told.topic, "orders");
  EXPECT_EQ(told.partition, 1);
  EXPECT_EQ(told.offset, -1);
  EXPECT_EQ(told.timestamp, -1);
  EXPECT_EQ(told.value_bytes, -1);
}

// SN-13
TEST(FinishTest, ErrorsOfSingleRecordsReachTheirCallbacks) {
  AccumulatorWorld world;
  for (const char* value : {"a", "b", "c"}) world.Append("orders", 0, value);
  BatchOutcome outcome;
  outcome.status = wire::KafkaError(wire::ErrorCode::kUnknownServerError, "dropped because of others");
  outcome.record_errors.push_back({.index = 1, .status = wire::KafkaError(wire::ErrorCode::kInvalidRecord)});
  world.accumulator->Finish(*world.Drain(1).front(), std::move(outcome));
  EXPECT_EQ(world.told[0].error, wire::ErrorCode::kUnknownServerError);
  EXPECT_EQ(world.told[1].error, wire::ErrorCode::kInvalidRecord);
  EXPECT_EQ(world.told[2].message, "dropped because of others");
}

// SN-15
TEST(FinishTest, CallbacksRunInOrderOfAppend) {
  AccumulatorWorld world;
  for (const char* value : {"a", "b", "c"}) world.Append("orders", 0, value);
  world.Succeed(*world.Drain(1).front(), 0);
  EXPECT_THAT(ValuesTold(world), ElementsAre("a", "b", "c"));
}

// SN-15
TEST(FinishTest, WhileCallbacksRunTheFutureIsNotDoneYet) {
  AccumulatorWorld world;
  struct Probe {
    BatchResultRef result;
    bool done = true;
  } probe;
  NewRecord record;
  record.partition = PartitionIndex(0);
  record.callback = {.function =
                         [](void* context, const RecordMetadata&, const absl::Status&) {
                           Probe& seen = *static_cast<Probe*>(context);
                           seen.done = seen.result->IsDone(0);
                         },
                     .context = &probe};
  probe.result = world.accumulator->Append(world.accumulator->Topic("orders"), record)->result;
  world.Succeed(*world.Drain(1).front(), 0);
  EXPECT_FALSE(probe.done);
  EXPECT_TRUE(probe.result->IsDone(0));
}

// SN-16
TEST(FinishTest, ACallbackThatThrowsDoesNotKeepTheOthersFromRunning) {
  AccumulatorWorld world;
  NewRecord record;
  record.partition = PartitionIndex(0);
  record.callback.function = [](void*, const RecordMetadata&, const absl::Status&) {
    throw std::runtime_error("user");
  };
  ASSERT_TRUE(world.accumulator->Append(world.accumulator->Topic("orders"), record).ok());
  world.Append("orders", 0, "b");
  world.Succeed(*world.Drain(1).front(), 0);
  EXPECT_THAT(ValuesTold(world), ElementsAre("b"));
  EXPECT_EQ(world.accumulator->callbacks_thrown(), 1);
}

// SN-14
TEST(FinishTest, AnAnswerForABatchThatHasFailedIsIgnored) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.Fail(*sent.front(), wire::ErrorCode::kRequestTimedOut);
  BatchOutcome late;
  late.base_offset = Offset(3);
  EXPECT_FALSE(world.accumulator->Finish(*sent.front(), std::move(late)));
  EXPECT_EQ(world.told.size(), 1u);
}

// SN-14
TEST(FinishDeathTest, ASecondSuccessIsADefect) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.Succeed(*sent.front(), 0);
  EXPECT_DEATH(world.Succeed(*sent.front(), 0), "CanMove");
}

TEST(FinishTest, TheBatchIsReportedAsAWholeBeforeItsRecords) {
  struct Seen {
    std::vector<std::string> values;
    std::int64_t base_offset = 0;
  } seen;
  const BatchCallback on_batch{.function =
                                   [](void* context, const BatchReport& report) {
                                     Seen& into = *static_cast<Seen*>(context);
                                     into.base_offset = report.base_offset.value();
                                     EXPECT_TRUE(report.status->ok());
                                     into.values.push_back(std::to_string(report.records.size()) + " of " +
                                                           std::string(report.topic) + "/" +
                                                           std::to_string(report.partition.value()));
                                   },
                               .context = &seen};
  AccumulatorWorld world({.on_batch = on_batch});
  world.Append("orders", 1, "a");
  world.Append("orders", 1, "b");
  world.Succeed(*world.Drain(1).front(), 9);
  EXPECT_THAT(seen.values, ElementsAre("2 of orders/1"));
  EXPECT_EQ(seen.base_offset, 9);
}

// BP-14
TEST(FinishTest, MemoryStaysChargedThroughRetriesAndIsFreedOnceAtTheEnd) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  {
    const std::vector<BatchRef> sent = world.Drain(1);
    world.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  }
  EXPECT_EQ(world.used_bytes(), 200);
  world.Advance(Millis(100));
  world.Succeed(*world.Drain(1).front(), 0);
  EXPECT_EQ(world.used_bytes(), 0);
}

// BP-15, D-7: the memory of an expired batch stays, and stays charged, while a request may still write it.
TEST(FinishTest, ABatchThatEndsWhileItsRequestIsWrittenKeepsItsMemoryUntilThatIsOver) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  std::vector<BatchRef> request = world.Drain(1);
  const std::string_view on_the_wire = request.front()->bytes();
  const std::string before(on_the_wire);
  world.Advance(Millis(1000));
  world.Fail(*world.Expire().in_flight.front(), wire::ErrorCode::kRequestTimedOut);
  EXPECT_EQ(world.used_bytes(), 200);
  for (int i = 0; i < 20; ++i) world.Append("orders", 2, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
  EXPECT_EQ(on_the_wire, before);
  const std::int64_t used = world.used_bytes();
  request.clear();
  EXPECT_EQ(world.used_bytes(), used - 200);
}

// --- Expiry ---

// AC-25, D-9
TEST(ExpireTest, ABatchExpiresExactlyAtItsDeliveryTimeout) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(1000) - Duration(1));
  ExpiredBatches expired = world.Expire();
  EXPECT_THAT(expired.queued, IsEmpty());
  EXPECT_EQ(expired.next_expiry, AtMillis(2000));
  world.Advance(Duration(1));
  expired = world.Expire();
  ASSERT_EQ(expired.queued.size(), 1u);
  EXPECT_FALSE(world.accumulator->HasUndrained());
  world.Fail(*expired.queued.front(), wire::ErrorCode::kRequestTimedOut);
  EXPECT_FALSE(world.accumulator->HasIncomplete());
}

// AC-25
TEST(ExpireTest, MutingDoesNotProtect) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.accumulator->Mute(*sent.front());
  world.Append("orders", 0, "b");
  world.Advance(Millis(1000));
  const ExpiredBatches expired = world.Expire();
  EXPECT_EQ(expired.in_flight.size(), 1u);
  EXPECT_EQ(expired.queued.size(), 1u);
}

// AC-25
TEST(ExpireTest, TheTimeOfCreationSurvivesARetry) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  world.Advance(Millis(900));
  {
    const std::vector<BatchRef> sent = world.Drain(1);
    world.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  }
  EXPECT_EQ(world.Expire().next_expiry, AtMillis(2000));
  world.Advance(Millis(100));
  EXPECT_EQ(world.Expire().queued.size(), 1u);
}

// AC-27: recomputed each time, so that an expiry that is past does not make the sender spin.
TEST(ExpireTest, TheNextExpiryIsThatOfTheOldestBatchThatIsLeft) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.Advance(Millis(400));
  world.Append("orders", 2, "b");
  world.Advance(Millis(600));
  ExpiredBatches expired = world.Expire();
  EXPECT_EQ(expired.next_expiry, AtMillis(2400));
  world.Fail(*expired.in_flight.front(), wire::ErrorCode::kRequestTimedOut);
  world.Succeed(*world.Drain(2).front(), 0);
  EXPECT_EQ(world.Expire().next_expiry, Instant::Never());
}

// AC-25, AC-27
TEST(ExpireTest, AnEndlessDeliveryTimeoutNeverExpires) {
  AccumulatorWorld world({.delivery_timeout = Duration::max()});
  world.Append("orders", 0, "a");
  world.Advance(std::chrono::hours(24 * 365 * 100));
  const ExpiredBatches expired = world.Expire();
  EXPECT_THAT(expired.queued, IsEmpty());
  EXPECT_EQ(expired.next_expiry, Instant::Never());
}

// AC-25: a moment that is older than the batch.
TEST(ExpireTest, AStaleNowExpiresNothing) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  EXPECT_THAT(world.accumulator->Expire(AtMillis(1)).queued, IsEmpty());
  EXPECT_THAT(world.accumulator->Ready(world.cluster, AtMillis(1)).nodes, IsEmpty());
}

// AC-25, D-5
TEST(ExpireTest, BatchesExpireInOrderOfCreation) {
  AccumulatorWorld world;
  for (const std::int32_t partition : {2, 0, 1}) world.Append("orders", partition, "a");
  world.Advance(Millis(1000));
  std::vector<std::int32_t> partitions;
  for (const BatchRef& batch : world.Expire().queued) partitions.push_back(batch->partition().value());
  EXPECT_THAT(partitions, ElementsAre(2, 0, 1));
}

// SN-19
TEST(ExpireTest, ACallbackOfAnExpiredBatchMaySendAgain) {
  AccumulatorWorld world;
  NewRecord record;
  record.partition = PartitionIndex(0);
  record.callback = {
      .function = [](void* context, const RecordMetadata&,
                     const absl::Status&) { static_cast<AccumulatorWorld*>(context)->Append("orders", 0, "again"); },
      .context = &world};
  ASSERT_TRUE(world.accumulator->Append(world.accumulator->Topic("orders"), record).ok());
  world.Advance(Millis(1000));
  world.Fail(*world.Expire().queued.front(), wire::ErrorCode::kRequestTimedOut);
  EXPECT_THAT(Contents(world.Drain(1)), ElementsAre("orders/0 again"));
}

// --- Split ---

class SplitTest : public ::testing::Test {
 protected:
  // A batch of n records in flight, 10 bytes of value each, so 17 encoded.
  std::vector<BatchRef> Send(AccumulatorWorld& world, int records) {
    for (int i = 0; i < records; ++i)
      futures_.push_back(world.Append("orders", 0, "value-" + std::to_string(1000 + i)));
    return world.Drain(1);
  }
  static std::vector<std::string> DrainAll(AccumulatorWorld& world) {
    std::vector<std::string> values;
    for (auto drained = world.Drain(1); !drained.empty(); drained = world.Drain(1)) {
      for (const std::string& value : ValuesOf(*drained.front())) values.push_back(value);
      world.Succeed(*drained.front(), 100 * static_cast<std::int64_t>(values.size()));
    }
    return values;
  }
  std::vector<AppendResult> futures_;
};

// AC-28, AC-29
TEST_F(SplitTest, ThePartsCarryTheRecordsInOrderBeforeEverythingElse) {
  AccumulatorWorld world;
  const std::vector<BatchRef> sent = Send(world, 8);
  world.Append("orders", 0, "later");
  EXPECT_GT(world.accumulator->Split(*sent.front()), 1);
  EXPECT_THAT(world.told, IsEmpty());
  EXPECT_THAT(DrainAll(world), ElementsAre("value-1000", "value-1001", "value-1002", "value-1003", "value-1004",
                                           "value-1005", "value-1006", "value-1007", "later"));
  EXPECT_EQ(world.told.size(), 9u);
  EXPECT_EQ(world.told[7].value, "value-1007");
}

// AC-28, PR-12
TEST_F(SplitTest, FuturesOfTheWholeFollowTheirParts) {
  AccumulatorWorld world;
  const std::vector<BatchRef> sent = Send(world, 2);
  EXPECT_EQ(world.accumulator->Split(*sent.front()), 2);
  world.Succeed(*world.Drain(1).front(), 500);
  EXPECT_EQ(futures_[0].result->Await(futures_[0].index, kAtOnce)->offset, Offset(500));
  EXPECT_EQ(futures_[1].result->Await(futures_[1].index, kAtOnce), std::nullopt);
  world.Fail(*world.Drain(1).front(), wire::ErrorCode::kInvalidRecord);
  EXPECT_EQ(wire::KafkaCode(futures_[1].result->Await(futures_[1].index, kAtOnce)->status),
            wire::ErrorCode::kInvalidRecord);
}

// AC-28
TEST_F(SplitTest, PartsInheritTheAgeAndStartWithoutAttempts) {
  AccumulatorWorld world;
  std::vector<BatchRef> sent = Send(world, 4);
  world.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  world.Advance(Millis(100));
  sent = world.Drain(1);
  world.accumulator->Split(*sent.front());
  EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
  const std::vector<BatchRef> part = world.Drain(1);
  EXPECT_EQ(part.front()->attempts(), 0);
  EXPECT_EQ(part.front()->created(), AtMillis(1000));
  EXPECT_EQ(world.Expire().next_expiry, AtMillis(2000));
}

// AC-28
TEST_F(SplitTest, HeadersKeysAndTimestampsSurvive) {
  AccumulatorWorld world;
  const std::vector<wire::HeaderView> headers = {{.key = "h", .value = "1"}, {.key = "n", .value = std::nullopt}};
  for (int i = 0; i < 2; ++i) {
    NewRecord record{
        .partition = PartitionIndex(0), .timestamp = WallTime::FromMillis(50 + i), .key = "k", .headers = headers};
    ASSERT_TRUE(world.accumulator->Append(world.accumulator->Topic("orders"), record).ok());
  }
  const std::vector<BatchRef> sent = world.Drain(1);
  world.accumulator->Split(*sent.front());
  world.Drain(1);
  const std::vector<BatchRef> second = world.Drain(1);
  const auto view = wire::RecordBatchView::Parse(second.front()->bytes());
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->base_offset(), 0);
  wire::RecordReader reader(*view);
  const wire::RecordView* record = reader.Next();
  EXPECT_EQ(record->key, "k");
  EXPECT_EQ(record->value, std::nullopt);
  EXPECT_EQ(record->timestamp_ms, 51);
  EXPECT_THAT(record->headers, ::testing::ElementsAreArray(headers));
}

// AC-29, BP-14
TEST_F(SplitTest, TheMemoryOfPartsIsOutsideThePool) {
  AccumulatorWorld world;
  {
    const std::vector<BatchRef> sent = Send(world, 8);
    world.accumulator->Split(*sent.front());
    EXPECT_EQ(world.used_bytes(), 200);  // The request still has the whole.
  }
  EXPECT_EQ(world.used_bytes(), 0);
  DrainAll(world);
  EXPECT_EQ(world.used_bytes(), 0);
}

// AC-30: a broker that takes nothing larger than one record; whatever the sizes, splitting ends with single records.
TEST_F(SplitTest, SplittingAgainAndAgainEndsWithSingleRecords) {
  for (const std::vector<int>& sizes : {std::vector<int>(8, 10), std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0},
                                        std::vector<int>{100, 0, 0, 0}, std::vector<int>{0, 0, 0, 100}}) {
    AccumulatorWorld world;
    for (const int size : sizes) world.Append("orders", 0, std::string(static_cast<std::size_t>(size), 'x'));
    int splits = 0;
    std::size_t singles = 0;
    for (auto drained = world.Drain(1); !drained.empty(); drained = world.Drain(1)) {
      if (drained.front()->record_count() > 1) {
        world.accumulator->Split(*drained.front());
        ASSERT_LE(++splits, 10);
      } else {
        world.Fail(*drained.front(), wire::ErrorCode::kMessageTooLarge);
        ++singles;
      }
    }
    EXPECT_EQ(singles, sizes.size());
    EXPECT_EQ(world.told.size(), sizes.size());
  }
}

// AC-33
TEST_F(SplitTest, AFlushWaitsForThePartsOfABatchThatIsSplitMeanwhile) {
  AccumulatorWorld world;
  const std::vector<BatchRef> sent = Send(world, 2);
  RecordAccumulator::Flush flush(*world.accumulator);
  bool flushed = false;
  const auto waiter = world.env->threads().Spawn("flush", [&] { flushed = flush.Await(Instant::Never()); });
  EXPECT_EQ(world.accumulator->Split(*sent.front()), 2);
  EXPECT_FALSE(waiter->Join(kAtOnce));
  world.Succeed(*world.Drain(1).front(), 0);
  EXPECT_FALSE(waiter->Join(kAtOnce));
  world.Succeed(*world.Drain(1).front(), 1);
  EXPECT_TRUE(waiter->Join(Instant::Never()));
  EXPECT_TRUE(flushed);
}

TEST_F(SplitTest, ObserversSeeThePartsAndThenTheSplit) {
  AccumulatorWorld world;
  const std::vector<BatchRef> sent = Send(world, 2);
  world.observer.notes.clear();
  world.accumulator->Split(*sent.front());
  EXPECT_THAT(world.observer.notes, ElementsAre("2 created", "3 created", "1 split in 2"));
}

// --- Abort ---

// AC-34
TEST(AbortTest, AForcedCloseEndsQueuedAndInFlightBatchesOnce) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.Append("orders", 0, "b");
  world.Append("orders", 2, "c");
  world.accumulator->Close();
  world.accumulator->AbortIncomplete(absl::CancelledError("the producer was closed forcefully"));
  EXPECT_THAT(ValuesTold(world), ElementsAre("a", "b", "c"));
  EXPECT_THAT(world.told[0].message, StartsWith("the producer was closed forcefully"));
  EXPECT_FALSE(world.accumulator->HasIncomplete());
  EXPECT_FALSE(world.accumulator->HasUndrained());
  EXPECT_EQ(world.used_bytes(), 200);  // The request's.
}

// AC-34: a late answer, after the abort.
TEST(AbortTest, AnAnswerAfterTheAbortIsIgnored) {
  AccumulatorWorld world;
  world.Append("orders", 0, "a");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.accumulator->Close();
  world.accumulator->AbortIncomplete(absl::CancelledError("closed"));
  EXPECT_FALSE(world.accumulator->Finish(*sent.front(), BatchOutcome()));
  EXPECT_EQ(world.told.size(), 1u);
}

// AC-35
TEST(AbortTest, AbortingTheUndrainedLeavesInFlightAndRetriedBatchesAlone) {
  AccumulatorWorld world;
  world.Append("orders", 0, "sent");
  const std::vector<BatchRef> sent = world.Drain(1);
  world.Append("orders", 1, "retried");
  {
    const std::vector<BatchRef> retried = world.Drain(1);
    world.accumulator->Reenqueue(*retried.front(), wire::ErrorCode::kNotEnoughReplicas, world.clock.now);
  }
  world.Append("orders", 0, "queued");
  world.accumulator->AbortUndrained(absl::CancelledError("fenced"));
  EXPECT_THAT(ValuesTold(world), ElementsAre("queued"));
  EXPECT_TRUE(world.accumulator->HasUndrained());
}

}  // namespace
}  // namespace ktrial
