// Arithmetic of sequence numbers (SN-22): they count the records of a producer in a partition from 0, and after
// 2147483647 comes 0 again.
#ifndef CORE_SEQUENCE_H_
#define CORE_SEQUENCE_H_

#include <cstdint>

#include "core/types.h"

namespace ktrial {

// The number that lies `records` behind `sequence`. Neither is negative.
constexpr Sequence SequenceAfter(Sequence sequence, std::int32_t records) {
  const std::uint32_t sum = static_cast<std::uint32_t>(sequence.value()) + static_cast<std::uint32_t>(records);
  return Sequence(static_cast<std::int32_t>(sum & 0x7fff'ffffU));
}

// Of the last record of a batch that begins with `base`. At least one record.
constexpr Sequence LastSequence(Sequence base, std::int32_t records) { return SequenceAfter(base, records - 1); }

}  // namespace ktrial

#endif  // CORE_SEQUENCE_H_
