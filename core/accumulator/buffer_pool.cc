#include "core/accumulator/buffer_pool.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/wire/status.h"

namespace ktrial {
namespace {

char* NewChars(std::size_t size) { return new (std::nothrow) char[size]; }

absl::Status ClosedError() { return absl::CancelledError("the producer was closed while it allocated memory"); }

}  // namespace

struct BufferPool::Waiter {
  enum class State : std::uint8_t { kWaiting, kGranted, kTooLate, kClosed };

  Waiter(std::int64_t wanted, Instant until, Threads& threads) : size(wanted), deadline(until), changed(threads) {}

  const std::int64_t size;
  const Instant deadline;
  CondVar changed;
  State state = State::kWaiting;
  PoolBuffer buffer;
  std::vector<std::unique_ptr<char[]>> discarded;
};

BufferPool::BufferPool(const Options& options, Threads& threads, const Clock& clock, ProducerObserver& observer)
    : options_(options),
      threads_(threads),
      clock_(clock),
      observer_(observer),
      mutex_(threads, Site("accumulator.buffer_pool")),
      unallocated_(options.total_bytes) {
  KT_CHECK(options.total_bytes >= 0 && options.poolable_bytes > 0);
}

BufferPool::~BufferPool() = default;

std::int64_t BufferPool::Available() const {
  return unallocated_ + static_cast<std::int64_t>(free_.size()) * options_.poolable_bytes;
}

PoolBuffer BufferPool::Take(std::int64_t size, std::vector<std::unique_ptr<char[]>>& discarded) {
  KT_CHECK(Available() >= size);
  PoolBuffer buffer;
  buffer.size = size;
  if (size == options_.poolable_bytes && !free_.empty()) {
    buffer.memory = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  if (unallocated_ < size) {
    // The coldest ones go, in one move of the rest.
    const std::int64_t missing = size - unallocated_;
    const std::int64_t count = (missing + options_.poolable_bytes - 1) / options_.poolable_bytes;
    const auto end = free_.begin() + static_cast<std::ptrdiff_t>(count);
    discarded.insert(discarded.end(), std::make_move_iterator(free_.begin()), std::make_move_iterator(end));
    free_.erase(free_.begin(), end);
    unallocated_ += count * options_.poolable_bytes;
  }
  unallocated_ -= size;
  return buffer;
}

PoolBuffer BufferPool::TryAllocate(std::int64_t size) {
  KT_CHECK(size > 0);
  PoolBuffer buffer;
  std::vector<std::unique_ptr<char[]>> discarded;
  std::int64_t used = 0;
  {
    MutexLock lock(mutex_);
    if (closed_ || !waiters_.empty() || Available() < size) return buffer;
    buffer = Take(size, discarded);
    used = options_.total_bytes - Available();
  }
  Report(used, 0);
  absl::StatusOr<PoolBuffer> filled = Materialize(std::move(buffer));
  return filled.ok() ? *std::move(filled) : PoolBuffer();
}

absl::StatusOr<PoolBuffer> BufferPool::Allocate(std::int64_t size, Instant deadline) {
  KT_CHECK(size > 0);
  if (size > options_.total_bytes) {
    return absl::InvalidArgumentError("a batch needs " + std::to_string(size) + " bytes, but buffer.memory is only " +
                                      std::to_string(options_.total_bytes));
  }
  PoolBuffer buffer = TryAllocate(size);
  if (buffer.memory != nullptr) return buffer;
  return WaitInLine(size, deadline);
}

absl::StatusOr<PoolBuffer> BufferPool::WaitInLine(std::int64_t size, Instant deadline) {
  const Instant start = clock_.Now();
  Waiter waiter(size, deadline, threads_);
  std::int64_t used = 0;
  std::int32_t waiting = 0;
  {
    MutexLock lock(mutex_);
    if (closed_) return ClosedError();
    waiters_.push_back(&waiter);
    // Memory may have come back since the caller looked; at a deadline that has passed, that is no longer a grant (D-9), but what
    // is there at the first look is (a time limit of 0 means "do not wait", not "do not take").
    if (waiters_.size() == 1 && Available() >= size) {
      waiter.buffer = Take(size, waiter.discarded);
      waiter.state = Waiter::State::kGranted;
      waiters_.pop_front();
    }
    used = options_.total_bytes - Available();
    waiting = static_cast<std::int32_t>(waiters_.size());
  }
  Report(used, waiting);
  {
    MutexLock lock(mutex_);
    const bool answered = waiter.changed.Wait(
        mutex_, deadline, [&waiter] { return waiter.state != Waiter::State::kWaiting; },
        Site("accumulator.await_memory"));
    if (!answered) {
      waiter.state = Waiter::State::kTooLate;
      waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
      // What did not suffice for this one may do for those behind.
      ServeWaiters();
    }
    wait_time_ += std::max(clock_.Now() - start, Duration::zero());
    if (waiter.state == Waiter::State::kTooLate) ++exhausted_;
    used = options_.total_bytes - Available();
    waiting = static_cast<std::int32_t>(waiters_.size());
  }
  Report(used, waiting);
  if (waiter.state == Waiter::State::kClosed) return ClosedError();
  if (waiter.state == Waiter::State::kTooLate) {
    return wire::KafkaError(wire::ErrorCode::kRequestTimedOut,
                            "no " + std::to_string(size) + " bytes of buffer.memory (" +
                                std::to_string(options_.total_bytes) + ") came free within max.block.ms");
  }
  return Materialize(std::move(waiter.buffer));
}

void BufferPool::ServeWaiters() {
  if (waiters_.empty()) return;
  const Instant now = clock_.Now();
  while (!waiters_.empty()) {
    Waiter& first = *waiters_.front();
    if (first.deadline <= now) {
      first.state = Waiter::State::kTooLate;
    } else if (Available() >= first.size) {
      first.buffer = Take(first.size, first.discarded);
      first.state = Waiter::State::kGranted;
    } else {
      return;
    }
    waiters_.pop_front();
    // Under the lock: the waiter cannot leave, and take its CondVar along, before this returns.
    first.changed.NotifyOne();
  }
}

absl::StatusOr<PoolBuffer> BufferPool::Materialize(PoolBuffer buffer) {
  if (buffer.memory != nullptr) return buffer;
  const HeapFunction heap = options_.heap != nullptr ? options_.heap : &NewChars;
  buffer.memory.reset(heap(static_cast<std::size_t>(buffer.size)));
  if (buffer.memory != nullptr) return buffer;
  std::int64_t used = 0;
  std::int32_t waiting = 0;
  {
    MutexLock lock(mutex_);
    unallocated_ += buffer.size;
    ServeWaiters();
    used = options_.total_bytes - Available();
    waiting = static_cast<std::int32_t>(waiters_.size());
  }
  Report(used, waiting);
  return absl::ResourceExhaustedError("the heap has no " + std::to_string(buffer.size) + " bytes");
}

void BufferPool::Deallocate(PoolBuffer buffer) {
  if (buffer.memory == nullptr) return;
  std::int64_t used = 0;
  std::int32_t waiting = 0;
  {
    MutexLock lock(mutex_);
    if (buffer.size == options_.poolable_bytes) {
      free_.push_back(std::move(buffer.memory));
    } else {
      unallocated_ += buffer.size;
    }
    ServeWaiters();
    used = options_.total_bytes - Available();
    waiting = static_cast<std::int32_t>(waiters_.size());
  }
  KT_CHECK(used >= 0);
  Report(used, waiting);
}

void BufferPool::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  for (Waiter* waiter : waiters_) {
    waiter->state = Waiter::State::kClosed;
    waiter->changed.NotifyOne();
  }
  waiters_.clear();
}

bool BufferPool::HasWaiters() const {
  MutexLock lock(mutex_);
  return !waiters_.empty();
}

BufferPoolStats BufferPool::stats() const {
  MutexLock lock(mutex_);
  return {.total_bytes = options_.total_bytes,
          .available_bytes = Available(),
          .waiters = static_cast<std::int32_t>(waiters_.size()),
          .wait_time = wait_time_,
          .exhausted = exhausted_};
}

void BufferPool::Report(std::int64_t used_bytes, std::int32_t waiters) { observer_.OnBufferPool(used_bytes, waiters); }

}  // namespace ktrial
