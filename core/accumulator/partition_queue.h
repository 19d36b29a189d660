// PartitionQueue is the queue of one partition: batches that wait to be sent, the oldest first. Only the last one can
// take records (AC-01). It is never removed, so a pointer to it stays good for as long as its accumulator.
#ifndef CORE_ACCUMULATOR_PARTITION_QUEUE_H_
#define CORE_ACCUMULATOR_PARTITION_QUEUE_H_

#include <cstdint>

#include "core/accumulator/partition_sequences.h"
#include "core/accumulator/producer_batch.h"
#include "core/env/sync.h"
#include "core/types.h"

namespace ktrial {

class TopicQueues;

// Whether the coordinator of a transaction counts a partition in (SN-32).
enum class Membership : std::uint8_t { kOutside, kBeingAdded, kInside };

struct PartitionQueue {
  PartitionQueue(TopicQueues& owner, PartitionIndex index, Threads& threads)
      : topic(owner), partition(index), mutex(threads, Site("accumulator.queue")) {}

  void PushBack(ProducerBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  void PushFront(ProducerBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  // Before `next`, which is in the queue; at the end if null.
  void InsertBefore(ProducerBatch* next, ProducerBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  void Remove(ProducerBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);

  // Set in the constructor, never changed.
  TopicQueues& topic;
  const PartitionIndex partition;

  Mutex mutex;
  ProducerBatch* front ABSL_GUARDED_BY(mutex) = nullptr;
  ProducerBatch* back ABSL_GUARDED_BY(mutex) = nullptr;
  std::int32_t length ABSL_GUARDED_BY(mutex) = 0;
  // On the sender's list of queues to look at, or on its way there. Set with the first batch, cleared by the sender
  // when empty.
  bool active ABSL_GUARDED_BY(mutex) = false;

  // Only the sender thread.
  bool ever_active = false;
  std::int32_t seen_length = 0;         // As the sender saw it last.
  bool muted = false;                   // Strict order: one batch at a time (AC-11, SN-17).
  std::uint64_t leader_generation = 0;  // Of the snapshot that the next three fields were read from; 0: none.
  NodeId leader = kNoNode;
  LeaderEpoch leader_epoch = kUnknownEpoch;
  TopicId topic_id{};                            // Zero where the snapshot has none.
  TopicId numbered_for{};                        // What it was when the first of the batches in flight was numbered.
  PartitionSequences sequences;                  // Of an idempotent producer.
  bool has_trouble = false;                      // On the accumulator's list of queues that may need a restart.
  Membership membership = Membership::kOutside;  // Of a transactional producer.
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_PARTITION_QUEUE_H_
