#include "core/producer/metrics_recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/version.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;

constexpr Instant kNow = Instant::FromNanos(1'000'000'000'000);

class MetricsRecorderTest : public ::testing::Test {
 protected:
  testing::NoThreads threads_;
  MetricsRecorder metrics_{threads_, {}, "me", WallTime::FromMillis(1000)};
};

// The names of one group, of those metrics that have these values for their tags after client-id.
std::set<std::string> NamesOf(const MetricsSnapshot& snapshot, const std::string& group,
                              const std::vector<std::pair<std::string, std::string>>& tags) {
  std::set<std::string> names;
  for (const Metric& metric : snapshot.metrics) {
    if (metric.group != group || metric.tags != tags) continue;
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
  return names;
}

std::set<std::string> operator+(std::set<std::string> left, const std::set<std::string>& right) {
  left.insert(right.begin(), right.end());
  return left;
}

std::set<std::string> RatesAndTotals(std::initializer_list<std::string> names) {
  std::set<std::string> all;
  for (const std::string& name : names) all.merge(std::set<std::string>{name + "-rate", name + "-total"});
  return all;
}

std::set<std::string> AveragesAndMaxima(std::initializer_list<std::string> names) {
  std::set<std::string> all;
  for (const std::string& name : names) all.merge(std::set<std::string>{name + "-avg", name + "-max"});
  return all;
}

// PR-24, PR-26: all that the catalogue lists.
TEST_F(MetricsRecorderTest, TheProducersMetricsHaveKafkasNames) {
  const std::set<std::string> expected =
      RatesAndTotals({"record-send", "record-retry", "record-error", "batch-split", "buffer-exhausted",
                      "connection-creation", "connection-close", "successful-authentication", "failed-authentication",
                      "successful-reauthentication", "failed-reauthentication", "network-io", "outgoing-byte",
                      "incoming-byte", "request", "response", "select"}) +
      AveragesAndMaxima({"batch-size", "record-queue-time", "request-latency", "produce-throttle-time", "record-size",
                         "request-size", "reauthentication-latency"}) +
      std::set<std::string>{"compression-rate-avg",
                            "successful-authentication-no-reauth-total",
                            "records-per-request-avg",
                            "requests-in-flight",
                            "metadata-age",
                            "buffer-total-bytes",
                            "buffer-available-bytes",
                            "waiting-threads",
                            "bufferpool-wait-ratio",
                            "bufferpool-wait-time-ns-total",
                            "flush-time-ns-total",
                            "metadata-wait-time-ns-total",
                            "txn-init-time-ns-total",
                            "txn-begin-time-ns-total",
                            "txn-send-offsets-time-ns-total",
                            "txn-commit-time-ns-total",
                            "txn-abort-time-ns-total",
                            "connection-count",
                            "io-wait-time-ns-avg",
                            "io-wait-time-ns-total",
                            "io-wait-ratio",
                            "io-time-ns-avg",
                            "io-time-ns-total",
                            "io-ratio"};
  EXPECT_EQ(NamesOf(metrics_.Snapshot({}, kNow), "producer-metrics", {{"client-id", "me"}}), expected);
}

// PR-25, PR-26
TEST_F(MetricsRecorderTest, TheMetricsOfTopicsAndNodesHaveKafkasNames) {
  metrics_.BatchDrained({.topic = "orders", .records = 1, .bytes = 100, .plain_bytes = 100}, kNow);
  metrics_.Connected(NodeId(2), kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(NamesOf(snapshot, "producer-topic-metrics", {{"client-id", "me"}, {"topic", "orders"}}),
            RatesAndTotals({"record-send", "byte", "record-retry", "record-error"}) +
                std::set<std::string>{"compression-rate"});
  EXPECT_EQ(NamesOf(snapshot, "producer-node-metrics", {{"client-id", "me"}, {"node-id", "node-2"}}),
            RatesAndTotals({"request", "response", "outgoing-byte", "incoming-byte"}) +
                AveragesAndMaxima({"request-size", "request-latency"}));
}

// PR-26
TEST_F(MetricsRecorderTest, AppInfoSaysWhatThisIsAndSinceWhen) {
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(NamesOf(snapshot, "app-info", {{"client-id", "me"}}),
            (std::set<std::string>{"version", "commit-id", "start-time-ms"}));
  EXPECT_EQ(snapshot.Value("start-time-ms"), 1000);
  std::map<std::string, std::string> words;
  for (const Metric& metric : snapshot.metrics) {
    if (metric.text.empty()) continue;
    words[metric.name] = metric.text;
    EXPECT_TRUE(std::isnan(metric.value)) << metric.name;
  }
  EXPECT_EQ(words, (std::map<std::string, std::string>{{"version", kSoftwareVersion}, {"commit-id", kCommitId}}));
}

// PR-26: io is the time between two waits.
TEST_F(MetricsRecorderTest, TheTurnsOfTheSenderShareItsTime) {
  EXPECT_TRUE(std::isnan(metrics_.Snapshot({}, kNow).Value("io-wait-time-ns-avg")));
  EXPECT_EQ(metrics_.Snapshot({}, kNow).Value("select-total"), 0);
  for (int i = 0; i < 3; ++i) metrics_.Waited(milliseconds(1000), milliseconds(4000));
  for (int i = 0; i < 5; ++i) metrics_.IoDone();
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("select-total"), 3);
  EXPECT_DOUBLE_EQ(snapshot.Value("select-rate"), 3.0 / 30);
  EXPECT_EQ(snapshot.Value("io-time-ns-avg"), 1e9);
  EXPECT_EQ(snapshot.Value("io-time-ns-total"), 3e9);
  EXPECT_DOUBLE_EQ(snapshot.Value("io-ratio"), 0.1);
  EXPECT_EQ(snapshot.Value("io-wait-time-ns-avg"), 4e9);
  EXPECT_EQ(snapshot.Value("io-wait-time-ns-total"), 12e9);
  EXPECT_DOUBLE_EQ(snapshot.Value("io-wait-ratio"), 0.4);
  EXPECT_EQ(snapshot.Value("network-io-total"), 5);
  EXPECT_DOUBLE_EQ(snapshot.Value("network-io-rate"), 5.0 / 30);
}

// PR-27: a turn counts for the next request or answer, so a window that has passed keeps what was in it.
TEST_F(MetricsRecorderTest, TurnsFallOutOfTheWindowsLikeEverything) {
  metrics_.Waited(milliseconds(1), milliseconds(7));
  metrics_.RequestSent(NodeId(1), 100, kNow);
  metrics_.Waited(milliseconds(1), milliseconds(9));
  const MetricsSnapshot later = metrics_.Snapshot({}, kNow + std::chrono::seconds(61));
  EXPECT_EQ(later.Value("io-wait-time-ns-avg"), 9e6);
  EXPECT_EQ(later.Value("select-total"), 2);
}

// PR-26
TEST_F(MetricsRecorderTest, ARefusedHandshakeCounts) {
  metrics_.AuthenticationFailed(/*again=*/false, kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("failed-authentication-total"), 1);
  EXPECT_DOUBLE_EQ(snapshot.Value("failed-authentication-rate"), 1.0 / 30);
  EXPECT_EQ(snapshot.Value("failed-reauthentication-total"), 0);
}

// PR-26
TEST_F(MetricsRecorderTest, ARefusedRenewalIsNoFailedAuthentication) {
  metrics_.AuthenticationFailed(/*again=*/true, kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("failed-reauthentication-total"), 1);
  EXPECT_DOUBLE_EQ(snapshot.Value("failed-reauthentication-rate"), 1.0 / 30);
  EXPECT_EQ(snapshot.Value("failed-authentication-total"), 0);
}

// PR-26: which broker could have renewed the session is not for a client to know.
TEST_F(MetricsRecorderTest, AnAuthenticationCountsAsOneWithoutRenewalToo) {
  metrics_.Authenticated(kNow);
  metrics_.Authenticated(kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("successful-authentication-total"), 2);
  EXPECT_DOUBLE_EQ(snapshot.Value("successful-authentication-rate"), 2.0 / 30);
  EXPECT_EQ(snapshot.Value("successful-authentication-no-reauth-total"), 2);
  EXPECT_EQ(snapshot.Value("successful-reauthentication-total"), 0);
  EXPECT_TRUE(std::isnan(snapshot.Value("reauthentication-latency-avg")));
}

// PR-26
TEST_F(MetricsRecorderTest, ARenewedSessionCountsWithItsLatency) {
  metrics_.Reauthenticated(milliseconds(3), kNow);
  metrics_.Reauthenticated(milliseconds(9), kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("successful-reauthentication-total"), 2);
  EXPECT_DOUBLE_EQ(snapshot.Value("successful-reauthentication-rate"), 2.0 / 30);
  EXPECT_EQ(snapshot.Value("reauthentication-latency-avg"), 6);
  EXPECT_EQ(snapshot.Value("reauthentication-latency-max"), 9);
  EXPECT_EQ(snapshot.Value("successful-authentication-total"), 0);
}

// PR-24, PR-25
TEST_F(MetricsRecorderTest, ABatchCountsForTheProducerAndItsTopic) {
  metrics_.NoteRecordSize(120);
  metrics_.NoteRecordSize(90);
  metrics_.BatchDrained({.topic = "orders", .records = 3, .bytes = 300, .plain_bytes = 600, .queued = milliseconds(7)},
                        kNow);
  metrics_.BatchDrained({.topic = "other", .records = 1, .bytes = 100, .plain_bytes = 100, .queued = milliseconds(1)},
                        kNow);
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("record-send-total"), 4);
  EXPECT_EQ(snapshot.Value("batch-size-max"), 300);
  EXPECT_EQ(snapshot.Value("batch-size-avg"), 200);
  EXPECT_EQ(snapshot.Value("record-queue-time-max"), 7);
  EXPECT_EQ(snapshot.Value("record-size-max"), 120);
  EXPECT_EQ(snapshot.Value("compression-rate-avg"), 0.75);
  EXPECT_EQ(snapshot.Value("compression-rate", "orders"), 0.5);
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
  metrics_.ResponseReceived(NodeId(2), 70, kNow);
  metrics_.ProduceAnswered(NodeId(2), milliseconds(12), milliseconds(3), kNow);
  MetricsSnapshot snapshot = metrics_.Snapshot({}, kNow);
  EXPECT_EQ(snapshot.Value("connection-count"), 1);
  EXPECT_EQ(snapshot.Value("request-total"), 2);
  EXPECT_DOUBLE_EQ(snapshot.Value("request-rate"), 2.0 / 30);
  EXPECT_EQ(snapshot.Value("outgoing-byte-total", "node-2"), 1500);
  EXPECT_EQ(snapshot.Value("request-size-max", "node-2"), 1000);
  EXPECT_EQ(snapshot.Value("response-total", "node-2"), 1);
  EXPECT_DOUBLE_EQ(snapshot.Value("response-rate"), 1.0 / 30);
  EXPECT_EQ(snapshot.Value("incoming-byte-total"), 70);
  EXPECT_EQ(snapshot.Value("incoming-byte-total", "node-2"), 70);
  EXPECT_DOUBLE_EQ(snapshot.Value("incoming-byte-rate", "node-2"), 70.0 / 30);
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
