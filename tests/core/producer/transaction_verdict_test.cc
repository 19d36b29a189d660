#include "core/producer/transaction_verdict.h"

#include "gtest/gtest.h"

namespace ktrial {
namespace {

using wire::ErrorCode;
using enum TransactionRequest;

constexpr TransactionRequest kAll[] = {kFindCoordinator, kInitProducerId, kAddPartitions,
                                       kAddOffsets,      kCommitOffsets,  kEnd};

TEST(TransactionVerdictTest, WhoeverIsFencedIsSoWhateverWasAsked) {
  for (const TransactionRequest request : kAll) {
    EXPECT_EQ(Judge(request, ErrorCode::kProducerFenced), TransactionVerdict::kFenced);
    EXPECT_EQ(Judge(request, ErrorCode::kInvalidProducerEpoch), TransactionVerdict::kFenced);
  }
}

// KIP-1050
TEST(TransactionVerdictTest, AbortableIsAbortableWhateverWasAsked) {
  for (const TransactionRequest request : kAll) {
    EXPECT_EQ(Judge(request, ErrorCode::kTransactionAbortable), TransactionVerdict::kAbortable);
  }
}

TEST(TransactionVerdictTest, WhoDoesNotCoordinateIsNotAskedAgain) {
  for (const TransactionRequest request : {kInitProducerId, kAddPartitions, kAddOffsets, kCommitOffsets, kEnd}) {
    EXPECT_EQ(Judge(request, ErrorCode::kNotCoordinator), TransactionVerdict::kLookUp);
    EXPECT_EQ(Judge(request, ErrorCode::kCoordinatorNotAvailable), TransactionVerdict::kLookUp);
  }
  EXPECT_EQ(Judge(kFindCoordinator, ErrorCode::kCoordinatorNotAvailable), TransactionVerdict::kRetry);
}

TEST(TransactionVerdictTest, WhoLoadsOrEndsATransactionIsAskedAgain) {
  for (const TransactionRequest request : kAll) {
    EXPECT_EQ(Judge(request, ErrorCode::kCoordinatorLoadInProgress), TransactionVerdict::kRetry);
    EXPECT_EQ(Judge(request, ErrorCode::kConcurrentTransactions), TransactionVerdict::kRetry);
  }
}

TEST(TransactionVerdictTest, AForgottenProducerIdNeedsANewSession) {
  for (const TransactionRequest request : {kAddPartitions, kAddOffsets, kEnd}) {
    EXPECT_EQ(Judge(request, ErrorCode::kInvalidProducerIdMapping), TransactionVerdict::kNewSession);
  }
  EXPECT_EQ(Judge(kCommitOffsets, ErrorCode::kInvalidProducerIdMapping), TransactionVerdict::kFatal);
}

TEST(TransactionVerdictTest, RightsToTheTransactionalIdMayComeLaterForInitAlone) {
  EXPECT_EQ(Judge(kInitProducerId, ErrorCode::kTransactionalIdAuthorizationFailed), TransactionVerdict::kAbortable);
  for (const TransactionRequest request : {kFindCoordinator, kAddPartitions, kAddOffsets, kCommitOffsets, kEnd}) {
    EXPECT_EQ(Judge(request, ErrorCode::kTransactionalIdAuthorizationFailed), TransactionVerdict::kFatal);
  }
}

TEST(TransactionVerdictTest, AStateThatDoesNotFitIsFatal) {
  for (const TransactionRequest request : kAll) {
    EXPECT_EQ(Judge(request, ErrorCode::kInvalidTxnState), TransactionVerdict::kFatal);
  }
}

TEST(TransactionVerdictTest, WhatNobodyExpectsIsFatalExceptAboutAPartition) {
  EXPECT_EQ(Judge(kEnd, ErrorCode::kUnknownServerError), TransactionVerdict::kFatal);
  EXPECT_EQ(Judge(kAddPartitions, ErrorCode::kUnknownServerError), TransactionVerdict::kAbortable);
}

// The group's coordinator may be another one by now.
TEST(TransactionVerdictTest, OffsetsThatTimeOutLookForTheirCoordinator) {
  EXPECT_EQ(Judge(kCommitOffsets, ErrorCode::kRequestTimedOut), TransactionVerdict::kLookUp);
}

}  // namespace
}  // namespace ktrial
