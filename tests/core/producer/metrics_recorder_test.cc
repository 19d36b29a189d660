#include "core/producer/metrics_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <string>

#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;
using ::testing::IsSupersetOf;

constexpr Instant kNow = Instant::FromNanos(1'000'000'000'000);

class MetricsRecorderTest : public ::testing::Test {
 protected:
  testing::NoThreads threads_;
  MetricsRecorder metrics_{threads_, {}, "me"};
};

// PR-24, PR-26: every name of the catalogue that this foundation has something to say about.
TEST_F(MetricsRecorderTest, TheNamesAreThoseOfKafka) {
  std::set<std::string> names;
  for (const Metric& metric : metrics_.Snapshot({}, kNow).metrics) {
    EXPECT_EQ(metric.group, "producer-metrics");
    EXPECT_EQ(metric.tags, (std::vector<std::pair<std::string, std::string>>{{"client-id", "me"}}));
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
  EXPECT_THAT(names, IsSupersetOf({"batch-size-avg",
                                   "batch-size-max",
                                   "compression-rate-avg",
                                   "record-queue-time-avg",
                                   "record-queue-time-max",
                                   "request-latency-avg",
                                   "request-latency-max",
                                   "produce-throttle-time-avg",
                                   "produce-throttle-time-max",
                                   "record-send-rate",
                                   "record-send-total",
                                   "records-per-request-avg",
                                   "record-retry-rate",
                                   "record-retry-total",
                                   "record-error-rate",
                                   "record-error-total",
                                   "record-size-avg",
                                   "record-size-max",
                                   "requests-in-flight",
                                   "metadata-age",
                                   "batch-split-rate",
                                   "batch-split-total",
                                   "buffer-total-bytes",
                                   "buffer-available-bytes",
                                   "waiting-threads",
                                   "bufferpool-wait-ratio",
                                   "bufferpool-wait-time-ns-total",
                                   "buffer-exhausted-rate",
                                   "buffer-exhausted-total",
                                   "flush-time-ns-total",
                                   "metadata-wait-time-ns-total",
                                   "connection-count",
                                   "connection-creation-rate",
                                   "connection-creation-total",
                                   "connection-close-rate",
                                   "connection-close-total",
                                   "outgoing-byte-rate",
                                   "outgoing-byte-total",
                                   "request-rate",
                                   "request-total",
                                   "response-rate",
                                   "response-total",
                                   "request-size-avg",
                                   "request-size-max"}));
}

// PR-24, PR-25
TEST_F(MetricsRecorderTest, ABatchCountsForTheProducerAndItsTopic) {
  metrics_.NoteRecordSize(120);
  metrics_.NoteRecordSize(90);
  metrics_.BatchDrained({.topic = "orders", .records = 3, .bytes = 300, .queued = milliseconds(7)}, kNow);
  metrics_.BatchDrained({.topic = "other", .records = 1, .bytes = 100, .queued = milliseconds(1)}, kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("record-send-total"), 4);
  EXPECT_EQ(snapshot.Value("batch-size-max"), 300);
  EXPECT_EQ(snapshot.Value("batch-size-avg"), 200);
  EXPECT_EQ(snapshot.Value("record-queue-time-max"), 7);
  EXPECT_EQ(snapshot.Value("record-size-max"), 120);
  EXPECT_EQ(snapshot.Value("compression-rate-avg"), 1);
  EXPECT_EQ(snapshot.Value("record-send-total", "orders"), 3);
  EXPECT_EQ(snapshot.Value("byte-total", "orders"), 300);
  EXPECT_EQ(snapshot.Value("record-send-total", "other"), 1);
}

// PR-25: a topic is there from its first drain on.
TEST_F(MetricsRecorderTest, ErrorsBeforeTheFirstDrainAreNotOfTheTopic) {
  metrics_.RecordsFailed("orders", 2, kNow);
  EXPECT_EQ(metrics_.Snapshot({}, kNow).Value("record-error-total"), 2);
  EXPECT_TRUE(std::isnan(metrics_.Snapshot({}, kNow).Value("record-error-total", "orders")));
  metrics_.BatchDrained({.topic = "orders", .records = 3}, kNow);
  metrics_.RecordsFailed("orders", 3, kNow);
  metrics_.RecordsRetried("orders", 3, kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("record-error-total", "orders"), 3);
  EXPECT_EQ(snapshot.Value("record-retry-total", "orders"), 3);
  EXPECT_EQ(snapshot.Value("record-error-total"), 5);
}

// PR-26
TEST_F(MetricsRecorderTest, RequestsCountForTheProducerAndTheNode) {
  metrics_.Connected(NodeId(2), kNow);
  metrics_.RequestSent(NodeId(2), 1000, kNow);
  metrics_.RequestSent(NodeId(2), 500, kNow);
  metrics_.ResponseReceived(NodeId(2), kNow);
  metrics_.ProduceAnswered(NodeId(2), milliseconds(12), milliseconds(3), kNow);
  MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("connection-count"), 1);
  EXPECT_EQ(snapshot.Value("request-total"), 2);
  EXPECT_DOUBLE_EQ(snapshot.Value("request-rate"), 2.0 / 30);
  EXPECT_EQ(snapshot.Value("outgoing-byte-total", "node-2"), 1500);
  EXPECT_EQ(snapshot.Value("request-size-max", "node-2"), 1000);
  EXPECT_EQ(snapshot.Value("response-total", "node-2"), 1);
  EXPECT_EQ(snapshot.Value("request-latency-avg", "node-2"), 12);
  EXPECT_EQ(snapshot.Value("produce-throttle-time-max"), 3);
  metrics_.ConnectionClosed(kNow);
  snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("connection-count"), 0);
  EXPECT_EQ(snapshot.Value("connection-close-total"), 1);
}

// BP-16: the pool counts since the start; two readers in the wrong order do not count backwards.
TEST_F(MetricsRecorderTest, ThePoolsSumsOnlyGrow) {
  metrics_.BufferPoolSeen(milliseconds(3000), 2, kNow);
  metrics_.BufferPoolSeen(milliseconds(2000), 1, kNow);
  metrics_.BufferPoolSeen(milliseconds(6000), 3, kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("bufferpool-wait-time-ns-total"), 6e9);
  EXPECT_EQ(snapshot.Value("buffer-exhausted-total"), 3);
  EXPECT_DOUBLE_EQ(snapshot.Value("bufferpool-wait-ratio"), 0.2);
}

TEST_F(MetricsRecorderTest, ASnapshotIsOrdered) {
  metrics_.BatchDrained({.topic = "b"}, kNow);
  metrics_.BatchDrained({.topic = "a"}, kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  for (std::size_t i = 1; i < snapshot.metrics.size(); ++i) {
    const Metric& left = snapshot.metrics[i - 1];
    const Metric& right = snapshot.metrics[i];
    EXPECT_LT(std::tie(left.group, left.tags, left.name), std::tie(right.group, right.tags, right.name));
  }
}

}  // namespace
}  // namespace ktrial
