#include "core/producer/future.h"

#include <optional>

#include "core/accumulator/batch_result.h"

namespace ktrial {

Future::Future(const Future& other) : parts_(other.parts_) {
  if (parts_.result != nullptr) parts_.result->AddOwner();
}

void Future::Drop() { parts_.result->Release(1); }

bool Future::Done() const { return parts_.result == nullptr || parts_.result->IsDone(parts_.index); }

absl::StatusOr<Acknowledgement> Future::Get(Duration timeout) const {
  if (parts_.result == nullptr) return absl::FailedPreconditionError("this future refers to no record");
  // A clock in the past only looks, and so does the sender thread, which must not wait for itself.
  const bool on_sender_thread = parts_.threads->Current() == parts_.sender_thread;
  const Instant deadline = on_sender_thread ? Instant() : parts_.clock->Now() + timeout;
  const std::optional<RecordOutcome> outcome = parts_.result->Await(parts_.index, deadline);
  if (!outcome) {
    if (on_sender_thread) {
      return absl::FailedPreconditionError(
          "a callback cannot wait for a record: the thread that runs it is the one that would complete the record");
    }
    return absl::DeadlineExceededError("the record is not completed yet");
  }
  if (!outcome->status.ok()) return outcome->status;
  return Acknowledgement{.partition = parts_.partition,
                         .offset = outcome->offset,
                         .timestamp = outcome->log_append_time.value_or(parts_.timestamp),
                         .key_bytes = parts_.key_bytes,
                         .value_bytes = parts_.value_bytes};
}

}  // namespace ktrial
