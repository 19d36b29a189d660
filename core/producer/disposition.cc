#include "core/producer/disposition.h"

#include "core/check.h"

namespace ktrial {

// clang-format off
Disposition Classify(wire::ErrorCode code) {
  using enum wire::ErrorCode;
  switch (code) {
    case kNone:
      return Disposition::kDone;
    case kDuplicateSequenceNumber:
      return Disposition::kDoneElsewhere;
    case kMessageTooLarge:
      return Disposition::kSplit;

    // The retriable ones. NETWORK_EXCEPTION and REQUEST_TIMED_OUT are also what a lost connection and a late answer
    // become here (SN-05).
    case kCorruptMessage: case kUnknownTopicOrPartition: case kLeaderNotAvailable: case kNotLeaderOrFollower:
    case kRequestTimedOut: case kReplicaNotAvailable: case kNetworkException: case kCoordinatorLoadInProgress:
    case kCoordinatorNotAvailable: case kNotCoordinator: case kNotEnoughReplicas: case kNotEnoughReplicasAfterAppend:
    case kNotController: case kConcurrentTransactions: case kKafkaStorageError: case kFetchSessionIdNotFound:
    case kInvalidFetchSessionEpoch: case kListenerNotFound: case kFencedLeaderEpoch: case kUnknownLeaderEpoch:
    case kOffsetNotAvailable: case kPreferredLeaderNotAvailable: case kEligibleLeadersNotAvailable:
    case kElectionNotNeeded: case kUnstableOffsetCommit: case kThrottlingQuotaExceeded: case kUnknownTopicId:
    case kInconsistentTopicId: case kFetchSessionTopicIdError: case kShareSessionNotFound:
    case kInvalidShareSessionEpoch: case kShareSessionLimitReached:
      return Disposition::kRetry;

    // A producer without idempotence has no more to do about these than to report them; most are never about a batch.
    case kUnknownServerError: case kOffsetOutOfRange: case kInvalidFetchSize: case kBrokerNotAvailable:
    case kStaleControllerEpoch: case kOffsetMetadataTooLarge: case kInvalidTopicException: case kRecordListTooLarge:
    case kInvalidRequiredAcks: case kIllegalGeneration: case kInconsistentGroupProtocol: case kInvalidGroupId:
    case kUnknownMemberId: case kInvalidSessionTimeout: case kRebalanceInProgress: case kInvalidCommitOffsetSize:
    case kTopicAuthorizationFailed: case kGroupAuthorizationFailed: case kClusterAuthorizationFailed:
    case kInvalidTimestamp: case kUnsupportedSaslMechanism: case kIllegalSaslState: case kUnsupportedVersion:
    case kTopicAlreadyExists: case kInvalidPartitions: case kInvalidReplicationFactor: case kInvalidReplicaAssignment:
    case kInvalidConfig: case kInvalidRequest: case kUnsupportedForMessageFormat: case kPolicyViolation:
    case kOutOfOrderSequenceNumber: case kInvalidProducerEpoch: case kInvalidTxnState: case kInvalidProducerIdMapping:
    case kInvalidTransactionTimeout: case kTransactionCoordinatorFenced: case kTransactionalIdAuthorizationFailed:
    case kSecurityDisabled: case kOperationNotAttempted: case kLogDirNotFound: case kSaslAuthenticationFailed:
    case kUnknownProducerId: case kReassignmentInProgress: case kDelegationTokenAuthDisabled:
    case kDelegationTokenNotFound: case kDelegationTokenOwnerMismatch: case kDelegationTokenRequestNotAllowed:
    case kDelegationTokenAuthorizationFailed: case kDelegationTokenExpired: case kInvalidPrincipalType:
    case kNonEmptyGroup: case kGroupIdNotFound: case kTopicDeletionDisabled: case kUnsupportedCompressionType:
    case kStaleBrokerEpoch: case kMemberIdRequired: case kGroupMaxSizeReached: case kFencedInstanceId:
    case kNoReassignmentInProgress: case kGroupSubscribedToTopic: case kInvalidRecord: case kProducerFenced:
    case kResourceNotFound: case kDuplicateResource: case kUnacceptableCredential: case kInconsistentVoterSet:
    case kInvalidUpdateVersion: case kFeatureUpdateFailed: case kPrincipalDeserializationFailure:
    case kSnapshotNotFound: case kPositionOutOfRange: case kDuplicateBrokerRegistration: case kBrokerIdNotRegistered:
    case kInconsistentClusterId: case kTransactionalIdNotFound: case kIneligibleReplica: case kNewLeaderElected:
    case kOffsetMovedToTieredStorage: case kFencedMemberEpoch: case kUnreleasedInstanceId: case kUnsupportedAssignor:
    case kStaleMemberEpoch: case kMismatchedEndpointType: case kUnsupportedEndpointType: case kUnknownControllerId:
    case kUnknownSubscriptionId: case kTelemetryTooLarge: case kInvalidRegistration: case kTransactionAbortable:
    case kInvalidRecordState: case kFencedStateEpoch: case kInvalidVoterKey: case kDuplicateVoter:
    case kVoterNotFound: case kInvalidRegularExpression: case kRebootstrapRequired: case kStreamsInvalidTopology:
    case kStreamsInvalidTopologyEpoch: case kStreamsTopologyFenced: case kGroupDeletionFailed:
    case kStreamsTopologyDescriptionUpdateFailed: case kControllerIdNotRegistered:
      return Disposition::kFail;
  }
  // Codes from the wire are those of the enumeration (wire::ErrorCodeFromWire).
  CheckFailed("known error code", __FILE__, __LINE__);
}
// clang-format on

bool MayHaveBeenAppended(wire::ErrorCode code) {
  return code == wire::ErrorCode::kUnknownServerError || Classify(code) == Disposition::kRetry;
}

bool CarriesLeaderHint(wire::ErrorCode code) {
  return code == wire::ErrorCode::kNotLeaderOrFollower || code == wire::ErrorCode::kFencedLeaderEpoch;
}

}  // namespace ktrial
