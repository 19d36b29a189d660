// The messages that only transactions need, as plain data like those of messages.h: who coordinates, what belongs to a
// transaction, and how it ends.
//
//   FindCoordinator       any broker           -> the broker that coordinates a transactional id or a group
//   AddPartitionsToTxn    its coordinator      -> before the first batch to a partition
//   AddOffsetsToTxn       its coordinator      -> before the first offsets of a group
//   TxnOffsetCommit       the group's          -> the offsets themselves
//   EndTxn                its coordinator      -> commit or abort
//
// InitProducerId, which opens a session, is in messages.h: idempotence alone needs it.
#ifndef CORE_WIRE_TRANSACTION_MESSAGES_H_
#define CORE_WIRE_TRANSACTION_MESSAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/messages.h"

namespace ktrial::wire {

// --- FindCoordinator, 0 to 6 ---

inline constexpr std::int8_t kGroupCoordinator = 0;
inline constexpr std::int8_t kTransactionCoordinator = 1;

struct FindCoordinatorRequest {
  static constexpr ApiKey kApi = ApiKey::kFindCoordinator;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string key;                            // to v3: a group or a transactional id
  std::int8_t key_type = kGroupCoordinator;   // v1; v0 knows groups alone.
  std::vector<std::string> coordinator_keys;  // v4: several of them
  friend bool operator==(const FindCoordinatorRequest&, const FindCoordinatorRequest&) = default;
};
struct Coordinator {
  std::string key;
  std::int32_t node_id = 0;
  std::string host;
  std::int32_t port = 0;
  ErrorCode error = ErrorCode::kNone;
  std::optional<std::string> error_message;
  friend bool operator==(const Coordinator&, const Coordinator&) = default;
};
struct FindCoordinatorResponse {
  static constexpr ApiKey kApi = ApiKey::kFindCoordinator;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;         // v1
  ErrorCode error = ErrorCode::kNone;        // to v3, as are the following
  std::optional<std::string> error_message;  // v1
  std::int32_t node_id = 0;
  std::string host;
  std::int32_t port = 0;
  std::vector<Coordinator> coordinators;  // v4: an answer for each key
  friend bool operator==(const FindCoordinatorResponse&, const FindCoordinatorResponse&) = default;
};

// --- AddPartitionsToTxn, 0 to 5: clients use 0 to 3, the later ones are for brokers among themselves ---

struct AddPartitionsToTxnTopic {
  std::string name;
  std::vector<std::int32_t> partitions;
  friend bool operator==(const AddPartitionsToTxnTopic&, const AddPartitionsToTxnTopic&) = default;
};
struct AddPartitionsToTxnTransaction {
  std::string transactional_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  bool verify_only = false;  // Ask whether they belong to it, and add nothing.
  std::vector<AddPartitionsToTxnTopic> topics;
  friend bool operator==(const AddPartitionsToTxnTransaction&, const AddPartitionsToTxnTransaction&) = default;
};
struct AddPartitionsToTxnRequest {
  static constexpr ApiKey kApi = ApiKey::kAddPartitionsToTxn;
  static constexpr Direction kDirection = Direction::kRequest;
  std::vector<AddPartitionsToTxnTransaction> transactions;  // v4
  std::string transactional_id;                             // to v3, as are the following
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  std::vector<AddPartitionsToTxnTopic> topics;
  friend bool operator==(const AddPartitionsToTxnRequest&, const AddPartitionsToTxnRequest&) = default;
};

struct AddPartitionsToTxnPartitionResult {
  std::int32_t index = 0;
  ErrorCode error = ErrorCode::kNone;
  friend bool operator==(const AddPartitionsToTxnPartitionResult&, const AddPartitionsToTxnPartitionResult&) = default;
};
struct AddPartitionsToTxnTopicResult {
  std::string name;
  std::vector<AddPartitionsToTxnPartitionResult> partitions;
  friend bool operator==(const AddPartitionsToTxnTopicResult&, const AddPartitionsToTxnTopicResult&) = default;
};
struct AddPartitionsToTxnResult {
  std::string transactional_id;
  std::vector<AddPartitionsToTxnTopicResult> topics;
  friend bool operator==(const AddPartitionsToTxnResult&, const AddPartitionsToTxnResult&) = default;
};
struct AddPartitionsToTxnResponse {
  static constexpr ApiKey kApi = ApiKey::kAddPartitionsToTxn;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;
  ErrorCode error = ErrorCode::kNone;                  // v4: of the request as a whole
  std::vector<AddPartitionsToTxnResult> transactions;  // v4
  std::vector<AddPartitionsToTxnTopicResult> topics;   // to v3
  friend bool operator==(const AddPartitionsToTxnResponse&, const AddPartitionsToTxnResponse&) = default;
};

// --- AddOffsetsToTxn, 0 to 4 ---

struct AddOffsetsToTxnRequest {
  static constexpr ApiKey kApi = ApiKey::kAddOffsetsToTxn;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string transactional_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  std::string group_id;
  friend bool operator==(const AddOffsetsToTxnRequest&, const AddOffsetsToTxnRequest&) = default;
};
struct AddOffsetsToTxnResponse {
  static constexpr ApiKey kApi = ApiKey::kAddOffsetsToTxn;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;
  ErrorCode error = ErrorCode::kNone;
  friend bool operator==(const AddOffsetsToTxnResponse&, const AddOffsetsToTxnResponse&) = default;
};

// --- TxnOffsetCommit, 0 to 6 ---

struct TxnOffsetCommitPartition {
  std::int32_t index = 0;
  std::int64_t committed_offset = 0;
  std::int32_t committed_leader_epoch = -1;  // v2
  std::optional<std::string> committed_metadata = std::string();
  friend bool operator==(const TxnOffsetCommitPartition&, const TxnOffsetCommitPartition&) = default;
};
struct TxnOffsetCommitTopic {
  std::string name;    // to v5
  TopicId topic_id{};  // v6
  std::vector<TxnOffsetCommitPartition> partitions;
  friend bool operator==(const TxnOffsetCommitTopic&, const TxnOffsetCommitTopic&) = default;
};
struct TxnOffsetCommitRequest {
  static constexpr ApiKey kApi = ApiKey::kTxnOffsetCommit;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string transactional_id;
  std::string group_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  std::int32_t generation_id = -1;  // v3, as are the next two: the consumer's place in its group
  std::string member_id;            // or, in groups of the new protocol, its epoch and id
  std::optional<std::string> group_instance_id;
  std::vector<TxnOffsetCommitTopic> topics;
  friend bool operator==(const TxnOffsetCommitRequest&, const TxnOffsetCommitRequest&) = default;
};

struct TxnOffsetCommitPartitionResponse {
  std::int32_t index = 0;
  ErrorCode error = ErrorCode::kNone;
  friend bool operator==(const TxnOffsetCommitPartitionResponse&, const TxnOffsetCommitPartitionResponse&) = default;
};
struct TxnOffsetCommitTopicResponse {
  std::string name;    // to v5
  TopicId topic_id{};  // v6
  std::vector<TxnOffsetCommitPartitionResponse> partitions;
  friend bool operator==(const TxnOffsetCommitTopicResponse&, const TxnOffsetCommitTopicResponse&) = default;
};
struct TxnOffsetCommitResponse {
  static constexpr ApiKey kApi = ApiKey::kTxnOffsetCommit;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;
  std::vector<TxnOffsetCommitTopicResponse> topics;
  friend bool operator==(const TxnOffsetCommitResponse&, const TxnOffsetCommitResponse&) = default;
};

// --- EndTxn, 0 to 5 ---

struct EndTxnRequest {
  static constexpr ApiKey kApi = ApiKey::kEndTxn;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string transactional_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  bool committed = false;  // false: abort
  friend bool operator==(const EndTxnRequest&, const EndTxnRequest&) = default;
};
struct EndTxnResponse {
  static constexpr ApiKey kApi = ApiKey::kEndTxn;
  static constexpr Direction kDirection = Direction::kResponse;
  std::int32_t throttle_time_ms = 0;
  ErrorCode error = ErrorCode::kNone;
  std::int64_t producer_id = -1;     // v5: for the next transaction, whose epoch is another one each time
  std::int16_t producer_epoch = -1;  // v5
  friend bool operator==(const EndTxnResponse&, const EndTxnResponse&) = default;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_TRANSACTION_MESSAGES_H_
