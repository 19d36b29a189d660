// ProducerBatch is one record batch of one partition on its way: it takes records, waits in its partition's queue, goes
// into requests, perhaps several times, and ends exactly once.
//
//   state        next                 when
//   kFilling     kSealed              it is full, drained, expired or aborted; no record comes any more
//   kSealed      kInFlight            drained into a request
//                kFailed, kAborted    expired, failed as a whole, or closed before it was (re)sent
//   kInFlight    kSealed              re-enqueued: it will be sent again
//                kSucceeded, kFailed  the answer, or the delivery timeout
//                kAborted             forced close
//                kSplit               too large: its records went on in new batches
//   the others   -                    final. An outcome that comes later is ignored after kFailed and kAborted, and a defect
//                                     after kSucceeded and kSplit (SN-14)
//
// Ownership: the accumulator owns a batch until it is final; a request owns it, by a BatchRef, for as long as a byte of
// it can still be written. Only when both have let go does the memory return to the pool and the object to its reuse:
// an expired batch may well be half-way through a slow socket (BP-14, BP-15, D-7).
//
// Thread safety: while it is kFilling, the lock of its queue guards it. After that it belongs to the sender thread.
#ifndef CORE_ACCUMULATOR_PRODUCER_BATCH_H_
#define CORE_ACCUMULATOR_PRODUCER_BATCH_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accumulator/batch_result.h"
#include "core/accumulator/buffer_pool.h"
#include "core/accumulator/record_callback.h"
#include "core/env/clock.h"
#include "core/observer.h"
#include "core/types.h"
#include "core/wire/header_view.h"
#include "core/wire/record_batch.h"

namespace ktrial {

class Compressor;
struct PartitionQueue;
class ProducerBatch;

enum class BatchState : std::uint8_t { kFilling, kSealed, kInFlight, kSucceeded, kFailed, kAborted, kSplit };
inline constexpr int kBatchStateCount = 7;
constexpr bool IsFinal(BatchState state) { return state >= BatchState::kSucceeded; }
constexpr bool CanMove(BatchState from, BatchState to) {
  switch (from) {
    case BatchState::kFilling:
      return to == BatchState::kSealed;
    case BatchState::kSealed:
      return to == BatchState::kInFlight || to == BatchState::kFailed || to == BatchState::kAborted;
    case BatchState::kInFlight:
      return to == BatchState::kSealed || IsFinal(to);
    case BatchState::kSucceeded:
    case BatchState::kFailed:
    case BatchState::kAborted:
    case BatchState::kSplit:
      return false;
  }
  return false;
}

// Takes back a batch that nobody holds any more: its memory and itself.
class BatchRecycler {
 public:
  virtual void Recycle(ProducerBatch& batch) = 0;

 protected:
  ~BatchRecycler() = default;
};

// A hold on a batch. Sender thread only: the count is a plain number.
class BatchRef {
 public:
  BatchRef() = default;
  explicit BatchRef(ProducerBatch& batch);
  BatchRef(BatchRef&& other) noexcept : batch_(std::exchange(other.batch_, nullptr)) {}
  BatchRef& operator=(BatchRef other) noexcept {
    std::swap(batch_, other.batch_);
    return *this;
  }
  ~BatchRef();

  ProducerBatch* operator->() const { return batch_; }
  ProducerBatch& operator*() const { return *batch_; }
  explicit operator bool() const { return batch_ != nullptr; }

 private:
  ProducerBatch* batch_ = nullptr;
};

// Aligned, so that what an append touches lies in the first two cache lines.
class alignas(64) ProducerBatch {
 public:
  // --- For the sender ---

  std::uint64_t id() const { return id_; }  // Ascends in order of creation.
  std::string_view topic() const;
  PartitionIndex partition() const;
  BatchState state() const { return state_; }
  bool is_final() const { return IsFinal(state_); }
  std::int32_t record_count() const { return builder_.record_count(); }
  // Header included; what is not compressed yet counts as it will be, as far as one can guess (AC-18).
  std::int64_t size_bytes() const { return limit_bytes_ > 0 ? EstimatedBytes() : gathered_bytes(); }
  // Header included, as it was before compression.
  std::int64_t plain_bytes() const { return plain_bytes_ > 0 ? plain_bytes_ : gathered_bytes(); }
  // The finished batch as it goes on the wire; from the first drain on.
  std::string_view bytes() const { return bytes_; }
  std::int64_t max_timestamp_ms() const { return builder_.max_timestamp_ms(); }
  std::int32_t attempts() const { return attempts_; }  // Re-enqueues so far (SN-07).
  Instant created() const { return created_; }         // Survives retries and splits (AC-25).
  Instant drained() const { return drained_; }         // The last time.
  BatchView View() const;

 private:
  friend class BatchRef;
  friend class BatchRegistry;
  friend class RecordAccumulator;
  friend struct PartitionQueue;

  ProducerBatch() = default;
  ~ProducerBatch();
  // Makes the object, new or used, a batch with a buffer and no records.
  void Start(std::uint64_t id, PartitionQueue& queue, PoolBuffer buffer, bool charged, Instant created,
             Threads& threads, BatchRecycler& recycler);
  // Appends, or returns false and changes nothing: there is no room.
  bool TryAppend(WallTime timestamp, std::optional<std::string_view> key, std::optional<std::string_view> value,
                 std::span<const wire::HeaderView> headers, RecordCallback callback) {
    if (limit_bytes_ > 0 && !FitsCompressed(key, value, headers)) return false;
    if (builder_.Append(timestamp.millis(), key, value, headers) == 0) return false;
    slots_.push_back(
        {.callback = callback, .timestamp = timestamp, .key_bytes = LengthOf(key), .value_bytes = LengthOf(value)});
    return true;
  }
  static std::int32_t LengthOf(const std::optional<std::string_view>& bytes) {
    return bytes ? static_cast<std::int32_t>(bytes->size()) : -1;
  }
  // One ownership of the result, out of the batch's stake.
  BatchResultRef ShareResult() {
    --result_stake_;
    return BatchResultRef::Adopt(*result_);
  }
  bool filling() const { return state_ == BatchState::kFilling; }
  // Nothing more is expected to fit (AC-03).
  bool full() const {
    if (!filling() || gathered_bytes() >= full_bytes_) return true;
    return limit_bytes_ > 0 && EstimatedBytes() >= limit_bytes_;
  }
  // Its buffer may be exchanged for larger ones, up to this size. Before the first record.
  void MayGrowTo(std::int64_t full_bytes) { full_bytes_ = std::max(full_bytes_, full_bytes); }
  // The size of a larger buffer in which a record that did not fit would, or 0: none does, or it is not for want of room.
  std::int64_t BufferToGrowInto(const std::optional<std::string_view>& key,
                                const std::optional<std::string_view>& value,
                                std::span<const wire::HeaderView> headers) const;
  // Goes on in a larger buffer of the same pool; returns the one so far.
  PoolBuffer GrowInto(PoolBuffer buffer);
  // Records will be compressed, to this much of what they take (CompressionEstimate), and are to take no more than
  // `limit_bytes` then. Before the first one.
  void ExpectCompression(std::int64_t limit_bytes, std::int64_t ratio) {
    limit_bytes_ = limit_bytes;
    ratio_ = ratio;
  }
  // Once, before the batch is encoded for the first time. Returns what became of the records, as a ratio.
  std::int64_t Compress(Compressor& compressor);
  bool compression_is_over() const { return plain_bytes_ > 0; }
  void Seal() {
    if (filling()) MoveTo(BatchState::kSealed);
  }
  void MoveTo(BatchState next);
  // What it is sent as from now on. No byte of it is being written.
  void SetProducer(const wire::BatchProducer& producer);
  // Makes bytes(), unless they exist.
  void Encode();
  void LetGo();
  void ObserveLeaderEpoch(LeaderEpoch epoch);
  bool BackingOff(Instant now) const;
  // Calls the batch's and the records' callbacks; returns how many threw.
  int RunCallbacks(const BatchOutcome& outcome, BatchCallback on_batch) const;
  // Lets go of the result; keeps the object's memory for its next life.
  PoolBuffer Retire();

  std::int64_t gathered_bytes() const { return static_cast<std::int64_t>(builder_.size_bytes()); }
  std::int64_t EstimatedBytes() const;
  bool FitsCompressed(const std::optional<std::string_view>& key, const std::optional<std::string_view>& value,
                      std::span<const wire::HeaderView> headers) const;

  // Touched by every append.
  BatchState state_ = BatchState::kSealed;
  std::int64_t limit_bytes_ = 0;  // 0: the buffer is the limit; nothing is compressed, or it is over.
  wire::RecordBatchBuilder builder_;
  std::int64_t full_bytes_ = 0;    // What the buffer holds, or may come to hold.
  std::vector<RecordSlot> slots_;  // One a record. The capacity stays with the object, so that it seldom grows.
  BatchResult* result_ = nullptr;
  std::int64_t result_stake_ = 0;

  std::uint64_t id_ = 0;
  PartitionQueue* queue_ = nullptr;
  PoolBuffer buffer_;
  bool charged_ = false;  // The buffer belongs to the pool; parts of a split live outside it (AC-29).
  std::string_view bytes_;
  std::int64_t ratio_ = 0;
  std::int64_t plain_bytes_ = 0;  // 0 until compression is over.
  // Filled in at the first drain of an idempotent producer (AC-22). A retry keeps it, unless the partition restarted.
  wire::BatchProducer producer_;

  std::int32_t attempts_ = 0;
  std::int32_t holds_ = 0;  // BatchRefs, the accumulator's own included.
  Instant created_;
  Instant drained_;
  Instant retry_at_;                            // Drawn once at the re-enqueue (D-4).
  LeaderEpoch leader_epoch_ = kUnknownEpoch;    // The largest that was seen.
  std::int32_t attempts_at_leader_change_ = 0;  // `attempts_` when it was first seen.
  BatchRecycler* recycler_ = nullptr;

  // The queue of the partition, or none; guarded by that queue's lock.
  ProducerBatch* queue_next_ = nullptr;
  ProducerBatch* queue_previous_ = nullptr;
  bool in_queue_ = false;
  // The list of incomplete batches; guarded by the registry's lock.
  ProducerBatch* incomplete_next_ = nullptr;
  ProducerBatch* incomplete_previous_ = nullptr;
  bool incomplete_ = false;
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_PRODUCER_BATCH_H_
