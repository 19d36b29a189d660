// The sender's turn and what it decides about answers, against brokers that are played by hand.
#include "core/producer/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/wire/status.h"
#include "tests/core/producer/sender_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using wire::ErrorCode;

SenderWorld::Options WithSender(SenderConfig sender) { return {.sender = sender}; }

// SN-01, SN-03
TEST(SenderTest, AllPartitionsOfABrokerGoIntoOneRequest) {
  SenderWorld world;
  world.cluster.topics["b"] = {{1}, {2}};
  world.cluster.topics["a"] = {{1}};
  world.Append("b", 0, "b0");
  world.Append("b", 1, "b1");
  world.Append("a", 0, "a0");
  ASSERT_TRUE(world.RunUntil([&] { return world.cluster.produces.size() == 2; }));
  for (const ReceivedProduce& request : world.cluster.produces) {
    EXPECT_EQ(request.acks, -1);
    EXPECT_EQ(request.timeout_ms, 30000);
    if (request.broker == 1) {
      EXPECT_THAT(request.values,
                  ElementsAre(Pair(Partition("a", 0), ElementsAre("a0")), Pair(Partition("b", 0), ElementsAre("b0"))));
    } else {
      EXPECT_THAT(request.values, ElementsAre(Pair(Partition("b", 1), ElementsAre("b1"))));
    }
  }
}

// SN-03
TEST(SenderTest, ARequestHoldsOneBatchOfAPartition) {
  SenderWorld world({.accumulator = {.batch_size = 0, .linger = Duration::zero()}});
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "first");
  world.Append("t", 0, "second");
  ASSERT_TRUE(world.RunUntil([&] { return world.cluster.produces.size() == 2; }));
  EXPECT_THAT(world.cluster.produces[0].values[Partition("t", 0)], ElementsAre("first"));
  EXPECT_THAT(world.cluster.produces[1].values[Partition("t", 0)], ElementsAre("second"));
}

// SN-04, PR-11
TEST(SenderTest, AnAnswerGivesEachRecordItsOffset) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.Append("t", 0, "y");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kNone, 40);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_THAT(world.told_values(), ElementsAre("x", "y"));
  EXPECT_EQ(world.told[0].offset, 40);
  EXPECT_EQ(world.told[1].offset, 41);
  EXPECT_EQ(world.told[0].timestamp, world.clock.WallNow());
}

// SN-04, PR-10
TEST(SenderTest, TheBrokersTimestampWins) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  const ReceivedProduce& request = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(request, ErrorCode::kNone, 7);
  response.topics[0].partitions[0].log_append_time_ms = 123456;
  world.cluster.Answer(request, response);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].timestamp, WallTime::FromMillis(123456));
}

// SN-04, NC-45
TEST(SenderTest, WithoutAcksWrittenIsDone) {
  SenderWorld world(WithSender({.acks = 0}));
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kNone);
  EXPECT_EQ(world.told[0].offset, -1);
  EXPECT_EQ(world.cluster.produces.at(0).acks, 0);
}

// SN-05
TEST(SenderTest, ALostConnectionIsANetworkException) {
  SenderWorld world(WithSender({.retries = 0}));
  world.cluster.topics["t"] = {{2}};
  world.Append("t", 0, "x");
  world.AwaitProduce(1);
  world.cluster.Drop(2);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kNetworkException);
}

// SN-05, NC-22
TEST(SenderTest, ALateAnswerIsARequestTimeout) {
  SenderWorld world({.sender = {.retries = 0}, .network = {.request_timeout = seconds(3)}});
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.AwaitProduce(1);
  const Instant sent = world.clock.Now();
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kRequestTimedOut);
  EXPECT_EQ(world.told[0].at - sent, seconds(3) + std::chrono::nanoseconds(1));
}

// SN-05, NC-42: nothing is written, and nothing is tried again.
TEST(SenderTest, ABrokerTooOldForUsIsUnsupported) {
  SenderWorld world;
  world.cluster.produce_version_max = 2;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kUnsupportedVersion);
  EXPECT_TRUE(world.cluster.produces.empty());
}

// SN-06, SN-07, AC-14
TEST(SenderTest, ARetriableErrorIsSentAgainAfterTheBackoff) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kNotEnoughReplicas);
  const Instant failed = world.clock.Now();
  world.cluster.Answer(world.AwaitProduce(2), ErrorCode::kNone, 5);
  EXPECT_EQ(world.clock.Now() - failed, milliseconds(100));
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kNone);
  EXPECT_EQ(world.metrics.Snapshot({}, world.clock.Now()).Value("record-retry-total"), 1);
}

// SN-06
TEST(SenderTest, RetriesAreCounted) {
  SenderWorld world(WithSender({.retries = 1}));
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kNotEnoughReplicas);
  world.cluster.Answer(world.AwaitProduce(2), ErrorCode::kNotEnoughReplicasAfterAppend);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kNotEnoughReplicasAfterAppend);
  EXPECT_EQ(world.cluster.produces.size(), 2u);
}

// SN-06, SN-12
TEST(SenderTest, AFinalErrorIsNotSentAgain) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kTopicAuthorizationFailed);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kTopicAuthorizationFailed);
  EXPECT_EQ(world.told[0].message, wire::DefaultMessage(ErrorCode::kTopicAuthorizationFailed));
  EXPECT_EQ(world.metrics.Snapshot({}, world.clock.Now()).Value("record-error-total"), 1);
}

// SN-12
TEST(SenderTest, TheBrokersOwnWordsArePassedOn) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  const ReceivedProduce& request = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(request, ErrorCode::kPolicyViolation);
  response.topics[0].partitions[0].error_message = "no mondays";
  world.cluster.Answer(request, response);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].message, "no mondays");
}

// SN-11
TEST(SenderTest, ADuplicateIsASuccessWithoutAnOffset) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kDuplicateSequenceNumber);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kNone);
  EXPECT_EQ(world.told[0].offset, -1);
}

// SN-10, AC-28
TEST(SenderTest, ATooLargeBatchGoesOnInParts) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.Append("t", 0, "y");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kMessageTooLarge);
  world.cluster.Answer(world.AwaitProduce(2), ErrorCode::kNone, 0);
  world.cluster.Answer(world.AwaitProduce(3), ErrorCode::kNone, 1);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_THAT(world.cluster.produces[1].values[Partition("t", 0)], ElementsAre("x"));
  EXPECT_THAT(world.cluster.produces[2].values[Partition("t", 0)], ElementsAre("y"));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kNone, ErrorCode::kNone));
  const MetricsSnapshot metrics = world.metrics.Snapshot({}, world.clock.Now());
  EXPECT_EQ(metrics.Value("batch-split-total"), 1);
  EXPECT_EQ(metrics.Value("record-retry-total"), 0);
  EXPECT_EQ(metrics.Value("record-error-total"), 0);
}

// SN-10, AC-25: nothing of the whole is left to expire.
TEST(SenderTest, ATooLargeBatchWhosePartsAreAcknowledgedIsGone) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.Append("t", 0, "y");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kMessageTooLarge);
  world.cluster.Answer(world.AwaitProduce(2));
  world.cluster.Answer(world.AwaitProduce(3));
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_FALSE(world.accumulator.HasIncomplete());
  world.clock.Advance(seconds(200));
  world.Turns(3);
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kNone, ErrorCode::kNone));
  EXPECT_EQ(world.accumulator.buffer_pool_stats().available_bytes, world.accumulator.buffer_pool_stats().total_bytes);
}

// SN-10
TEST(SenderTest, ATooLargeRecordFails) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kMessageTooLarge);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kMessageTooLarge);
}

// SN-13: one record is listed, so it gets the partition's error; the others hear of it.
TEST(SenderTest, ASingleRecordErrorHasTheErrorOfThePartition) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  for (const char* value : {"x", "y", "z"}) world.Append("t", 0, value);
  const ReceivedProduce& request = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(request, ErrorCode::kInvalidTimestamp);
  response.topics[0].partitions[0].record_errors = {{.batch_index = 1, .message = "from the future"}};
  world.cluster.Answer(request, response);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 3; }));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kUnknownServerError, ErrorCode::kInvalidTimestamp,
                                         ErrorCode::kUnknownServerError));
  EXPECT_EQ(world.told[1].message, "from the future");
  EXPECT_THAT(world.told[0].message, HasSubstr("other records of its batch"));
}

// SN-13
TEST(SenderTest, SeveralRecordErrorsAreInvalidRecords) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  for (const char* value : {"x", "y", "z"}) world.Append("t", 0, value);
  const ReceivedProduce& request = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(request, ErrorCode::kInvalidTimestamp);
  response.topics[0].partitions[0].error_message = "bad batch";
  response.topics[0].partitions[0].record_errors = {{.batch_index = 2}, {.batch_index = 0, .message = "early"}};
  world.cluster.Answer(request, response);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 3; }));
  EXPECT_THAT(world.codes(),
              ElementsAre(ErrorCode::kInvalidRecord, ErrorCode::kUnknownServerError, ErrorCode::kInvalidRecord));
  EXPECT_EQ(world.told[0].message, "early");
  EXPECT_EQ(world.told[2].message, "bad batch");
}

// NC-43, PR-24
TEST(SenderTest, TheThrottleOfEveryAnswerIsMeasured) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  for (const std::int32_t throttle_ms : {100, 0, 500}) {
    world.Append("t", 0, "x");
    const ReceivedProduce& request = world.AwaitProduce(world.told.size() + 1);
    wire::ProduceResponse response = FakeCluster::ResponseTo(request, ErrorCode::kNone);
    response.throttle_time_ms = throttle_ms;
    world.cluster.Answer(request, response);
    const std::size_t before = world.told.size();
    ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == before + 1; }));
  }
  const MetricsSnapshot metrics = world.metrics.Snapshot({}, world.clock.Now());
  EXPECT_EQ(metrics.Value("produce-throttle-time-avg"), 200);
  EXPECT_EQ(metrics.Value("produce-throttle-time-max"), 500);
}

// SN-16
TEST(SenderTest, AThrowingCallbackIsLoggedAndTheOthersRun) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  world.Append("t", 0, "y");
  world.on_told = [](const Told& told) {
    if (told.value == "x") throw std::runtime_error("oops");
  };
  world.cluster.Answer(world.AwaitProduce(1));
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  world.Turns(1);
  EXPECT_TRUE(world.log->Contains("error: 1 callbacks of the application have thrown"));
}

// SN-37, NC-46: the other answers of the turn are handled, and the loop goes on as if nothing had been.
TEST(SenderTest, AThrowingCallbackStopsNeitherTheTurnNorTheLoop) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}, {2}};
  world.Append("t", 0, "a");
  world.Append("t", 1, "b");
  world.on_told = [](const Told&) { throw std::runtime_error("oops"); };
  ASSERT_TRUE(world.RunUntil([&] { return world.cluster.produces.size() == 2; }));
  const std::vector<ReceivedProduce> both = world.cluster.produces;
  for (const ReceivedProduce& request : both) world.cluster.Answer(request);
  world.Turns(1);
  EXPECT_EQ(world.told.size(), 2u);
  EXPECT_TRUE(world.log->Contains("error: 2 callbacks of the application have thrown"));
  EXPECT_FALSE(world.accumulator.HasIncomplete());
  EXPECT_EQ(world.accumulator.buffer_pool_stats().available_bytes, world.accumulator.buffer_pool_stats().total_bytes);
  world.on_told = nullptr;
  world.Append("t", 0, "c");
  world.cluster.Answer(world.AwaitProduce(3));
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 3; }));
  EXPECT_EQ(world.codes(), std::vector<ErrorCode>(3, ErrorCode::kNone));
}

// What a broker says that makes no sense ends its connection; the batch is sent again.
TEST(SenderTest, AnAnswerToAnotherQuestionEndsTheConnection) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  const ReceivedProduce first = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(first, ErrorCode::kNone);
  response.topics[0].partitions[0].index = 9;
  world.cluster.Answer(first, response);
  const ReceivedProduce& second = world.AwaitProduce(2);
  EXPECT_NE(second.connection, first.connection);
  EXPECT_TRUE(world.told.empty());
}

TEST(SenderTest, AnAnswerThatLeavesAPartitionOutEndsTheConnection) {
  SenderWorld world(WithSender({.retries = 0}));
  world.cluster.topics["t"] = {{1}, {1}};
  world.Append("t", 0, "x");
  world.Append("t", 1, "y");
  const ReceivedProduce& request = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(request, ErrorCode::kNone);
  response.topics[0].partitions.pop_back();
  world.cluster.Answer(request, response);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kNetworkException, ErrorCode::kNetworkException));
}

}  // namespace
}  // namespace ktrial::testing
