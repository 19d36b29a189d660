// The numbers and names that every part of the producer speaks of. One word a thing: docs/GLOSSARY.md.
#ifndef CORE_TYPES_H_
#define CORE_TYPES_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "core/strong_int.h"

namespace ktrial {

// A broker's id; negative for the nodes of the bootstrap list (-1, -2, ... in the order of the configuration, MD-20).
using NodeId = StrongInt<struct NodeIdTag, std::int32_t>;
inline constexpr NodeId kNoNode{-1'000'000'000};  // No broker and no bootstrap entry: "no leader".

using PartitionIndex = StrongInt<struct PartitionIndexTag, std::int32_t>;
inline constexpr PartitionIndex kUnknownPartition{-1};  // The partitioner has not chosen, or never will.

using Offset = StrongInt<struct OffsetTag, std::int64_t>;
inline constexpr Offset kUnknownOffset{-1};

using LeaderEpoch = StrongInt<struct LeaderEpochTag, std::int32_t>;
inline constexpr LeaderEpoch kUnknownEpoch{-1};

using ProducerId = StrongInt<struct ProducerIdTag, std::int64_t>;
inline constexpr ProducerId kNoProducerId{-1};
using ProducerEpoch = StrongInt<struct ProducerEpochTag, std::int16_t>;
inline constexpr ProducerEpoch kNoProducerEpoch{-1};
using Sequence = StrongInt<struct SequenceTag, std::int32_t>;
inline constexpr Sequence kNoSequence{-1};

using TopicId = std::array<std::uint8_t, 16>;  // All zero: none.

struct TopicPartition {
  std::string topic;
  PartitionIndex partition;
  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

}  // namespace ktrial

#endif  // CORE_TYPES_H_
