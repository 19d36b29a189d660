#include "core/producer/partitioner.h"

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

}  // namespace

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
