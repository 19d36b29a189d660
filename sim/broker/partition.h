// Partition is the state of one partition in a Cluster: who leads and since when, which replicas are in sync, the log,
// how far it is replicated and who waits for that. Cluster changes it; others read.
#ifndef SIM_BROKER_PARTITION_H_
#define SIM_BROKER_PARTITION_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/env/clock.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "sim/broker/partition_log.h"
#include "sim/broker/producer_state.h"
#include "sim/broker/timer_queue.h"

namespace ktrial::sim {

struct PartitionState {
  NodeId leader = kNoNode;
  LeaderEpoch epoch{0};
  std::vector<NodeId> replicas;  // in order of preference
  std::vector<NodeId> isr;       // in the order of `replicas`

  bool IsReplica(NodeId broker) const;
  bool IsInSync(NodeId broker) const;
};

class Partition {
 public:
  Partition(std::string topic, PartitionIndex index) : topic_(std::move(topic)), index_(index) {}

  const std::string& topic() const { return topic_; }
  PartitionIndex index() const { return index_; }
  const PartitionState& state() const { return state_; }
  // A Produce that is refused may name the leader.
  bool hint() const { return hint_; }
  PartitionLog& log() { return log_; }
  const PartitionLog& log() const { return log_; }
  // What the leader knows of idempotent producers.
  const ProducerState& producers() const { return producers_; }
  // Below it every replica in sync has everything, and the leader knows it.
  Offset high_watermark() const { return high_watermark_; }

 private:
  friend class Cluster;

  // A state that some brokers still believe in.
  struct OldState {
    PartitionState state;
    Instant changed;                // when it stopped being true
    Duration lag{0};                // brokers hear of it so much later (and later still by their own metadata_lag),
    NodeId told_at_once = kNoNode;  // except this one
  };
  // Appended, not yet known to be replicated.
  struct Pending {
    Offset end;      // of the batch
    Instant copied;  // the followers in sync have it
    Instant known;   // the leader knows
  };
  struct Waiter {
    Offset needed;
    std::uint64_t id = 0;
    TimerId timeout = 0;
    absl::AnyInvocable<void(wire::ErrorCode)> done;
  };

  const std::string topic_;
  const PartitionIndex index_;
  PartitionState state_;
  bool hint_ = true;
  std::deque<OldState> old_states_;  // oldest first

  PartitionLog log_;
  ProducerState producers_;
  Offset high_watermark_{0};
  std::deque<Pending> pending_;
  bool held_up_ = false;  // pending_ waits for a follower and not for time
  TimerId replication_timer_ = 0;
  std::deque<Waiter> waiters_;  // in order of `needed`, then of arrival
  // While leaderless: who led last, and how far the other replicas had copied when it stopped.
  NodeId last_leader_ = kNoNode;
  Offset copied_end_{0};
  bool withheld_ = false;  // leaderless because somebody asked for it: stays so until ElectLeader
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_PARTITION_H_
