// Control batches: what the coordinator of a transaction has the leaders write into their logs when it ends. One record
// that no consumer is given:
//
//   key    version 2 = 0 | type 2, 0 abort, 1 commit
//   value  version 2 = 0 | coordinator epoch 4
//
// in a batch of the transaction's producer with the transactional and the control bit and no sequence (WP-15). Brokers
// write them; a client that sends one is refused.
#ifndef CORE_WIRE_CONTROL_BATCH_H_
#define CORE_WIRE_CONTROL_BATCH_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/types.h"
#include "core/wire/record_batch.h"

namespace ktrial::wire {

enum class MarkerType : std::int16_t { kAbort = 0, kCommit = 1 };

struct TransactionMarker {
  MarkerType type = MarkerType::kAbort;
  ProducerId producer_id = kNoProducerId;
  ProducerEpoch producer_epoch = kNoProducerEpoch;
  std::int32_t coordinator_epoch = 0;
  std::int64_t timestamp_ms = 0;
  friend bool operator==(const TransactionMarker&, const TransactionMarker&) = default;
};

// A whole batch with base offset 0.
std::string EncodeTransactionMarker(const TransactionMarker& marker);

// Total. INVALID_RECORD unless the batch is one of these; later versions of key and value, which may have more behind,
// are read as version 0.
absl::StatusOr<TransactionMarker> DecodeTransactionMarker(const RecordBatchView& batch);

}  // namespace ktrial::wire

#endif  // CORE_WIRE_CONTROL_BATCH_H_
