#include "sim/broker/record_identity.h"

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ktrial::sim {

RecordIdentity HashIdentity(std::optional<std::string_view> key, std::optional<std::string_view> value) {
  // The lengths go first, so that moving a byte from the key to the value gives another identity; -1 stands for absent.
  const std::array<std::int64_t, 2> lengths = {key ? static_cast<std::int64_t>(key->size()) : -1,
                                               value ? static_cast<std::int64_t>(value->size()) : -1};
  std::uint64_t hash = XXH3_64bits(lengths.data(), sizeof lengths);
  if (key) hash = XXH3_64bits_withSeed(key->data(), key->size(), hash);
  if (value) hash = XXH3_64bits_withSeed(value->data(), value->size(), hash);
  return hash;
}

}  // namespace ktrial::sim
