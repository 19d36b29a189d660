#include <gtest/gtest.h>

#include "core/observer.h"
#include "core/wire/api_key.h"
#include "sim/metrics/run_record.h"

namespace ktrial::sim {
namespace {

constexpr std::int64_t At(std::int64_t millis) { return 1'000'000'000 + millis * 1'000'000; }

class CountEventsTest : public ::testing::Test {
 protected:
  CountEventsTest() { record_.producers = {"p-1", "p-2"}; }
  void Add(const EventRow& row) { record_.events.Add(row); }
  std::map<std::string, double> Count(const MetricScope& scope = {}) {
    record_.index.emplace(record_.history, record_.partitions);
    return CountMetrics(record_, scope);
  }
  RunRecord record_;
};

constexpr auto kProduce = static_cast<std::uint8_t>(wire::ApiKey::kProduce);
constexpr auto kPeriodic = static_cast<std::uint8_t>(RefreshReason::kPeriodic);

TEST_F(CountEventsTest, RequestsAreCountedByApiAndBroker) {
  Add({.at_nanos = At(0), .value = 100, .broker = 1, .kind = EventKind::kRequestSent, .detail = kProduce});
  Add({.at_nanos = At(1), .value = 50, .broker = 2, .kind = EventKind::kRequestSent, .detail = kProduce});
  EXPECT_EQ(Count()["requests.Produce"], 2);
  EXPECT_EQ(Count()["bytes.sent"], 150);
  EXPECT_EQ(Count({.broker = 2})["requests.Produce"], 1);
}

TEST_F(CountEventsTest, MetadataIsCountedByReasonAndWindow) {
  for (const int millis : {0, 10, 20}) {
    Add({.at_nanos = At(millis), .broker = 1, .kind = EventKind::kMetadataRequest, .detail = kPeriodic});
  }
  EXPECT_EQ(Count()["metadata.requests"], 3);
  EXPECT_EQ(Count()["metadata.reason.periodic"], 3);
  const MetricScope window{.from = Instant::FromNanos(At(10)), .to = Instant::FromNanos(At(20))};
  EXPECT_EQ(Count(window)["metadata.requests"], 1);
}

TEST_F(CountEventsTest, FillIsTheMeanOverBatches) {
  Add({.value = std::int64_t{100} << 32 | 200, .kind = EventKind::kBatchFilled});
  Add({.value = std::int64_t{200} << 32 | 200, .kind = EventKind::kBatchFilled});
  EXPECT_EQ(Count()["batches"], 2);
  EXPECT_DOUBLE_EQ(Count()["batch.fill"], 0.75);
}

TEST_F(CountEventsTest, RetriedRecordsAreCountedWithTheirError) {
  Add({.value = 7, .error = 6, .kind = EventKind::kBatchRetried});
  Add({.value = 2, .error = 19, .kind = EventKind::kBatchRetried});
  EXPECT_EQ(Count()["records.retried"], 9);
  EXPECT_EQ(Count({.error = std::int16_t{6}})["records.retried"], 7);
}

TEST_F(CountEventsTest, BufferPeakIsOfAllProducersTogether) {
  Add({.at_nanos = At(0), .value = 10, .producer = 0, .kind = EventKind::kBufferUsed});
  Add({.at_nanos = At(1), .value = 20, .producer = 1, .kind = EventKind::kBufferUsed});
  Add({.at_nanos = At(2), .value = 0, .producer = 0, .kind = EventKind::kBufferUsed});
  EXPECT_EQ(Count()["buffer.peak"], 30);
  EXPECT_EQ(Count()["buffer.used"], 20);
  EXPECT_EQ(Count({.producer = "p-1"})["buffer.peak"], 10);
}

TEST_F(CountEventsTest, WhatWasInUseWhenAWindowBeginsIsInUseInIt) {
  Add({.at_nanos = At(0), .value = 10, .kind = EventKind::kBufferUsed});
  Add({.at_nanos = At(50), .value = 5, .kind = EventKind::kBufferUsed});
  EXPECT_EQ(Count({.from = Instant::FromNanos(At(20)), .to = Instant::FromNanos(At(30))})["buffer.peak"], 10);
  EXPECT_EQ(Count({.from = Instant::FromNanos(At(20)), .to = Instant::FromNanos(At(60))})["buffer.peak"], 10);
}

}  // namespace
}  // namespace ktrial::sim
