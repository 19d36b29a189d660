// Variable-length integers (WP-02, WP-18): seven bits a byte, least significant first; signed ones in zigzag form.
// Sizes and raw writing only; reading, which must not trust its input, is byte_reader.h.
#ifndef CORE_WIRE_VARINT_H_
#define CORE_WIRE_VARINT_H_

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ktrial::wire {

inline constexpr std::size_t kVarintBytesMax = 5;
inline constexpr std::size_t kVarlongBytesMax = 10;

// Small magnitudes of either sign become small numbers: 0, -1, 1, -2 ... -> 0, 1, 2, 3 ...
constexpr std::uint32_t ZigZag(std::int32_t n) {
  return (static_cast<std::uint32_t>(n) << 1) ^ static_cast<std::uint32_t>(n >> 31);
}
constexpr std::uint64_t ZigZag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
constexpr std::int32_t UnZigZag(std::uint32_t n) { return static_cast<std::int32_t>((n >> 1) ^ (0U - (n & 1))); }
constexpr std::int64_t UnZigZag(std::uint64_t n) { return static_cast<std::int64_t>((n >> 1) ^ (0ULL - (n & 1))); }

// Bytes that the number takes: 1 to 5, or 1 to 10. Records are full of small numbers, so those take one branch.
constexpr std::size_t UnsignedVarintSize(std::uint64_t n) {
  if (n < 0x80) [[likely]] {
    return 1;
  }
  // The ceiling of bits / 7 without a division; right for 1 to 64 bits.
  return (static_cast<std::size_t>(std::bit_width(n)) * 9 + 64) / 64;
}
constexpr std::size_t VarintSize(std::int32_t n) { return UnsignedVarintSize(ZigZag(n)); }
constexpr std::size_t VarlongSize(std::int64_t n) { return UnsignedVarintSize(ZigZag(n)); }

// Writes without a check of room and returns the end of what it wrote. The caller has counted with the functions above.
inline char* WriteUnsignedVarint(char* out, std::uint64_t n) {
  if (n < 0x80) [[likely]] {
    *out = static_cast<char>(n);
    return out + 1;
  }
  if (n < 0x4000) {
    out[0] = static_cast<char>(n | 0x80);
    out[1] = static_cast<char>(n >> 7);
    return out + 2;
  }
  while (n >= 0x80) {
    *out++ = static_cast<char>(n | 0x80);
    n >>= 7;
  }
  *out++ = static_cast<char>(n);
  return out;
}
inline char* WriteVarint(char* out, std::int32_t n) { return WriteUnsignedVarint(out, ZigZag(n)); }
inline char* WriteVarlong(char* out, std::int64_t n) { return WriteUnsignedVarint(out, ZigZag(n)); }

}  // namespace ktrial::wire

#endif  // CORE_WIRE_VARINT_H_
