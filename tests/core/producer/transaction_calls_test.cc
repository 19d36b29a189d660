#include "core/producer/transaction_calls.h"

#include <string>
#include <vector>

#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {
namespace {

using Kind = TransactionCalls::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum TransactionState;

constexpr TransactionState kAll[] = {kUninitialized, kInitializing, kReady,          kInTransaction,
                                     kCommitting,    kAborting,     kAbortableError, kFatalError};

std::vector<TransactionState> After(TransactionState from) {
  std::vector<TransactionState> next;
  for (const TransactionState to : kAll) {
    if (CanMove(from, to)) next.push_back(to);
  }
  return next;
}

// SN-31: the whole table.
TEST(TransactionStateTest, EachStateLeadsToTheseAndNoOthers) {
  EXPECT_THAT(After(kUninitialized), ElementsAre(kInitializing, kFatalError));
  EXPECT_THAT(After(kInitializing), ElementsAre(kReady, kAbortableError, kFatalError));
  EXPECT_THAT(After(kReady), ElementsAre(kInTransaction, kFatalError));
  EXPECT_THAT(After(kInTransaction), ElementsAre(kCommitting, kAborting, kAbortableError, kFatalError));
  EXPECT_THAT(After(kCommitting), ElementsAre(kReady, kAbortableError, kFatalError));
  EXPECT_THAT(After(kAborting), ElementsAre(kInitializing, kReady, kFatalError));
  EXPECT_THAT(After(kAbortableError), ElementsAre(kAborting, kFatalError));
  EXPECT_THAT(After(kFatalError), ElementsAre());
}

class TransactionCallsTest : public ::testing::Test {
 protected:
  absl::Status Look(const TransactionCalls::CallRef& call) { return calls.Await(call, Instant()); }
  TransactionCalls::CallRef Start(Kind kind, OffsetsOfGroup offsets = {}) {
    const auto call = calls.Start(kind, std::move(offsets));
    EXPECT_TRUE(call.ok()) << call.status();
    return *call;
  }
  void Ready() {
    const auto init = Start(Kind::kInit);
    calls.Finish(kReady);
    ASSERT_TRUE(Look(init).ok());
  }
  void InTransaction() {
    Ready();
    ASSERT_TRUE(calls.Begin().ok());
  }
  static OffsetsOfGroup Offsets(std::int64_t offset) {
    return {.offsets = {{.topic = "t", .partition = PartitionIndex(0), .offset = Offset(offset)}},
            .group = {.group_id = "g"}};
  }

  NoThreads threads;
  TransactionCalls calls{threads};
};

// --- What does not fit the state changes nothing (SN-31) ---

TEST_F(TransactionCallsTest, BeforeInitNothingElseIsTaken) {
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Begin()));
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.MaySend()));
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kCommit).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kAbort).status()));
  EXPECT_EQ(calls.state(), kUninitialized);
}

TEST_F(TransactionCallsTest, InitIsCalledOnce) {
  Ready();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kInit).status()));
  EXPECT_EQ(calls.state(), kReady);
}

TEST_F(TransactionCallsTest, OutsideOfATransactionNoRecordIsTaken) {
  Ready();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.MaySend()));
  EXPECT_THAT(std::string(calls.MaySend().message()), HasSubstr("the producer is ready"));
}

TEST_F(TransactionCallsTest, OutsideOfATransactionNoOffsetsAreTaken) {
  Ready();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kSendOffsets, Offsets(1)).status()));
  EXPECT_EQ(calls.state(), kReady);
}

TEST_F(TransactionCallsTest, ATransactionIsNotBegunTwice) {
  InTransaction();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Begin()));
  EXPECT_TRUE(calls.MaySend().ok());
}

TEST_F(TransactionCallsTest, WhileItEndsNoRecordIsTaken) {
  InTransaction();
  Start(Kind::kCommit);
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.MaySend()));
}

TEST_F(TransactionCallsTest, EachTransactionHasANumberOfItsOwn) {
  InTransaction();
  const std::uint64_t first = calls.transaction();
  const auto commit = Start(Kind::kCommit);
  calls.Finish(kReady);
  ASSERT_TRUE(Look(commit).ok());
  ASSERT_TRUE(calls.Begin().ok());
  EXPECT_NE(calls.transaction(), first);
}

// --- Calls whose time ran out (SN-33) ---

TEST_F(TransactionCallsTest, ACallThatTakesTooLongGoesOn) {
  const auto init = Start(Kind::kInit);
  const absl::Status timed_out = Look(init);
  EXPECT_EQ(wire::KafkaCode(timed_out), wire::ErrorCode::kRequestTimedOut);
  EXPECT_THAT(std::string(timed_out.message()), HasSubstr("InitTransactions has not ended within max.block.ms"));
  EXPECT_EQ(calls.state(), kInitializing);
}

TEST_F(TransactionCallsTest, TheSameCallAgainWaitsForTheSameEnd) {
  Look(Start(Kind::kInit)).IgnoreError();
  const auto again = Start(Kind::kInit);
  calls.Finish(kReady);
  EXPECT_TRUE(Look(again).ok());
}

TEST_F(TransactionCallsTest, TheSameCallAgainGetsTheEndThatCameMeanwhile) {
  InTransaction();
  Look(Start(Kind::kCommit)).IgnoreError();
  calls.Finish(kReady);
  EXPECT_TRUE(Look(Start(Kind::kCommit)).ok());
  EXPECT_TRUE(calls.Begin().ok());
}

TEST_F(TransactionCallsTest, AnAbortThatTookTooLongCanBeRepeated) {
  InTransaction();
  Look(Start(Kind::kAbort)).IgnoreError();
  calls.Finish(kReady);
  EXPECT_TRUE(Look(Start(Kind::kAbort)).ok());
}

TEST_F(TransactionCallsTest, NoOtherCallIsTakenUntilItIsRepeated) {
  InTransaction();
  Look(Start(Kind::kCommit)).IgnoreError();
  const absl::Status abort = calls.Start(Kind::kAbort).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(abort));
  EXPECT_THAT(std::string(abort.message()), HasSubstr("CommitTransaction is not over"));
  EXPECT_EQ(calls.state(), kCommitting);
}

TEST_F(TransactionCallsTest, NoCommitIsTakenUntilAnAbortIsRepeated) {
  InTransaction();
  Look(Start(Kind::kAbort)).IgnoreError();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kCommit).status()));
}

TEST_F(TransactionCallsTest, EvenAfterItHasEndedNoOtherCallIsTakenUntilItIsRepeated) {
  InTransaction();
  Look(Start(Kind::kCommit)).IgnoreError();
  calls.Finish(kReady);
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Begin()));
}

TEST_F(TransactionCallsTest, OtherOffsetsAreAnotherCall) {
  InTransaction();
  Look(Start(Kind::kSendOffsets, Offsets(1))).IgnoreError();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kSendOffsets, Offsets(2)).status()));
  const auto again = Start(Kind::kSendOffsets, Offsets(1));
  calls.OffsetsDone();
  EXPECT_TRUE(Look(again).ok());
}

TEST_F(TransactionCallsTest, OffsetsThatTookTooLongDoNotStandInTheWayOfAnAbort) {
  InTransaction();
  Look(Start(Kind::kSendOffsets, Offsets(1))).IgnoreError();
  const auto abort = Start(Kind::kAbort);
  EXPECT_EQ(calls.state(), kAborting);
  EXPECT_EQ(calls.TakeOffsets(), std::nullopt);
  calls.Finish(kReady);
  EXPECT_TRUE(Look(abort).ok());
  EXPECT_TRUE(calls.Begin().ok());
}

TEST_F(TransactionCallsTest, OffsetsThatTookTooLongAndFailedDoNotStandInTheWayOfAnAbort) {
  InTransaction();
  Look(Start(Kind::kSendOffsets, Offsets(1))).IgnoreError();
  calls.FailAbortable(wire::KafkaError(wire::ErrorCode::kFencedInstanceId));
  EXPECT_EQ(wire::KafkaCode(calls.Start(Kind::kCommit).status()), wire::ErrorCode::kFencedInstanceId);
  Start(Kind::kAbort);
  EXPECT_EQ(calls.state(), kAborting);
}

TEST_F(TransactionCallsTest, ACommitIsNotOverWithTheOffsetsThatTookTooLong) {
  InTransaction();
  Look(Start(Kind::kSendOffsets, Offsets(1))).IgnoreError();
  const auto commit = Start(Kind::kCommit);
  EXPECT_EQ(calls.TakeOffsets(), Offsets(1));
  calls.OffsetsDone();
  EXPECT_FALSE(calls.IsDone(commit));
  calls.Finish(kReady);
  EXPECT_TRUE(Look(commit).ok());
}

TEST_F(TransactionCallsTest, OffsetsForWhichAThreadWaitsStandInTheWayOfTheEnd) {
  InTransaction();
  const auto waited_for = Start(Kind::kSendOffsets, Offsets(1));
  Look(Start(Kind::kSendOffsets, Offsets(1))).IgnoreError();
  const absl::Status abort = calls.Start(Kind::kAbort).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(abort));
  EXPECT_THAT(std::string(abort.message()), HasSubstr("SendOffsetsToTransaction is not over"));
  calls.OffsetsDone();
  EXPECT_TRUE(Look(waited_for).ok());
}

TEST_F(TransactionCallsTest, OffsetsAreTakenOnce) {
  InTransaction();
  Start(Kind::kSendOffsets, Offsets(1));
  EXPECT_EQ(calls.TakeOffsets(), Offsets(1));
  EXPECT_EQ(calls.TakeOffsets(), std::nullopt);
}

// --- Errors ---

TEST_F(TransactionCallsTest, AnAbortableErrorIsLeftByAbort) {
  InTransaction();
  calls.FailAbortable(wire::KafkaError(wire::ErrorCode::kInvalidRecord));
  const auto abort = Start(Kind::kAbort);
  calls.Finish(kReady);
  EXPECT_TRUE(Look(abort).ok());
  EXPECT_TRUE(calls.Begin().ok());
}

TEST_F(TransactionCallsTest, TheFirstAbortableErrorIsTheOneThatIsTold) {
  InTransaction();
  calls.FailAbortable(wire::KafkaError(wire::ErrorCode::kInvalidRecord));
  calls.FailAbortable(wire::KafkaError(wire::ErrorCode::kRequestTimedOut));
  EXPECT_EQ(wire::KafkaCode(calls.MaySend()), wire::ErrorCode::kInvalidRecord);
}

TEST_F(TransactionCallsTest, ASendThatFailsSpoilsTheTransaction) {
  InTransaction();
  calls.SendFailed(wire::KafkaError(wire::ErrorCode::kMessageTooLarge));
  EXPECT_EQ(wire::KafkaCode(calls.Start(Kind::kCommit).status()), wire::ErrorCode::kMessageTooLarge);
}

TEST_F(TransactionCallsTest, ASendThatFailsOutsideOfATransactionSpoilsNothing) {
  Ready();
  calls.SendFailed(wire::KafkaError(wire::ErrorCode::kMessageTooLarge));
  EXPECT_EQ(calls.state(), kReady);
}

TEST_F(TransactionCallsTest, AFatalErrorIsFinal) {
  InTransaction();
  calls.FailForGood(wire::KafkaError(wire::ErrorCode::kProducerFenced));
  EXPECT_EQ(wire::KafkaCode(calls.Start(Kind::kAbort).status()), wire::ErrorCode::kProducerFenced);
  EXPECT_FALSE(calls.StartAbort());
}

// PR-18
TEST_F(TransactionCallsTest, AfterCloseNoCallIsTaken) {
  Ready();
  calls.Close();
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Begin()));
  EXPECT_TRUE(absl::IsFailedPrecondition(calls.Start(Kind::kInit).status()));
}

TEST_F(TransactionCallsTest, CloseEndsTheCallThatWaits) {
  const auto init = Start(Kind::kInit);
  calls.Close();
  EXPECT_TRUE(absl::IsCancelled(Look(init)));
}

using TransactionCallsDeathTest = TransactionCallsTest;

// SN-31: on the sender thread a way that the table does not have is a defect.
TEST_F(TransactionCallsDeathTest, AMoveThatTheTableDoesNotHaveIsADefect) {
  EXPECT_DEATH(calls.Finish(kReady), "CanMove");
}

}  // namespace
}  // namespace ktrial::testing
