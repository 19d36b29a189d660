#include <gtest/gtest.h>

#include "sim/broker/group_offset.h"
#include "sim/broker/partition_log.h"
#include "sim/metrics/run_record.h"

namespace ktrial::sim {
namespace {

constexpr Instant At(std::int64_t millis) { return Instant::FromNanos(1'000'000'000 + millis * 1'000'000); }

// Two workloads on one topic of two partitions; what they got is set record by record.
class CountRecordsTest : public ::testing::Test {
 protected:
  CountRecordsTest() {
    record_.producers = {"p"};
    record_.start = At(0);
    orders_ = record_.history.TopicIndex("orders");
  }
  RecordStream& Open(const std::string& workload) { return record_.history.OpenStream({.workload = workload}); }
  // Sent when due, completed `took` later.
  RecordId Send(RecordStream& stream, std::int64_t due, std::int64_t took, const History::Completion& completion) {
    RecordEntry* const entry = record_.history.Call(stream, orders_, At(due));
    record_.history.Return(*entry, At(due), At(due));
    record_.history.Complete(*entry, At(due + took), completion);
    return History::IdOf(*entry);
  }
  std::map<std::string, double> Count(const MetricScope& scope = {}) {
    record_.partitions = {{"orders", PartitionIndex(0), &log_}};
    record_.index.emplace(record_.history, record_.partitions);
    return CountMetrics(record_, scope);
  }

  RunRecord record_;
  PartitionLog log_;
  std::uint16_t orders_ = 0;
};

constexpr History::Completion kAcked{.state = RecordState::kAcked, .partition = PartitionIndex(0)};
constexpr History::Completion kTimedOut{.state = RecordState::kFailed, .error = 7, .partition = PartitionIndex(1)};

TEST_F(CountRecordsTest, SentAckedAndFailedAddUp) {
  RecordStream& app = Open("app-1");
  Send(app, 0, 10, kAcked);
  Send(app, 1, 10, kTimedOut);
  auto metrics = Count();
  EXPECT_EQ(metrics["records.sent"], 2);
  EXPECT_EQ(metrics["records.acked"], 1);
  EXPECT_EQ(metrics["failed"], 1);
  EXPECT_EQ(metrics["records.failed"], 1);
  EXPECT_EQ(metrics["errors.REQUEST_TIMED_OUT"], 1);
}

TEST_F(CountRecordsTest, DeliveryCountsFromTheScheduledArrival) {
  RecordStream& app = Open("app-1");
  RecordEntry* const entry = record_.history.Call(app, orders_, At(0));
  record_.history.Return(*entry, At(400), At(500));
  record_.history.Complete(*entry, At(600), kAcked);
  auto metrics = Count();
  EXPECT_EQ(metrics["delivery.max"], 600);
  EXPECT_EQ(metrics["send.blocked.max"], 100);
}

TEST_F(CountRecordsTest, AWindowTakesItsBeginAndNotItsEnd) {
  RecordStream& app = Open("app-1");
  Send(app, 10, 0, kAcked);
  Send(app, 20, 0, kAcked);
  EXPECT_EQ(Count({.from = At(10), .to = At(20)})["records.acked"], 1);
  EXPECT_EQ(Count({.from = At(11), .to = At(21)})["records.sent"], 1);
}

TEST_F(CountRecordsTest, DeliveryInAWindowIsOfRecordsCompletedInIt) {
  RecordStream& app = Open("app-1");
  Send(app, 0, 50, kAcked);
  Send(app, 20, 5, kAcked);
  EXPECT_EQ(Count({.from = At(40), .to = At(100)})["delivery.max"], 50);
}

TEST_F(CountRecordsTest, FiltersNarrow) {
  Send(Open("app-1"), 0, 1, kAcked);
  RecordStream& other = Open("app-2");
  Send(other, 0, 1, kAcked);
  Send(other, 0, 1, kTimedOut);
  EXPECT_EQ(Count({.workload = "app-2"})["records.sent"], 2);
  EXPECT_EQ(Count({.partition = 1})["failed"], 1);
  EXPECT_EQ(Count({.topic = "nonsense"})["records.sent"], 0);
  EXPECT_EQ(Count({.producer = "p"})["records.sent"], 3);
  EXPECT_EQ(Count({.error = std::int16_t{19}})["failed"], 0);
}

TEST_F(CountRecordsTest, LostAndDuplicatesComeFromTheLog) {
  RecordStream& app = Open("app-1");
  const RecordId first = Send(app, 0, 1, kAcked);
  Send(app, 1, 1, kAcked);
  log_.Append({}, std::vector<RecordId>{first, first, first});
  auto metrics = Count();
  EXPECT_EQ(metrics["lost"], 1);
  EXPECT_EQ(metrics["duplicates"], 2);
  EXPECT_EQ(metrics["log.records"], 3);
}

TEST_F(CountRecordsTest, OffsetsThatCameToCountAreCountedEachTime) {
  const GroupOffset offset{.group = "readers", .partition = {.topic = "in", .partition = PartitionIndex(0)}};
  record_.group_offsets = {offset, offset};
  EXPECT_EQ(Count()["offsets.committed"], 2);
}

TEST_F(CountRecordsTest, RecoveryIsFromAHealWithRecordsWaitingToTheNextAck) {
  RecordStream& app = Open("app-1");
  Send(app, 0, 5, kAcked);
  Send(app, 90, 40, kAcked);  // Waits at the heal.
  record_.heals = {At(100), At(500)};
  EXPECT_EQ(Count()["recovery"], 30);
}

TEST_F(CountRecordsTest, HealWithNobodyWaitingIsNoRecovery) {
  RecordStream& app = Open("app-1");
  Send(app, 200, 5, kAcked);
  record_.heals = {At(100)};
  EXPECT_FALSE(Count().contains("recovery"));
}

}  // namespace
}  // namespace ktrial::sim
