// StickyPartitioner chooses partitions for the records of one topic that come without one (PT-07 to PT-14).
//
// It stays on a partition until about a batch's worth of bytes went there, so that batches fill, and then moves on.
// With knowledge of the queues it favours partitions with short ones, which are those on fast brokers; without, it
// draws uniformly among the partitions that have a leader. With a rack of its own it chooses, in either way, among the
// partitions whose leader is in that rack, as long as there is one (KIP-1123).
//
// How threads agree without a lock of their own: bytes are counted, and the choice is changed, only by a thread that
// holds the lock of the *queue of the chosen partition* and has found there that the choice is still current. So:
//
//   choice = Current(); lock the queue of choice.partition; if (!IsCurrent(choice)) start over; append;
//   Produced(choice, ...)
#ifndef CORE_ACCUMULATOR_STICKY_PARTITIONER_H_
#define CORE_ACCUMULATOR_STICKY_PARTITIONER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/env/entropy.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/metadata/cluster.h"
#include "core/types.h"

namespace ktrial {

// The lengths of the queues of a topic: of those partitions that have a leader and are not left out as unavailable
// (PT-12, PT-14).
struct PartitionLoads {
  std::vector<PartitionIndex> partitions;
  std::vector<std::int32_t> queue_lengths;
  std::vector<bool> in_rack;  // Whether the leader is in our rack. Empty: none is, or we have none.
  // Of the whole topic, those without a leader and those left out included.
  std::int32_t partition_count = 0;
  void Clear();  // Keeps the memory.
};

struct StickyPartitionerConfig {
  std::int64_t bytes = 1;  // It moves on after so many (batch.size), at least 1.
  std::string rack;        // client.rack with partitioner.rack.aware; empty: all racks are alike.
};

class StickyPartitioner {
 public:
  // `entropy` and `threads` outlive this.
  StickyPartitioner(StickyPartitionerConfig config, Threads& threads, Entropy& entropy);

  // `turn` grows with every move, also when the next partition is the same one.
  struct Choice {
    PartitionIndex partition = kUnknownPartition;
    std::uint32_t turn = 0;
    friend bool operator==(Choice, Choice) = default;
  };
  // The partition for the next record; unknown before the first Start. Cheap: no lock.
  Choice Current() const { return Unpack(word_.LoadRelaxed()); }
  bool IsCurrent(Choice choice) const { return Unpack(word_.Load()) == choice; }
  // Makes the first choice, unless another thread made it meanwhile. A topic without partitions leaves it unknown.
  Choice Start(const Cluster& cluster, std::string_view topic);

  // --- With the lock of the queue of `choice`, which is current ---

  // Counts bytes. True if it is time to move on: as many as configured went here and the queue has no half-filled batch that
  // would be left behind (`may_switch`), or twice that in any case (PT-08, PT-09).
  bool Produced(std::int64_t bytes, bool may_switch);
  // Moves on. If the topic has lost its partitions, it stays.
  void Switch(const Cluster& cluster, std::string_view topic);

  // --- The sender thread ---

  bool in_use() const { return Current().partition != kUnknownPartition; }
  // Replaces what is known of the queues. Falls back to uniform choice when it says nothing: fewer than 2 partitions in
  // the topic, none that can be chosen, or all equal with none left out (PT-13).
  void UpdateLoads(const PartitionLoads& loads);
  void ForgetLoads();

 private:
  // Draws partitions by their weights.
  struct Weights {
    std::vector<std::int64_t> sums;  // Running sums of "longest + 1 - length"; empty: choose uniformly.
    std::vector<PartitionIndex> partitions;
    void Clear();  // Keeps the memory: they are made anew with every turn of the sender.
    void Add(PartitionIndex partition, std::int64_t weight);
    PartitionIndex Draw(Entropy& entropy) const;
  };

  static std::uint64_t Pack(Choice choice);
  static Choice Unpack(std::uint64_t word);
  PartitionIndex Draw(const Cluster& cluster, const TopicInfo& topic) ABSL_EXCLUSIVE_LOCKS_REQUIRED(loads_mutex_);
  std::vector<PartitionIndex> AvailableInRack(const Cluster& cluster, const TopicInfo& topic) const;

  // Set in the constructor, never changed.
  const StickyPartitionerConfig config_;
  Entropy& entropy_;

  Atomic<std::uint64_t> word_;  // The choice. Changed only under the lock of its queue, or in Start from unknown.
  // Guarded by the lock of the queue of the choice; a move publishes it through word_.
  std::int64_t produced_bytes_ = 0;

  Mutex loads_mutex_;
  Weights weights_ ABSL_GUARDED_BY(loads_mutex_);
  Weights rack_weights_ ABSL_GUARDED_BY(loads_mutex_);  // Those of our rack.
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_STICKY_PARTITIONER_H_
