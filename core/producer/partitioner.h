// Which partition a record goes to, as far as the record itself decides (PT-01 to PT-04, PT-15):
//
//   1. the partition that the record names;
//   2. what the application's own partitioner says, if there is one;
//   3. the hash of the key over all partitions of the topic, unless partitioner.ignore.keys;
//   4. kUnknownPartition: the accumulator chooses when it appends, so as to fill batches (PT-07).
//
// Everything here is a pure function.
#ifndef CORE_PRODUCER_PARTITIONER_H_
#define CORE_PRODUCER_PARTITIONER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "core/types.h"

namespace ktrial {

// The application's own choice. Called on the thread that sends, several threads at once; must not call the producer
// and must not throw. `partition_count` > 0 counts all partitions of the topic, with or without a leader. A result of
// kUnknownPartition leaves the choice to the accumulator; any other negative number, or one that is not below the
// count, fails the record with INVALID_ARGUMENT (PT-15; other clients let a number that is too large wait for its
// delivery timeout).
using CustomPartitioner =
    std::function<PartitionIndex(std::string_view topic, std::optional<std::string_view> key,
                                 std::optional<std::string_view> value, std::int32_t partition_count)>;

// Kafka's hash of a key: MurmurHash2 with 32 bits and seed 0x9747b28c (PT-03).
std::int32_t Murmur2(std::string_view bytes);

// The partition of a key among `partition_count` > 0 partitions (PT-02): the hash without its sign bit (PT-04), modulo.
PartitionIndex PartitionOfKey(std::string_view key, std::int32_t partition_count);

}  // namespace ktrial

#endif  // CORE_PRODUCER_PARTITIONER_H_
