// What the batches of an idempotent producer are known by: a producer id with its epoch, and a sequence.
#ifndef CORE_SEQUENCE_H_
#define CORE_SEQUENCE_H_

#include <cstdint>
#include <limits>

#include "core/types.h"

namespace ktrial {

// Who a producer is for the brokers. Together, because a number means nothing without both (B071).
struct ProducerIdAndEpoch {
  ProducerId id = kNoProducerId;
  ProducerEpoch epoch = kNoProducerEpoch;

  bool is_valid() const { return id != kNoProducerId; }
  friend bool operator==(const ProducerIdAndEpoch&, const ProducerIdAndEpoch&) = default;
};

// The sequence `count` records after `first`: 0 follows 2147483647 (SN-22, B074). Neither is negative.
constexpr Sequence AdvanceSequence(Sequence first, std::int32_t count) {
  const auto sum = static_cast<std::uint32_t>(first.value()) + static_cast<std::uint32_t>(count);
  return Sequence(static_cast<std::int32_t>(sum & std::numeric_limits<std::int32_t>::max()));
}

// Of the last record of a batch of at least one.
constexpr Sequence LastSequence(Sequence base, std::int32_t records) { return AdvanceSequence(base, records - 1); }

}  // namespace ktrial

#endif  // CORE_SEQUENCE_H_
