#include "core/producer/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/wire/status.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

class Lines : public LogSink {
 public:
  void Write(LogLevel level, std::string_view source, std::string_view text) override {
    lines.push_back(std::string(LogLevelName(level)) + " " + std::string(source) + ": " + std::string(text));
  }
  std::vector<std::string> lines;
};

class Counting : public ProducerObserver {
 public:
  void OnDisconnected(NodeId, std::string_view) override { ++disconnects; }
  void OnFailedForGood(const absl::Status& why) override { failure = why; }
  int disconnects = 0;
  absl::Status failure;
};

class EventsTest : public ::testing::Test {
 protected:
  testing::ManualClock clock_;
  testing::NoThreads threads_;
  MetricsRecorder metrics_{threads_, {}, "me", WallTime::FromMillis(1000)};
  std::shared_ptr<Lines> sink_ = std::make_shared<Lines>();
  Counting next_;
  ProducerEvents events_{metrics_, Logger(sink_, LogLevel::kInfo, "me"), clock_, threads_, next_};
};

TEST_F(EventsTest, TroubleNamesEachBrokerUntilItIsConnected) {
  EXPECT_EQ(events_.Trouble(), "");
  events_.OnDisconnected(NodeId(2), "refused");
  events_.OnDisconnected(NodeId(1), "no such host");
  EXPECT_EQ(events_.Trouble(), "broker 1: no such host; broker 2: refused");
  events_.OnConnected(NodeId(1));
  EXPECT_EQ(events_.Trouble(), "broker 2: refused");
}

// Of a bootstrap server that is only the address; the id is known with the first metadata.
TEST_F(EventsTest, TroubleSaysWhereTheBrokerIs) {
  events_.OnConnecting(NodeId(-2), {"10.0.0.7", 9092});
  events_.OnDisconnected(NodeId(-2), "refused");
  events_.OnConnecting(NodeId(3), {"::1", 9093});
  events_.OnDisconnected(NodeId(3), "reset");
  EXPECT_EQ(events_.Trouble(), "bootstrap server 2 (10.0.0.7:9092): refused; broker 3 ([::1]:9093): reset");
}

// What is waited for may never come (NC-39), long before the request times out.
TEST_F(EventsTest, AnUnansweredFirstQuestionIsTrouble) {
  const std::string waits =
      "broker 1: it has not said yet which versions it speaks; a broker of Kafka 0.9 never does "
      "(api.version.request=false)";
  events_.OnRequestSent(NodeId(1), wire::ApiKey::kApiVersions, 5, 0, 40);
  EXPECT_EQ(events_.Trouble(), waits);
  events_.OnRequestSent(NodeId(1), wire::ApiKey::kMetadata, 5, 1, 40);
  events_.OnResponse(NodeId(1), wire::ApiKey::kMetadata, 1, {});
  EXPECT_EQ(events_.Trouble(), waits);
  events_.OnResponse(NodeId(1), wire::ApiKey::kApiVersions, 0, {});
  EXPECT_EQ(events_.Trouble(), "");
}

TEST_F(EventsTest, AQuestionThatWasCutOffIsWaitedForNoMore) {
  events_.OnRequestSent(NodeId(1), wire::ApiKey::kApiVersions, 5, 0, 40);
  events_.OnDisconnected(NodeId(1), "reset");
  EXPECT_EQ(events_.Trouble(), "broker 1: reset");
  events_.OnConnected(NodeId(1));
  EXPECT_EQ(events_.Trouble(), "");
}

// A broker that is down fails about once a second; the log says it once.
TEST_F(EventsTest, TheSameTroubleIsLoggedOnce) {
  for (int i = 0; i < 5; ++i) events_.OnDisconnected(NodeId(1), "refused");
  events_.OnDisconnected(NodeId(1), "unreachable");
  events_.OnConnected(NodeId(1));
  EXPECT_THAT(sink_->lines, ElementsAre("warning me: broker 1: refused", "warning me: broker 1: unreachable",
                                        "info me: broker 1: connected"));
}

// A broker's code by its name; what no broker has said by its text.
TEST_F(EventsTest, AFailedBatchSaysWhy) {
  const BatchView batch{.topic = "t", .partition = PartitionIndex(2), .record_count = 7};
  events_.OnBatchDone(batch, wire::KafkaError(wire::ErrorCode::kInvalidTimestamp, "too old"), Offset(-1));
  events_.OnBatchDone(batch, absl::CancelledError("the producer was closed"), Offset(-1));
  EXPECT_THAT(sink_->lines, ElementsAre("warning me: t-2: 7 records failed: INVALID_TIMESTAMP",
                                        "warning me: t-2: 7 records failed: the producer was closed"));
}

TEST_F(EventsTest, AnIdleConnectionIsNoTrouble) {
  events_.OnConnected(NodeId(1));
  events_.OnDisconnected(NodeId(1), kIdleConnection);
  EXPECT_EQ(events_.Trouble(), "");
  EXPECT_THAT(sink_->lines, ElementsAre());
}

TEST_F(EventsTest, TheNextObserverHearsEverything) {
  for (int i = 0; i < 3; ++i) events_.OnDisconnected(NodeId(1), "refused");
  EXPECT_EQ(next_.disconnects, 3);
}

TEST_F(EventsTest, TheEndOfAProducerIsLoggedAndPassedOn) {
  events_.OnFailedForGood(wire::KafkaError(wire::ErrorCode::kProducerFenced, "another has taken over"));
  EXPECT_THAT(sink_->lines, ElementsAre("error me: the producer has failed for good: another has taken over"));
  EXPECT_EQ(wire::KafkaCode(next_.failure), wire::ErrorCode::kProducerFenced);
}

// A connection that was never made does not count as closed.
TEST_F(EventsTest, OnlyConnectionsCountAsConnections) {
  events_.OnDisconnected(NodeId(1), "refused");
  EXPECT_EQ(metrics_.Snapshot({}, clock_.Now()).Value("connection-close-total"), 0);
  events_.OnConnected(NodeId(1));
  events_.OnDisconnected(NodeId(1), "reset");
  EXPECT_EQ(metrics_.Snapshot({}, clock_.Now()).Value("connection-count"), 0);
  EXPECT_EQ(metrics_.Snapshot({}, clock_.Now()).Value("connection-close-total"), 1);
}

// PR-26: what came of an answer so far waits for the rest of it, node by node.
TEST_F(EventsTest, BytesCountForTheNodeWithItsNextAnswer) {
  events_.OnBytesReceived(NodeId(1), 100);
  events_.OnBytesReceived(NodeId(2), 7);
  events_.OnBytesReceived(NodeId(1), 50);
  EXPECT_EQ(metrics_.Snapshot({}, clock_.Now()).Value("incoming-byte-total"), 0);
  events_.OnResponse(NodeId(1), wire::ApiKey::kProduce, 0, Duration::zero());
  events_.OnResponse(NodeId(1), wire::ApiKey::kProduce, 1, Duration::zero());
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, clock_.Now());
  EXPECT_EQ(snapshot.Value("incoming-byte-total"), 150);
  EXPECT_EQ(snapshot.Value("incoming-byte-total", "node-1"), 150);
  EXPECT_EQ(snapshot.Value("response-total"), 2);
  EXPECT_EQ(snapshot.Value("network-io-total"), 3);
}

// PR-26
TEST_F(EventsTest, TheTimeBetweenTwoWaitsIsWork) {
  const auto at = [](int seconds) { return Instant::FromNanos(seconds * 1'000'000'000LL); };
  events_.OnWaited(at(10), at(13));
  events_.OnWaited(at(14), at(14));
  events_.OnWaited(at(16), at(20));
  const MetricsSnapshot snapshot = metrics_.Snapshot({}, clock_.Now());
  EXPECT_EQ(snapshot.Value("select-total"), 3);
  EXPECT_EQ(snapshot.Value("io-wait-time-ns-total"), 7e9);
  EXPECT_EQ(snapshot.Value("io-time-ns-total"), 3e9);
}

TEST(LoggerTest, AThresholdHoldsBackWhatIsBelow) {
  auto sink = std::make_shared<Lines>();
  const Logger logger(sink, LogLevel::kWarning, "p");
  EXPECT_FALSE(logger.Writes(LogLevel::kInfo));
  logger.Write(LogLevel::kInfo, "no");
  logger.Write(LogLevel::kError, "yes");
  EXPECT_THAT(sink->lines, ElementsAre("error p: yes"));
}

TEST(LoggerTest, OffAndAMissingSinkWriteNothing) {
  auto sink = std::make_shared<Lines>();
  Logger(sink, LogLevel::kOff, "p").Write(LogLevel::kError, "no");
  Logger().Write(LogLevel::kError, "no");
  EXPECT_TRUE(sink->lines.empty());
}

}  // namespace
}  // namespace ktrial
