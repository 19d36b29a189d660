// The requests of Kafka's protocol, by number: which there are, what they are called, and from which version on their
// encoding is flexible (WP-05). ktrial speaks few of them, and knows all by name: brokers list them, logs name them.
#ifndef CORE_WIRE_API_KEY_H_
#define CORE_WIRE_API_KEY_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace ktrial::wire {

// clang-format off
enum class ApiKey : std::int16_t {
  kProduce = 0,
  kFetch = 1,
  kListOffsets = 2,
  kMetadata = 3,
  kLeaderAndIsr = 4,
  kStopReplica = 5,
  kUpdateMetadata = 6,
  kControlledShutdown = 7,
  kOffsetCommit = 8,
  kOffsetFetch = 9,
  kFindCoordinator = 10,
  kJoinGroup = 11,
  kHeartbeat = 12,
  kLeaveGroup = 13,
  kSyncGroup = 14,
  kDescribeGroups = 15,
  kListGroups = 16,
  kSaslHandshake = 17,
  kApiVersions = 18,
  kCreateTopics = 19,
  kDeleteTopics = 20,
  kDeleteRecords = 21,
  kInitProducerId = 22,
  kOffsetForLeaderEpoch = 23,
  kAddPartitionsToTxn = 24,
  kAddOffsetsToTxn = 25,
  kEndTxn = 26,
  kWriteTxnMarkers = 27,
  kTxnOffsetCommit = 28,
  kDescribeAcls = 29,
  kCreateAcls = 30,
  kDeleteAcls = 31,
  kDescribeConfigs = 32,
  kAlterConfigs = 33,
  kAlterReplicaLogDirs = 34,
  kDescribeLogDirs = 35,
  kSaslAuthenticate = 36,
  kCreatePartitions = 37,
  kCreateDelegationToken = 38,
  kRenewDelegationToken = 39,
  kExpireDelegationToken = 40,
  kDescribeDelegationToken = 41,
  kDeleteGroups = 42,
  kElectLeaders = 43,
  kIncrementalAlterConfigs = 44,
  kAlterPartitionReassignments = 45,
  kListPartitionReassignments = 46,
  kOffsetDelete = 47,
  kDescribeClientQuotas = 48,
  kAlterClientQuotas = 49,
  kDescribeUserScramCredentials = 50,
  kAlterUserScramCredentials = 51,
  kVote = 52,
  kBeginQuorumEpoch = 53,
  kEndQuorumEpoch = 54,
  kDescribeQuorum = 55,
  kAlterPartition = 56,
  kUpdateFeatures = 57,
  kEnvelope = 58,
  kFetchSnapshot = 59,
  kDescribeCluster = 60,
  kDescribeProducers = 61,
  kBrokerRegistration = 62,
  kBrokerHeartbeat = 63,
  kUnregisterBroker = 64,
  kDescribeTransactions = 65,
  kListTransactions = 66,
  kAllocateProducerIds = 67,
  kConsumerGroupHeartbeat = 68,
  kConsumerGroupDescribe = 69,
  kControllerRegistration = 70,
  kGetTelemetrySubscriptions = 71,
  kPushTelemetry = 72,
  kAssignReplicasToDirs = 73,
  kListConfigResources = 74,
  kDescribeTopicPartitions = 75,
  kShareGroupHeartbeat = 76,
  kShareGroupDescribe = 77,
  kShareFetch = 78,
  kShareAcknowledge = 79,
  kAddRaftVoter = 80,
  kRemoveRaftVoter = 81,
  kUpdateRaftVoter = 82,
  kInitializeShareGroupState = 83,
  kReadShareGroupState = 84,
  kWriteShareGroupState = 85,
  kDeleteShareGroupState = 86,
  kReadShareGroupStateSummary = 87,
  kStreamsGroupHeartbeat = 88,
  kStreamsGroupDescribe = 89,
  kDescribeShareGroupOffsets = 90,
  kAlterShareGroupOffsets = 91,
  kDeleteShareGroupOffsets = 92,
  kStreamsGroupTopologyDescriptionUpdate = 93,
  kUnregisterController = 94,
};
// clang-format on
inline constexpr ApiKey kLastApiKey = ApiKey::kUnregisterController;

// Both ends inclusive.
struct VersionRange {
  std::int16_t min = 0;
  std::int16_t max = 0;
  constexpr bool Contains(std::int16_t version) const { return version >= min && version <= max; }
  friend constexpr bool operator==(VersionRange, VersionRange) = default;
};

// "InitProducerId"; "Unknown" for a number outside the enumeration (a peer may send any).
std::string_view ApiKeyName(ApiKey api);
std::optional<ApiKey> ApiKeyFromName(std::string_view name);
bool IsKnownApi(ApiKey api);

// The first version with compact strings and tagged fields (WP-02); kNeverFlexible if there is none, or if the API is
// unknown.
inline constexpr std::int16_t kNeverFlexible = std::numeric_limits<std::int16_t>::max();
std::int16_t FirstFlexibleVersion(ApiKey api);
constexpr bool IsFlexible(std::int16_t first_flexible, std::int16_t version) { return version >= first_flexible; }

// The versions that codec.h can encode and decode; none for APIs without a message here.
std::optional<VersionRange> CodecVersionRange(ApiKey api);
// The versions that the producer offers (WP-21). Narrower than the codec's where a version says something else: Metadata
// 0 cannot ask for no topic at all (WP-08), Produce 0 to 2 carry message sets, Produce 13 and TxnOffsetCommit 6 name
// topics by id, AddPartitionsToTxn 4 and 5 are for brokers, and what follows SaslHandshake 0 has no headers.
std::optional<VersionRange> ClientVersionRange(ApiKey api);

}  // namespace ktrial::wire

#endif  // CORE_WIRE_API_KEY_H_
