// How the application learns what became of a record: by a call for the record, or by one call for its whole batch.
//
// A record's callback is two words, a function and a context, so that keeping one costs no allocation. Callbacks of
// accepted records run on the sender thread, exactly once, in the order in which the records were appended, and never
// under a lock (SN-15, D-8). They may send, but not block. They must not throw; if one does all the same, the others
// still run (SN-16).
#ifndef CORE_ACCUMULATOR_RECORD_CALLBACK_H_
#define CORE_ACCUMULATOR_RECORD_CALLBACK_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/types.h"

namespace ktrial {

inline constexpr WallTime kNoTimestamp = WallTime::FromMillis(-1);

// Where a record went. For a record that failed: its topic and partition, and nothing else (PR-05).
struct RecordMetadata {
  std::string_view topic;  // Lives for the call.
  PartitionIndex partition = kUnknownPartition;
  Offset offset = kUnknownOffset;     // Unknown too after a success that the broker did not number (acks=0).
  WallTime timestamp = kNoTimestamp;  // The broker's if it stamps records, else the record's own (PR-10).
  std::int32_t key_bytes = -1;        // -1: null (PR-11).
  std::int32_t value_bytes = -1;
};

// `status` is OK, or carries Kafka's code. A null function is not called.
struct RecordCallback {
  using Function = void (*)(void* context, const RecordMetadata& metadata, const absl::Status& status);
  Function function = nullptr;
  void* context = nullptr;
};

// What is kept of a record beside its encoded bytes.
struct RecordSlot {
  RecordCallback callback;
  WallTime timestamp;
  std::int32_t key_bytes = -1;
  std::int32_t value_bytes = -1;
};

// A batch that came to its end, before the callbacks of its records. All views live for the call.
struct BatchReport {
  std::string_view topic;
  PartitionIndex partition;
  Offset base_offset = kUnknownOffset;  // Record i has base_offset + i.
  // Of each record; if the broker named single records, the status of those that it did not name (SN-13).
  const absl::Status* status = nullptr;
  std::span<const RecordSlot> records;  // With the contexts that their senders gave.
};

// Called once for each batch on the sender thread, under the rules of RecordCallback. A null function is not called.
struct BatchCallback {
  using Function = void (*)(void* context, const BatchReport& report);
  Function function = nullptr;
  void* context = nullptr;
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_RECORD_CALLBACK_H_
