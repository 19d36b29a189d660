// BatchResult is what becomes of one batch: the part of it that outlives its memory, because futures refer to it.
//
// A future is a BatchResultRef and the index of its record. The result stays open until the callbacks of the batch have
// run; only then do waiters go on (SN-15). If the batch is split, its result closes with references to the results of
// the parts, and a waiter follows them, under the same deadline (AC-28, AC-33, PR-12).
//
// Ownership: counted, without an atomic operation on the path of a record: the batch takes a large stake when it
// starts, gives one of it to each future under the lock that it holds anyway, and returns the rest at its end. Thread
// safety: IsDone and Await* from any thread; the others by the sender thread, before the result is closed.
#ifndef CORE_ACCUMULATOR_BATCH_RESULT_H_
#define CORE_ACCUMULATOR_BATCH_RESULT_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/types.h"

namespace ktrial {

class BatchResult;

// A counted reference. Copies share; any thread may copy and drop its own. Null after a move.
class BatchResultRef {
 public:
  BatchResultRef() = default;
  BatchResultRef(const BatchResultRef& other);
  BatchResultRef(BatchResultRef&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
  BatchResultRef& operator=(BatchResultRef other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }
  ~BatchResultRef();
  // Takes over an ownership that is counted already.
  static BatchResultRef Adopt(BatchResult& result) { return BatchResultRef(&result); }
  // Gives it up without counting: the ownership is the caller's.
  BatchResult* Disown() && { return std::exchange(result_, nullptr); }

  BatchResult* operator->() const { return result_; }
  BatchResult& operator*() const { return *result_; }
  explicit operator bool() const { return result_ != nullptr; }

 private:
  explicit BatchResultRef(BatchResult* result) : result_(result) {}
  BatchResult* result_ = nullptr;
};

struct RecordError {
  std::int32_t index = 0;
  absl::Status status;
};

// How a batch ended.
struct BatchOutcome {
  absl::Status status;                      // Of every record that is not in record_errors.
  Offset base_offset = kUnknownOffset;      // Only with an OK status.
  std::optional<WallTime> log_append_time;  // If the broker stamps records.
  std::vector<RecordError> record_errors;   // By ascending index (SN-13).

  const absl::Status& StatusOf(std::int32_t index) const;
  // base_offset + index, or unknown (PR-11).
  Offset OffsetOf(std::int32_t index) const;
};

// How one record ended.
struct RecordOutcome {
  absl::Status status;
  Offset offset = kUnknownOffset;
  std::optional<WallTime> log_append_time;
};

class BatchResult {
 public:
  // What a batch holds of a new result; more than it can ever have records.
  static constexpr std::int64_t kStake = std::int64_t{1} << 40;
  // Owned kStake times by the caller.
  static BatchResult& New(Threads& threads);

  // True once this record's outcome is known and its callback has run.
  bool IsDone(std::int32_t index) const;
  // Waits for that, until the deadline: nullopt. The record's own index, whatever batch it ended up in.
  std::optional<RecordOutcome> Await(std::int32_t index, Instant deadline) const;
  // Waits until every record is done, those of split parts included: true; false at the deadline.
  bool AwaitAll(Instant deadline) const;

  // --- For the batch ---

  // Closes the result and lets waiters go on. Once.
  void Close(BatchOutcome outcome);
  // One part of a split batch: the records from `first_index` on went there.
  struct Part {
    std::int32_t first_index = 0;
    BatchResultRef result;
  };
  // Closes it in favour of the parts, which are at least one and ascend from index 0.
  void CloseSplit(std::vector<Part> parts);
  // Makes a closed result as good as new if nobody else refers to it any more.
  bool ReuseIfUnshared(std::int64_t stake);
  void Release(std::int64_t owners);
  void AddOwner() { owners_.Add(1); }

 private:
  explicit BatchResult(Threads& threads);
  bool WaitUntilClosed(Instant deadline) const;
  bool IsClosed() const;
  const Part& PartOf(std::int32_t index) const;

  RefCount owners_{kStake};
  mutable Mutex mutex_;
  mutable CondVar closed_changed_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Written before closed_, and only read by those who have seen closed_.
  BatchOutcome outcome_;
  std::vector<Part> parts_;
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_BATCH_RESULT_H_
