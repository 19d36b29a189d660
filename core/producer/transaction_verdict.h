// What an error code means in the answer to each request about transactions: one table, and the only place that decides
// (SN-31, SN-32, KIP-1050).
#ifndef CORE_PRODUCER_TRANSACTION_VERDICT_H_
#define CORE_PRODUCER_TRANSACTION_VERDICT_H_

#include <cstdint>

#include "core/wire/error_code.h"

namespace ktrial {

enum class TransactionRequest : std::uint8_t {
  kFindCoordinator,
  kInitProducerId,
  kAddPartitions,
  kAddOffsets,
  kCommitOffsets,
  kEnd,
};

enum class TransactionVerdict : std::uint8_t {
  kDone,
  kRetry,       // The same again, after a backoff.
  kLookUp,      // The same again, but of another coordinator: that has to be found first.
  kAbortable,   // The transaction can only be aborted.
  kNewSession,  // As that; and its coordinator has forgotten the producer id, so there is nothing to end there.
  kFenced,      // Another producer has taken over, or the transaction took too long. For good.
  kFatal,       // For good.
};

TransactionVerdict Judge(TransactionRequest request, wire::ErrorCode code);

}  // namespace ktrial

#endif  // CORE_PRODUCER_TRANSACTION_VERDICT_H_
