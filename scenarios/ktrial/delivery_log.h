// Keeps count of what became of each line that `ktrial produce` has sent, and says which ones failed.
#ifndef SCENARIOS_KTRIAL_DELIVERY_LOG_H_
#define SCENARIOS_KTRIAL_DELIVERY_LOG_H_

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "core/accumulator/record_callback.h"

namespace ktrial::scenario {

// Thread safety: callbacks come from the sender thread and, for lines that Send refuses, from the thread that sends;
// the rest may be called from any thread. Outlives the producer whose callbacks it made.
class DeliveryLog {
 public:
  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t failed = 0;
  };

  // The callback for one line, counted from 1. It must be called exactly once.
  RecordCallback ForLine(std::uint64_t line);
  Counts counts() const;
  // How the last line that was refused or failed ended; OK if none was.
  absl::Status last_failure() const;

 private:
  // What a callback's context points at; used again once the record is done.
  struct Slot {
    DeliveryLog* log = nullptr;
    std::uint64_t line = 0;
  };
  static void OnDone(void* context, const RecordMetadata& metadata, const absl::Status& status);
  void Done(Slot& slot, const RecordMetadata& metadata, const absl::Status& status);

  static constexpr std::uint64_t kShown = 20;  // failures that are shown one by one

  mutable std::mutex mutex_;
  std::deque<Slot> slots_;  // never moved
  std::deque<Slot*> free_;
  Counts counts_;
  absl::Status last_failure_;
};

// "NOT_LEADER_OR_FOLLOWER: text", or the text alone where Kafka has no number for it.
std::string DescribeFailure(const absl::Status& status);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_DELIVERY_LOG_H_
