// RecordIdentity is the 8 bytes by which the checkers know a record again: what an application sent, what it was told
// and what stands in the log are compared by it, so that neither side has to keep values.
//
// The rule has two forms, and one world uses one of them everywhere:
//   kValuePrefix   the first 8 bytes of the value, big-endian: workloads of our own write a number of their own there
//                  (WriteIdentity), so an identity is unique by construction and costs one load. A value that is absent
//                  or shorter is identified as below.
//   kWholeRecord   a hash of key and value, for clients that write what they like. Two equal records have one identity.
#ifndef SIM_BROKER_RECORD_IDENTITY_H_
#define SIM_BROKER_RECORD_IDENTITY_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace ktrial::sim {

using RecordIdentity = std::uint64_t;

enum class IdentityRule : std::uint8_t { kValuePrefix, kWholeRecord };

// Bytes of a value that carry its identity. A shorter value is hashed.
inline constexpr std::size_t kIdentityBytes = 8;

// XXH3 over key and value, each with its length; absent and empty differ.
RecordIdentity HashIdentity(std::optional<std::string_view> key, std::optional<std::string_view> value);

inline RecordIdentity IdentityOf(IdentityRule rule, std::optional<std::string_view> key,
                                 std::optional<std::string_view> value) {
  if (rule != IdentityRule::kValuePrefix || !value.has_value() || value->size() < kIdentityBytes) [[unlikely]] {
    return HashIdentity(key, value);
  }
  std::uint64_t raw = 0;
  std::memcpy(&raw, value->data(), kIdentityBytes);
  return __builtin_bswap64(raw);
}

// Makes `identity` the identity of a value under kValuePrefix. `value` has room for at least kIdentityBytes.
inline void WriteIdentity(RecordIdentity identity, std::span<char> value) {
  const std::uint64_t raw = __builtin_bswap64(identity);
  std::memcpy(value.data(), &raw, kIdentityBytes);
}

}  // namespace ktrial::sim

#endif  // SIM_BROKER_RECORD_IDENTITY_H_
