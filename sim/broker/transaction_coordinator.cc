#include "sim/broker/transaction_coordinator.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sim/broker/settings.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using wire::ErrorCode;

constexpr std::int32_t kInternalReplication = 3;
// A marker whose leader is not there is tried again so much later.
constexpr Duration kMarkerRetry = milliseconds(100);
// And one that is not replicated by then.
constexpr Duration kMarkerTimeout = std::chrono::seconds(30);

std::string_view LogOf(TransactionCoordinator::KeyKind kind) {
  return kind == TransactionCoordinator::KeyKind::kGroup ? kOffsetLog : kTransactionLog;
}

// Which partition of an internal topic a key belongs to: Java's hash of a string, as far as it is ASCII.
PartitionIndex PartitionFor(std::string_view key, std::size_t partitions) {
  std::uint32_t hash = 0;
  for (const char c : key) hash = 31 * hash + static_cast<std::uint8_t>(c);
  return PartitionIndex(static_cast<std::int32_t>((hash & 0x7fff'ffffU) % partitions));
}

}  // namespace

std::optional<TopicPartition> TransactionCoordinator::PlaceOf(KeyKind kind, std::string_view key) const {
  const Topic* topic = cluster_.FindTopic(LogOf(kind));
  if (topic == nullptr) return std::nullopt;
  return TopicPartition{.topic = topic->name, .partition = PartitionFor(key, topic->partitions.size())};
}

NodeId TransactionCoordinator::Find(KeyKind kind, std::string_view key) {
  if (const std::optional<TopicPartition> place = PlaceOf(kind, key)) {
    return cluster_.LeaderOf(place->topic, place->partition);
  }
  const BrokerSettings& settings = cluster_.settings();
  const bool group = kind == KeyKind::kGroup;
  const auto brokers = static_cast<std::int32_t>(cluster_.brokers().size());
  const absl::Status made = cluster_.CreateTopic(
      {.name = std::string(LogOf(kind)),
       .partitions = group ? settings.offsets_topic_partitions : settings.transaction_log_partitions,
       .replication = std::min(kInternalReplication, brokers)});
  KT_CHECK_MSG(made.ok(), std::string(made.message()));
  return kNoNode;
}

ErrorCode TransactionCoordinator::CheckCoordinator(NodeId broker, KeyKind kind, std::string_view key) const {
  const std::optional<TopicPartition> place = PlaceOf(kind, key);
  if (!place.has_value() || cluster_.LeaderOf(place->topic, place->partition) != broker) {
    return ErrorCode::kNotCoordinator;
  }
  return ErrorCode::kNone;
}

Transactions::InitResult TransactionCoordinator::Init(NodeId broker, std::string_view id, std::int32_t timeout_ms,
                                                      std::optional<ProducerIdAndEpoch> expected) {
  if (id.empty()) return {.code = ErrorCode::kInvalidRequest};
  const Duration timeout = milliseconds(timeout_ms);
  if (timeout <= Duration(0) || timeout > cluster_.settings().transaction_max_timeout) {
    return {.code = ErrorCode::kInvalidTransactionTimeout};
  }
  if (const ErrorCode code = CheckCoordinator(broker, KeyKind::kTransaction, id); code != ErrorCode::kNone) {
    return {.code = code};
  }
  const auto new_id = [this, broker] { return cluster_.NextProducerId(broker); };
  Transactions::InitResult result = transactions_.Init(id, timeout, expected, new_id);
  if (result.write_markers) WriteMarkers(std::string(id));
  return result;
}

ErrorCode TransactionCoordinator::AddPartitions(NodeId broker, std::string_view id, ProducerIdAndEpoch producer,
                                                std::span<const TopicPartition> partitions) {
  if (id.empty()) return ErrorCode::kInvalidRequest;
  if (const ErrorCode code = CheckCoordinator(broker, KeyKind::kTransaction, id); code != ErrorCode::kNone) return code;
  const ErrorCode code = transactions_.AddPartitions(id, producer, partitions, cluster_.clock().Now());
  WatchTimeouts();
  return code;
}

ErrorCode TransactionCoordinator::AddOffsets(NodeId broker, std::string_view id, ProducerIdAndEpoch producer,
                                             std::string_view group) {
  std::optional<TopicPartition> place = PlaceOf(KeyKind::kGroup, group);
  if (!place.has_value()) {
    Find(KeyKind::kGroup, group);
    place = PlaceOf(KeyKind::kGroup, group);
  }
  return AddPartitions(broker, id, producer, std::span(&*place, 1));
}

Transactions::EndResult TransactionCoordinator::End(NodeId broker, std::string_view id, ProducerIdAndEpoch producer,
                                                    bool commit, EndRules rules) {
  if (id.empty()) return {.code = ErrorCode::kInvalidRequest};
  if (const ErrorCode code = CheckCoordinator(broker, KeyKind::kTransaction, id); code != ErrorCode::kNone) {
    return {.code = code};
  }
  const auto new_id = [this, broker] { return cluster_.NextProducerId(broker); };
  Transactions::EndResult result = transactions_.End(id, producer, commit, rules, new_id);
  if (result.write_markers) WriteMarkers(std::string(id));
  return result;
}

ErrorCode TransactionCoordinator::CommitOffsets(NodeId broker, std::string_view group, ProducerIdAndEpoch producer,
                                                std::vector<CommittedOffset> offsets) {
  if (group.empty()) return ErrorCode::kInvalidGroupId;
  if (const ErrorCode code = CheckCoordinator(broker, KeyKind::kGroup, group); code != ErrorCode::kNone) return code;
  const std::optional<TopicPartition> place = PlaceOf(KeyKind::kGroup, group);
  Partition& log = *cluster_.FindPartition(place->topic, place->partition);
  const ProducerState::Producer* known = log.producers().Find(producer.id);
  if (known != nullptr && producer.epoch < known->epoch) return ErrorCode::kInvalidProducerEpoch;
  cluster_.Append(log,
                  {.producer_id = producer.id,
                   .producer_epoch = producer.epoch,
                   .transactional = true,
                   .kind = BatchKind::kOffsets},
                  {});
  pending_[producer.id].push_back({.group = std::string(group), .offsets = std::move(offsets)});
  return ErrorCode::kNone;
}

ErrorCode TransactionCoordinator::Verify(std::string_view id, ProducerIdAndEpoch producer,
                                         const TopicPartition& partition) const {
  const Transaction* transaction = transactions_.Find(id);
  if (transaction == nullptr || transaction->producer.id != producer.id) return ErrorCode::kInvalidProducerIdMapping;
  if (transaction->producer.epoch != producer.epoch) return ErrorCode::kProducerFenced;
  if (transaction->ending()) return ErrorCode::kConcurrentTransactions;
  return transactions_.IsOngoing(id, producer, partition) ? ErrorCode::kNone : ErrorCode::kInvalidTxnState;
}

ErrorCode TransactionCoordinator::AddImplicitly(std::string_view id, ProducerIdAndEpoch producer,
                                                const TopicPartition& partition) {
  return AddPartitions(Find(KeyKind::kTransaction, id), id, producer, std::span(&partition, 1));
}

Offset TransactionCoordinator::OffsetOf(std::string_view group, const TopicPartition& partition) const {
  const auto last = std::find_if(group_offsets_.rbegin(), group_offsets_.rend(), [&](const GroupOffset& one) {
    return one.group == group && one.partition == partition;
  });
  return last == group_offsets_.rend() ? kUnknownOffset : last->offset;
}

void TransactionCoordinator::WriteMarkers(const std::string& id) {
  const std::set<TopicPartition> partitions = transactions_.Find(id)->partitions;
  for (const TopicPartition& place : partitions) {
    const Instant there = cluster_.clock().Now() + cluster_.DrawReplicationDelay();
    cluster_.timers().At(there, [this, id, place] { WriteMarker(id, place); });
  }
}

void TransactionCoordinator::WriteMarker(const std::string& id, const TopicPartition& place) {
  const auto again = [this, id, place] { WriteMarker(id, place); };
  Partition* partition = cluster_.FindPartition(place.topic, place.partition);
  if (partition == nullptr) return MarkerWritten(id, place);  // deleted meanwhile: there is nothing to end
  // Somebody must send it, and somebody must take it.
  const bool coordinated = Find(KeyKind::kTransaction, id) != kNoNode;
  if (!coordinated || partition->state().leader == kNoNode) {
    cluster_.timers().At(cluster_.clock().Now() + kMarkerRetry, again);
    return;
  }
  const Transaction& transaction = *transactions_.Find(id);
  const bool commit = transaction.status == TransactionStatus::kPrepareCommit;
  const Cluster::AppendResult appended =
      cluster_.AppendMarker(*partition, transaction.producer.id, transaction.producer.epoch,
                            commit ? BatchKind::kCommitMarker : BatchKind::kAbortMarker);
  cluster_.AwaitReplication(*partition, appended.needed, cluster_.clock().Now() + kMarkerTimeout,
                            [this, id, place, again](ErrorCode code) {
                              if (code == ErrorCode::kNone) return MarkerWritten(id, place);
                              cluster_.timers().At(cluster_.clock().Now() + kMarkerRetry, again);
                            });
}

void TransactionCoordinator::MarkerWritten(const std::string& id, const TopicPartition& place) {
  const Transaction& transaction = *transactions_.Find(id);
  if (place.topic == kOffsetLog) {
    SettleOffsets(transaction.producer.id, place, transaction.status == TransactionStatus::kPrepareCommit);
  }
  transactions_.MarkerWritten(id, place);
}

void TransactionCoordinator::SettleOffsets(ProducerId producer, const TopicPartition& place, bool commit) {
  const auto found = pending_.find(producer);
  if (found == pending_.end()) return;
  std::erase_if(found->second, [this, &place, commit](const Pending& pending) {
    if (PlaceOf(KeyKind::kGroup, pending.group) != place) return false;
    for (const CommittedOffset& offset : pending.offsets) {
      if (!commit) continue;
      group_offsets_.push_back({.group = pending.group,
                                .partition = offset.partition,
                                .offset = offset.offset,
                                .metadata = offset.metadata});
    }
    return true;
  });
}

void TransactionCoordinator::WatchTimeouts() {
  if (watching_ || transactions_.NextTimeout() == Instant::Never()) return;
  watching_ = true;
  const Instant look = cluster_.clock().Now() + cluster_.settings().transaction_abort_interval;
  cluster_.timers().At(look, [this] {
    watching_ = false;
    for (const std::string& id : transactions_.AbortTimedOut(cluster_.clock().Now())) WriteMarkers(id);
    WatchTimeouts();
  });
}

}  // namespace ktrial::sim
