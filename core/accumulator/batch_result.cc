#include "core/accumulator/batch_result.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace ktrial {

BatchResultRef::BatchResultRef(const BatchResultRef& other) : result_(other.result_) {
  if (result_ != nullptr) result_->AddOwner();
}

BatchResultRef::~BatchResultRef() {
  if (result_ != nullptr) result_->Release(1);
}

const absl::Status& BatchOutcome::StatusOf(std::int32_t index) const {
  if (record_errors.empty()) return status;
  const auto found =
      std::lower_bound(record_errors.begin(), record_errors.end(), index,
                       [](const RecordError& error, std::int32_t wanted) { return error.index < wanted; });
  return found != record_errors.end() && found->index == index ? found->status : status;
}

Offset BatchOutcome::OffsetOf(std::int32_t index) const {
  return base_offset == kUnknownOffset ? kUnknownOffset : Offset(base_offset.value() + index);
}

BatchResult::BatchResult(Threads& threads)
    : mutex_(threads, Site("accumulator.batch_result")), closed_changed_(threads) {}

BatchResult& BatchResult::New(Threads& threads) { return *new BatchResult(threads); }

void BatchResult::Release(std::int64_t owners) {
  if (owners_.Release(owners)) delete this;
}

bool BatchResult::IsClosed() const {
  MutexLock lock(mutex_);
  return closed_;
}

bool BatchResult::WaitUntilClosed(Instant deadline) const {
  MutexLock lock(mutex_);
  return closed_changed_.Wait(
      mutex_, deadline,
      [this] {
        mutex_.AssertHeld();
        return closed_;
      },
      Site("accumulator.await_batch"));
}

const BatchResult::Part& BatchResult::PartOf(std::int32_t index) const {
  KT_CHECK(!parts_.empty() && index >= 0);
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), index,
                                      [](std::int32_t wanted, const Part& part) { return wanted < part.first_index; });
  return *(after - 1);
}

bool BatchResult::IsDone(std::int32_t index) const {
  const BatchResult* result = this;
  while (result->IsClosed()) {
    if (result->parts_.empty()) return true;
    const Part& part = result->PartOf(index);
    index -= part.first_index;
    result = &*part.result;
  }
  return false;
}

std::optional<RecordOutcome> BatchResult::Await(std::int32_t index, Instant deadline) const {
  const BatchResult* result = this;
  while (result->WaitUntilClosed(deadline)) {
    if (result->parts_.empty()) {
      const BatchOutcome& outcome = result->outcome_;
      return RecordOutcome{outcome.StatusOf(index), outcome.OffsetOf(index), outcome.log_append_time};
    }
    const Part& part = result->PartOf(index);
    index -= part.first_index;
    result = &*part.result;
  }
  return std::nullopt;
}

// Parts nest at most as often as a batch can be halved.
bool BatchResult::AwaitAll(Instant deadline) const {
  if (!WaitUntilClosed(deadline)) return false;
  return std::all_of(parts_.begin(), parts_.end(),
                     [deadline](const Part& part) { return part.result->AwaitAll(deadline); });
}

void BatchResult::Close(BatchOutcome outcome) {
  MutexLock lock(mutex_);
  KT_CHECK(!closed_);
  outcome_ = std::move(outcome);
  closed_ = true;
  closed_changed_.NotifyAll();
}

void BatchResult::CloseSplit(std::vector<Part> parts) {
  KT_CHECK(!parts.empty() && parts.front().first_index == 0);
  MutexLock lock(mutex_);
  KT_CHECK(!closed_);
  parts_ = std::move(parts);
  closed_ = true;
  closed_changed_.NotifyAll();
}

// Nobody else has a reference, so nobody else can take the lock either.
bool BatchResult::ReuseIfUnshared(std::int64_t stake) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (!owners_.Is(stake)) return false;
  KT_CHECK(closed_);
  outcome_ = BatchOutcome();
  parts_.clear();
  closed_ = false;
  owners_.Add(kStake - stake);
  return true;
}

}  // namespace ktrial
