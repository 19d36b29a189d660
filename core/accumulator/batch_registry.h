// BatchRegistry knows every batch of an accumulator that is not final, in order of creation, whether it waits in a queue or is in
// flight (AC-31). It is where a new batch must pass, so it is also what Close closes: a batch is admitted before, and is then seen by
// everything that the sender does after, or not at all.
//
// It keeps the objects of batches that have ended, with the memory for callbacks that they grew, for the next ones.
//
// Thread safety: all functions may be called from any thread; [sender] marks those that are meant for one.
#ifndef CORE_ACCUMULATOR_BATCH_REGISTRY_H_
#define CORE_ACCUMULATOR_BATCH_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/accumulator/batch_result.h"
#include "core/accumulator/buffer_pool.h"
#include "core/accumulator/partition_queue.h"
#include "core/accumulator/producer_batch.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"

namespace ktrial {

class BatchRegistry {
 public:
  BatchRegistry(Threads& threads, const Clock& clock, BatchRecycler& recycler);
  ~BatchRegistry();
  BatchRegistry(const BatchRegistry&) = delete;
  BatchRegistry& operator=(const BatchRegistry&) = delete;

  // A new batch for `queue`, created now, which takes the buffer; null, and the buffer stays, once closed (AC-07). Puts the queue on
  // the list of active ones if it is not there.
  ProducerBatch* Admit(PartitionQueue& queue, PoolBuffer& buffer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  // A part of a batch that is being split: of the same age, and on the list right before it. Also after Close. [sender]
  ProducerBatch& AdmitPart(ProducerBatch& whole, PoolBuffer buffer);
  // Puts a queue on the list of active ones if it is not there, because a batch comes back to it. [sender]
  void Activate(PartitionQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  // The batch is final. It must be on the list: nothing ends twice (AC-31). [sender]
  void Remove(ProducerBatch& batch);
  // Nobody holds the batch any more. [sender]
  void Reuse(ProducerBatch& batch);

  void Close();
  bool HasIncomplete() const;
  // References to the results of all incomplete batches, in order.
  std::vector<BatchResultRef> Results() const;
  // The incomplete batches, in order; with a limit, those created up to then, and when the next one was. [sender], who alone ends them.
  struct Incomplete {
    std::vector<ProducerBatch*> batches;
    Instant next_created = Instant::Never();
  };
  Incomplete CreatedUpTo(Instant limit) const;
  // Appends the queues that became active since the last call. [sender]
  void TakeActivated(std::vector<PartitionQueue*>& queues);

 private:
  // More are ended at once only while a backlog shrinks.
  static constexpr std::size_t kReusableMax = 256;

  ProducerBatch& NewObject() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void InsertBefore(ProducerBatch* next, ProducerBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ActivateLocked(PartitionQueue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex, mutex_);

  // Set in the constructor, never changed.
  Threads& threads_;
  const Clock& clock_;
  BatchRecycler& recycler_;

  mutable Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  ProducerBatch* oldest_ ABSL_GUARDED_BY(mutex_) = nullptr;
  ProducerBatch* newest_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::vector<PartitionQueue*> activated_ ABSL_GUARDED_BY(mutex_);
  std::vector<ProducerBatch*> reusable_ ABSL_GUARDED_BY(mutex_);  // Owned.
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_BATCH_REGISTRY_H_
