// Future is what becomes of one record: where it is in the log, or why it is not.
//
//   absl::StatusOr<Acknowledgement> done = producer->Send({.topic = "orders", .value = "x"}).Get();   // a synchronous
//   send
//
// A Future is small, may be copied and dropped at any time, and may outlive its producer, but not the Env: one of a
// simulated world ends with RunWorld, so none may be kept in a variable that a body only captured. Dropping it
// changes nothing for the record: there is no cancelling (PR-12).
//
// Thread safety: as for a plain value. Several threads may wait, each with a copy of its own.
#ifndef CORE_PRODUCER_FUTURE_H_
#define CORE_PRODUCER_FUTURE_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/env/threads.h"
#include "core/types.h"

namespace ktrial {

class BatchResult;

// A record that was acknowledged.
struct Acknowledgement {
  PartitionIndex partition = kUnknownPartition;
  Offset offset = kUnknownOffset;  // Unknown with acks=0 (SN-04).
  WallTime timestamp;              // The broker's, if it stamps records; else the record's own (PR-10).
  std::int32_t key_bytes = -1;     // -1: the key was null.
  std::int32_t value_bytes = -1;
};

class Future {
 public:
  Future() = default;  // Refers to no record: is done, and Get fails with FAILED_PRECONDITION.
  Future(const Future& other);
  Future(Future&& other) noexcept : parts_(std::exchange(other.parts_, {})) {}
  Future& operator=(Future other) noexcept {
    std::swap(parts_, other.parts_);
    return *this;
  }
  ~Future() {
    if (parts_.result != nullptr) Drop();
  }

  // True once the outcome is known and the record's callback has returned; during the callback it is still false
  // (SN-15).
  bool Done() const;
  // Waits. Errors: that of the record, with Kafka's code as its payload; DEADLINE_EXCEEDED without one if the time is
  // up, which changes nothing for the record; FAILED_PRECONDITION on the sender thread (in a callback) if the record is
  // not done, because nobody else could end the wait (PR-14).
  absl::StatusOr<Acknowledgement> Get() const { return Get(Duration::max()); }
  absl::StatusOr<Acknowledgement> Get(Duration timeout) const;

 private:
  friend class Producer;

  void Drop();

  // Filled in field by field: a copy of a struct that was just written costs more than all else here (its parts are still on their
  // way to the cache when they are read again).
  struct Parts {
    BatchResult* result = nullptr;  // One ownership of it.
    const Threads* threads = nullptr;
    const Clock* clock = nullptr;
    ThreadId sender_thread;
    std::int32_t index = 0;
    PartitionIndex partition = kUnknownPartition;
    WallTime timestamp;
    std::int32_t key_bytes = -1;
    std::int32_t value_bytes = -1;
  };
  Parts parts_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_FUTURE_H_
