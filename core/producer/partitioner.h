// Which partition a record goes to, as far as the record itself decides (PT-01 to PT-04, PT-15):
//
//   1. the partition that the record names;
//   2. what the application's own partitioner says, if there is one;
//   3. the partitioner that is named in the configuration: as a rule the hash of the key over all partitions of the topic,
//      unless partitioner.ignore.keys;
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

// partitioner.class: the names of Kafka's own, and those that librdkafka's users have data laid out by.
enum class PartitionerKind : std::uint8_t {
  kBuiltIn,           // "": Murmur2 of the key; without a key the accumulator chooses (PT-02, PT-07)
  kRoundRobin,        // "RoundRobinPartitioner", with or without its package: in turn, whatever the key (PT-05)
  kUniformSticky,     // "UniformStickyPartitioner": the accumulator chooses, whatever the key (PT-06)
  kRandom,            // "random": the same; what librdkafka means by it
  kConsistent,        // "consistent": CRC-32 of the key, no key is an empty one
  kConsistentRandom,  // "consistent_random": the same, but the accumulator chooses for no key and for an empty one
  kMurmur2,           // "murmur2": Murmur2 of the key, no key is an empty one
  kMurmur2Random,     // "murmur2_random": kBuiltIn under librdkafka's name
  kFnv1a,             // "fnv1a": FNV-1a of the key, no key is an empty one
  kFnv1aRandom,       // "fnv1a_random": the same, but the accumulator chooses for no key
};
// By any of these names; a package in front of a Java name does not matter.
std::optional<PartitionerKind> PartitionerFromName(std::string_view name);
// The names, for an error.
inline constexpr std::string_view kPartitionerNames =
    "empty, RoundRobinPartitioner, UniformStickyPartitioner, random, consistent, consistent_random, murmur2, "
    "murmur2_random, fnv1a or fnv1a_random";

// Kafka's hash of a key: MurmurHash2 with 32 bits and seed 0x9747b28c (PT-03).
std::int32_t Murmur2(std::string_view bytes);

// The partition of a key among `partition_count` > 0 partitions (PT-02): the hash without its sign bit (PT-04), modulo.
PartitionIndex PartitionOfKey(std::string_view key, std::int32_t partition_count);

// What a partitioner says to a key among `partition_count` > 0 partitions; kUnknownPartition if it leaves the choice to the
// accumulator, or goes round.
PartitionIndex PartitionByName(PartitionerKind kind, std::optional<std::string_view> key, std::int32_t partition_count);

}  // namespace ktrial

#endif  // CORE_PRODUCER_PARTITIONER_H_
