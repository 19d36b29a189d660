#include "core/wire/error_code.h"

#include <cstddef>
#include <iterator>

namespace ktrial::wire {
namespace {

enum class Kind : std::uint8_t { kFinal, kRetriable, kMetadata };
using enum Kind;

struct Entry {
  ErrorCode code;
  std::string_view name;
  Kind kind;
  std::string_view message;
};

// clang-format off
constexpr Entry kEntries[] = {
    {ErrorCode::kUnknownServerError, "UNKNOWN_SERVER_ERROR", kFinal, "the broker met an error that has no code of its own"},
    {ErrorCode::kNone, "NONE", kFinal, "no error"},
    {ErrorCode::kOffsetOutOfRange, "OFFSET_OUT_OF_RANGE", kFinal, "the offset is outside the log"},
    {ErrorCode::kCorruptMessage, "CORRUPT_MESSAGE", kRetriable, "a record or batch is damaged: checksum, size or layout"},
    {ErrorCode::kUnknownTopicOrPartition, "UNKNOWN_TOPIC_OR_PARTITION", kMetadata, "the broker does not host this topic or partition"},
    {ErrorCode::kInvalidFetchSize, "INVALID_FETCH_SIZE", kFinal, "the fetch size is not allowed"},
    {ErrorCode::kLeaderNotAvailable, "LEADER_NOT_AVAILABLE", kMetadata, "the partition has no leader at the moment"},
    {ErrorCode::kNotLeaderOrFollower, "NOT_LEADER_OR_FOLLOWER", kMetadata, "this broker does not lead the partition"},
    {ErrorCode::kRequestTimedOut, "REQUEST_TIMED_OUT", kRetriable, "the request took longer than its timeout"},
    {ErrorCode::kBrokerNotAvailable, "BROKER_NOT_AVAILABLE", kFinal, "the broker is not available"},
    {ErrorCode::kReplicaNotAvailable, "REPLICA_NOT_AVAILABLE", kMetadata, "the replica is not available"},
    {ErrorCode::kMessageTooLarge, "MESSAGE_TOO_LARGE", kFinal, "the batch is larger than the broker allows"},
    {ErrorCode::kStaleControllerEpoch, "STALE_CONTROLLER_EPOCH", kFinal, "the controller epoch is old"},
    {ErrorCode::kOffsetMetadataTooLarge, "OFFSET_METADATA_TOO_LARGE", kFinal, "the metadata of the committed offset is too large"},
    {ErrorCode::kNetworkException, "NETWORK_EXCEPTION", kMetadata, "the connection ended before the answer came"},
    {ErrorCode::kCoordinatorLoadInProgress, "COORDINATOR_LOAD_IN_PROGRESS", kRetriable, "the coordinator is still loading"},
    {ErrorCode::kCoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE", kRetriable, "there is no coordinator at the moment"},
    {ErrorCode::kNotCoordinator, "NOT_COORDINATOR", kRetriable, "this broker is not the coordinator"},
    {ErrorCode::kInvalidTopicException, "INVALID_TOPIC_EXCEPTION", kFinal, "the topic name is not allowed"},
    {ErrorCode::kRecordListTooLarge, "RECORD_LIST_TOO_LARGE", kFinal, "the batch is larger than a log segment"},
    {ErrorCode::kNotEnoughReplicas, "NOT_ENOUGH_REPLICAS", kRetriable, "fewer replicas are in sync than the topic demands; nothing was appended"},
    {ErrorCode::kNotEnoughReplicasAfterAppend, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", kRetriable, "appended, but too few replicas are in sync"},
    {ErrorCode::kInvalidRequiredAcks, "INVALID_REQUIRED_ACKS", kFinal, "acks must be 0, 1 or -1"},
    {ErrorCode::kIllegalGeneration, "ILLEGAL_GENERATION", kFinal, "the group generation is old"},
    {ErrorCode::kInconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL", kFinal, "the group protocols do not match"},
    {ErrorCode::kInvalidGroupId, "INVALID_GROUP_ID", kFinal, "the group id is not allowed"},
    {ErrorCode::kUnknownMemberId, "UNKNOWN_MEMBER_ID", kFinal, "the group does not know this member"},
    {ErrorCode::kInvalidSessionTimeout, "INVALID_SESSION_TIMEOUT", kFinal, "the session timeout is outside the allowed range"},
    {ErrorCode::kRebalanceInProgress, "REBALANCE_IN_PROGRESS", kFinal, "the group is rebalancing"},
    {ErrorCode::kInvalidCommitOffsetSize, "INVALID_COMMIT_OFFSET_SIZE", kFinal, "the offsets to commit are too large"},
    {ErrorCode::kTopicAuthorizationFailed, "TOPIC_AUTHORIZATION_FAILED", kFinal, "not authorized for the topic"},
    {ErrorCode::kGroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", kFinal, "not authorized for the group"},
    {ErrorCode::kClusterAuthorizationFailed, "CLUSTER_AUTHORIZATION_FAILED", kFinal, "not authorized for the cluster"},
    {ErrorCode::kInvalidTimestamp, "INVALID_TIMESTAMP", kFinal, "a record's timestamp is outside the allowed range"},
    {ErrorCode::kUnsupportedSaslMechanism, "UNSUPPORTED_SASL_MECHANISM", kFinal, "the SASL mechanism is not supported"},
    {ErrorCode::kIllegalSaslState, "ILLEGAL_SASL_STATE", kFinal, "this SASL request is not expected now"},
    {ErrorCode::kUnsupportedVersion, "UNSUPPORTED_VERSION", kFinal, "the version of the request is not supported"},
    {ErrorCode::kTopicAlreadyExists, "TOPIC_ALREADY_EXISTS", kFinal, "the topic exists already"},
    {ErrorCode::kInvalidPartitions, "INVALID_PARTITIONS", kFinal, "the number of partitions is not valid"},
    {ErrorCode::kInvalidReplicationFactor, "INVALID_REPLICATION_FACTOR", kFinal, "the replication factor is not valid"},
    {ErrorCode::kInvalidReplicaAssignment, "INVALID_REPLICA_ASSIGNMENT", kFinal, "the assignment of replicas is not valid"},
    {ErrorCode::kInvalidConfig, "INVALID_CONFIG", kFinal, "a configuration value is not valid"},
    {ErrorCode::kNotController, "NOT_CONTROLLER", kRetriable, "this broker is not the controller"},
    {ErrorCode::kInvalidRequest, "INVALID_REQUEST", kFinal, "the request is not valid"},
    {ErrorCode::kUnsupportedForMessageFormat, "UNSUPPORTED_FOR_MESSAGE_FORMAT", kFinal, "the message format of the topic does not support this"},
    {ErrorCode::kPolicyViolation, "POLICY_VIOLATION", kFinal, "a policy of the broker forbids this"},
    {ErrorCode::kOutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER", kFinal, "a sequence number came out of order"},
    {ErrorCode::kDuplicateSequenceNumber, "DUPLICATE_SEQUENCE_NUMBER", kFinal, "the sequence number was seen before"},
    {ErrorCode::kInvalidProducerEpoch, "INVALID_PRODUCER_EPOCH", kFinal, "a newer producer epoch exists"},
    {ErrorCode::kInvalidTxnState, "INVALID_TXN_STATE", kFinal, "the transaction is in another state"},
    {ErrorCode::kInvalidProducerIdMapping, "INVALID_PRODUCER_ID_MAPPING", kFinal, "the producer id does not belong to this transactional id"},
    {ErrorCode::kInvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT", kFinal, "the transaction timeout is larger than the broker allows"},
    {ErrorCode::kConcurrentTransactions, "CONCURRENT_TRANSACTIONS", kRetriable, "another transaction operation is still going on"},
    {ErrorCode::kTransactionCoordinatorFenced, "TRANSACTION_COORDINATOR_FENCED", kFinal, "the transaction coordinator was replaced"},
    {ErrorCode::kTransactionalIdAuthorizationFailed, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", kFinal, "not authorized for the transactional id"},
    {ErrorCode::kSecurityDisabled, "SECURITY_DISABLED", kFinal, "security features are off"},
    {ErrorCode::kOperationNotAttempted, "OPERATION_NOT_ATTEMPTED", kFinal, "the operation was not attempted"},
    {ErrorCode::kKafkaStorageError, "KAFKA_STORAGE_ERROR", kMetadata, "the broker's disk failed"},
    {ErrorCode::kLogDirNotFound, "LOG_DIR_NOT_FOUND", kFinal, "the log directory is not known"},
    {ErrorCode::kSaslAuthenticationFailed, "SASL_AUTHENTICATION_FAILED", kFinal, "authentication failed"},
    {ErrorCode::kUnknownProducerId, "UNKNOWN_PRODUCER_ID", kFinal, "the broker has no state for this producer id"},
    {ErrorCode::kReassignmentInProgress, "REASSIGNMENT_IN_PROGRESS", kFinal, "a reassignment of the partition is going on"},
    {ErrorCode::kDelegationTokenAuthDisabled, "DELEGATION_TOKEN_AUTH_DISABLED", kFinal, "delegation tokens are off"},
    {ErrorCode::kDelegationTokenNotFound, "DELEGATION_TOKEN_NOT_FOUND", kFinal, "the delegation token is not known"},
    {ErrorCode::kDelegationTokenOwnerMismatch, "DELEGATION_TOKEN_OWNER_MISMATCH", kFinal, "the delegation token belongs to another user"},
    {ErrorCode::kDelegationTokenRequestNotAllowed, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", kFinal, "delegation tokens cannot be used on this connection"},
    {ErrorCode::kDelegationTokenAuthorizationFailed, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", kFinal, "not authorized for the delegation token"},
    {ErrorCode::kDelegationTokenExpired, "DELEGATION_TOKEN_EXPIRED", kFinal, "the delegation token has expired"},
    {ErrorCode::kInvalidPrincipalType, "INVALID_PRINCIPAL_TYPE", kFinal, "the type of principal is not supported"},
    {ErrorCode::kNonEmptyGroup, "NON_EMPTY_GROUP", kFinal, "the group has members"},
    {ErrorCode::kGroupIdNotFound, "GROUP_ID_NOT_FOUND", kFinal, "the group does not exist"},
    {ErrorCode::kFetchSessionIdNotFound, "FETCH_SESSION_ID_NOT_FOUND", kRetriable, "the fetch session is not known"},
    {ErrorCode::kInvalidFetchSessionEpoch, "INVALID_FETCH_SESSION_EPOCH", kRetriable, "the epoch of the fetch session is not valid"},
    {ErrorCode::kListenerNotFound, "LISTENER_NOT_FOUND", kMetadata, "the leader has no listener of the kind that was asked for"},
    {ErrorCode::kTopicDeletionDisabled, "TOPIC_DELETION_DISABLED", kFinal, "deletion of topics is off"},
    {ErrorCode::kFencedLeaderEpoch, "FENCED_LEADER_EPOCH", kMetadata, "the leader epoch of the request is old"},
    {ErrorCode::kUnknownLeaderEpoch, "UNKNOWN_LEADER_EPOCH", kRetriable, "the leader epoch of the request is newer than the broker's"},
    {ErrorCode::kUnsupportedCompressionType, "UNSUPPORTED_COMPRESSION_TYPE", kFinal, "the compression type is not supported"},
    {ErrorCode::kStaleBrokerEpoch, "STALE_BROKER_EPOCH", kFinal, "the broker epoch is old"},
    {ErrorCode::kOffsetNotAvailable, "OFFSET_NOT_AVAILABLE", kRetriable, "the offset is not known yet after a change of leader"},
    {ErrorCode::kMemberIdRequired, "MEMBER_ID_REQUIRED", kFinal, "the group needs a member id first"},
    {ErrorCode::kPreferredLeaderNotAvailable, "PREFERRED_LEADER_NOT_AVAILABLE", kMetadata, "the preferred leader is not available"},
    {ErrorCode::kGroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED", kFinal, "the group is full"},
    {ErrorCode::kFencedInstanceId, "FENCED_INSTANCE_ID", kFinal, "another member took over this instance id"},
    {ErrorCode::kEligibleLeadersNotAvailable, "ELIGIBLE_LEADERS_NOT_AVAILABLE", kMetadata, "no eligible leader is available"},
    {ErrorCode::kElectionNotNeeded, "ELECTION_NOT_NEEDED", kMetadata, "the election is not needed"},
    {ErrorCode::kNoReassignmentInProgress, "NO_REASSIGNMENT_IN_PROGRESS", kFinal, "no reassignment is going on"},
    {ErrorCode::kGroupSubscribedToTopic, "GROUP_SUBSCRIBED_TO_TOPIC", kFinal, "the group is subscribed to the topic"},
    {ErrorCode::kInvalidRecord, "INVALID_RECORD", kFinal, "a record was refused by the broker"},
    {ErrorCode::kUnstableOffsetCommit, "UNSTABLE_OFFSET_COMMIT", kRetriable, "the offset is part of an open transaction"},
    {ErrorCode::kThrottlingQuotaExceeded, "THROTTLING_QUOTA_EXCEEDED", kRetriable, "a quota is used up"},
    {ErrorCode::kProducerFenced, "PRODUCER_FENCED", kFinal, "a newer producer with this transactional id exists"},
    {ErrorCode::kResourceNotFound, "RESOURCE_NOT_FOUND", kFinal, "the resource does not exist"},
    {ErrorCode::kDuplicateResource, "DUPLICATE_RESOURCE", kFinal, "the resource exists already"},
    {ErrorCode::kUnacceptableCredential, "UNACCEPTABLE_CREDENTIAL", kFinal, "the credential is not acceptable"},
    {ErrorCode::kInconsistentVoterSet, "INCONSISTENT_VOTER_SET", kFinal, "the sets of voters differ"},
    {ErrorCode::kInvalidUpdateVersion, "INVALID_UPDATE_VERSION", kFinal, "the version of the update is not valid"},
    {ErrorCode::kFeatureUpdateFailed, "FEATURE_UPDATE_FAILED", kFinal, "the features could not be updated"},
    {ErrorCode::kPrincipalDeserializationFailure, "PRINCIPAL_DESERIALIZATION_FAILURE", kFinal, "the principal could not be read"},
    {ErrorCode::kSnapshotNotFound, "SNAPSHOT_NOT_FOUND", kFinal, "the snapshot does not exist"},
    {ErrorCode::kPositionOutOfRange, "POSITION_OUT_OF_RANGE", kFinal, "the position is outside the snapshot"},
    {ErrorCode::kUnknownTopicId, "UNKNOWN_TOPIC_ID", kMetadata, "the topic id is not known"},
    {ErrorCode::kDuplicateBrokerRegistration, "DUPLICATE_BROKER_REGISTRATION", kFinal, "a broker with this id is registered already"},
    {ErrorCode::kBrokerIdNotRegistered, "BROKER_ID_NOT_REGISTERED", kFinal, "the broker id is not registered"},
    {ErrorCode::kInconsistentTopicId, "INCONSISTENT_TOPIC_ID", kMetadata, "the topic id does not match the one in the log"},
    {ErrorCode::kInconsistentClusterId, "INCONSISTENT_CLUSTER_ID", kFinal, "the cluster id is another one"},
    {ErrorCode::kTransactionalIdNotFound, "TRANSACTIONAL_ID_NOT_FOUND", kFinal, "the transactional id does not exist"},
    {ErrorCode::kFetchSessionTopicIdError, "FETCH_SESSION_TOPIC_ID_ERROR", kRetriable, "the fetch session mixes topic ids and names"},
    {ErrorCode::kIneligibleReplica, "INELIGIBLE_REPLICA", kFinal, "the replica may not join the in-sync set"},
    {ErrorCode::kNewLeaderElected, "NEW_LEADER_ELECTED", kFinal, "a new leader was elected"},
    {ErrorCode::kOffsetMovedToTieredStorage, "OFFSET_MOVED_TO_TIERED_STORAGE", kFinal, "the offset has moved to tiered storage"},
    {ErrorCode::kFencedMemberEpoch, "FENCED_MEMBER_EPOCH", kFinal, "the member epoch is old"},
    {ErrorCode::kUnreleasedInstanceId, "UNRELEASED_INSTANCE_ID", kFinal, "the instance id is still in use"},
    {ErrorCode::kUnsupportedAssignor, "UNSUPPORTED_ASSIGNOR", kFinal, "the assignor is not supported"},
    {ErrorCode::kStaleMemberEpoch, "STALE_MEMBER_EPOCH", kFinal, "the member epoch is behind the group's"},
    {ErrorCode::kMismatchedEndpointType, "MISMATCHED_ENDPOINT_TYPE", kFinal, "the endpoint is of another type"},
    {ErrorCode::kUnsupportedEndpointType, "UNSUPPORTED_ENDPOINT_TYPE", kFinal, "the type of endpoint is not supported"},
    {ErrorCode::kUnknownControllerId, "UNKNOWN_CONTROLLER_ID", kFinal, "the controller id is not known"},
    {ErrorCode::kUnknownSubscriptionId, "UNKNOWN_SUBSCRIPTION_ID", kFinal, "the subscription id is not known"},
    {ErrorCode::kTelemetryTooLarge, "TELEMETRY_TOO_LARGE", kFinal, "the telemetry is too large"},
    {ErrorCode::kInvalidRegistration, "INVALID_REGISTRATION", kFinal, "the registration is not valid"},
    {ErrorCode::kTransactionAbortable, "TRANSACTION_ABORTABLE", kFinal, "the transaction must be aborted; the producer may go on afterwards"},
    {ErrorCode::kInvalidRecordState, "INVALID_RECORD_STATE", kFinal, "the record is in another state"},
    {ErrorCode::kShareSessionNotFound, "SHARE_SESSION_NOT_FOUND", kRetriable, "the share session is not known"},
    {ErrorCode::kInvalidShareSessionEpoch, "INVALID_SHARE_SESSION_EPOCH", kRetriable, "the epoch of the share session is not valid"},
    {ErrorCode::kFencedStateEpoch, "FENCED_STATE_EPOCH", kFinal, "the epoch of the share state is old"},
    {ErrorCode::kInvalidVoterKey, "INVALID_VOTER_KEY", kFinal, "the key of the voter is not valid"},
    {ErrorCode::kDuplicateVoter, "DUPLICATE_VOTER", kFinal, "the voter exists already"},
    {ErrorCode::kVoterNotFound, "VOTER_NOT_FOUND", kFinal, "the voter does not exist"},
    {ErrorCode::kInvalidRegularExpression, "INVALID_REGULAR_EXPRESSION", kFinal, "the regular expression is not valid"},
    {ErrorCode::kRebootstrapRequired, "REBOOTSTRAP_REQUIRED", kFinal, "the client must bootstrap again"},
    {ErrorCode::kStreamsInvalidTopology, "STREAMS_INVALID_TOPOLOGY", kFinal, "the topology is not valid"},
    {ErrorCode::kStreamsInvalidTopologyEpoch, "STREAMS_INVALID_TOPOLOGY_EPOCH", kFinal, "the topology's epoch is not valid"},
    {ErrorCode::kStreamsTopologyFenced, "STREAMS_TOPOLOGY_FENCED", kFinal, "the topology's epoch is old"},
    {ErrorCode::kShareSessionLimitReached, "SHARE_SESSION_LIMIT_REACHED", kRetriable, "no more share sessions are allowed"},
    {ErrorCode::kGroupDeletionFailed, "GROUP_DELETION_FAILED", kFinal, "the group could not be deleted"},
    {ErrorCode::kStreamsTopologyDescriptionUpdateFailed, "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED", kFinal, "the description of the topology could not be stored"},
    {ErrorCode::kControllerIdNotRegistered, "CONTROLLER_ID_NOT_REGISTERED", kFinal, "the controller id is not registered"},
};
// clang-format on

// Look-up is by index, so the table must have no hole.
constexpr bool IsDense() {
  for (std::size_t i = 0; i < std::size(kEntries); ++i) {
    if (static_cast<int>(kEntries[i].code) != static_cast<int>(kFirstErrorCode) + static_cast<int>(i)) return false;
  }
  return kEntries[std::size(kEntries) - 1].code == kLastErrorCode;
}
static_assert(IsDense());

const Entry& EntryOf(ErrorCode code) {
  const bool known = code >= kFirstErrorCode && code <= kLastErrorCode;
  return kEntries[known ? static_cast<int>(code) - static_cast<int>(kFirstErrorCode) : 0];
}

}  // namespace

ErrorCode ErrorCodeFromWire(std::int16_t number) { return EntryOf(static_cast<ErrorCode>(number)).code; }

std::string_view ErrorCodeName(ErrorCode code) { return EntryOf(code).name; }

std::optional<ErrorCode> ErrorCodeFromName(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.code;
  }
  return std::nullopt;
}

bool IsRetriable(ErrorCode code) { return EntryOf(code).kind != kFinal; }

bool IsInvalidMetadata(ErrorCode code) { return EntryOf(code).kind == kMetadata; }

std::string_view DefaultMessage(ErrorCode code) { return EntryOf(code).message; }

}  // namespace ktrial::wire
