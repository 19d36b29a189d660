// What a transactional producer asks, when, and in which order, with brokers that the test plays by hand.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/core/producer/transaction_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::ApiKey;
using wire::BatchProducer;
using wire::ErrorCode;
using enum TransactionState;

BatchProducer Numbered(std::int16_t epoch, std::int32_t base) {
  return {.id = ProducerId(7), .epoch = ProducerEpoch(epoch), .base_sequence = Sequence(base), .transactional = true};
}

// --- The way of a transaction (SN-31, SN-32) ---

TEST_F(TransactionTest, InitFindsTheCoordinatorAndGetsAnId) {
  Init();
  EXPECT_THAT(requests(), ElementsAre("FindCoordinator transaction tid", "InitProducerId -1/-1"));
  EXPECT_EQ(state(), kReady);
}

// SN-21
TEST_F(TransactionTest, InitWaitsWhileMetadataTakeTheOnlyPlaceOnTheWire) {
  SenderWorld narrow({.brokers = 1, .network = {.max_in_flight = 1}, .transactional = true});
  narrow.cluster.holds_metadata = true;
  const auto init = narrow.Call(Kind::kInit);
  ASSERT_TRUE(narrow.RunUntil([&] { return narrow.cluster.metadata_requests.size() == 1; }));
  for (int turn = 0; turn < 5; ++turn) TurnOnce(narrow);
  EXPECT_THAT(narrow.cluster.coordinator->requests, IsEmpty());
  narrow.cluster.ReleaseMetadata();
  EXPECT_TRUE(narrow.AwaitCall(init).ok());
  EXPECT_THAT(narrow.cluster.coordinator->requests,
              ElementsAre("FindCoordinator transaction tid", "InitProducerId -1/-1"));
}

// SN-02: after a look-up that is answered there is the next request to send, and nothing to wait for.
TEST_F(TransactionTest, InitTakesNoTimeWhereBrokersAnswerAtOnce) {
  const Instant start = world.clock.Now();
  Init();
  EXPECT_EQ(world.clock.Now(), start);
}

// SN-02
TEST_F(TransactionTest, TheLoopDoesNotSpinWhileARequestIsOnItsWay) {
  Begin();
  coordinator().mute = {ApiKey::kAddPartitionsToTxn};
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return !requests().empty(); }));
  TurnOnce(world);
  const Instant start = world.clock.Now();
  world.Turns(1);
  EXPECT_GT(world.clock.Now() - start, seconds(10));  // Until the request times out.
}

// NC-43
TEST_F(TransactionTest, InitWaitsForACoordinatorThatThrottles) {
  SenderWorld single({.brokers = 1, .transactional = true});
  single.cluster.topics["t"] = {{1}};
  // Else the node that is asked is one of bootstrap, which is throttled alone.
  single.metadata.Add("t", single.clock.Now());
  ASSERT_TRUE(single.RunUntil([&] { return single.metadata.Fetch()->FindTopic("t") != nullptr; }));
  FakeCoordinator& throttling = *single.cluster.coordinator;
  throttling.find_throttle = milliseconds(5000);
  EXPECT_TRUE(single.AwaitCall(single.Call(Kind::kInit)).ok());
  ASSERT_THAT(throttling.requests, ElementsAre("FindCoordinator transaction tid", "InitProducerId -1/-1"));
  EXPECT_EQ(throttling.times[1] - throttling.times[0], milliseconds(5000));
}

TEST_F(TransactionTest, PartitionsAreAddedThenWrittenThenEnded) {
  Begin();
  SendAcknowledged();
  EXPECT_TRUE(Commit().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0"));
  EXPECT_EQ(state(), kReady);
}

// WP-15
TEST_F(TransactionTest, BatchesAndRequestsAreMarkedAsTransactional) {
  Begin();
  const std::size_t produce = SendInFlight();
  EXPECT_EQ(world.cluster.produces[produce].transactional_id, "tid");
  EXPECT_EQ(SentAs(produce), Numbered(0, 0));
}

// SN-38
TEST_F(TransactionTest, WithoutVersion2ProduceStaysBelow12) {
  Begin();
  EXPECT_EQ(world.cluster.produces[SendInFlight()].version, 11);
}

// AC-21
TEST_F(TransactionTest, NothingIsSentToAPartitionThatIsNotAdded) {
  coordinator().mute = {ApiKey::kAddPartitionsToTxn};
  Begin();
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return !requests().empty(); }));
  TurnOnce(world);
  EXPECT_THAT(world.cluster.produces, IsEmpty());
  world.cluster.AnswerCoordinated();
  world.AwaitProduce(1);
}

TEST_F(TransactionTest, APartitionIsAddedOnceInATransaction) {
  Begin();
  SendAcknowledged("a");
  SendAcknowledged("b");
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0"));
}

TEST_F(TransactionTest, PartitionsThatComeTogetherAreAddedTogether) {
  Begin();
  world.Append("t", 1, "b");
  world.Append("t", 0, "a");
  world.AwaitProduce(1);
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0 t-1"));
}

TEST_F(TransactionTest, TheNextTransactionAddsThePartitionAgain) {
  Begin();
  SendAcknowledged();
  ASSERT_TRUE(Commit().ok());
  Begin();
  SendAcknowledged();
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0"));
}

TEST_F(TransactionTest, TheNextTransactionGoesOnWithTheNumbersOfTheOneBefore) {
  Begin();
  SendAcknowledged();
  ASSERT_TRUE(Commit().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(0, 1));
}

TEST_F(TransactionTest, ATransactionWithoutRecordsEndsWithoutAnyRequest) {
  Begin();
  EXPECT_TRUE(Commit().ok());
  Begin();
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(TransactionTest, TheEndWaitsForTheAnswersOfAllRecords) {
  Begin();
  const std::size_t produce = SendInFlight();
  const auto commit = world.Call(Kind::kCommit);
  TurnOnce(world);
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0"));
  Answer(produce);
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0"));
}

TEST_F(TransactionTest, ACommitSendsARecordWhosePartitionIsNotAddedYet) {
  Begin();
  world.Append("t", 0, "x");
  const auto commit = world.Call(Kind::kCommit);
  world.cluster.Answer(world.AwaitProduce(1));
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0"));
}

// A record that a thread sends while another commits.
TEST_F(TransactionTest, ARecordBehindTheEndBelongsToTheNextTransaction) {
  CommitWithARecordBehindTheEnd();
  EXPECT_TRUE(Commit().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0"));
}

// SN-27: it is no part of the transaction whose end is decided.
TEST_F(TransactionTest, ARecordBehindTheEndThatExpiresDoesNotFailTheCommit) {
  Begin();
  SendAcknowledged("first");
  coordinator().errors[ApiKey::kEndTxn].assign(500, ErrorCode::kCoordinatorLoadInProgress);
  const auto commit = world.Call(Kind::kCommit);
  ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 2; }));
  world.Append("t", 0, "second");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }, 2000));
  EXPECT_EQ(world.told[1].code, ErrorCode::kRequestTimedOut);
  EXPECT_EQ(state(), kCommitting);
  coordinator().errors.clear();
  EXPECT_TRUE(world.AwaitCall(commit).ok());
}

class LingeringTransactionTest : public TransactionTest {
 protected:
  LingeringTransactionTest() : TransactionTest({.batch_size = 16384, .linger = seconds(50)}) {}
};

// AC-08
TEST_F(LingeringTransactionTest, ACommitDoesNotLinger) {
  Begin();
  const Instant start = world.clock.Now();
  world.Append("t", 0, "x");
  const auto commit = world.Call(Kind::kCommit);
  world.cluster.Answer(world.AwaitProduce(1));
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_LT(world.clock.Now() - start, seconds(1));
}

// SN-10, AC-29
TEST_F(LingeringTransactionTest, ABatchThatIsTooLargeIsSplitWithinItsTransaction) {
  Begin();
  world.Append("t", 0, "a");
  world.Append("t", 0, "b");
  const auto commit = world.Call(Kind::kCommit);
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kMessageTooLarge);
  world.cluster.Answer(world.AwaitProduce(2));
  world.cluster.Answer(world.AwaitProduce(3));
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_EQ(SentAs(1), Numbered(0, 0));
  EXPECT_EQ(SentAs(2), Numbered(0, 1));
  EXPECT_THAT(world.told_values(), ElementsAre("a", "b"));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kNone, ErrorCode::kNone));
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0"));
}

// AC-35
TEST_F(LingeringTransactionTest, AnAbortDropsWhatWasNotSent) {
  Begin();
  world.Append("t", 0, "x");
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(world.cluster.produces, IsEmpty());
  ASSERT_EQ(world.told.size(), 1u);
  EXPECT_EQ(world.told[0].message, "the transaction of the record was aborted");
}

// --- Aborts ---

TEST_F(TransactionTest, AnAbortWaitsForWhatIsInFlight) {
  Begin();
  const std::size_t produce = SendInFlight();
  const auto abort = world.Call(Kind::kAbort);
  TurnOnce(world);
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0"));
  Answer(produce);
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0"));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kNone));
}

TEST_F(TransactionTest, AnAbortDoesNotSendAgainWhatBrokersRefuse) {
  Begin();
  const std::size_t produce = SendInFlight();
  const auto abort = world.Call(Kind::kAbort);
  Answer(produce, ErrorCode::kNotEnoughReplicas);
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_EQ(world.cluster.produces.size(), 1u);
}

// Before Kafka 2.5 no other epoch can be had, so the number must be settled.
TEST_F(TransactionTest, WithoutEpochsToRaiseAnAbortSendsAgainWhatMayBeInTheLog) {
  coordinator().raises_epochs = false;
  Begin();
  const std::size_t produce = SendInFlight();
  const auto abort = world.Call(Kind::kAbort);
  Answer(produce, ErrorCode::kNotEnoughReplicas);
  world.cluster.Answer(world.AwaitProduce(2));
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0"));
}

TEST_F(TransactionTest, AnAbortDropsPartitionsThatWereNotAskedFor) {
  Begin();
  world.Append("t", 0, "x");
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(world.cluster.produces, IsEmpty());
}

// --- A transaction that its coordinator may have begun ---

// By what the coordinator was asked to add.
class PerhapsBegunTest : public TransactionTest, public ::testing::WithParamInterface<ApiKey> {
 protected:
  // The request has arrived; the call of offsets, if it is that, ran out of time.
  void Ask() {
    Begin();
    if (GetParam() == ApiKey::kAddPartitionsToTxn) {
      world.Append("t", 0, "x");
      ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 1; }));
      return;
    }
    const auto call = world.Call(Kind::kSendOffsets, Offsets());
    ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 1; }));
    Expect(world.calls.Await(call, Instant()), ErrorCode::kRequestTimedOut);
  }
  void LoseTheAnswer() {
    coordinator().mute = {GetParam()};
    Ask();
    coordinator().mute.clear();
    world.cluster.Drop(1);
  }
  std::string asked() const {
    return GetParam() == ApiKey::kAddOffsetsToTxn ? "AddOffsetsToTxn g" : "AddPartitionsToTxn t-0";
  }
};

// Another epoch: the request may be on its way still, and would begin the transaction again.
TEST_P(PerhapsBegunTest, AnAbortEndsWhatALostRequestMayHaveBegun) {
  LoseTheAnswer();
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(),
              ElementsAre(asked(), "FindCoordinator transaction tid", "EndTxn abort 7/0", "InitProducerId 7/0"));
}

TEST_P(PerhapsBegunTest, AnAbortThatFindsNothingBegunSucceeds) {
  LoseTheAnswer();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kInvalidTxnState};
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(),
              ElementsAre(asked(), "FindCoordinator transaction tid", "EndTxn abort 7/0", "InitProducerId 7/0"));
}

TEST_P(PerhapsBegunTest, WithoutEpochsToRaiseAnAbortThatFindsNothingBegunSucceeds) {
  coordinator().raises_epochs = false;
  LoseTheAnswer();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kInvalidTxnState};
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre(asked(), "FindCoordinator transaction tid", "EndTxn abort 7/0"));
  EXPECT_EQ(state(), kReady);
}

// What has not been replicated to all may stand in the log of the coordinator's successor.
TEST_P(PerhapsBegunTest, AnAbortEndsWhatACoordinatorThatFailedMayHaveBegun) {
  coordinator().errors[GetParam()] = {ErrorCode::kCoordinatorNotAvailable};
  Ask();
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(),
              ElementsAre(asked(), "FindCoordinator transaction tid", "EndTxn abort 7/0", "InitProducerId 7/0"));
}

TEST_P(PerhapsBegunTest, ARefusalDoesNotSettleWhatBecameOfALostRequest) {
  const bool offsets = GetParam() == ApiKey::kAddOffsetsToTxn;
  coordinator().errors[GetParam()] = {ErrorCode::kCoordinatorNotAvailable, offsets
                                                                               ? ErrorCode::kGroupAuthorizationFailed
                                                                               : ErrorCode::kTopicAuthorizationFailed};
  Ask();
  ASSERT_TRUE(AwaitState(kAbortableError));
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre(asked(), "FindCoordinator transaction tid", asked(), "EndTxn abort 7/0",
                                      "InitProducerId 7/0"));
}

// It would be the end of the one before.
TEST_P(PerhapsBegunTest, AnAbortHasNothingToEndThatTheOneBeforeHasHeldUp) {
  coordinator().errors[GetParam()] = {ErrorCode::kConcurrentTransactions};
  Ask();
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre(asked()));
}

TEST_P(PerhapsBegunTest, ACommitGoesOnWithTheAnswerToALaterRequest) {
  LoseTheAnswer();
  const auto commit = world.Call(Kind::kCommit);
  if (GetParam() == ApiKey::kAddPartitionsToTxn) world.cluster.Answer(world.AwaitProduce(1));
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_EQ(requests().back(), "EndTxn commit 7/0");
  EXPECT_EQ(std::ranges::count(requests(), asked()), 2);
}

INSTANTIATE_TEST_SUITE_P(Requests, PerhapsBegunTest,
                         ::testing::Values(ApiKey::kAddPartitionsToTxn, ApiKey::kAddOffsetsToTxn));

// --- Version 2 (SN-38, KIP-890) ---

class Version2Test : public TransactionTest {
 protected:
  Version2Test() { coordinator().version_2 = true; }
};

TEST_F(Version2Test, LeadersAddPartitionsThemselves) {
  Begin();
  SendAcknowledged();
  EXPECT_TRUE(Commit().ok());
  EXPECT_THAT(requests(), ElementsAre("EndTxn commit 7/0"));
  EXPECT_EQ(world.cluster.produces[0].version, 12);
}

TEST_F(Version2Test, EveryEndGivesAnotherEpochAndNumbersFromZero) {
  Begin();
  SendAcknowledged();
  ASSERT_TRUE(Commit().ok());
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(1, 0));
}

// Its leader would add it to a transaction that is ending, in an epoch that is over.
TEST_F(Version2Test, ARecordBehindTheEndBelongsToTheNextTransaction) {
  CommitWithARecordBehindTheEnd();
  EXPECT_EQ(SentAs(1), Numbered(1, 0));
  EXPECT_TRUE(Commit().ok());
}

TEST_F(Version2Test, TheGroupIsAddedByItsCoordinator) {
  Begin();
  EXPECT_TRUE(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())).ok());
  EXPECT_THAT(requests(), ElementsAre("FindCoordinator group g", "TxnOffsetCommit g in-0@5"));
  EXPECT_EQ(coordinator().versions.back(), 5);
}

// SN-32. Kafka's own client waits retry.backoff.ms here.
TEST_F(Version2Test, ABatchIsSentAgainSoonWhileTheTransactionBeforeEnds) {
  Begin();
  const std::size_t first = SendInFlight();
  const Instant refused = world.clock.Now();
  Answer(first, ErrorCode::kConcurrentTransactions);
  world.AwaitProduce(2);
  EXPECT_EQ(world.clock.Now() - refused, milliseconds(20));
  Answer(1, ErrorCode::kConcurrentTransactions);
  world.AwaitProduce(3);
  EXPECT_EQ(world.clock.Now() - refused, milliseconds(20 + 40));
}

TEST_F(Version2Test, OffsetsAreSentAgainSoonWhileTheTransactionBeforeEnds) {
  Begin();
  coordinator().errors[ApiKey::kTxnOffsetCommit] = {ErrorCode::kConcurrentTransactions};
  EXPECT_TRUE(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())).ok());
  const std::vector<Instant>& times = coordinator().times;
  EXPECT_EQ(times[times.size() - 1] - times[times.size() - 2], milliseconds(20));
}

TEST_F(Version2Test, ABatchThatFailsNeedsNoOtherRequestThanTheAbort) {
  Begin();
  Answer(SendInFlight(), ErrorCode::kInvalidRecord);
  ASSERT_TRUE(AwaitState(kAbortableError));
  EXPECT_TRUE(Abort().ok());
  EXPECT_THAT(requests(), ElementsAre("EndTxn abort 7/0"));
  Begin();
  EXPECT_EQ(SentAs(SendInFlight()), Numbered(1, 0));
}

// The coordinator has nothing of this transaction, and the one before still gets its markers.
TEST_F(Version2Test, AnAbortThatComesTooEarlyIsDoneByANewSession) {
  Begin();
  const std::size_t produce = SendInFlight();
  const auto abort = world.Call(Kind::kAbort);
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kInvalidTxnState};
  coordinator().errors[ApiKey::kInitProducerId] = {ErrorCode::kConcurrentTransactions};
  Answer(produce, ErrorCode::kConcurrentTransactions);
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_THAT(requests(), ElementsAre("EndTxn abort 7/0", "InitProducerId 7/0", "InitProducerId 7/0"));
}

TEST_F(Version2Test, AClusterThatTurnsToItDoesSoWithTheNextTransaction) {
  coordinator().version_2 = false;
  Begin();
  SendAcknowledged();
  ASSERT_TRUE(Commit().ok());
  coordinator().version_2 = true;
  world.cluster.Drop(1);
  world.Turns(1);
  Begin();
  SendAcknowledged();  // Under the rules that are known when it begins.
  ASSERT_TRUE(Commit().ok());
  Begin();
  SendAcknowledged();
  ASSERT_TRUE(Commit().ok());
  EXPECT_THAT(requests(), ElementsAre("EndTxn commit 7/0"));
}

// --- Offsets ---

TEST_F(TransactionTest, OffsetsGoToTheCoordinatorOfTheirGroup) {
  Begin();
  coordinator().broker = 2;
  EXPECT_TRUE(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())).ok());
  EXPECT_TRUE(Commit().ok());
  EXPECT_THAT(requests(), ElementsAre("AddOffsetsToTxn g", "FindCoordinator group g", "TxnOffsetCommit g in-0@5",
                                      "EndTxn commit 7/0"));
  EXPECT_EQ(coordinator().brokers.at(coordinator().brokers.size() - 2), 2);
  EXPECT_EQ(coordinator().brokers.back(), 1);
}

TEST_F(TransactionTest, OffsetsNameTheMemberThatCommitsThem) {
  Begin();
  OffsetsOfGroup offsets = Offsets();
  offsets.group.generation_id = 3;
  offsets.group.member_id = "m";
  offsets.group.group_instance_id = "i";
  ASSERT_TRUE(world.AwaitCall(world.Call(Kind::kSendOffsets, offsets)).ok());
  const wire::TxnOffsetCommitRequest& sent = coordinator().offsets.at(0);
  EXPECT_EQ(sent.generation_id, 3);
  EXPECT_EQ(sent.member_id, "m");
  EXPECT_EQ(sent.group_instance_id, "i");
}

TEST_F(TransactionTest, OffsetsThatAreNotTakenYetAreSentAgainAlone) {
  Begin();
  coordinator().partition_errors["in-1"] = ErrorCode::kUnknownTopicOrPartition;
  const auto call =
      world.Call(Kind::kSendOffsets, Offsets({{.topic = "in", .offset = Offset(5)},
                                              {.topic = "in", .partition = PartitionIndex(1), .offset = Offset(6)}}));
  ASSERT_TRUE(world.RunUntil([&] { return coordinator().offsets.size() == 1; }));
  coordinator().partition_errors.clear();
  EXPECT_TRUE(world.AwaitCall(call).ok());
  EXPECT_THAT(requests(), ElementsAre("AddOffsetsToTxn g", "FindCoordinator group g", "TxnOffsetCommit g in-0@5 in-1@6",
                                      "TxnOffsetCommit g in-1@6"));
}

// --- Whether a commit may have come ---

class CommitTest : public TransactionTest {
 protected:
  // The answer to the first request to commit is lost.
  TransactionCalls::CallRef CommitWithoutAnAnswer() {
    Begin();
    SendAcknowledged();
    coordinator().mute = {ApiKey::kEndTxn};
    const auto commit = world.Call(Kind::kCommit);
    EXPECT_FALSE(world.calls.MayBeCommitted());
    EXPECT_TRUE(world.RunUntil([&] { return requests().back() == "EndTxn commit 7/0"; }));
    coordinator().mute.clear();
    world.cluster.Drop(1);
    return commit;
  }
};

TEST_F(CommitTest, ALostAnswerLeavesItOpen) {
  const auto commit = CommitWithoutAnAnswer();
  EXPECT_TRUE(world.calls.MayBeCommitted());
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_FALSE(world.calls.MayBeCommitted());
}

TEST_F(CommitTest, ARefusalIsAnAnswer) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kProducerFenced};
  Expect(Commit(), ErrorCode::kProducerFenced);
  EXPECT_FALSE(world.calls.MayBeCommitted());
}

TEST_F(CommitTest, ARefusalAfterALostAnswerLeavesItOpen) {
  const auto commit = CommitWithoutAnAnswer();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kProducerFenced};
  Expect(world.AwaitCall(commit), ErrorCode::kProducerFenced);
  EXPECT_TRUE(world.calls.MayBeCommitted());
}

// Else an abort would say of what is committed that it is not.
TEST_F(CommitTest, ANewSessionAfterALostAnswerIsNotOffered) {
  const auto commit = CommitWithoutAnAnswer();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kInvalidProducerIdMapping};
  const absl::Status status = world.AwaitCall(commit);
  Expect(status, ErrorCode::kInvalidProducerIdMapping);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("whether the transaction was committed is not known"));
  EXPECT_EQ(state(), kFatalError);
  EXPECT_TRUE(world.calls.MayBeCommitted());
}

TEST_F(CommitTest, AnAbortIsNoCommit) {
  Begin();
  SendAcknowledged();
  coordinator().mute = {ApiKey::kEndTxn};
  world.Call(Kind::kAbort);
  ASSERT_TRUE(world.RunUntil([&] { return requests().back() == "EndTxn abort 7/0"; }));
  EXPECT_FALSE(world.calls.MayBeCommitted());
}

// --- Offsets whose call ran out of time (SN-33) ---

class LateOffsetsTest : public TransactionTest {
 protected:
  // They have arrived where `api` is asked.
  void SendLate(ApiKey api) {
    Begin();
    coordinator().mute = {api};
    const auto call = world.Call(Kind::kSendOffsets, Offsets());
    ASSERT_TRUE(world.RunUntil([&] { return requests().size() == (api == ApiKey::kTxnOffsetCommit ? 3u : 1u); }));
    Expect(world.calls.Await(call, Instant()), ErrorCode::kRequestTimedOut);
    coordinator().mute.clear();
  }
};

TEST_F(LateOffsetsTest, ACommitIncludesThem) {
  SendLate(ApiKey::kAddOffsetsToTxn);
  const auto commit = world.Call(Kind::kCommit);
  world.cluster.AnswerCoordinated();
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_THAT(requests(), ElementsAre("AddOffsetsToTxn g", "FindCoordinator group g", "TxnOffsetCommit g in-0@5",
                                      "EndTxn commit 7/0"));
}

TEST_F(LateOffsetsTest, ACommitFailsIfTheyDo) {
  coordinator().errors[ApiKey::kTxnOffsetCommit] = {ErrorCode::kFencedInstanceId};
  SendLate(ApiKey::kTxnOffsetCommit);
  const auto commit = world.Call(Kind::kCommit);
  world.cluster.AnswerCoordinated();
  Expect(world.AwaitCall(commit), ErrorCode::kFencedInstanceId);
  EXPECT_EQ(state(), kAbortableError);
}

TEST_F(LateOffsetsTest, AnAbortDropsThem) {
  SendLate(ApiKey::kAddOffsetsToTxn);
  const auto abort = world.Call(Kind::kAbort);
  world.cluster.AnswerCoordinated();
  EXPECT_TRUE(world.AwaitCall(abort).ok());
  EXPECT_THAT(requests(), ElementsAre("AddOffsetsToTxn g", "EndTxn abort 7/0"));
}

TEST_F(TransactionTest, OffsetsAreSentAgainWhileTheirCoordinatorLoads) {
  Begin();
  coordinator().errors[ApiKey::kTxnOffsetCommit] = {ErrorCode::kCoordinatorLoadInProgress};
  EXPECT_TRUE(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())).ok());
  EXPECT_EQ(coordinator().offsets.size(), 2u);
}

// --- Coordinators that move, load and fail ---

TEST_F(TransactionTest, ACoordinatorThatHasMovedIsLookedForAgain) {
  coordinator().errors[ApiKey::kInitProducerId] = {ErrorCode::kNotCoordinator};
  Init();
  EXPECT_THAT(requests(), ElementsAre("FindCoordinator transaction tid", "InitProducerId -1/-1",
                                      "FindCoordinator transaction tid", "InitProducerId -1/-1"));
}

TEST_F(TransactionTest, WithoutACoordinatorItIsLookedForAgainAfterABackoff) {
  coordinator().errors[ApiKey::kFindCoordinator] = {ErrorCode::kCoordinatorNotAvailable,
                                                    ErrorCode::kCoordinatorNotAvailable};
  Init();
  EXPECT_EQ(coordinator().times[1] - coordinator().times[0], milliseconds(100));
  EXPECT_EQ(coordinator().times[2] - coordinator().times[1], milliseconds(200));
}

TEST_F(TransactionTest, AnInitIsAskedAgainWhileTheCoordinatorLoads) {
  coordinator().errors[ApiKey::kInitProducerId] = {ErrorCode::kCoordinatorLoadInProgress};
  Init();
  ASSERT_EQ(coordinator().times.size(), 3u);
  EXPECT_EQ(coordinator().times[2] - coordinator().times[1], milliseconds(100));
}

TEST_F(TransactionTest, ALostConnectionLooksForTheCoordinatorAgain) {
  Begin();
  SendAcknowledged();
  coordinator().mute = {ApiKey::kEndTxn};
  const auto commit = world.Call(Kind::kCommit);
  ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 2; }));
  coordinator().mute.clear();
  coordinator().broker = 2;
  world.cluster.Drop(1);
  EXPECT_TRUE(world.AwaitCall(commit).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0", "FindCoordinator transaction tid",
                                      "EndTxn commit 7/0"));
  EXPECT_EQ(coordinator().brokers.back(), 2);
}

TEST_F(TransactionTest, ACoordinatorThatCannotBeReachedIsLookedForAgain) {
  coordinator().broker = 3;
  world.cluster.refusing = {3};
  const auto init = world.Call(Kind::kInit);
  ASSERT_TRUE(world.RunUntil([&] { return requests().size() == 2; }));
  coordinator().broker = 2;
  EXPECT_TRUE(world.AwaitCall(init).ok());
}

TEST_F(TransactionTest, AnEndIsAskedAgainWhileTheMarkersAreWritten) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kEndTxn] = {ErrorCode::kConcurrentTransactions};
  EXPECT_TRUE(Commit().ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0", "EndTxn commit 7/0"));
}

TEST_F(TransactionTest, TheFirstPartitionIsAskedAgainSoonWhileTheTransactionBeforeEnds) {
  Begin();
  coordinator().errors[ApiKey::kAddPartitionsToTxn] = {ErrorCode::kConcurrentTransactions};
  SendInFlight();
  const std::vector<Instant>& times = coordinator().times;
  EXPECT_EQ(times[times.size() - 1] - times[times.size() - 2], milliseconds(20));
}

TEST_F(TransactionTest, TheFirstGroupIsAskedAgainSoonWhileTheTransactionBeforeEnds) {
  Begin();
  coordinator().errors[ApiKey::kAddOffsetsToTxn] = {ErrorCode::kConcurrentTransactions};
  EXPECT_TRUE(world.AwaitCall(world.Call(Kind::kSendOffsets, Offsets())).ok());
  ASSERT_EQ(requests()[1], "AddOffsetsToTxn g");
  const std::vector<Instant>& times = coordinator().times;
  const std::size_t group = times.size() - requests().size();
  EXPECT_EQ(times[group + 1] - times[group], milliseconds(20));
}

TEST_F(TransactionTest, ALaterPartitionIsAskedAgainAfterTheBackoff) {
  Begin();
  SendAcknowledged();
  coordinator().errors[ApiKey::kAddPartitionsToTxn] = {ErrorCode::kConcurrentTransactions};
  world.Append("t", 1, "y");
  world.AwaitProduce(2);
  const std::vector<Instant>& times = coordinator().times;
  EXPECT_EQ(times[times.size() - 1] - times[times.size() - 2], milliseconds(100));
}

TEST_F(TransactionTest, APartitionThatLoadsIsAskedAgainAfterTheBackoff) {
  Begin();
  coordinator().errors[ApiKey::kAddPartitionsToTxn] = {ErrorCode::kCoordinatorLoadInProgress};
  SendInFlight();
  const std::vector<Instant>& times = coordinator().times;
  EXPECT_EQ(times[times.size() - 1] - times[times.size() - 2], milliseconds(100));
}

TEST_F(TransactionTest, APartitionThatIsNotKnownYetIsAskedForAgain) {
  Begin();
  coordinator().errors[ApiKey::kAddPartitionsToTxn] = {ErrorCode::kUnknownTopicOrPartition};
  SendInFlight();
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "AddPartitionsToTxn t-0"));
}

// --- The end of the producer (SN-34, SN-35) ---

TEST_F(TransactionTest, ACloseAbortsWhatIsOpen) {
  Begin();
  SendAcknowledged();
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn abort 7/0"));
}

TEST_F(TransactionTest, ACloseLetsACommitEnd) {
  Begin();
  SendAcknowledged();
  const auto commit = world.Call(Kind::kCommit);
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
  EXPECT_TRUE(world.calls.Await(commit, Instant()).ok());
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0", "EndTxn commit 7/0"));
}

// A record that came too late for its transaction has none to come, so nobody waits for it.
TEST_F(TransactionTest, ACloseEndsARecordThatNoTransactionWillTake) {
  Begin();
  SendAcknowledged("first");
  ASSERT_TRUE(Commit().ok());
  world.Append("t", 0, "late");
  const Instant start = world.clock.Now();
  world.accumulator.Close();
  world.sender.StartClose();
  EXPECT_TRUE(world.sender.Run());
  EXPECT_LT(world.clock.Now() - start, seconds(1));
  ASSERT_EQ(world.told.size(), 2u);
  EXPECT_EQ(world.told[1].message, "the producer was closed before a transaction could take the record");
}

TEST_F(TransactionTest, AForcedCloseCancelsTheCallThatWaits) {
  coordinator().mute = {ApiKey::kInitProducerId};
  const auto init = world.Call(Kind::kInit);
  world.Turns(5);
  world.accumulator.Close();
  world.sender.ForceClose();
  world.sender.Run();
  EXPECT_TRUE(absl::IsCancelled(world.calls.Await(init, Instant())));
}

TEST_F(TransactionTest, AForcedCloseLeavesTheTransactionToItsTimeout) {
  Begin();
  SendAcknowledged();
  world.accumulator.Close();
  world.sender.ForceClose();
  world.sender.Run();
  EXPECT_THAT(requests(), ElementsAre("AddPartitionsToTxn t-0"));
}

}  // namespace
}  // namespace ktrial::testing
