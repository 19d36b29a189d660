// What becomes of a transactional producer when something fails: what can be aborted, and what ends it for good.
#include <chrono>
#include <string>

#include "tests/core/producer/transaction_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::ApiKey;
using wire::BatchProducer;
using wire::ErrorCode;
using enum TransactionState;

BatchProducer Numbered(std::int16_t epoch, std::int32_t base) {
  return {.id = ProducerId(7), .epoch = ProducerEpoch(epoch), .base_sequence = Sequence(base), .transactional = true};
}

class TransactionErrorsTest : public TransactionTest {
 protected:
  // One record that a broker refuses for good.
  void FailARecord() {
    Answer(SendInFlight("bad"), ErrorCode::kInvalidRecord);
    ASSERT_TRUE(AwaitState(kAbortableError));
  }
};

// --- Records that fail (SN-26, SN-31) ---

TEST_F(TransactionErrorsTest, ARecordThatFailsForbidsTheCommit) {
  Begin();
  FailARecord();
  Expect(world.calls.Start(Kind::kCommit).status(), ErrorCode::kInvalidRecord);
}

TEST_F(TransactionErrorsTest, ARecordThatFailsForbidsMoreRecords) {
  Begin();
  FailARecord();
  Expect(world.calls.MaySend(), ErrorCode::kInvalidRecord);
  EXPECT_THAT(std::string(world.calls.MaySend().message()), HasSubstr("can only be aborted"));
}

TEST_F(TransactionErrorsTest, ARecordThatFailsFailsTheCommitThatWaits) {
  Begin();
  const std::size_t produce = SendInFlight();
  const auto commit = world.Call(Kind::kCommit);
  Answer(produce, ErrorCode::kInvalidRecord);
  Expect(world.AwaitCall(commit), ErrorCode::kInvalidRecord);
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0", "InitProducerId 7/0"));
}

// KIP-360
TEST_F(TransactionErrorsTest, AfterTheAbortThereIsAnotherEpoch) {
  Begin();
  FailARecord();
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0", "InitProducerId 7/0"));
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(1, 0));
}

// SN-26: before Kafka 2.5.
TEST_F(TransactionErrorsTest, WithoutEpochsToRaiseTheNumberIsGivenToTheNextRecord) {
  coordinator().raises_epochs = false;
  Begin();
  SendAcknowledged();
  FailARecord();
  EXPECT_TRUE(Abort().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(0, 1));
}

// SN-26: before Kafka 2.5, as after the topic was deleted and made again. The same number would be refused for ever.
TEST_F(TransactionErrorsTest, WithoutEpochsToRaiseALeaderThatHasForgottenEndsTheProducer) {
  for (const ErrorCode code : {ErrorCode::kOutOfOrderSequenceNumber, ErrorCode::kUnknownProducerId}) {
    SenderWorld world(
        {.brokers = 3, .accumulator = {.batch_size = 0, .linger = Duration::zero()}, .transactional = true});
    world.cluster.topics["t"] = {{1}, {1}};
    world.cluster.coordinator->raises_epochs = false;
    ASSERT_TRUE(world.AwaitCall(world.Call(Kind::kInit)).ok());
    ASSERT_TRUE(world.calls.Begin().ok());
    world.Append("t", 0, "before");
    world.cluster.Answer(world.AwaitProduce(1));
    world.Append("t", 0, "after");
    wire::ProduceResponse response = FakeCluster::ResponseTo(world.AwaitProduce(2), code);
    response.topics[0].partitions[0].log_start_offset = 10;
    world.cluster.Answer(world.cluster.produces[1], response);
    ASSERT_TRUE(world.RunUntil([&] { return world.calls.state() == kAbortableError; }));
    Expect(world.AwaitCall(world.Call(Kind::kAbort)), ErrorCode::kOutOfOrderSequenceNumber);
    EXPECT_EQ(world.calls.state(), kFatalError);
  }
}

TEST_F(TransactionErrorsTest, WhatIsInFlightBehindARecordThatFailsIsNotSentAgain) {
  Begin();
  SendAcknowledged("before");  // After that there may be two in flight.
  const std::size_t first = SendInFlight("a");
  const std::size_t second = SendInFlight("b");
  Answer(first, ErrorCode::kInvalidRecord);
  ASSERT_TRUE(AwaitState(kAbortableError));
  const auto abort = world.Call(Kind::kAbort);
  Answer(second, ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_EQ(world.cluster.produces.size(), 3u);
  EXPECT_THAT(world.codes(),
              ElementsAre(ErrorCode::kNone, ErrorCode::kInvalidRecord, ErrorCode::kOutOfOrderSequenceNumber));
}

TEST_F(TransactionErrorsTest, ARefusalForAGapThatARetryFillsIsNoError) {
  Begin();
  SendAcknowledged("before");
  const std::size_t first = SendInFlight("a");
  const std::size_t second = SendInFlight("b");
  Answer(first, ErrorCode::kNotEnoughReplicas);
  Answer(second, ErrorCode::kOutOfOrderSequenceNumber);
  world.cluster.Answer(world.AwaitProduce(4));
  world.cluster.Answer(world.AwaitProduce(5));
  EXPECT_TRUE(Commit().ok());
  EXPECT_EQ(SentAs(4), Numbered(0, 2));
}

// SN-20
TEST_F(TransactionErrorsTest, AnUnknownProducerIsAskedAgainWhereTheLogDoesNotSayWhereItStarts) {
  Begin();
  Answer(SendInFlight(), ErrorCode::kUnknownProducerId);
  world.cluster.Answer(world.AwaitProduce(2));
  EXPECT_TRUE(Commit().ok());
}

TEST_F(TransactionErrorsTest, AProducerThatIsForgottenCanAbort) {
  Begin();
  const std::size_t produce = SendInFlight();
  wire::ProduceResponse response =
      FakeCluster::ResponseTo(world.cluster.produces[produce], ErrorCode::kUnknownProducerId);
  response.topics[0].partitions[0].log_start_offset = 10;
  world.cluster.Answer(world.cluster.produces[produce], response);
  ASSERT_TRUE(AwaitState(kAbortableError));
  EXPECT_TRUE(Abort().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(1, 0));
}

// Whose brokers do not answer Produce unless told to, so that a record expires.
using ExpiryTest = TransactionErrorsTest;

// SN-27
TEST_F(ExpiryTest, ARecordThatExpiresForbidsTheCommit) {
  Begin();
  SendInFlight();
  ASSERT_TRUE(AwaitState(kAbortableError));
  Expect(world.calls.Start(Kind::kCommit).status(), ErrorCode::kRequestTimedOut);
}

// SN-27
TEST_F(ExpiryTest, RecordsThatExpireTogetherNeedOneAbort) {
  Begin();
  world.Append("t", 0, "a");
  world.Append("t", 1, "b");
  ASSERT_TRUE(AwaitState(kAbortableError));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kRequestTimedOut, ErrorCode::kRequestTimedOut));
  EXPECT_TRUE(Abort().ok());
  // Its coordinator is the broker that has not answered.
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0 t-1", "FindCoordinator transaction tid",
                                      "EndTxn abort 7/0", "InitProducerId 7/0"));
}

TEST_F(ExpiryTest, ARecordThatExpiresFailsTheCommitThatWaits) {
  Begin();
  SendInFlight();
  const auto commit = world.Call(Kind::kCommit);
  Expect(world.AwaitCall(commit), ErrorCode::kRequestTimedOut);
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ::testing::Contains("EndTxn abort 7/0"));
  EXPECT_THAT(requests(), ::testing::Not(::testing::Contains("EndTxn commit 7/0")));
}

TEST_F(ExpiryTest, AfterARecordHasExpiredThereIsAnotherEpoch) {
  Begin();
  SendInFlight();
  ASSERT_TRUE(AwaitState(kAbortableError));
  EXPECT_TRUE(Abort().ok());
  EXPECT_EQ(requests().back(), "InitProducerId 7/0");
}

TEST_F(ExpiryTest, BeforeKafka25ARecordThatMayBeInTheLogEndsTheProducer) {
  coordinator().raises_epochs = false;
  Begin();
  SendInFlight();
  ASSERT_TRUE(AwaitState(kAbortableError));
  Expect(Abort(), ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(state(), kFatalError);
}

// --- Errors of requests (SN-31, SN-32) ---

TEST_F(TransactionErrorsTest, ATopicThatMayNotBeWrittenCanBeAborted) {
  Begin();
  coordinator().partition_errors["t-1"] = ErrorCode::kTopicAuthorizationFailed;
  world.Append("t", 0, "a");
  world.Append("t", 1, "b");
  ASSERT_TRUE(AwaitState(kAbortableError));
  Expect(world.calls.error(), ErrorCode::kTopicAuthorizationFailed);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  // Nothing was added, so there is nothing to end.
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0 t-1"));
  EXPECT_TRUE(world.cluster.produces.empty());
}

TEST_F(TransactionErrorsTest, APartitionThatIsRefusedFailsTheCommitThatWaits) {
  Begin();
  coordinator().mute = {ApiKey::kAddPartitionsToTxn};
  coordinator().partition_errors["t-1"] = ErrorCode::kTopicAuthorizationFailed;
  world.Append("t", 0, "a");
  world.Append("t", 1, "b");
  const auto commit = world.Call(Kind::kCommit);
  ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 1; }));
  world.cluster.AnswerCoordinated();
  Expect(world.AwaitCall(commit), ErrorCode::kTopicAuthorizationFailed);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kTopicAuthorizationFailed, ErrorCode::kTopicAuthorizationFailed));
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0 t-1"));
  EXPECT_TRUE(world.cluster.produces.empty());
}

// A partition that is being added when something fails: t-0 is in the transaction, t-1 is asked for.
class PartitionOnItsWayTest : public TransactionErrorsTest {
 protected:
  void FailMeanwhile(ErrorCode code, TransactionState ends) {
    Begin();
    const std::size_t produce = SendInFlight("a");
    coordinator().mute = {ApiKey::kAddPartitionsToTxn};
    world.Append("t", 1, "b");
    ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 2; }));
    Answer(produce, code);
    ASSERT_TRUE(AwaitState(ends));
    world.cluster.AnswerCoordinated();
    coordinator().mute.clear();
    ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
    world.transport.WakeUp();
    world.Turns(1);
  }
};

// AC-21, SN-32
TEST_F(PartitionOnItsWayTest, AfterAnAbortableErrorNothingIsSentToIt) {
  FailMeanwhile(ErrorCode::kInvalidRecord, kAbortableError);
  EXPECT_EQ(world.cluster.produces.size(), 1u);
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kInvalidRecord, ErrorCode::kInvalidRecord));
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "AddPartitionsToTxn t-1", "EndTxn abort 7/0",
                                      "InitProducerId 7/0"));
}

// SN-32: two answers that are each the end of it.
TEST_F(TransactionErrorsTest, ThatItHasFailedForGoodIsSaidOnce) {
  Begin();
  const std::size_t first = SendInFlight("a");
  const std::size_t second = SendInFlight("b");
  Answer(first, ErrorCode::kProducerFenced);
  Answer(second, ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitState(kFatalError));
  world.Turns(3);
  EXPECT_EQ(world.log->Count("the producer has failed for good"), 1);
}

// AC-21, SN-32
TEST_F(PartitionOnItsWayTest, AfterAFatalErrorNothingIsSentToIt) {
  FailMeanwhile(ErrorCode::kProducerFenced, kFatalError);
  EXPECT_EQ(world.cluster.produces.size(), 1u);
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kProducerFenced, ErrorCode::kProducerFenced));
  EXPECT_EQ(state(), kFatalError);
}

// SN-34
TEST_F(TransactionErrorsTest, OffsetsThatWaitInATransactionThatFailedDoNotHoldUpAClose) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kTxnOffsetCommit].assign(500, ErrorCode::kCoordinatorLoadInProgress);
  const auto offsets = world.Call(Kind::kSendOffsets, Offsets());
  ASSERT_TRUE(world.RunUntil([&] { return coordinator().offsets.size() == 1; }));
  world.calls.SendFailed(wire::KafkaError(ErrorCode::kMessageTooLarge, "too large"));
  Expect(world.AwaitCall(offsets), ErrorCode::kMessageTooLarge);
  // Nobody could end it else: the sender asks nothing more in this state.
  ASSERT_TRUE(world.RunUntil([&] { return !world.transactions->IsBusy(); }));
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
  EXPECT_EQ(requests().back(), "EndTxn abort 7/0");
}

TEST_F(TransactionErrorsTest, AnAbortableErrorWhileAbortingDoesNotStopTheAbort) {
  Begin();
  const std::size_t produce = SendInFlight();
  const auto abort = world.Call(Kind::kAbort);
  Answer(produce, ErrorCode::kInvalidRecord);
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_EQ(state(), kReady);
}

TEST_F(TransactionErrorsTest, AnAbortThatItsCoordinatorRefusesIsDoneByANewSession) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kTransactionAbortable};
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0", "InitProducerId 7/0"));
}

// Else the next commit would be one of the records that were to be aborted.
TEST_F(TransactionErrorsTest, ANewSessionThatIsRefusedIsAskedForAgain) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kTransactionAbortable};
  coordinator().errors[ApiKey::kInitProducerId] = {ErrorCode::kTransactionalIdAuthorizationFailed};
  Expect(Abort(), ErrorCode::kTransactionalIdAuthorizationFailed);
  EXPECT_EQ(state(), kAbortableError);
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(),
              ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0", "InitProducerId 7/0", "InitProducerId 7/0"));
}

// A Send that was waiting for memory gets it from the commit itself. Its record belongs to the next transaction, also when the
// coordinator has to be asked for the end a second time.
TEST_F(TransactionErrorsTest, WhatComesWhileTheEndIsAskedForWaitsForTheNextTransaction) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kConcurrentTransactions};
  const auto commit = world.Call(Kind::kCommit);
  ASSERT_TRUE(world.RunUntil([&] { return requests().back() == "EndTxn commit 7/0"; }));
  world.Append("t", 1, "late");
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0", "EndTxn commit 7/0"));
  Begin();
  ASSERT_TRUE(world.RunUntil([&] { return !requests().empty(); }));
  EXPECT_EQ(requests().front(), "AddPartitionsToTxn t-1");
}

TEST_F(ExpiryTest, ARecordThatExpiresOutsideOfTransactionsSpoilsNone) {
  Begin();
  EXPECT_TRUE(Commit().ok());
  world.Append("t", 0, "late");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }, 2000));
  EXPECT_EQ(state(), kReady);
  Begin();
  EXPECT_TRUE(Commit().ok());
}

// 0.11 remembers one batch of a producer: what it refuses the second time it may have appended the first time.
TEST_F(TransactionErrorsTest, BeforeKafka25ARefusalAfterALostAnswerEndsTheProducer) {
  coordinator().raises_epochs = false;
  Begin();
  const std::size_t first = SendInFlight();
  Answer(first, ErrorCode::kNotLeaderOrFollower);
  world.AwaitProduce(first + 2);
  Answer(first + 1, ErrorCode::kOutOfOrderSequenceNumber);
  ASSERT_TRUE(AwaitState(kAbortableError));
  Expect(Abort(), ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(state(), kFatalError);
}

TEST_F(TransactionErrorsTest, AProducerIdThatItsCoordinatorHasForgottenIsAbortedByANewSession) {
  Begin();
  coordinator().errors[ApiKey::kAddPartitionsToTxn] = {ErrorCode::kInvalidProducerIdMapping};
  world.Append("t", 0, "a");
  ASSERT_TRUE(AwaitState(kAbortableError));
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "InitProducerId 7/0"));
}

TEST_F(TransactionErrorsTest, AnInitThatIsRefusedForItsRightsCanBeAbortedAndThenWorks) {
  coordinator().errors[ApiKey::kInitProducerId] = {ErrorCode::kTransactionalIdAuthorizationFailed};
  Expect(world.AwaitCall(world.Call(Kind::kInit)), ErrorCode::kTransactionalIdAuthorizationFailed);
  EXPECT_EQ(state(), kAbortableError);
  EXPECT_TRUE(Abort().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(0, 0));
}

// SN-28
TEST_F(TransactionErrorsTest, SoCanAnInitThatIsRefusedForRightsToTheCluster) {
  coordinator().errors[ApiKey::kInitProducerId] = {ErrorCode::kClusterAuthorizationFailed};
  Expect(world.AwaitCall(world.Call(Kind::kInit)), ErrorCode::kClusterAuthorizationFailed);
  EXPECT_EQ(state(), kAbortableError);
  EXPECT_TRUE(Abort().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(0, 0));
}

// NC-44, MD-33
TEST_F(TransactionErrorsTest, AnInitOfSomebodyWhomTheNodesRefuseFailsAtOnceAndWorksAfterAnAbort) {
  world.cluster.distrusting = {1, 2, 3};
  EXPECT_EQ(world.AwaitCall(world.Call(Kind::kInit)).code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(state(), kAbortableError);
  EXPECT_EQ(Abort().code(), absl::StatusCode::kUnauthenticated);
  world.cluster.distrusting.clear();
  EXPECT_TRUE(Abort().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(0, 0));
}

// NC-44
TEST_F(TransactionErrorsTest, ACoordinatorThatRefusesWhoWeAreIsAskedAgainOnceThereIsATransaction) {
  Begin();
  SendAcknowledged();
  coordinator().mute = {ApiKey::kEndTxn};
  const auto commit = world.Call(Kind::kCommit);
  ASSERT_TRUE(world.RunUntil([&] { return requests().back() == "EndTxn commit 7/0"; }));
  coordinator().mute.clear();
  world.cluster.distrusting = {1};
  world.cluster.Drop(1);
  EXPECT_FALSE(world.RunUntil([&] { return world.calls.IsDone(commit); }, 200));
  world.cluster.distrusting.clear();
  EXPECT_TRUE(world.AwaitCall(commit).ok());
}

TEST_F(TransactionErrorsTest, AGroupThatMayNotBeReadCanBeAborted) {
  Begin();
  coordinator().errors[ApiKey::kFindCoordinator] = {ErrorCode::kGroupAuthorizationFailed};
  Expect(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())), ErrorCode::kGroupAuthorizationFailed);
  EXPECT_EQ(state(), kAbortableError);
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddOffsetsToTxn g", "FindCoordinator group g", "EndTxn abort 7/0"));
}

TEST_F(TransactionErrorsTest, AGroupThatIsNotAddedLeavesNothingToEnd) {
  Begin();
  coordinator().errors[ApiKey::kAddOffsetsToTxn] = {ErrorCode::kGroupAuthorizationFailed};
  Expect(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())), ErrorCode::kGroupAuthorizationFailed);
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("AddOffsetsToTxn g"));
}

// What each request does with an error is a table (transaction_verdict_test.cc); these are the ways from the table to the state.
struct Failing {
  ApiKey api;
  ErrorCode code;
  TransactionState ends;
  ErrorCode told;
};

class FailingRequestTest : public TransactionErrorsTest, public ::testing::WithParamInterface<Failing> {};

TEST_P(FailingRequestTest, LeadsToItsState) {
  const Failing& failing = GetParam();
  if (failing.api == ApiKey::kInitProducerId || failing.api == ApiKey::kFindCoordinator) {
    coordinator().errors[failing.api] = {failing.code};
    Expect(world.AwaitCall(world.Call(Kind::kInit)), failing.told);
  } else {
    Begin();
    coordinator().errors[failing.api] = {failing.code};
    if (failing.api == ApiKey::kAddPartitionsToTxn) {
      world.Append("t", 0, "x");
    } else {
      SendAcknowledged();
    }
    if (failing.api == ApiKey::kEndTxn) {
      Expect(Commit(), failing.told);
    } else if (failing.api != ApiKey::kAddPartitionsToTxn) {
      Expect(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())), failing.told);
    }
  }
  ASSERT_TRUE(AwaitState(failing.ends));
  Expect(world.calls.error(), failing.told);
}

INSTANTIATE_TEST_SUITE_P(
    Transactions, FailingRequestTest,
    ::testing::Values(
        // KIP-1050
        Failing{ApiKey::kFindCoordinator, ErrorCode::kTransactionAbortable, kAbortableError,
                ErrorCode::kTransactionAbortable},
        Failing{ApiKey::kInitProducerId, ErrorCode::kTransactionAbortable, kAbortableError,
                ErrorCode::kTransactionAbortable},
        Failing{ApiKey::kAddPartitionsToTxn, ErrorCode::kTransactionAbortable, kAbortableError,
                ErrorCode::kTransactionAbortable},
        Failing{ApiKey::kAddOffsetsToTxn, ErrorCode::kTransactionAbortable, kAbortableError,
                ErrorCode::kTransactionAbortable},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kTransactionAbortable, kAbortableError,
                ErrorCode::kTransactionAbortable},
        Failing{ApiKey::kEndTxn, ErrorCode::kTransactionAbortable, kAbortableError, ErrorCode::kTransactionAbortable},
        // Fencing
        Failing{ApiKey::kInitProducerId, ErrorCode::kProducerFenced, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kInitProducerId, ErrorCode::kInvalidProducerEpoch, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kAddPartitionsToTxn, ErrorCode::kProducerFenced, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kAddPartitionsToTxn, ErrorCode::kInvalidProducerEpoch, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kAddOffsetsToTxn, ErrorCode::kProducerFenced, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kAddOffsetsToTxn, ErrorCode::kInvalidProducerEpoch, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kProducerFenced, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kInvalidProducerEpoch, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kEndTxn, ErrorCode::kProducerFenced, kFatalError, ErrorCode::kProducerFenced},
        Failing{ApiKey::kEndTxn, ErrorCode::kInvalidProducerEpoch, kFatalError, ErrorCode::kProducerFenced},
        // Rights, states and formats
        Failing{ApiKey::kFindCoordinator, ErrorCode::kTransactionalIdAuthorizationFailed, kFatalError,
                ErrorCode::kTransactionalIdAuthorizationFailed},
        Failing{ApiKey::kAddPartitionsToTxn, ErrorCode::kTransactionalIdAuthorizationFailed, kFatalError,
                ErrorCode::kTransactionalIdAuthorizationFailed},
        Failing{ApiKey::kAddOffsetsToTxn, ErrorCode::kTransactionalIdAuthorizationFailed, kFatalError,
                ErrorCode::kTransactionalIdAuthorizationFailed},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kTransactionalIdAuthorizationFailed, kFatalError,
                ErrorCode::kTransactionalIdAuthorizationFailed},
        Failing{ApiKey::kAddPartitionsToTxn, ErrorCode::kInvalidTxnState, kFatalError, ErrorCode::kInvalidTxnState},
        Failing{ApiKey::kAddOffsetsToTxn, ErrorCode::kInvalidTxnState, kFatalError, ErrorCode::kInvalidTxnState},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kUnsupportedForMessageFormat, kFatalError,
                ErrorCode::kUnsupportedForMessageFormat},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kGroupAuthorizationFailed, kAbortableError,
                ErrorCode::kGroupAuthorizationFailed},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kFencedInstanceId, kAbortableError, ErrorCode::kFencedInstanceId},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kUnknownMemberId, kAbortableError, ErrorCode::kUnknownMemberId},
        Failing{ApiKey::kTxnOffsetCommit, ErrorCode::kIllegalGeneration, kAbortableError,
                ErrorCode::kIllegalGeneration}));

struct FailingProduce {
  ErrorCode code;
  TransactionState ends;
};

class FailingProduceTest : public TransactionErrorsTest, public ::testing::WithParamInterface<FailingProduce> {};

TEST_P(FailingProduceTest, LeadsToItsState) {
  Begin();
  Answer(SendInFlight(), GetParam().code);
  ASSERT_TRUE(AwaitState(GetParam().ends));
  Expect(world.calls.error(), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(Transactions, FailingProduceTest,
                         ::testing::Values(FailingProduce{ErrorCode::kInvalidTxnState, kAbortableError},
                                           FailingProduce{ErrorCode::kTransactionAbortable, kAbortableError},
                                           FailingProduce{ErrorCode::kInvalidProducerEpoch, kAbortableError},
                                           FailingProduce{ErrorCode::kTopicAuthorizationFailed, kAbortableError},
                                           FailingProduce{ErrorCode::kProducerFenced, kFatalError},
                                           FailingProduce{ErrorCode::kClusterAuthorizationFailed, kFatalError},
                                           FailingProduce{ErrorCode::kTransactionalIdAuthorizationFailed,
                                                          kFatalError}));

TEST_F(TransactionErrorsTest, WhoIsFencedWithinTheTimeoutHasASuccessor) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kProducerFenced};
  const absl::Status status = Commit();
  Expect(status, ErrorCode::kProducerFenced);
  EXPECT_EQ(std::string(status.message()), "another producer has taken over transactional.id tid");
}

TEST_F(TransactionErrorsTest, WhoIsFencedAfterTheTimeoutMayHaveTakenTooLong) {
  Begin();
  SendAcknowledged();
  world.clock.Advance(seconds(60));
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kProducerFenced};
  const absl::Status status = Commit();
  Expect(status, ErrorCode::kProducerFenced);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("another producer has taken over transactional.id tid, or its coordinator has aborted the "
                        "transaction, which has lasted 60"));
}

TEST_F(TransactionErrorsTest, AnEpochThatALeaderRefusesTurnsOutToBeFencedAtTheAbort) {
  Begin();
  Answer(SendInFlight(), ErrorCode::kInvalidProducerEpoch);
  ASSERT_TRUE(AwaitState(kAbortableError));
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kProducerFenced};
  Expect(Abort(), ErrorCode::kProducerFenced);
  EXPECT_EQ(state(), kFatalError);
}

// SN-28
TEST_F(TransactionErrorsTest, AfterAFatalErrorEveryRecordAndCallFailsWithIt) {
  Begin();
  Answer(SendInFlight(), ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitState(kFatalError));
  Expect(world.calls.MaySend(), ErrorCode::kProducerFenced);
  Expect(world.calls.Begin(), ErrorCode::kProducerFenced);
  Expect(world.calls.Start(Kind::kAbort).status(), ErrorCode::kProducerFenced);
  world.Append("t", 0, "late");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_EQ(world.told[1].code, ErrorCode::kProducerFenced);
}

// SN-37
TEST_F(TransactionErrorsTest, AProducerThatHasFailedCanBeClosed) {
  Begin();
  Answer(SendInFlight(), ErrorCode::kProducerFenced);
  ASSERT_TRUE(AwaitState(kFatalError));
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
}

// SN-28
TEST_F(TransactionErrorsTest, BrokersBeforeTransactionsAreAnError) {
  coordinator().knows_transactions = false;
  Expect(world.AwaitCall(world.Call(Kind::kInit)), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(state(), kFatalError);
}

// SN-28
TEST_F(TransactionErrorsTest, OffsetsWithAMemberNeedBrokersThatKnowMembers) {
  coordinator().raises_epochs = false;  // As before 2.5, where TxnOffsetCommit 3 came, too.
  Begin();
  OffsetsOfGroup offsets = Offsets();
  offsets.group.member_id = "m";
  Expect(world.AwaitCall(world.Call(Kind::kSendOffsets, offsets)), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(state(), kFatalError);
}

// Whose record expires while its request is on the wire.
class ExpiryInFlightTest : public TransactionErrorsTest {
 protected:
  ExpiryInFlightTest() { slow.cluster.topics["t"] = {{1}}; }
  void ExpireInFlight() {
    ASSERT_TRUE(slow.AwaitCall(slow.Call(Kind::kInit)).ok());
    ASSERT_TRUE(slow.calls.Begin().ok());
    slow.Append("t", 0, "x");
    slow.AwaitProduce(1);
    ASSERT_TRUE(slow.RunUntil([&] { return slow.told.size() == 1; }));
  }

  SenderWorld slow{{.brokers = 1,
                    .sender = {.delivery_timeout = seconds(10)},
                    .accumulator = {.batch_size = 0, .linger = Duration::zero(), .delivery_timeout = seconds(10)},
                    .network = {.request_timeout = seconds(30)},
                    .transactional = true}};
};

// SN-14, SN-31
TEST_F(ExpiryInFlightTest, AnAnswerThatWouldBeFatalComesTooLateToBe) {
  ExpireInFlight();
  slow.cluster.Answer(slow.cluster.produces[0], ErrorCode::kProducerFenced);
  slow.Turns(1);
  EXPECT_EQ(slow.calls.state(), kAbortableError);
  EXPECT_THAT(slow.codes(), ElementsAre(ErrorCode::kRequestTimedOut));
  EXPECT_TRUE(slow.AwaitCall(slow.Call(Kind::kAbort)).ok());
}

// The request may still reach its broker, behind the marker: then its records would be part of the next transaction.
TEST_F(ExpiryInFlightTest, TheEndWaitsForRequestsWhoseRecordsHaveExpired) {
  ExpireInFlight();
  const auto abort = slow.Call(Kind::kAbort);
  slow.transport.WakeUp();
  slow.Turns(1);
  EXPECT_EQ(slow.cluster.coordinator->requests.back(), "AddPartitionsToTxn t-0");
  slow.cluster.Answer(slow.cluster.produces[0]);
  EXPECT_TRUE(slow.AwaitCall(abort).ok());
  EXPECT_THAT(slow.cluster.coordinator->requests, ::testing::Contains("EndTxn abort 7/0"));
}

}  // namespace
}  // namespace ktrial::testing
