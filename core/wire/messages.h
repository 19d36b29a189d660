// The messages that ktrial speaks, as plain data (those of transactions stand in transaction_messages.h): every field of every version that codec.h knows, with the value that
// stands for "not in this version" as its default. schema.h says which field exists where; codec.h turns them into
// bytes and back.
//
// Nullable fields are optionals. Strings are owned, but for ProduceRequest, which is a view: on the client of what is
// to be sent, on the broker of the bytes that came. Error codes that we do not know decode as kUnknownServerError
// (WP-23).
#ifndef CORE_WIRE_MESSAGES_H_
#define CORE_WIRE_MESSAGES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"

namespace ktrial::wire {

enum class Direction : std::uint8_t { kRequest, kResponse };

// --- Produce, 0 to 13 (WP-10, WP-11) ---

struct PartitionProduceData {
  std::int32_t index = 0;
  // One batch of format v2 (record_batch.h); before v3 a message set, of format v0, from v2 on v1 (message_set.h).
  std::optional<std::string_view> records;
  friend bool operator==(const PartitionProduceData&, const PartitionProduceData&) = default;
};
struct TopicProduceData {
  std::string_view name;  // to v12
  TopicId topic_id{};     // v13
  std::vector<PartitionProduceData> partitions;
  friend bool operator==(const TopicProduceData&, const TopicProduceData&) = default;
};
struct ProduceRequest {
  static constexpr ApiKey kApi = ApiKey::kProduce;
  static constexpr Direction kDirection = Direction::kRequest;
  std::optional<std::string_view> transactional_id;  // v3
  std::int16_t acks = 0;                             // 0, 1 or -1; with 0 there is no answer.
  std::int32_t timeout_ms = 0;
  std::vector<TopicProduceData> topics;
  friend bool operator==(const ProduceRequest&, const ProduceRequest&) = default;
};

struct RecordError {
  std::int32_t batch_index = 0;  // Which record of the batch.
  std::optional<std::string> message;
  friend bool operator==(const RecordError&, const RecordError&) = default;
};
struct LeaderIdAndEpoch {
  std::int32_t leader_id = -1;
  std::int32_t leader_epoch = -1;
  friend bool operator==(const LeaderIdAndEpoch&, const LeaderIdAndEpoch&) = default;
};
struct PartitionProduceResponse {
  std::int32_t index = 0;
  ErrorCode error = ErrorCode::kNone;
  std::int64_t base_offset = 0;
  std::int64_t log_append_time_ms = -1;      // v2; -1 unless the topic's timestamps are those of the log.
  std::int64_t log_start_offset = -1;        // v5
  std::vector<RecordError> record_errors;    // v8
  std::optional<std::string> error_message;  // v8
  LeaderIdAndEpoch current_leader;  // v10, a hint beside NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH (SN-09)
  friend bool operator==(const PartitionProduceResponse&, const PartitionProduceResponse&) = default;
};
struct TopicProduceResponse {
  std::string name;    // to v12
  TopicId topic_id{};  // v13
  std::vector<PartitionProduceResponse> partitions;
  friend bool operator==(const TopicProduceResponse&, const TopicProduceResponse&) = default;
};
struct NodeEndpoint {
  std::int32_t node_id = 0;
  std::string host;
  std::int32_t port = 0;
  std::optional<std::string> rack;
  friend bool operator==(const NodeEndpoint&, const NodeEndpoint&) = default;
};
struct ProduceResponse {
  static constexpr ApiKey kApi = ApiKey::kProduce;
  static constexpr Direction kDirection = Direction::kResponse;
  std::vector<TopicProduceResponse> topics;
  std::int32_t throttle_time_ms = 0;         // v1
  std::vector<NodeEndpoint> node_endpoints;  // v10: where the leaders of the hints live.
  friend bool operator==(const ProduceResponse&, const ProduceResponse&) = default;
};

// --- Metadata, 0 to 13 (WP-08, WP-09) ---

struct MetadataRequestTopic {
  TopicId topic_id{};               // v10, of use from v12 on; all zero: none.
  std::optional<std::string> name;  // Null only from v10 on.
  friend bool operator==(const MetadataRequestTopic&, const MetadataRequestTopic&) = default;
};
struct MetadataRequest {
  static constexpr ApiKey kApi = ApiKey::kMetadata;
  static constexpr Direction kDirection = Direction::kRequest;
  // Null: all topics; empty: none. In v0, which cannot say "none", the codec maps null to the wire's empty list and
  // back.
  std::optional<std::vector<MetadataRequestTopic>> topics = std::vector<MetadataRequestTopic>();
  bool allow_auto_topic_creation = true;               // v4; older brokers always may.
  bool include_cluster_authorized_operations = false;  // v8 to v10
  bool include_topic_authorized_operations = false;    // v8
  friend bool operator==(const MetadataRequest&, const MetadataRequest&) = default;
};

inline constexpr std::int32_t kOperationsNotGiven = std::numeric_limits<std::int32_t>::min();
struct MetadataBroker {
  std::int32_t node_id = 0;
  std::string host;
  std::int32_t port = 0;
  std::optional<std::string> rack;  // v1
  friend bool operator==(const MetadataBroker&, const MetadataBroker&) = default;
};
struct MetadataPartition {
  ErrorCode error = ErrorCode::kNone;
  std::int32_t index = 0;
  std::int32_t leader_id = 0;      // -1: none
  std::int32_t leader_epoch = -1;  // v7; -1: unknown
  std::vector<std::int32_t> replicas;
  std::vector<std::int32_t> in_sync_replicas;
  std::vector<std::int32_t> offline_replicas;  // v5
  friend bool operator==(const MetadataPartition&, const MetadataPartition&) = default;
};
struct MetadataTopic {
  ErrorCode error = ErrorCode::kNone;
  std::optional<std::string> name = std::string();  // Null only from v12 on.
  TopicId topic_id{};                               // v10
  bool is_internal = false;                         // v1
  std::vector<MetadataPartition> partitions;
  std::int32_t authorized_operations = kOperationsNotGiven;  // v8
  friend bool operator==(const MetadataTopic&, const MetadataTopic&) = default;
};
struct MetadataResponse {
  static constexpr ApiKey kApi = ApiKey::kMetadata;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;  // v3
  std::vector<MetadataBroker> brokers;
  std::optional<std::string> cluster_id;  // v2
  std::int32_t controller_id = -1;        // v1
  std::vector<MetadataTopic> topics;
  std::int32_t authorized_operations = kOperationsNotGiven;  // v8 to v10
  ErrorCode error = ErrorCode::kNone;                        // v13
  friend bool operator==(const MetadataResponse&, const MetadataResponse&) = default;
};

// --- ApiVersions, 0 to 5 (WP-06, WP-07) ---

struct ApiVersionsRequest {
  static constexpr ApiKey kApi = ApiKey::kApiVersions;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string client_software_name;     // v3
  std::string client_software_version;  // v3
  // Who is meant (KIP-1242); a broker that is somebody else says REBOOTSTRAP_REQUIRED. Both or neither.
  std::optional<std::string> cluster_id;  // v5
  std::int32_t node_id = -1;              // v5
  friend bool operator==(const ApiVersionsRequest&, const ApiVersionsRequest&) = default;
};
// Whether a broker takes a client's software name or version: [A-Za-z0-9.-], alphanumeric at both ends.
bool IsValidClientSoftware(std::string_view text);

struct ApiVersion {
  std::int16_t api_key = 0;  // A number, since brokers list keys that we do not know.
  std::int16_t min_version = 0;
  std::int16_t max_version = 0;
  friend bool operator==(const ApiVersion&, const ApiVersion&) = default;
};
struct SupportedFeature {
  std::string name;
  std::int16_t min_version = 0;
  std::int16_t max_version = 0;
  friend bool operator==(const SupportedFeature&, const SupportedFeature&) = default;
};
struct FinalizedFeature {
  std::string name;
  std::int16_t max_version_level = 0;
  std::int16_t min_version_level = 0;
  friend bool operator==(const FinalizedFeature&, const FinalizedFeature&) = default;
};
struct ApiVersionsResponse {
  static constexpr ApiKey kApi = ApiKey::kApiVersions;
  static constexpr Direction kDirection = Direction::kResponse;
  ErrorCode error = ErrorCode::kNone;
  std::vector<ApiVersion> api_keys;
  std::int32_t throttle_time_ms = 0;                 // v1
  std::vector<SupportedFeature> supported_features;  // v3, as are the following
  std::int64_t finalized_features_epoch = -1;
  std::vector<FinalizedFeature> finalized_features;
  bool zk_migration_ready = false;
  friend bool operator==(const ApiVersionsResponse&, const ApiVersionsResponse&) = default;
};

// --- InitProducerId, 0 to 5 (WP-12) ---

struct InitProducerIdRequest {
  static constexpr ApiKey kApi = ApiKey::kInitProducerId;
  static constexpr Direction kDirection = Direction::kRequest;
  std::optional<std::string> transactional_id;
  std::int32_t transaction_timeout_ms = 0;
  std::int64_t producer_id = -1;     // v3
  std::int16_t producer_epoch = -1;  // v3
  friend bool operator==(const InitProducerIdRequest&, const InitProducerIdRequest&) = default;
};
struct InitProducerIdResponse {
  static constexpr ApiKey kApi = ApiKey::kInitProducerId;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;
  ErrorCode error = ErrorCode::kNone;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = 0;
  friend bool operator==(const InitProducerIdResponse&, const InitProducerIdResponse&) = default;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_MESSAGES_H_
