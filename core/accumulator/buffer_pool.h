// BufferPool bounds the memory of a producer (buffer.memory) and hands it out as buffers for batches.
//
// Buffers of exactly the poolable size (batch.size) are kept when they come back and given out again, the last one
// first, so that they stay in cache. Everything else is accounting over the heap: used + available = total, always, in
// 64 bits (BP-02).
//
// Who finds too little waits in line, first come first served: while anybody waits, newcomers queue behind him even if
// their small request would fit (BP-06). Memory that comes back is given to the first in line as soon as it suffices
// for the whole request, and then to the next (BP-05, BP-07); nobody collects piece by piece, so a waiter that gives up
// leaves nothing behind (BP-09). A grant must come before the waiter's deadline; at the same instant the deadline wins,
// and over both wins Close (D-9).
//
// Thread safety: all functions may be called from any thread. Allocate blocks; nothing else does.
#ifndef CORE_ACCUMULATOR_BUFFER_POOL_H_
#define CORE_ACCUMULATOR_BUFFER_POOL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/observer.h"

namespace ktrial {

// Memory that is charged to a pool until it is given back there. Not initialised.
struct PoolBuffer {
  std::unique_ptr<char[]> memory;  // Null: no buffer.
  std::int64_t size = 0;           // What is charged, and what there is.
  std::span<char> bytes() const { return {memory.get(), static_cast<std::size_t>(size)}; }
};

// The metrics of AC-38 and BP-16.
struct BufferPoolStats {
  std::int64_t total_bytes = 0;
  std::int64_t available_bytes = 0;
  std::int32_t waiters = 0;
  Duration wait_time{};        // Of all waits so far, the failed ones included.
  std::int64_t exhausted = 0;  // Allocations that failed at their deadline.
};

class BufferPool {
 public:
  // Gives null when the heap is empty.
  using HeapFunction = char* (*)(std::size_t size);
  struct Options {
    std::int64_t total_bytes = 32 * 1024 * 1024;
    std::int64_t poolable_bytes = 16 * 1024;
    HeapFunction heap = nullptr;  // Null: new char[]. What it gives is released by delete[].
  };
  // The references outlive the pool. The observer is told of every change, and of a thread that is about to wait before it
  // does, outside the lock.
  BufferPool(const Options& options, Threads& threads, const Clock& clock, ProducerObserver& observer);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Without waiting: a null buffer if there is no memory now, if others wait for it, or if the pool is closed.
  PoolBuffer TryAllocate(std::int64_t size);
  // Waits its turn until the deadline, which counts for the whole call (BP-08). Errors:
  //   kInvalidArgument      more than the whole pool, at once (BP-04)
  //   REQUEST_TIMED_OUT     the memory was exhausted until the deadline (BP-10)
  //   kCancelled            the pool is closed (BP-13)
  //   kResourceExhausted    the heap itself is empty; the charge is taken back (BP-11)
  absl::StatusOr<PoolBuffer> Allocate(std::int64_t size, Instant deadline);
  // Gives a buffer of this pool back, also after Close. A null buffer is ignored.
  void Deallocate(PoolBuffer buffer);
  // Fails all who wait and all who come later. Idempotent.
  void Close();

  bool HasWaiters() const;
  BufferPoolStats stats() const;

 private:
  struct Waiter;

  std::int64_t Available() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Charges `size`. The buffer is a pooled one if it can be; otherwise memory is null and comes from the heap, and
  // pooled buffers that had to make room are moved to `discarded`, to be released outside the lock.
  PoolBuffer Take(std::int64_t size, std::vector<std::unique_ptr<char[]>>& discarded)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ServeWaiters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<PoolBuffer> WaitInLine(std::int64_t size, Instant deadline);
  // Gives a buffer that Take left without memory its memory.
  absl::StatusOr<PoolBuffer> Materialize(PoolBuffer buffer);
  void Report(std::int64_t used_bytes, std::int32_t waiters);

  // Set in the constructor, never changed.
  const Options options_;
  Threads& threads_;
  const Clock& clock_;
  ProducerObserver& observer_;

  mutable Mutex mutex_;
  std::int64_t unallocated_ ABSL_GUARDED_BY(mutex_);                   // Neither in use nor in free_.
  std::vector<std::unique_ptr<char[]>> free_ ABSL_GUARDED_BY(mutex_);  // The back was used last.
  std::deque<Waiter*> waiters_ ABSL_GUARDED_BY(mutex_);                // On the stacks of their threads.
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  Duration wait_time_ ABSL_GUARDED_BY(mutex_){};
  std::int64_t exhausted_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_BUFFER_POOL_H_
