#include "core/wire/api_key.h"

#include <cstddef>
#include <iterator>

namespace ktrial::wire {
namespace {

struct Entry {
  ApiKey api;
  std::string_view name;
  std::int16_t first_flexible;
};

// clang-format off
constexpr Entry kEntries[] = {
    {ApiKey::kProduce, "Produce", 9},
    {ApiKey::kFetch, "Fetch", 12},
    {ApiKey::kListOffsets, "ListOffsets", 6},
    {ApiKey::kMetadata, "Metadata", 9},
    {ApiKey::kLeaderAndIsr, "LeaderAndIsr", 4},
    {ApiKey::kStopReplica, "StopReplica", 2},
    {ApiKey::kUpdateMetadata, "UpdateMetadata", 6},
    {ApiKey::kControlledShutdown, "ControlledShutdown", 3},
    {ApiKey::kOffsetCommit, "OffsetCommit", 8},
    {ApiKey::kOffsetFetch, "OffsetFetch", 6},
    {ApiKey::kFindCoordinator, "FindCoordinator", 3},
    {ApiKey::kJoinGroup, "JoinGroup", 6},
    {ApiKey::kHeartbeat, "Heartbeat", 4},
    {ApiKey::kLeaveGroup, "LeaveGroup", 4},
    {ApiKey::kSyncGroup, "SyncGroup", 4},
    {ApiKey::kDescribeGroups, "DescribeGroups", 5},
    {ApiKey::kListGroups, "ListGroups", 3},
    {ApiKey::kSaslHandshake, "SaslHandshake", kNeverFlexible},
    {ApiKey::kApiVersions, "ApiVersions", 3},
    {ApiKey::kCreateTopics, "CreateTopics", 5},
    {ApiKey::kDeleteTopics, "DeleteTopics", 4},
    {ApiKey::kDeleteRecords, "DeleteRecords", 2},
    {ApiKey::kInitProducerId, "InitProducerId", 2},
    {ApiKey::kOffsetForLeaderEpoch, "OffsetForLeaderEpoch", 4},
    {ApiKey::kAddPartitionsToTxn, "AddPartitionsToTxn", 3},
    {ApiKey::kAddOffsetsToTxn, "AddOffsetsToTxn", 3},
    {ApiKey::kEndTxn, "EndTxn", 3},
    {ApiKey::kWriteTxnMarkers, "WriteTxnMarkers", 1},
    {ApiKey::kTxnOffsetCommit, "TxnOffsetCommit", 3},
    {ApiKey::kDescribeAcls, "DescribeAcls", 2},
    {ApiKey::kCreateAcls, "CreateAcls", 2},
    {ApiKey::kDeleteAcls, "DeleteAcls", 2},
    {ApiKey::kDescribeConfigs, "DescribeConfigs", 4},
    {ApiKey::kAlterConfigs, "AlterConfigs", 2},
    {ApiKey::kAlterReplicaLogDirs, "AlterReplicaLogDirs", 2},
    {ApiKey::kDescribeLogDirs, "DescribeLogDirs", 2},
    {ApiKey::kSaslAuthenticate, "SaslAuthenticate", 2},
    {ApiKey::kCreatePartitions, "CreatePartitions", 2},
    {ApiKey::kCreateDelegationToken, "CreateDelegationToken", 2},
    {ApiKey::kRenewDelegationToken, "RenewDelegationToken", 2},
    {ApiKey::kExpireDelegationToken, "ExpireDelegationToken", 2},
    {ApiKey::kDescribeDelegationToken, "DescribeDelegationToken", 2},
    {ApiKey::kDeleteGroups, "DeleteGroups", 2},
    {ApiKey::kElectLeaders, "ElectLeaders", 2},
    {ApiKey::kIncrementalAlterConfigs, "IncrementalAlterConfigs", 1},
    {ApiKey::kAlterPartitionReassignments, "AlterPartitionReassignments", 0},
    {ApiKey::kListPartitionReassignments, "ListPartitionReassignments", 0},
    {ApiKey::kOffsetDelete, "OffsetDelete", kNeverFlexible},
    {ApiKey::kDescribeClientQuotas, "DescribeClientQuotas", 1},
    {ApiKey::kAlterClientQuotas, "AlterClientQuotas", 1},
    {ApiKey::kDescribeUserScramCredentials, "DescribeUserScramCredentials", 0},
    {ApiKey::kAlterUserScramCredentials, "AlterUserScramCredentials", 0},
    {ApiKey::kVote, "Vote", 0},
    {ApiKey::kBeginQuorumEpoch, "BeginQuorumEpoch", 1},
    {ApiKey::kEndQuorumEpoch, "EndQuorumEpoch", 1},
    {ApiKey::kDescribeQuorum, "DescribeQuorum", 0},
    {ApiKey::kAlterPartition, "AlterPartition", 0},
    {ApiKey::kUpdateFeatures, "UpdateFeatures", 0},
    {ApiKey::kEnvelope, "Envelope", 0},
    {ApiKey::kFetchSnapshot, "FetchSnapshot", 0},
    {ApiKey::kDescribeCluster, "DescribeCluster", 0},
    {ApiKey::kDescribeProducers, "DescribeProducers", 0},
    {ApiKey::kBrokerRegistration, "BrokerRegistration", 0},
    {ApiKey::kBrokerHeartbeat, "BrokerHeartbeat", 0},
    {ApiKey::kUnregisterBroker, "UnregisterBroker", 0},
    {ApiKey::kDescribeTransactions, "DescribeTransactions", 0},
    {ApiKey::kListTransactions, "ListTransactions", 0},
    {ApiKey::kAllocateProducerIds, "AllocateProducerIds", 0},
    {ApiKey::kConsumerGroupHeartbeat, "ConsumerGroupHeartbeat", 0},
    {ApiKey::kConsumerGroupDescribe, "ConsumerGroupDescribe", 0},
    {ApiKey::kControllerRegistration, "ControllerRegistration", 0},
    {ApiKey::kGetTelemetrySubscriptions, "GetTelemetrySubscriptions", 0},
    {ApiKey::kPushTelemetry, "PushTelemetry", 0},
    {ApiKey::kAssignReplicasToDirs, "AssignReplicasToDirs", 0},
    {ApiKey::kListConfigResources, "ListConfigResources", 0},
    {ApiKey::kDescribeTopicPartitions, "DescribeTopicPartitions", 0},
    {ApiKey::kShareGroupHeartbeat, "ShareGroupHeartbeat", 0},
    {ApiKey::kShareGroupDescribe, "ShareGroupDescribe", 0},
    {ApiKey::kShareFetch, "ShareFetch", 0},
    {ApiKey::kShareAcknowledge, "ShareAcknowledge", 0},
    {ApiKey::kAddRaftVoter, "AddRaftVoter", 0},
    {ApiKey::kRemoveRaftVoter, "RemoveRaftVoter", 0},
    {ApiKey::kUpdateRaftVoter, "UpdateRaftVoter", 0},
    {ApiKey::kInitializeShareGroupState, "InitializeShareGroupState", 0},
    {ApiKey::kReadShareGroupState, "ReadShareGroupState", 0},
    {ApiKey::kWriteShareGroupState, "WriteShareGroupState", 0},
    {ApiKey::kDeleteShareGroupState, "DeleteShareGroupState", 0},
    {ApiKey::kReadShareGroupStateSummary, "ReadShareGroupStateSummary", 0},
    {ApiKey::kStreamsGroupHeartbeat, "StreamsGroupHeartbeat", 0},
    {ApiKey::kStreamsGroupDescribe, "StreamsGroupDescribe", 0},
    {ApiKey::kDescribeShareGroupOffsets, "DescribeShareGroupOffsets", 0},
    {ApiKey::kAlterShareGroupOffsets, "AlterShareGroupOffsets", 0},
    {ApiKey::kDeleteShareGroupOffsets, "DeleteShareGroupOffsets", 0},
    {ApiKey::kStreamsGroupTopologyDescriptionUpdate, "StreamsGroupTopologyDescriptionUpdate", 0},
    {ApiKey::kUnregisterController, "UnregisterController", 0},
};
// clang-format on

// Look-up is by index, so the table must have no hole.
constexpr bool IsDense() {
  for (std::size_t i = 0; i < std::size(kEntries); ++i) {
    if (static_cast<std::size_t>(kEntries[i].api) != i) return false;
  }
  return kEntries[std::size(kEntries) - 1].api == kLastApiKey;
}
static_assert(IsDense());

}  // namespace

bool IsKnownApi(ApiKey api) { return api >= ApiKey::kProduce && api <= kLastApiKey; }

std::string_view ApiKeyName(ApiKey api) {
  return IsKnownApi(api) ? kEntries[static_cast<std::size_t>(api)].name : "Unknown";
}

std::optional<ApiKey> ApiKeyFromName(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.api;
  }
  return std::nullopt;
}

std::int16_t FirstFlexibleVersion(ApiKey api) {
  return IsKnownApi(api) ? kEntries[static_cast<std::size_t>(api)].first_flexible : kNeverFlexible;
}

std::optional<VersionRange> CodecVersionRange(ApiKey api) {
  switch (api) {
    case ApiKey::kProduce:
      return VersionRange{0, 13};
    case ApiKey::kMetadata:
      return VersionRange{0, 13};
    case ApiKey::kApiVersions:
      return VersionRange{0, 5};
    case ApiKey::kInitProducerId:
      return VersionRange{0, 5};
    case ApiKey::kFindCoordinator:
      return VersionRange{0, 6};
    case ApiKey::kAddPartitionsToTxn:
      return VersionRange{0, 5};
    case ApiKey::kAddOffsetsToTxn:
      return VersionRange{0, 4};
    case ApiKey::kTxnOffsetCommit:
      return VersionRange{0, 6};
    case ApiKey::kEndTxn:
      return VersionRange{0, 5};
    case ApiKey::kSaslHandshake:
      return VersionRange{0, 1};
    case ApiKey::kSaslAuthenticate:
      return VersionRange{0, 2};
    default:
      return std::nullopt;
  }
}

std::optional<VersionRange> ClientVersionRange(ApiKey api) {
  switch (api) {
    case ApiKey::kAddPartitionsToTxn:
      return VersionRange{0, 3};
    case ApiKey::kTxnOffsetCommit:
      return VersionRange{0, 5};
    case ApiKey::kSaslHandshake:
      return VersionRange{1, 1};
    default:
      return CodecVersionRange(api);
  }
}

}  // namespace ktrial::wire
