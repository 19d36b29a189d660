#include "core/producer/partitioner.h"

#include <isa-l/crc.h>

#include <array>

#include "core/check.h"

namespace ktrial {

namespace {

constexpr std::uint32_t kSeed = 0x9747b28c;
constexpr std::uint32_t kMultiplier = 0x5bd1e995;

std::uint32_t Byte(std::string_view bytes, std::size_t index) { return static_cast<unsigned char>(bytes[index]); }

// Little-endian, whatever the machine is.
std::uint32_t Word(std::string_view bytes, std::size_t index) {
  return Byte(bytes, index) | Byte(bytes, index + 1) << 8 | Byte(bytes, index + 2) << 16 | Byte(bytes, index + 3) << 24;
}

struct Named {
  std::string_view name;
  PartitionerKind kind;
};
constexpr auto kNamed = std::to_array<Named>({
    {"", PartitionerKind::kBuiltIn},
    {"RoundRobinPartitioner", PartitionerKind::kRoundRobin},
    {"UniformStickyPartitioner", PartitionerKind::kUniformSticky},
    {"random", PartitionerKind::kRandom},
    {"consistent", PartitionerKind::kConsistent},
    {"consistent_random", PartitionerKind::kConsistentRandom},
    {"murmur2", PartitionerKind::kMurmur2},
    {"murmur2_random", PartitionerKind::kMurmur2Random},
    {"fnv1a", PartitionerKind::kFnv1a},
    {"fnv1a_random", PartitionerKind::kFnv1aRandom},
});

std::uint32_t Crc32(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

// With its sign taken off as a number, as librdkafka does, and not as a bit: their data is laid out so.
std::uint32_t Fnv1a(std::string_view bytes) {
  std::uint32_t hash = 0x811c9dc5;
  for (std::size_t i = 0; i < bytes.size(); ++i) hash = (hash ^ Byte(bytes, i)) * 0x01000193;
  return static_cast<std::int32_t>(hash) < 0 ? 0U - hash : hash;
}

PartitionIndex Modulo(std::uint32_t hash, std::int32_t partition_count) {
  return PartitionIndex(static_cast<std::int32_t>(hash % static_cast<std::uint32_t>(partition_count)));
}

}  // namespace

std::optional<PartitionerKind> PartitionerFromName(std::string_view name) {
  if (name.starts_with("org.apache.kafka.clients.producer.")) name = name.substr(name.rfind('.') + 1);
  for (const Named& named : kNamed) {
    if (named.name == name) return named.kind;
  }
  return std::nullopt;
}

PartitionIndex PartitionByName(PartitionerKind kind, std::optional<std::string_view> key,
                               std::int32_t partition_count) {
  KT_CHECK(partition_count > 0);
  switch (kind) {
    case PartitionerKind::kRoundRobin:
    case PartitionerKind::kUniformSticky:
    case PartitionerKind::kRandom:
      return kUnknownPartition;
    case PartitionerKind::kConsistentRandom:
      if (!key.has_value() || key->empty()) return kUnknownPartition;
      return Modulo(Crc32(*key), partition_count);
    case PartitionerKind::kConsistent:
      return Modulo(Crc32(key.value_or("")), partition_count);
    case PartitionerKind::kBuiltIn:
    case PartitionerKind::kMurmur2Random:
      return key.has_value() ? PartitionOfKey(*key, partition_count) : kUnknownPartition;
    case PartitionerKind::kMurmur2:
      return PartitionOfKey(key.value_or(""), partition_count);
    case PartitionerKind::kFnv1aRandom:
      return key.has_value() ? Modulo(Fnv1a(*key), partition_count) : kUnknownPartition;
    case PartitionerKind::kFnv1a:
      return Modulo(Fnv1a(key.value_or("")), partition_count);
  }
  CheckFailed("a partitioner that exists", __FILE__, __LINE__);
}

std::int32_t Murmur2(std::string_view bytes) {
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(bytes.size());
  std::size_t index = 0;
  for (; index + 4 <= bytes.size(); index += 4) {
    std::uint32_t word = Word(bytes, index) * kMultiplier;
    word ^= word >> 24;
    hash = (hash * kMultiplier) ^ (word * kMultiplier);
  }
  switch (bytes.size() - index) {
    case 3:
      hash ^= Byte(bytes, index + 2) << 16;
      [[fallthrough]];
    case 2:
      hash ^= Byte(bytes, index + 1) << 8;
      [[fallthrough]];
    case 1:
      hash ^= Byte(bytes, index);
      hash *= kMultiplier;
      break;
    default:
      break;
  }
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return static_cast<std::int32_t>(hash);
}

PartitionIndex PartitionOfKey(std::string_view key, std::int32_t partition_count) {
  KT_CHECK(partition_count > 0);
  return PartitionIndex((Murmur2(key) & 0x7fffffff) % partition_count);
}

}  // namespace ktrial
