// The schema: for every structure of messages.h, sasl_messages.h and transaction_messages.h its fields in the order of the wire, each with the versions that have
// it. Encoder, decoder and the size and JSON visitors of tests all walk this one description, so there is no code per
// version anywhere.
//
//   Schema<MetadataBroker>::Fields(visit, broker);
//
// calls visit(name, field, spec) for each field, whatever the version; the visitor skips what its version lacks.
// `visit` is a generic callable; `broker` may be const. Names are Kafka's own. Tags come in ascending order.
//
// Heavy on templates: for .cc files only.
#ifndef CORE_WIRE_SCHEMA_H_
#define CORE_WIRE_SCHEMA_H_

#include <cstdint>
#include <type_traits>

#include "core/wire/messages.h"
#include "core/wire/sasl_messages.h"
#include "core/wire/transaction_messages.h"

namespace ktrial::wire {

// Where and how a field exists. Versions are those of the message, also inside nested structures.
struct FieldSpec {
  std::int16_t since = 0;
  std::int16_t until = kNeverFlexible;       // inclusive
  std::int16_t null_since = kNeverFlexible;  // first version in which it may be null
  std::int32_t tag = -1;                     // >= 0: an optional tagged field (WP-02)
  std::int64_t absent = 0;                   // of a tagged number: the value that is not written
  bool bytes = false;                        // a view with the length of bytes (records), not of a string

  constexpr bool ExistsIn(std::int16_t version) const { return version >= since && version <= until; }
  constexpr bool NullableIn(std::int16_t version) const { return version >= null_since; }
  constexpr bool IsTagged() const { return tag >= 0; }
};

template <class Struct>
struct Schema;

// --- Produce ---

template <>
struct Schema<PartitionProduceData> {
  static void Fields(auto&& visit, auto& m) {
    visit("index", m.index, {});
    visit("records", m.records, {.null_since = 0, .bytes = true});
  }
};
template <>
struct Schema<TopicProduceData> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {.until = 12});
    visit("topicId", m.topic_id, {.since = 13});
    visit("partitionData", m.partitions, {});
  }
};
template <>
struct Schema<ProduceRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {.since = 3, .null_since = 3});
    visit("acks", m.acks, {});
    visit("timeoutMs", m.timeout_ms, {});
    visit("topicData", m.topics, {});
  }
};
template <>
struct Schema<RecordError> {
  static void Fields(auto&& visit, auto& m) {
    visit("batchIndex", m.batch_index, {});
    visit("batchIndexErrorMessage", m.message, {.null_since = 0});
  }
};
template <>
struct Schema<LeaderIdAndEpoch> {
  static void Fields(auto&& visit, auto& m) {
    visit("leaderId", m.leader_id, {});
    visit("leaderEpoch", m.leader_epoch, {});
  }
};
template <>
struct Schema<PartitionProduceResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("index", m.index, {});
    visit("errorCode", m.error, {});
    visit("baseOffset", m.base_offset, {});
    visit("logAppendTimeMs", m.log_append_time_ms, {.since = 2});
    visit("logStartOffset", m.log_start_offset, {.since = 5});
    visit("recordErrors", m.record_errors, {.since = 8});
    visit("errorMessage", m.error_message, {.since = 8, .null_since = 8});
    visit("currentLeader", m.current_leader, {.since = 10, .tag = 0});
  }
};
template <>
struct Schema<TopicProduceResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {.until = 12});
    visit("topicId", m.topic_id, {.since = 13});
    visit("partitionResponses", m.partitions, {});
  }
};
template <>
struct Schema<NodeEndpoint> {
  static void Fields(auto&& visit, auto& m) {
    visit("nodeId", m.node_id, {});
    visit("host", m.host, {});
    visit("port", m.port, {});
    visit("rack", m.rack, {.null_since = 0});
  }
};
template <>
struct Schema<ProduceResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("responses", m.topics, {});
    visit("throttleTimeMs", m.throttle_time_ms, {.since = 1});
    visit("nodeEndpoints", m.node_endpoints, {.since = 10, .tag = 0});
  }
};

// --- Metadata ---

template <>
struct Schema<MetadataRequestTopic> {
  static void Fields(auto&& visit, auto& m) {
    visit("topicId", m.topic_id, {.since = 10});
    visit("name", m.name, {.null_since = 10});
  }
};
template <>
struct Schema<MetadataRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("topics", m.topics, {.null_since = 1});
    visit("allowAutoTopicCreation", m.allow_auto_topic_creation, {.since = 4});
    visit("includeClusterAuthorizedOperations", m.include_cluster_authorized_operations, {.since = 8, .until = 10});
    visit("includeTopicAuthorizedOperations", m.include_topic_authorized_operations, {.since = 8});
  }
};
template <>
struct Schema<MetadataBroker> {
  static void Fields(auto&& visit, auto& m) {
    visit("nodeId", m.node_id, {});
    visit("host", m.host, {});
    visit("port", m.port, {});
    visit("rack", m.rack, {.since = 1, .null_since = 1});
  }
};
template <>
struct Schema<MetadataPartition> {
  static void Fields(auto&& visit, auto& m) {
    visit("errorCode", m.error, {});
    visit("partitionIndex", m.index, {});
    visit("leaderId", m.leader_id, {});
    visit("leaderEpoch", m.leader_epoch, {.since = 7});
    visit("replicaNodes", m.replicas, {});
    visit("isrNodes", m.in_sync_replicas, {});
    visit("offlineReplicas", m.offline_replicas, {.since = 5});
  }
};
template <>
struct Schema<MetadataTopic> {
  static void Fields(auto&& visit, auto& m) {
    visit("errorCode", m.error, {});
    visit("name", m.name, {.null_since = 12});
    visit("topicId", m.topic_id, {.since = 10});
    visit("isInternal", m.is_internal, {.since = 1});
    visit("partitions", m.partitions, {});
    visit("topicAuthorizedOperations", m.authorized_operations, {.since = 8});
  }
};
template <>
struct Schema<MetadataResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {.since = 3});
    visit("brokers", m.brokers, {});
    visit("clusterId", m.cluster_id, {.since = 2, .null_since = 2});
    visit("controllerId", m.controller_id, {.since = 1});
    visit("topics", m.topics, {});
    visit("clusterAuthorizedOperations", m.authorized_operations, {.since = 8, .until = 10});
    visit("errorCode", m.error, {.since = 13});
  }
};

// --- ApiVersions ---

template <>
struct Schema<ApiVersionsRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("clientSoftwareName", m.client_software_name, {.since = 3});
    visit("clientSoftwareVersion", m.client_software_version, {.since = 3});
    visit("clusterId", m.cluster_id, {.since = 5, .null_since = 5});
    visit("nodeId", m.node_id, {.since = 5});
  }
};
template <>
struct Schema<ApiVersion> {
  static void Fields(auto&& visit, auto& m) {
    visit("apiKey", m.api_key, {});
    visit("minVersion", m.min_version, {});
    visit("maxVersion", m.max_version, {});
  }
};
template <>
struct Schema<SupportedFeature> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {});
    visit("minVersion", m.min_version, {});
    visit("maxVersion", m.max_version, {});
  }
};
template <>
struct Schema<FinalizedFeature> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {});
    visit("maxVersionLevel", m.max_version_level, {});
    visit("minVersionLevel", m.min_version_level, {});
  }
};
template <>
struct Schema<ApiVersionsResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("errorCode", m.error, {});
    visit("apiKeys", m.api_keys, {});
    visit("throttleTimeMs", m.throttle_time_ms, {.since = 1});
    visit("supportedFeatures", m.supported_features, {.since = 3, .tag = 0});
    visit("finalizedFeaturesEpoch", m.finalized_features_epoch, {.since = 3, .tag = 1, .absent = -1});
    visit("finalizedFeatures", m.finalized_features, {.since = 3, .tag = 2});
    visit("zkMigrationReady", m.zk_migration_ready, {.since = 3, .tag = 3});
  }
};

// --- InitProducerId ---

template <>
struct Schema<InitProducerIdRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {.null_since = 0});
    visit("transactionTimeoutMs", m.transaction_timeout_ms, {});
    visit("producerId", m.producer_id, {.since = 3});
    visit("producerEpoch", m.producer_epoch, {.since = 3});
  }
};
template <>
struct Schema<InitProducerIdResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {});
    visit("errorCode", m.error, {});
    visit("producerId", m.producer_id, {});
    visit("producerEpoch", m.producer_epoch, {});
  }
};

// --- FindCoordinator ---

template <>
struct Schema<FindCoordinatorRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("key", m.key, {.until = 3});
    visit("keyType", m.key_type, {.since = 1});
    visit("coordinatorKeys", m.coordinator_keys, {.since = 4});
  }
};
template <>
struct Schema<Coordinator> {
  static void Fields(auto&& visit, auto& m) {
    visit("key", m.key, {});
    visit("nodeId", m.node_id, {});
    visit("host", m.host, {});
    visit("port", m.port, {});
    visit("errorCode", m.error, {});
    visit("errorMessage", m.error_message, {.null_since = 0});
  }
};
template <>
struct Schema<FindCoordinatorResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {.since = 1});
    visit("errorCode", m.error, {.until = 3});
    visit("errorMessage", m.error_message, {.since = 1, .until = 3, .null_since = 1});
    visit("nodeId", m.node_id, {.until = 3});
    visit("host", m.host, {.until = 3});
    visit("port", m.port, {.until = 3});
    visit("coordinators", m.coordinators, {.since = 4});
  }
};

// --- AddPartitionsToTxn ---

template <>
struct Schema<AddPartitionsToTxnTopic> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {});
    visit("partitions", m.partitions, {});
  }
};
template <>
struct Schema<AddPartitionsToTxnTransaction> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {});
    visit("producerId", m.producer_id, {});
    visit("producerEpoch", m.producer_epoch, {});
    visit("verifyOnly", m.verify_only, {});
    visit("topics", m.topics, {});
  }
};
template <>
struct Schema<AddPartitionsToTxnRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactions", m.transactions, {.since = 4});
    visit("v3AndBelowTransactionalId", m.transactional_id, {.until = 3});
    visit("v3AndBelowProducerId", m.producer_id, {.until = 3});
    visit("v3AndBelowProducerEpoch", m.producer_epoch, {.until = 3});
    visit("v3AndBelowTopics", m.topics, {.until = 3});
  }
};
template <>
struct Schema<AddPartitionsToTxnPartitionResult> {
  static void Fields(auto&& visit, auto& m) {
    visit("partitionIndex", m.index, {});
    visit("partitionErrorCode", m.error, {});
  }
};
template <>
struct Schema<AddPartitionsToTxnTopicResult> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {});
    visit("resultsByPartition", m.partitions, {});
  }
};
template <>
struct Schema<AddPartitionsToTxnResult> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {});
    visit("topicResults", m.topics, {});
  }
};
template <>
struct Schema<AddPartitionsToTxnResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {});
    visit("errorCode", m.error, {.since = 4});
    visit("resultsByTransaction", m.transactions, {.since = 4});
    visit("resultsByTopicV3AndBelow", m.topics, {.until = 3});
  }
};

// --- AddOffsetsToTxn ---

template <>
struct Schema<AddOffsetsToTxnRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {});
    visit("producerId", m.producer_id, {});
    visit("producerEpoch", m.producer_epoch, {});
    visit("groupId", m.group_id, {});
  }
};
template <>
struct Schema<AddOffsetsToTxnResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {});
    visit("errorCode", m.error, {});
  }
};

// --- TxnOffsetCommit ---

template <>
struct Schema<TxnOffsetCommitPartition> {
  static void Fields(auto&& visit, auto& m) {
    visit("partitionIndex", m.index, {});
    visit("committedOffset", m.committed_offset, {});
    visit("committedLeaderEpoch", m.committed_leader_epoch, {.since = 2});
    visit("committedMetadata", m.committed_metadata, {.null_since = 0});
  }
};
template <>
struct Schema<TxnOffsetCommitTopic> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {.until = 5});
    visit("topicId", m.topic_id, {.since = 6});
    visit("partitions", m.partitions, {});
  }
};
template <>
struct Schema<TxnOffsetCommitRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {});
    visit("groupId", m.group_id, {});
    visit("producerId", m.producer_id, {});
    visit("producerEpoch", m.producer_epoch, {});
    visit("generationIdOrMemberEpoch", m.generation_id, {.since = 3});
    visit("memberId", m.member_id, {.since = 3});
    visit("groupInstanceId", m.group_instance_id, {.since = 3, .null_since = 3});
    visit("topics", m.topics, {});
  }
};
template <>
struct Schema<TxnOffsetCommitPartitionResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("partitionIndex", m.index, {});
    visit("errorCode", m.error, {});
  }
};
template <>
struct Schema<TxnOffsetCommitTopicResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("name", m.name, {.until = 5});
    visit("topicId", m.topic_id, {.since = 6});
    visit("partitions", m.partitions, {});
  }
};
template <>
struct Schema<TxnOffsetCommitResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {});
    visit("topics", m.topics, {});
  }
};

// --- EndTxn ---

template <>
struct Schema<EndTxnRequest> {
  static void Fields(auto&& visit, auto& m) {
    visit("transactionalId", m.transactional_id, {});
    visit("producerId", m.producer_id, {});
    visit("producerEpoch", m.producer_epoch, {});
    visit("committed", m.committed, {});
  }
};
template <>
struct Schema<EndTxnResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("throttleTimeMs", m.throttle_time_ms, {});
    visit("errorCode", m.error, {});
    visit("producerId", m.producer_id, {.since = 5});
    visit("producerEpoch", m.producer_epoch, {.since = 5});
  }
};

// --- SaslHandshake, SaslAuthenticate ---

template <>
struct Schema<SaslHandshakeRequest> {
  static void Fields(auto&& visit, auto& m) { visit("mechanism", m.mechanism, {}); }
};
template <>
struct Schema<SaslHandshakeResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("errorCode", m.error, {});
    visit("mechanisms", m.mechanisms, {});
  }
};
template <>
struct Schema<SaslAuthenticateRequest> {
  static void Fields(auto&& visit, auto& m) { visit("authBytes", m.auth_bytes, {.bytes = true}); }
};
template <>
struct Schema<SaslAuthenticateResponse> {
  static void Fields(auto&& visit, auto& m) {
    visit("errorCode", m.error, {});
    visit("errorMessage", m.error_message, {.null_since = 0});
    visit("authBytes", m.auth_bytes, {.bytes = true});
    visit("sessionLifetimeMs", m.session_lifetime_ms, {.since = 1});
  }
};

// Calls visit(std::type_identity<Message>()) for each message: for tests and tools that treat all of them alike.
template <class Visit>
void ForEachMessage(Visit&& visit) {
  visit(std::type_identity<ProduceRequest>());
  visit(std::type_identity<ProduceResponse>());
  visit(std::type_identity<MetadataRequest>());
  visit(std::type_identity<MetadataResponse>());
  visit(std::type_identity<ApiVersionsRequest>());
  visit(std::type_identity<ApiVersionsResponse>());
  visit(std::type_identity<InitProducerIdRequest>());
  visit(std::type_identity<InitProducerIdResponse>());
  visit(std::type_identity<FindCoordinatorRequest>());
  visit(std::type_identity<FindCoordinatorResponse>());
  visit(std::type_identity<AddPartitionsToTxnRequest>());
  visit(std::type_identity<AddPartitionsToTxnResponse>());
  visit(std::type_identity<AddOffsetsToTxnRequest>());
  visit(std::type_identity<AddOffsetsToTxnResponse>());
  visit(std::type_identity<TxnOffsetCommitRequest>());
  visit(std::type_identity<TxnOffsetCommitResponse>());
  visit(std::type_identity<EndTxnRequest>());
  visit(std::type_identity<EndTxnResponse>());
  visit(std::type_identity<SaslHandshakeRequest>());
  visit(std::type_identity<SaslHandshakeResponse>());
  visit(std::type_identity<SaslAuthenticateRequest>());
  visit(std::type_identity<SaslAuthenticateResponse>());
}

}  // namespace ktrial::wire

#endif  // CORE_WIRE_SCHEMA_H_
