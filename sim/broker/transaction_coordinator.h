// TransactionCoordinator is what the brokers of a cluster do about transactions besides taking batches: they find the
// coordinator of a transactional id or a group, keep its state, write the markers that end a transaction into the logs
// of its partitions, and abort what takes too long.
//
// A coordinator is the leader of one partition of an internal topic, __transaction_state or __consumer_offsets, chosen by
// a hash of the id as real brokers do; so it moves as other leaders do, by the same calls and the same faults. The topics
// are made when somebody first looks for a coordinator.
//
// Everything asks the broker by its id, since only the coordinator answers: NOT_COORDINATOR otherwise. Not thread-safe;
// the loop of the BrokerHost uses it.
#ifndef SIM_BROKER_TRANSACTION_COORDINATOR_H_
#define SIM_BROKER_TRANSACTION_COORDINATOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "core/wire/error_code.h"
#include "sim/broker/cluster.h"
#include "sim/broker/group_offset.h"
#include "sim/broker/transactions.h"

namespace ktrial::sim {

class TransactionCoordinator {
 public:
  enum class KeyKind : std::uint8_t { kGroup, kTransaction };

  explicit TransactionCoordinator(Cluster& cluster) : cluster_(cluster) {}
  TransactionCoordinator(const TransactionCoordinator&) = delete;
  TransactionCoordinator& operator=(const TransactionCoordinator&) = delete;

  // Who coordinates `key`; kNoNode while nobody can, and for the request that has the internal topic made.
  NodeId Find(KeyKind kind, std::string_view key);

  // --- What coordinators are asked ---
  Transactions::InitResult Init(NodeId broker, std::string_view id, std::int32_t timeout_ms,
                                std::optional<ProducerIdAndEpoch> expected);
  wire::ErrorCode AddPartitions(NodeId broker, std::string_view id, ProducerIdAndEpoch producer,
                                std::span<const TopicPartition> partitions);
  wire::ErrorCode AddOffsets(NodeId broker, std::string_view id, ProducerIdAndEpoch producer, std::string_view group);
  Transactions::EndResult End(NodeId broker, std::string_view id, ProducerIdAndEpoch producer, bool commit,
                              EndRules rules);
  struct CommittedOffset {
    TopicPartition partition;
    Offset offset;
    std::string metadata = {};
  };
  // Offsets of a group, which count once the transaction is committed. Asked of the group's coordinator.
  wire::ErrorCode CommitOffsets(NodeId broker, std::string_view group, ProducerIdAndEpoch producer,
                                std::vector<CommittedOffset> offsets);

  // --- What leaders of partitions ask ---
  // Whether a transactional batch may be appended: kNone, INVALID_TXN_STATE, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS,
  // INVALID_PRODUCER_ID_MAPPING.
  wire::ErrorCode Verify(std::string_view id, ProducerIdAndEpoch producer, const TopicPartition& partition) const;
  // The same for clients that leave it to the leader to add the partition to the transaction.
  wire::ErrorCode AddImplicitly(std::string_view id, ProducerIdAndEpoch producer, const TopicPartition& partition);

  // --- Looking ---
  const Transactions& transactions() const { return transactions_; }
  // kUnknownOffset if the group has committed none.
  Offset OffsetOf(std::string_view group, const TopicPartition& partition) const;
  // All that groups have committed, in the order in which it counted.
  const std::vector<GroupOffset>& group_offsets() const { return group_offsets_; }

 private:
  struct Pending {
    std::string group;
    std::vector<CommittedOffset> offsets;
  };

  wire::ErrorCode CheckCoordinator(NodeId broker, KeyKind kind, std::string_view key) const;
  std::optional<TopicPartition> PlaceOf(KeyKind kind, std::string_view key) const;
  // Of all partitions of the transaction, which is ending.
  void WriteMarkers(const std::string& id);
  void WriteMarker(const std::string& id, const TopicPartition& place);
  void MarkerWritten(const std::string& id, const TopicPartition& place);
  void SettleOffsets(ProducerId producer, const TopicPartition& place, bool commit);
  void WatchTimeouts();

  Cluster& cluster_;
  Transactions transactions_;
  bool watching_ = false;
  std::map<ProducerId, std::vector<Pending>> pending_;
  std::vector<GroupOffset> group_offsets_;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_TRANSACTION_COORDINATOR_H_
