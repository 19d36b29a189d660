// ByteReader takes numbers and views out of bytes that nobody has checked.
//
// It is total: whatever the bytes are, every call returns. The first failure sticks: from then on every read gives
// zero, false, an empty view or null, nothing more is consumed, and status() says what was wrong and at which byte. So
// a decoder reads a whole structure and asks once at the end; only loops must ask ok() each turn, and sizes be checked
// before memory is reserved for them.
//
// Views point into the bytes that were given. Not thread-safe.
#ifndef CORE_WIRE_BYTE_READER_H_
#define CORE_WIRE_BYTE_READER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "core/wire/big_endian.h"
#include "core/wire/varint.h"

namespace ktrial::wire {

class ByteReader {
 public:
  // `origin` is added to the offsets in errors: for a part of a larger whole, where the part begins.
  explicit ByteReader(std::string_view bytes, std::size_t origin = 0)
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()), origin_(origin) {}

  bool ok() const { return what_ == nullptr; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
  // Of the next byte to read, or, after a failure, of the value that could not be read.
  std::size_t offset() const { return origin_ + static_cast<std::size_t>(next_ - begin_); }

  // WP-01. Big-endian; a Bool is any byte, true unless zero.
  template <std::integral Integer>
  Integer Fixed() {
    if (!Need(sizeof(Integer), "number is cut short")) return 0;
    const Integer n = LoadBigEndian<Integer>(next_);
    next_ += sizeof(Integer);
    return n;
  }
  bool Bool() { return Fixed<std::int8_t>() != 0; }

  // WP-02, WP-18. More than 5 (10) bytes, or bits beyond 32 (64), are a failure; padding within these bounds is not.
  std::uint32_t UnsignedVarint() {
    if (next_ != end_ && static_cast<signed char>(*next_) >= 0) return static_cast<std::uint32_t>(*next_++);
    return static_cast<std::uint32_t>(LongVarint(kVarintBytesMax, 0x0f));
  }
  std::int32_t Varint() { return UnZigZag(UnsignedVarint()); }
  std::int64_t Varlong() {
    if (next_ != end_ && static_cast<signed char>(*next_) >= 0) return UnZigZag(static_cast<std::uint64_t>(*next_++));
    return UnZigZag(LongVarint(kVarlongBytesMax, 0x01));
  }

  // The next `count` bytes.
  std::string_view Bytes(std::size_t count) {
    if (!Need(count, "bytes are cut short")) return {};
    const std::string_view bytes(next_, count);
    next_ += count;
    return bytes;
  }

  // Length and contents. Null is nullopt; a length below -1 or beyond the end is a failure.
  std::optional<std::string_view> NullableString() { return Sized(Fixed<std::int16_t>(), sizeof(std::int16_t)); }
  std::optional<std::string_view> NullableBytes() { return Sized(Fixed<std::int32_t>(), sizeof(std::int32_t)); }
  // Strings and bytes alike: the length plus one as unsigned varint.
  std::optional<std::string_view> CompactNullableBytes();
  // As in a record: the length as zigzag varint.
  std::optional<std::string_view> VarintNullableBytes() {
    const char* const start = next_;
    const std::int32_t length = Varint();
    return Sized(length, static_cast<std::size_t>(next_ - start));
  }

  // The count of an array whose elements take at least `element_bytes_min` > 0 bytes each: null is nullopt, and a count
  // that cannot fit into what remains is a failure, so that memory may be reserved for the count that is returned.
  std::optional<std::size_t> ArrayCount(bool compact, std::size_t element_bytes_min);

  // Records a failure at `offset` (as by offset()) unless there is one; `what` must outlive the reader, as literals do.
  void Fail(const char* what, std::size_t offset);
  void Fail(const char* what) { Fail(what, offset()); }
  // Trailing bytes are a failure.
  void ExpectEnd() {
    if (ok() && remaining() != 0) Fail("bytes after the end");
  }

  // OK, or kDataLoss with "byte 17: string is cut short". `context` stands in front: "metadata response v9".
  absl::Status status(std::string_view context = {}) const;
  const char* what() const { return what_; }  // null while ok()

 private:
  bool Need(std::size_t count, const char* what) {
    if (remaining() >= count) [[likely]] {
      return true;
    }
    Fail(what);
    return false;
  }
  // `length` was read just now from `length_bytes` bytes.
  std::optional<std::string_view> Sized(std::int64_t length, std::size_t length_bytes) {
    if (length >= 0 && static_cast<std::uint64_t>(length) <= remaining()) [[likely]] {
      return Bytes(static_cast<std::size_t>(length));
    }
    return Unsized(length, length_bytes);
  }
  std::optional<std::string_view> Unsized(std::int64_t length, std::size_t length_bytes);
  std::uint64_t LongVarint(std::size_t bytes_max, std::uint8_t last_byte_max);

  const char* begin_;
  const char* next_;
  const char* end_;  // Moves to next_ at a failure, so that nothing more is read.
  std::size_t origin_;
  const char* what_ = nullptr;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_BYTE_READER_H_
