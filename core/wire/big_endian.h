// Fixed-width integers of the wire, most significant byte first (WP-01), at addresses of any alignment.
#ifndef CORE_WIRE_BIG_ENDIAN_H_
#define CORE_WIRE_BIG_ENDIAN_H_

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

namespace ktrial::wire {

static_assert(std::endian::native == std::endian::little, "the byte swap below is for little-endian machines");

template <std::integral Integer>
constexpr Integer ByteSwapped(Integer n) {
  using Unsigned = std::make_unsigned_t<Integer>;
  const auto u = static_cast<Unsigned>(n);
  if constexpr (sizeof(Integer) == 1) return n;
  if constexpr (sizeof(Integer) == 2) return static_cast<Integer>(__builtin_bswap16(u));
  if constexpr (sizeof(Integer) == 4) return static_cast<Integer>(__builtin_bswap32(u));
  if constexpr (sizeof(Integer) == 8) return static_cast<Integer>(__builtin_bswap64(u));
}

// The caller has checked that sizeof(Integer) bytes are there.
template <std::integral Integer>
Integer LoadBigEndian(const char* from) {
  Integer n;
  std::memcpy(&n, from, sizeof n);
  return ByteSwapped(n);
}

template <std::integral Integer>
void StoreBigEndian(char* to, Integer n) {
  n = ByteSwapped(n);
  std::memcpy(to, &n, sizeof n);
}

}  // namespace ktrial::wire

#endif  // CORE_WIRE_BIG_ENDIAN_H_
