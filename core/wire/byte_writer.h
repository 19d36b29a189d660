// ByteWriter appends the wire's primitives to a string. What it cannot write (a string of more than 32767 bytes in the
// old form) is our own mistake and a KT_CHECK: limits on what users give are checked before they come here.
#ifndef CORE_WIRE_BYTE_WRITER_H_
#define CORE_WIRE_BYTE_WRITER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/check.h"
#include "core/wire/big_endian.h"
#include "core/wire/limits.h"
#include "core/wire/varint.h"

namespace ktrial::wire {

class ByteWriter {
 public:
  // Appends to `out`, which must outlive the writer.
  explicit ByteWriter(std::string& out) : out_(out) {}
  std::size_t size() const { return out_.size(); }

  template <std::integral Integer>
  void Fixed(Integer n) {
    char bytes[sizeof n];
    StoreBigEndian(bytes, n);
    out_.append(bytes, sizeof n);
  }
  void Bool(bool value) { Fixed(static_cast<std::int8_t>(value)); }
  void UnsignedVarint(std::uint32_t n) {
    char bytes[kVarintBytesMax];
    out_.append(bytes, static_cast<std::size_t>(WriteUnsignedVarint(bytes, n) - bytes));
  }
  void Varint(std::int32_t n) { UnsignedVarint(ZigZag(n)); }
  void Bytes(std::string_view bytes) { out_.append(bytes); }

  void NullableString(std::optional<std::string_view> value) {
    KT_CHECK(!value || value->size() <= kStringBytesMax);
    Fixed(value ? static_cast<std::int16_t>(value->size()) : std::int16_t{-1});
    if (value) Bytes(*value);
  }
  void CompactNullableString(std::optional<std::string_view> value) {
    CompactLength(value ? std::optional<std::size_t>(value->size()) : std::nullopt);
    if (value) Bytes(*value);
  }
  // Lengths of bytes and counts of arrays, in the old and in the compact form; null is nullopt.
  void Length(std::optional<std::size_t> length) {
    KT_CHECK(!length || *length <= kLengthMax);
    Fixed(length ? static_cast<std::int32_t>(*length) : std::int32_t{-1});
  }
  void CompactLength(std::optional<std::size_t> length) {
    KT_CHECK(!length || *length <= kLengthMax);
    UnsignedVarint(length ? static_cast<std::uint32_t>(*length) + 1 : 0);
  }

  // Writes over four bytes that are there already: a length that is known only now.
  void PatchFixed32(std::size_t at, std::int32_t n) {
    KT_CHECK(at + sizeof n <= out_.size());
    StoreBigEndian(out_.data() + at, n);
  }

 private:
  static constexpr std::size_t kLengthMax = std::numeric_limits<std::int32_t>::max();
  std::string& out_;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_BYTE_WRITER_H_
