// A clock that a test sets by hand, draws that it scripts, and an observer that keeps notes. Real threads and locks go with them.
//
// A native wait measures its deadline on the machine's own clock. A deadline of a few seconds on a ManualClock is long past there, so
// such a wait looks once and gives up; Instant::Never() waits until it is told.
#ifndef TESTS_CORE_ACCUMULATOR_TESTING_MANUAL_DOORS_H_
#define TESTS_CORE_ACCUMULATOR_TESTING_MANUAL_DOORS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/observer.h"
#include "core/wire/status.h"

namespace ktrial {

inline Instant AtMillis(std::int64_t millis) { return Instant::FromNanos(millis * 1'000'000); }
inline Duration Millis(std::int64_t millis) { return std::chrono::milliseconds(millis); }

class ManualClock final : public Clock {
 public:
  Instant Now() const override {
    ++reads;
    return now;
  }
  WallTime WallNow() const override { return WallTime::FromMillis(1'000'000); }
  Instant now = AtMillis(1000);
  mutable std::atomic<int> reads = 0;
};

// Gives what was scripted, then the middle of every range: a jitter of exactly 1.
class ScriptedEntropy final : public Entropy {
 public:
  std::uint64_t Next(DrawPurpose) override {
    ++draws;
    if (script_.empty()) return std::uint64_t{1} << 63;
    const std::uint64_t value = script_.front();
    script_.pop_front();
    return value;
  }
  void Secret(std::span<char> bytes) override { std::ranges::fill(bytes, 's'); }
  // The next draw below `bound` gives `result`.
  void Script(std::uint64_t result, std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    script_.push_back(static_cast<std::uint64_t>(((static_cast<Wide>(result) << 64) + bound - 1) / bound));
  }
  int draws = 0;

 private:
  std::deque<std::uint64_t> script_;
};

// Thread-safe, as several threads append in some tests; read the notes when they are done.
class NotingObserver final : public ProducerObserver {
 public:
  void OnBatchCreated(const BatchView& batch) override { Note("created", batch); }
  void OnBatchDrained(const BatchView& batch, NodeId node) override {
    Note("drained to " + std::to_string(node.value()), batch);
  }
  void OnBatchRetried(const BatchView& batch, wire::ErrorCode) override { Note("retried", batch); }
  void OnBatchSplit(const BatchView& batch, std::int32_t parts) override {
    Note("split in " + std::to_string(parts), batch);
  }
  void OnBatchDone(const BatchView& batch, const absl::Status& status, Offset) override {
    Note("done " + std::string(wire::ErrorCodeName(wire::KafkaCode(status))), batch);
  }
  void OnBufferPool(std::int64_t used_bytes, std::int32_t) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    used.push_back(used_bytes);
  }

  std::vector<std::string> notes;
  std::vector<std::int64_t> used;

 private:
  void Note(const std::string& what, const BatchView& batch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    notes.push_back(std::to_string(batch.id) + " " + what);
  }
  std::mutex mutex_;
};

}  // namespace ktrial

#endif  // TESTS_CORE_ACCUMULATOR_TESTING_MANUAL_DOORS_H_
