#include "core/producer/transaction_verdict.h"

#include "core/producer/disposition.h"

namespace ktrial {

namespace {

using wire::ErrorCode;
using enum TransactionRequest;

// Errors that leave the producer as it is, and make the transaction impossible.
bool IsAbortable(TransactionRequest request, ErrorCode code) {
  switch (code) {
    case ErrorCode::kTransactionAbortable:
      return true;
    // The right may be granted later.
    case ErrorCode::kTransactionalIdAuthorizationFailed:
    case ErrorCode::kClusterAuthorizationFailed:
      return request == kInitProducerId;
    case ErrorCode::kGroupAuthorizationFailed:
      return request == kFindCoordinator || request == kAddOffsets || request == kCommitOffsets;
    // This member of the group is not one any more; that is no matter of the producer.
    case ErrorCode::kFencedInstanceId:
    case ErrorCode::kUnknownMemberId:
    case ErrorCode::kIllegalGeneration:
    case ErrorCode::kStaleMemberEpoch:
      return request == kCommitOffsets;
    case ErrorCode::kTopicAuthorizationFailed:
      return request == kAddPartitions || request == kCommitOffsets;
    case ErrorCode::kUnknownProducerId:
      return request == kAddPartitions || request == kAddOffsets || request == kEnd;
    case ErrorCode::kInvalidTxnState:
    case ErrorCode::kUnsupportedVersion:
      return false;
    // What else is wrong with one of the partitions is wrong with no other one.
    default:
      return request == kAddPartitions;
  }
}

}  // namespace

TransactionVerdict Judge(TransactionRequest request, ErrorCode code) {
  switch (code) {
    case ErrorCode::kNone:
      return TransactionVerdict::kDone;
    case ErrorCode::kNotCoordinator:
    case ErrorCode::kCoordinatorNotAvailable:
      return request == kFindCoordinator ? TransactionVerdict::kRetry : TransactionVerdict::kLookUp;
    case ErrorCode::kRequestTimedOut:
      return request == kCommitOffsets ? TransactionVerdict::kLookUp : TransactionVerdict::kRetry;
    case ErrorCode::kInvalidProducerEpoch:
    case ErrorCode::kProducerFenced:
      return TransactionVerdict::kFenced;
    case ErrorCode::kInvalidProducerIdMapping:
      return request == kAddPartitions || request == kAddOffsets || request == kEnd ? TransactionVerdict::kNewSession
                                                                                    : TransactionVerdict::kFatal;
    default:
      break;
  }
  if (Classify(code) == Disposition::kRetry) return TransactionVerdict::kRetry;
  return IsAbortable(request, code) ? TransactionVerdict::kAbortable : TransactionVerdict::kFatal;
}

}  // namespace ktrial
