// What a sender with idempotence does, with brokers that the test plays by hand.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/producer/sender_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;
using wire::BatchProducer;
using wire::ErrorCode;

// Each record is a batch of its own.
SenderWorld::Options Idempotent(std::int32_t brokers = 1) {
  return {.brokers = brokers, .accumulator = {.batch_size = 0, .linger = Duration::zero()}, .idempotent = true};
}

BatchProducer Numbered(std::int16_t epoch, std::int32_t base, std::int64_t id = 7) {
  return {.id = ProducerId(id), .epoch = ProducerEpoch(epoch), .base_sequence = Sequence(base)};
}

class IdempotenceTest : public ::testing::Test {
 protected:
  explicit IdempotenceTest(SenderWorld::Options options = Idempotent()) : world(options) {
    world.cluster.topics["t"] = {{1}, {1}};
  }

  const BatchProducer& SentAs(std::size_t produce, std::int32_t partition = 0) {
    return world.cluster.produces.at(produce).producers.at({"t", partition});
  }
  const std::string& Value(std::size_t produce, std::int32_t partition = 0) {
    return world.cluster.produces.at(produce).values.at({"t", partition}).front();
  }
  void Answer(std::size_t produce, ErrorCode code, std::int64_t log_start_offset = -1) {
    const ReceivedProduce& request = world.cluster.produces.at(produce);
    wire::ProduceResponse response = FakeCluster::ResponseTo(request, code, static_cast<std::int64_t>(produce));
    for (wire::TopicProduceResponse& topic : response.topics) {
      for (wire::PartitionProduceResponse& partition : topic.partitions) partition.log_start_offset = log_start_offset;
    }
    world.cluster.Answer(request, response);
  }
  bool AwaitTold(std::size_t count) {
    return world.RunUntil([&] { return world.told.size() == count; });
  }
  // Until one batch is acknowledged the second one waits, so partition 0 takes a record of number 0, which is not counted.
  void BecomeKnown() {
    world.Append("t", 0, "known");
    world.cluster.Answer(world.AwaitProduce(1));
    ASSERT_TRUE(AwaitTold(1));
    world.cluster.produces.clear();
    world.told.clear();
  }
  // Records "0", "1", ... of partition 0, each in a request that has arrived. Several have the numbers 1, 2, ...
  void SendInFlight(std::size_t count) {
    if (count > 1) BecomeKnown();
    for (std::size_t i = 0; i < count; ++i) {
      world.Append("t", 0, std::to_string(i));
      world.AwaitProduce(i + 1);
    }
  }

  SenderWorld world;
};

// --- The producer id (SN-21) ---

TEST_F(IdempotenceTest, TheIdIsThereBeforeAnyRecordIsSent) {
  world.Append("t", 0, "x");
  world.AwaitProduce(1);
  EXPECT_EQ(world.cluster.producer_id_requests.size(), 1u);
  EXPECT_EQ(SentAs(0), Numbered(0, 0));
}

TEST_F(IdempotenceTest, ARetriableErrorIsAskedAgainAfterABackoff) {
  world.cluster.producer_id_errors = {ErrorCode::kCoordinatorLoadInProgress, ErrorCode::kNotCoordinator};
  world.Append("t", 0, "x");
  world.AwaitProduce(1);
  const std::vector<Instant>& asked = world.cluster.producer_id_requests;
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[1] - asked[0], milliseconds(100));
  EXPECT_EQ(asked[2] - asked[1], milliseconds(200));
}

class OneInFlightTest : public IdempotenceTest {
 protected:
  static SenderWorld::Options OneInFlight() {
    SenderWorld::Options options = Idempotent();
    options.network.max_in_flight = 1;
    return options;
  }
  OneInFlightTest() : IdempotenceTest(OneInFlight()) {}
};

// NC-14: metadata go first, and take the only place.
TEST_F(OneInFlightTest, TheIdIsAskedForOnceTheMetadataHaveCome) {
  world.cluster.holds_metadata = true;
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.cluster.metadata_requests.size() == 1; }));
  for (int turn = 0; turn < 5; ++turn) {
    world.transport.WakeUp();  // A turn that does not wait for the answer.
    world.Turns(1);
  }
  EXPECT_TRUE(world.cluster.producer_id_requests.empty());
  world.cluster.ReleaseMetadata();
  world.AwaitProduce(1);
  EXPECT_EQ(world.cluster.producer_id_requests.size(), 1u);
  EXPECT_EQ(SentAs(0), Numbered(0, 0));
}

// With the last epoch used up, another id is needed.
class NewIdTest : public IdempotenceTest {
 protected:
  NewIdTest() {
    world.cluster.first_producer_epoch = 32767;
    world.Append("t", 0, "bad");
    world.AwaitProduce(1);
    world.cluster.first_producer_epoch = 0;
  }
};

// NC-03
TEST_F(NewIdTest, ANodeThatCannotBeReachedIsAskedOnceItCan) {
  const std::size_t opens = world.transport.opens().size();
  const Instant back = world.clock.Now() + seconds(5);
  // The question that goes to the connection before its end shows is not heard.
  world.on_told = [&](const Told&) {
    world.cluster.silent = world.cluster.refusing = {1};
    world.cluster.Drop(1);
  };
  world.transport.At(back, [&] {
    world.cluster.silent.clear();
    world.cluster.refusing.clear();
  });
  Answer(0, ErrorCode::kInvalidRecord);
  world.Append("t", 0, "next");
  world.AwaitProduce(2);
  EXPECT_GT(world.transport.opens().size(), opens + 2);
  ASSERT_EQ(world.cluster.producer_id_requests.size(), 2u);
  EXPECT_GE(world.cluster.producer_id_requests[1], back);
  EXPECT_EQ(SentAs(1), Numbered(0, 0, 8));
}

// NC-43
TEST_F(NewIdTest, AThrottledNodeIsAskedAfterTheEnd) {
  wire::ProduceResponse response = FakeCluster::ResponseTo(world.cluster.produces[0], ErrorCode::kInvalidRecord);
  response.throttle_time_ms = 30'020;  // Longer than a request may take.
  const Instant end = world.clock.Now() + milliseconds(30'020);
  world.cluster.Answer(world.cluster.produces[0], response);
  world.Append("t", 0, "next");
  ASSERT_TRUE(world.RunUntil([&] { return world.cluster.produces.size() == 2; }, 2000));
  ASSERT_EQ(world.cluster.producer_id_requests.size(), 2u);
  EXPECT_GE(world.cluster.producer_id_requests[1], end);
  EXPECT_LE(world.cluster.producer_id_requests[1], end + milliseconds(200));
}

// SN-25
TEST_F(NewIdTest, WhatWaitsForAnotherPartitionGoesUnderTheNewId) {
  world.on_told = [&](const Told& record) {
    if (record.value == "bad") world.Append("t", 1, "waits");
  };
  Answer(0, ErrorCode::kInvalidRecord);
  world.AwaitProduce(2);
  EXPECT_EQ(Value(1, 1), "waits");
  EXPECT_EQ(SentAs(1, 1), Numbered(0, 0, 8));
}

TEST_F(IdempotenceTest, WithoutAnIdRecordsExpire) {
  world.cluster.producer_id_errors.assign(1000, ErrorCode::kCoordinatorNotAvailable);
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }, 2000));
  EXPECT_EQ(world.told[0].code, ErrorCode::kRequestTimedOut);
  EXPECT_TRUE(world.cluster.produces.empty());
}

// SN-34
TEST_F(IdempotenceTest, CloseWaitsForRecordsWithoutAnIdNoLongerThanTheyLive) {
  world.cluster.producer_id_errors.assign(5000, ErrorCode::kCoordinatorNotAvailable);
  world.Append("t", 0, "x");
  const Instant start = world.clock.Now();
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kRequestTimedOut));
  EXPECT_LE(world.clock.Now() - start, seconds(120));
}

// SN-35
TEST_F(IdempotenceTest, AForcedCloseDoesNotWaitForAnId) {
  world.cluster.producer_id_errors.assign(5000, ErrorCode::kCoordinatorNotAvailable);
  world.Append("t", 0, "x");
  world.Turns(5);
  const Instant start = world.clock.Now();
  world.accumulator.Close();
  world.sender.ForceClose();
  EXPECT_FALSE(world.sender.Run());
  EXPECT_EQ(world.told.size(), 1u);
  EXPECT_EQ(world.clock.Now(), start);
}

// SN-28: the right may be granted later.
TEST_F(IdempotenceTest, WithoutTheRightToAnIdWhatWaitsFailsAndLaterRecordsTryAgain) {
  world.cluster.producer_id_errors = {ErrorCode::kClusterAuthorizationFailed};
  world.Append("t", 0, "x");
  ASSERT_TRUE(AwaitTold(1));
  EXPECT_EQ(world.told[0].code, ErrorCode::kClusterAuthorizationFailed);
  world.Append("t", 0, "y");
  world.cluster.Answer(world.AwaitProduce(1));
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_EQ(world.told[1].code, ErrorCode::kNone);
}

// SN-28
TEST_F(IdempotenceTest, BrokersWithoutProducerIdsAreAnErrorThatSaysWhatToDo) {
  world.cluster.gives_producer_ids = false;
  world.Append("t", 0, "x");
  ASSERT_TRUE(AwaitTold(1));
  EXPECT_EQ(world.told[0].code, ErrorCode::kUnsupportedVersion);
  EXPECT_THAT(world.told[0].message, ::testing::HasSubstr("enable.idempotence=false"));
}

// SN-28, NC-42, WP-10: of the versions that carry numbers, this leader speaks none.
TEST_F(IdempotenceTest, ALeaderThatTakesNoNumbersEndsTheProducer) {
  world.cluster.produce_version_min = 0;
  world.cluster.produce_version_max = 2;
  world.Append("t", 0, "x");
  ASSERT_TRUE(AwaitTold(1));
  EXPECT_EQ(world.told[0].code, ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(wire::KafkaCode(world.identity->failure()), ErrorCode::kUnsupportedVersion);
  EXPECT_TRUE(world.cluster.produces.empty());
}

// --- Sequences (AC-22, SN-22, SN-23) ---

TEST_F(IdempotenceTest, EachPartitionCountsForItself) {
  world.Append("t", 0, "a");
  world.Append("t", 1, "b");
  world.AwaitProduce(1);
  Answer(0, ErrorCode::kNone);
  world.Append("t", 0, "c");
  world.AwaitProduce(2);
  EXPECT_EQ(SentAs(0, 0), Numbered(0, 0));
  EXPECT_EQ(SentAs(0, 1), Numbered(0, 0));
  EXPECT_EQ(SentAs(1, 0), Numbered(0, 1));
}

TEST_F(IdempotenceTest, ARetryKeepsItsNumber) {
  SendInFlight(1);
  Answer(0, ErrorCode::kNotEnoughReplicas);
  world.AwaitProduce(2);
  EXPECT_EQ(Value(1), "0");
  EXPECT_EQ(SentAs(1), SentAs(0));
}

// A broker that has never seen the id would take the second batch without the first.
TEST_F(IdempotenceTest, TheSecondBatchWaitsForTheFirstAcknowledgement) {
  world.Append("t", 0, "a");
  world.Append("t", 0, "b");
  world.AwaitProduce(1);
  world.transport.WakeUp();  // A turn that does not wait for the answer.
  world.Turns(1);
  EXPECT_EQ(world.cluster.produces.size(), 1u);
  Answer(0, ErrorCode::kNone);
  world.AwaitProduce(2);
  EXPECT_EQ(SentAs(1), Numbered(0, 1));
}

// SN-23: brokers before Kafka 1.0 know only the latest batch again, whichever of them leads.
TEST(IdempotenceBefore10Test, OneBatchOfAPartitionIsInFlight) {
  SenderWorld world(Idempotent());
  world.cluster.produce_version_max = 3;
  world.cluster.topics["t"] = {{1}, {1}};
  for (std::size_t sent = 0; sent < 2; ++sent) {
    world.Append("t", 0, "known");
    world.cluster.Answer(world.AwaitProduce(sent + 1));
  }
  world.Append("t", 0, "a");
  world.AwaitProduce(3);
  world.Append("t", 0, "b");
  world.Append("t", 1, "c");
  world.AwaitProduce(4);
  EXPECT_THAT(world.cluster.produces[3].values, ElementsAre(Pair(Pair("t", 1), ElementsAre("c"))));
  world.transport.WakeUp();  // A turn that does not wait for the answer.
  world.Turns(1);
  EXPECT_EQ(world.cluster.produces.size(), 4u);
  world.cluster.Answer(world.cluster.produces[2]);
  EXPECT_THAT(world.AwaitProduce(5).values, ElementsAre(Pair(Pair("t", 0), ElementsAre("b"))));
}

TEST(IdempotenceBefore10Test, WithoutIdempotenceThereIsNothingToKnowAgain) {
  SenderWorld world({.brokers = 1, .accumulator = {.batch_size = 0, .linger = Duration::zero()}});
  world.cluster.produce_version_max = 3;
  world.cluster.topics["t"] = {{1}};
  for (std::size_t sent = 0; sent < 5; ++sent) {
    world.Append("t", 0, "x");
    world.AwaitProduce(sent + 1);
  }
}

// SN-23
TEST_F(IdempotenceTest, AfterALostConnectionTheFirstGoesAloneAndThenTheOthersInOrder) {
  SendInFlight(3);
  world.cluster.Drop(1);
  world.AwaitProduce(4);
  EXPECT_EQ(Value(3), "0");
  world.transport.WakeUp();  // A turn that does not wait for the answer.
  world.Turns(1);
  EXPECT_EQ(world.cluster.produces.size(), 4u);
  Answer(3, ErrorCode::kNone);
  world.AwaitProduce(5);
  EXPECT_EQ(Value(4), "1");
  Answer(4, ErrorCode::kNone);
  world.AwaitProduce(6);
  EXPECT_EQ(Value(5), "2");
  EXPECT_EQ(SentAs(5), Numbered(0, 3));
}

// SN-24
TEST_F(IdempotenceTest, ALaterBatchMayBeAcknowledgedBeforeAnEarlierOne) {
  SendInFlight(2);
  Answer(0, ErrorCode::kNotEnoughReplicasAfterAppend);
  Answer(1, ErrorCode::kNone);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2), Numbered(0, 1));
  Answer(2, ErrorCode::kDuplicateSequenceNumber);
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_THAT(world.told_values(), ElementsAre("1", "0"));
  EXPECT_THAT(world.codes(), Each(ErrorCode::kNone));
}

// --- Gaps (SN-20, SN-25, SN-26) ---

TEST_F(IdempotenceTest, ARefusalForAGapThatARetryFillsChangesNoNumber) {
  SendInFlight(2);
  Answer(0, ErrorCode::kNotLeaderOrFollower);
  Answer(1, ErrorCode::kOutOfOrderSequenceNumber);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2), Numbered(0, 1));
  Answer(2, ErrorCode::kNone);
  world.AwaitProduce(4);
  EXPECT_EQ(SentAs(3), Numbered(0, 2));
}

TEST_F(IdempotenceTest, ABatchThatFailsForGoodMovesThoseBehindItToANewEpoch) {
  SendInFlight(3);
  Answer(0, ErrorCode::kInvalidRecord);
  Answer(1, ErrorCode::kOutOfOrderSequenceNumber);
  Answer(2, ErrorCode::kOutOfOrderSequenceNumber);
  world.AwaitProduce(4);
  EXPECT_EQ(Value(3), "1");
  EXPECT_EQ(SentAs(3), Numbered(1, 0));
  Answer(3, ErrorCode::kNone);
  world.AwaitProduce(5);
  EXPECT_EQ(Value(4), "2");
  EXPECT_EQ(SentAs(4), Numbered(1, 1));
}

// What came before the record that fails may be in the log; under a new epoch it would be there twice (B080).
TEST_F(IdempotenceTest, ABatchInFrontOfTheOneThatFailsIsSettledUnderItsOldNumber) {
  SendInFlight(3);
  Answer(0, ErrorCode::kRequestTimedOut);
  Answer(1, ErrorCode::kInvalidRecord);
  Answer(2, ErrorCode::kOutOfOrderSequenceNumber);
  world.AwaitProduce(4);
  EXPECT_EQ(Value(3), "0");
  EXPECT_EQ(SentAs(3), Numbered(0, 1));
  Answer(3, ErrorCode::kDuplicateSequenceNumber);
  world.AwaitProduce(5);
  EXPECT_EQ(Value(4), "2");
  EXPECT_EQ(SentAs(4), Numbered(1, 0));
}

// B071
TEST_F(IdempotenceTest, TheOtherPartitionBeginsTheNewEpochWithZeroAndCausesNoOther) {
  world.Append("t", 1, "other");
  world.cluster.Answer(world.AwaitProduce(1));
  world.Append("t", 0, "bad");
  world.AwaitProduce(2);
  Answer(1, ErrorCode::kInvalidRecord);
  ASSERT_TRUE(AwaitTold(2));
  world.Append("t", 1, "next");
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2, 1), Numbered(1, 0));
  Answer(2, ErrorCode::kNone);
  world.Append("t", 0, "good");
  world.AwaitProduce(4);
  EXPECT_EQ(SentAs(3, 0), Numbered(1, 0));
}

// SN-25
TEST_F(IdempotenceTest, TheOtherPartitionKeepsItsEpochWhileSomethingIsInFlight) {
  world.Append("t", 1, "slow");
  world.AwaitProduce(1);
  world.Append("t", 0, "bad");
  world.AwaitProduce(2);
  Answer(0, ErrorCode::kNotEnoughReplicas);
  Answer(1, ErrorCode::kInvalidRecord);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2, 1), Numbered(0, 0));
}

// SN-20: the broker has lost what it knew of us.
TEST_F(IdempotenceTest, AnUnknownProducerGoesOnUnderANewEpoch) {
  SendInFlight(1);
  Answer(0, ErrorCode::kNone);
  ASSERT_TRUE(AwaitTold(1));
  world.Append("t", 0, "next");
  world.AwaitProduce(2);
  Answer(1, ErrorCode::kUnknownProducerId, /*log_start_offset=*/10);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(1), Numbered(0, 1));
  EXPECT_EQ(SentAs(2), Numbered(1, 0));
}

// SN-20
TEST_F(IdempotenceTest, AnUnknownProducerOfABrokerThatDoesNotKnowItsLogYetIsTriedAgain) {
  SendInFlight(1);
  Answer(0, ErrorCode::kUnknownProducerId, /*log_start_offset=*/-1);
  world.AwaitProduce(2);
  EXPECT_EQ(SentAs(1), Numbered(0, 0));
}

// SN-20
TEST_F(IdempotenceTest, ThoseBehindABatchOfAnUnknownProducerGoOnInOrder) {
  SendInFlight(2);
  Answer(0, ErrorCode::kUnknownProducerId, /*log_start_offset=*/10);
  Answer(1, ErrorCode::kUnknownProducerId, /*log_start_offset=*/10);
  world.AwaitProduce(3);
  EXPECT_EQ(Value(2), "0");
  EXPECT_EQ(SentAs(2), Numbered(1, 0));
  Answer(2, ErrorCode::kNone);
  world.AwaitProduce(4);
  EXPECT_EQ(Value(3), "1");
  EXPECT_EQ(SentAs(3), Numbered(1, 1));
}

// SN-25
TEST_F(IdempotenceTest, UnderANewIdTheOtherPartitionsRetryKeepsTheOldOne) {
  world.cluster.first_producer_epoch = 32767;
  world.Append("t", 1, "slow");
  world.AwaitProduce(1);
  world.Append("t", 0, "bad");
  world.AwaitProduce(2);
  world.cluster.first_producer_epoch = 0;
  Answer(0, ErrorCode::kNotEnoughReplicas);
  Answer(1, ErrorCode::kInvalidRecord);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2, 1), Numbered(32767, 0));
  Answer(2, ErrorCode::kNone);
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kInvalidRecord, ErrorCode::kNone));
  world.Append("t", 1, "next");
  world.AwaitProduce(4);
  EXPECT_EQ(SentAs(3, 1), Numbered(0, 0, 8));
}

// SN-25
TEST_F(IdempotenceTest, AfterTheLastEpochThereIsANewId) {
  world.cluster.first_producer_epoch = 32767;
  SendInFlight(1);
  Answer(0, ErrorCode::kInvalidRecord);
  ASSERT_TRUE(AwaitTold(1));
  world.cluster.first_producer_epoch = 0;
  world.Append("t", 0, "next");
  world.AwaitProduce(2);
  EXPECT_EQ(SentAs(1), Numbered(0, 0, 8));
}

// Partition 0 is led by one broker and partition 1 by another, so that their answers come in any order.
class TwoBrokersTest : public IdempotenceTest {
 protected:
  TwoBrokersTest() : IdempotenceTest(Idempotent(2)) { world.cluster.topics["t"] = {{1}, {2}}; }

  // Partition 1 has "slow" in flight, as request 0, while partition 0 goes on under the new `id` and `epoch`, with request 2.
  void MoveOnWhileOneIsInFlight(std::int16_t epoch, std::int64_t id) {
    world.Append("t", 1, "slow");
    world.AwaitProduce(1);
    world.Append("t", 0, "bad");
    world.AwaitProduce(2);
    world.cluster.first_producer_epoch = 0;
    Answer(1, ErrorCode::kInvalidRecord);
    ASSERT_TRUE(AwaitTold(1));
    world.Append("t", 0, "good");
    world.AwaitProduce(3);
    ASSERT_EQ(SentAs(2, 0), Numbered(epoch, 0, id));
  }
};

// SN-25, SN-26
TEST_F(TwoBrokersTest, ABatchOfTheOldEpochThatFailsCausesNoOther) {
  MoveOnWhileOneIsInFlight(1, 7);
  Answer(0, ErrorCode::kInvalidRecord);
  ASSERT_TRUE(AwaitTold(2));
  world.Append("t", 1, "next");
  world.AwaitProduce(4);
  EXPECT_EQ(SentAs(3, 1), Numbered(1, 0));
  Answer(2, ErrorCode::kNone);
  ASSERT_TRUE(AwaitTold(3));
  world.Append("t", 0, "more");
  world.AwaitProduce(5);
  EXPECT_EQ(SentAs(4, 0), Numbered(1, 1));
}

// SN-25, SN-26
TEST_F(TwoBrokersTest, ABatchOfTheOldIdThatFailsCausesNoOther) {
  world.cluster.first_producer_epoch = 32767;
  MoveOnWhileOneIsInFlight(0, 8);
  Answer(0, ErrorCode::kInvalidRecord);
  ASSERT_TRUE(AwaitTold(2));
  world.Append("t", 1, "next");
  world.AwaitProduce(4);
  EXPECT_EQ(SentAs(3, 1), Numbered(0, 0, 8));
  Answer(2, ErrorCode::kNone);
  ASSERT_TRUE(AwaitTold(3));
  world.Append("t", 0, "more");
  world.AwaitProduce(5);
  EXPECT_EQ(SentAs(4, 0), Numbered(0, 1, 8));
}

// --- What may be in the log (SN-27, B079) ---

class OneRetryTest : public IdempotenceTest {
 protected:
  static SenderWorld::Options OneRetry() {
    SenderWorld::Options options = Idempotent();
    options.sender.retries = 1;
    return options;
  }
  OneRetryTest() : IdempotenceTest(OneRetry()) {}
};

// Records live no longer than that.
SenderWorld::Options TenSeconds() {
  SenderWorld::Options options = Idempotent();
  options.sender.delivery_timeout = options.accumulator.delivery_timeout = seconds(10);
  return options;
}
class TenSecondsTest : public IdempotenceTest {
 protected:
  TenSecondsTest() : IdempotenceTest(TenSeconds()) {}
};

class TwoRecordBatchTest : public IdempotenceTest {
 protected:
  static SenderWorld::Options Large() {
    SenderWorld::Options options = TenSeconds();
    options.accumulator.batch_size = 16384;
    return options;
  }
  TwoRecordBatchTest() : IdempotenceTest(Large()) {
    world.Append("t", 0, "x");
    world.Append("t", 0, "y");
    world.AwaitProduce(1);
  }
};

TEST_F(OneRetryTest, WhenRetriesEndWithoutAnAnswerItsNumberIsNotUsedAgain) {
  world.Append("t", 0, "perhaps");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kRequestTimedOut);
  world.cluster.Answer(world.AwaitProduce(2), ErrorCode::kNotLeaderOrFollower);
  ASSERT_TRUE(AwaitTold(1));
  world.Append("t", 0, "next");
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2), Numbered(1, 0));
}

TEST_F(TenSecondsTest, ABatchThatExpiresInItsFirstFlightHoldsWhatFollowsBackUntilItIsClear) {
  world.Append("t", 0, "slow");
  world.AwaitProduce(1);
  ASSERT_TRUE(AwaitTold(1));
  EXPECT_EQ(world.told[0].code, ErrorCode::kRequestTimedOut);
  world.Append("t", 0, "next");
  EXPECT_EQ(world.AwaitProduce(2).producers.at({"t", 0}), Numbered(1, 0));
}

// SN-27: what the next batch is told shows that the one that expired is not there.
TEST_F(TenSecondsTest, ABatchBehindOneThatExpiredMovesToANewEpochIfItIsRefused) {
  BecomeKnown();
  world.Append("t", 0, "slow");
  world.AwaitProduce(1);
  world.clock.Advance(seconds(5));
  world.Append("t", 0, "next");
  world.AwaitProduce(2);
  // On the wire the answers come in order; the first one is too late to matter.
  world.on_told = [&](const Told& record) {
    if (record.value != "slow") return;
    world.cluster.Answer(world.cluster.produces[0], ErrorCode::kNotLeaderOrFollower);
    world.cluster.Answer(world.cluster.produces[1], ErrorCode::kOutOfOrderSequenceNumber);
  };
  const ReceivedProduce& again = world.AwaitProduce(3);
  EXPECT_THAT(again.values.at({"t", 0}), ElementsAre("next"));
  EXPECT_EQ(again.producers.at({"t", 0}), Numbered(1, 0));
}

// SN-27: not before nothing is left that could show that the first one is there.
TEST_F(TenSecondsTest, WhenTheLastInFlightExpiresTooANewEpochBegins) {
  BecomeKnown();
  world.Append("t", 0, "0");
  world.AwaitProduce(1);
  world.clock.Advance(seconds(5));
  world.Append("t", 0, "1");
  world.AwaitProduce(2);
  ASSERT_TRUE(AwaitTold(1));
  world.Append("t", 0, "next");
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_THAT(world.codes(), Each(ErrorCode::kRequestTimedOut));
  EXPECT_EQ(world.cluster.produces.size(), 2u);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2), Numbered(1, 0));
}

// SN-10, SN-18
TEST_F(TwoRecordBatchTest, ATooLargeBatchThatHasExpiredIsNotSplit) {
  ASSERT_TRUE(AwaitTold(2));
  Answer(0, ErrorCode::kMessageTooLarge);
  world.Turns(3);
  EXPECT_EQ(world.cluster.produces.size(), 1u);
  EXPECT_EQ(world.told.size(), 2u);
}

// --- Splits (AC-29) ---

TEST_F(TwoRecordBatchTest, PartsOfATooLargeBatchCountOnFromItsNumber) {
  Answer(0, ErrorCode::kMessageTooLarge);
  world.AwaitProduce(2);
  EXPECT_EQ(SentAs(1), Numbered(0, 0));
  Answer(1, ErrorCode::kNone);
  world.AwaitProduce(3);
  EXPECT_EQ(SentAs(2), Numbered(0, 1));
}

// --- The end (SN-28) ---

TEST_F(IdempotenceTest, AFencedProducerFailsEverythingNowAndLater) {
  SendInFlight(2);
  Answer(0, ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kProducerFenced, ErrorCode::kProducerFenced));
  world.Append("t", 0, "later");
  ASSERT_TRUE(AwaitTold(3));
  EXPECT_EQ(world.told[2].code, ErrorCode::kProducerFenced);
  EXPECT_EQ(world.cluster.produces.size(), 2u);
}

// SN-34, SN-37
TEST_F(IdempotenceTest, AProducerThatHasFailedForGoodClosesAtOnce) {
  SendInFlight(2);
  Answer(0, ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitTold(2));
  world.Append("t", 0, "later");
  const Instant start = world.clock.Now();
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
  EXPECT_THAT(world.codes(),
              ElementsAre(ErrorCode::kProducerFenced, ErrorCode::kProducerFenced, ErrorCode::kProducerFenced));
  EXPECT_EQ(world.clock.Now(), start);
}

// SN-28
TEST_F(IdempotenceTest, WithoutTheRightToTheClusterNothingCanGoOn) {
  SendInFlight(2);
  Answer(0, ErrorCode::kClusterAuthorizationFailed);
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_THAT(world.codes(), Each(ErrorCode::kClusterAuthorizationFailed));
  EXPECT_EQ(wire::KafkaCode(world.identity->failure()), ErrorCode::kClusterAuthorizationFailed);
}

// SN-28
TEST_F(IdempotenceTest, ThatItHasFailedForGoodIsSaidOnce) {
  SendInFlight(2);
  Answer(0, ErrorCode::kProducerFenced);
  Answer(1, ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitTold(2));
  world.Turns(3);
  EXPECT_EQ(world.log->Count("the producer has failed for good"), 1);
}

// SN-14, SN-28
TEST_F(IdempotenceTest, AnAnswerAfterTheEndIsIgnored) {
  SendInFlight(2);
  Answer(0, ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitTold(2));
  Answer(1, ErrorCode::kNone);
  world.Turns(3);
  EXPECT_EQ(world.told.size(), 2u);
  EXPECT_FALSE(world.accumulator.HasIncomplete());
}

// SN-28
TEST_F(IdempotenceTest, AFormatThatTheTopicDoesNotTakeFailsTheBatchAlone) {
  SendInFlight(1);
  Answer(0, ErrorCode::kUnsupportedForMessageFormat);
  ASSERT_TRUE(AwaitTold(1));
  world.Append("t", 0, "next");
  world.AwaitProduce(2);
  EXPECT_EQ(SentAs(1), Numbered(1, 0));
}

}  // namespace
}  // namespace ktrial::testing
