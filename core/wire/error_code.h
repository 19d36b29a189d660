// Kafka's error codes: what a broker puts into an error_code field (WP-23).
//
// The codes are numbers on the wire and names in logs, scenarios and reports; both are Kafka's own. What a code means
// for a retry is one of two flags here; what the producer does about it is the sender's business.
#ifndef CORE_WIRE_ERROR_CODE_H_
#define CORE_WIRE_ERROR_CODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ktrial::wire {

// clang-format off
enum class ErrorCode : std::int16_t {
  kUnknownServerError = -1,
  kNone = 0,
  kOffsetOutOfRange = 1,
  kCorruptMessage = 2,
  kUnknownTopicOrPartition = 3,
  kInvalidFetchSize = 4,
  kLeaderNotAvailable = 5,
  kNotLeaderOrFollower = 6,
  kRequestTimedOut = 7,
  kBrokerNotAvailable = 8,
  kReplicaNotAvailable = 9,
  kMessageTooLarge = 10,
  kStaleControllerEpoch = 11,
  kOffsetMetadataTooLarge = 12,
  kNetworkException = 13,
  kCoordinatorLoadInProgress = 14,
  kCoordinatorNotAvailable = 15,
  kNotCoordinator = 16,
  kInvalidTopicException = 17,
  kRecordListTooLarge = 18,
  kNotEnoughReplicas = 19,
  kNotEnoughReplicasAfterAppend = 20,
  kInvalidRequiredAcks = 21,
  kIllegalGeneration = 22,
  kInconsistentGroupProtocol = 23,
  kInvalidGroupId = 24,
  kUnknownMemberId = 25,
  kInvalidSessionTimeout = 26,
  kRebalanceInProgress = 27,
  kInvalidCommitOffsetSize = 28,
  kTopicAuthorizationFailed = 29,
  kGroupAuthorizationFailed = 30,
  kClusterAuthorizationFailed = 31,
  kInvalidTimestamp = 32,
  kUnsupportedSaslMechanism = 33,
  kIllegalSaslState = 34,
  kUnsupportedVersion = 35,
  kTopicAlreadyExists = 36,
  kInvalidPartitions = 37,
  kInvalidReplicationFactor = 38,
  kInvalidReplicaAssignment = 39,
  kInvalidConfig = 40,
  kNotController = 41,
  kInvalidRequest = 42,
  kUnsupportedForMessageFormat = 43,
  kPolicyViolation = 44,
  kOutOfOrderSequenceNumber = 45,
  kDuplicateSequenceNumber = 46,
  kInvalidProducerEpoch = 47,
  kInvalidTxnState = 48,
  kInvalidProducerIdMapping = 49,
  kInvalidTransactionTimeout = 50,
  kConcurrentTransactions = 51,
  kTransactionCoordinatorFenced = 52,
  kTransactionalIdAuthorizationFailed = 53,
  kSecurityDisabled = 54,
  kOperationNotAttempted = 55,
  kKafkaStorageError = 56,
  kLogDirNotFound = 57,
  kSaslAuthenticationFailed = 58,
  kUnknownProducerId = 59,
  kReassignmentInProgress = 60,
  kDelegationTokenAuthDisabled = 61,
  kDelegationTokenNotFound = 62,
  kDelegationTokenOwnerMismatch = 63,
  kDelegationTokenRequestNotAllowed = 64,
  kDelegationTokenAuthorizationFailed = 65,
  kDelegationTokenExpired = 66,
  kInvalidPrincipalType = 67,
  kNonEmptyGroup = 68,
  kGroupIdNotFound = 69,
  kFetchSessionIdNotFound = 70,
  kInvalidFetchSessionEpoch = 71,
  kListenerNotFound = 72,
  kTopicDeletionDisabled = 73,
  kFencedLeaderEpoch = 74,
  kUnknownLeaderEpoch = 75,
  kUnsupportedCompressionType = 76,
  kStaleBrokerEpoch = 77,
  kOffsetNotAvailable = 78,
  kMemberIdRequired = 79,
  kPreferredLeaderNotAvailable = 80,
  kGroupMaxSizeReached = 81,
  kFencedInstanceId = 82,
  kEligibleLeadersNotAvailable = 83,
  kElectionNotNeeded = 84,
  kNoReassignmentInProgress = 85,
  kGroupSubscribedToTopic = 86,
  kInvalidRecord = 87,
  kUnstableOffsetCommit = 88,
  kThrottlingQuotaExceeded = 89,
  kProducerFenced = 90,
  kResourceNotFound = 91,
  kDuplicateResource = 92,
  kUnacceptableCredential = 93,
  kInconsistentVoterSet = 94,
  kInvalidUpdateVersion = 95,
  kFeatureUpdateFailed = 96,
  kPrincipalDeserializationFailure = 97,
  kSnapshotNotFound = 98,
  kPositionOutOfRange = 99,
  kUnknownTopicId = 100,
  kDuplicateBrokerRegistration = 101,
  kBrokerIdNotRegistered = 102,
  kInconsistentTopicId = 103,
  kInconsistentClusterId = 104,
  kTransactionalIdNotFound = 105,
  kFetchSessionTopicIdError = 106,
  kIneligibleReplica = 107,
  kNewLeaderElected = 108,
  kOffsetMovedToTieredStorage = 109,
  kFencedMemberEpoch = 110,
  kUnreleasedInstanceId = 111,
  kUnsupportedAssignor = 112,
  kStaleMemberEpoch = 113,
  kMismatchedEndpointType = 114,
  kUnsupportedEndpointType = 115,
  kUnknownControllerId = 116,
  kUnknownSubscriptionId = 117,
  kTelemetryTooLarge = 118,
  kInvalidRegistration = 119,
  kTransactionAbortable = 120,
  kInvalidRecordState = 121,
  kShareSessionNotFound = 122,
  kInvalidShareSessionEpoch = 123,
  kFencedStateEpoch = 124,
  kInvalidVoterKey = 125,
  kDuplicateVoter = 126,
  kVoterNotFound = 127,
  kInvalidRegularExpression = 128,
  kRebootstrapRequired = 129,
  kStreamsInvalidTopology = 130,
  kStreamsInvalidTopologyEpoch = 131,
  kStreamsTopologyFenced = 132,
  kShareSessionLimitReached = 133,
  kGroupDeletionFailed = 134,
  kStreamsTopologyDescriptionUpdateFailed = 135,
  kControllerIdNotRegistered = 136,
};
// clang-format on
inline constexpr ErrorCode kFirstErrorCode = ErrorCode::kUnknownServerError;
inline constexpr ErrorCode kLastErrorCode = ErrorCode::kControllerIdNotRegistered;

// The code of a number from the wire. Numbers that we do not know become kUnknownServerError, which is final.
ErrorCode ErrorCodeFromWire(std::int16_t number);

// "NOT_LEADER_OR_FOLLOWER"; "UNKNOWN_SERVER_ERROR" for a value outside the enumeration.
std::string_view ErrorCodeName(ErrorCode code);
std::optional<ErrorCode> ErrorCodeFromName(std::string_view name);

// The same request may succeed later (R and RM of WP-23).
bool IsRetriable(ErrorCode code);
// Retriable, and a sign that our metadata is old (RM): ask for a refresh.
bool IsInvalidMetadata(ErrorCode code);

// One short sentence, without a full stop, for people. Never empty.
std::string_view DefaultMessage(ErrorCode code);

}  // namespace ktrial::wire

#endif  // CORE_WIRE_ERROR_CODE_H_
