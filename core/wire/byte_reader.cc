#include "core/wire/byte_reader.h"

#include <string>

#include "core/check.h"

namespace ktrial::wire {

void ByteReader::Fail(const char* what, std::size_t offset) {
  if (!ok()) return;
  what_ = what;
  next_ = begin_ + (offset - origin_);
  end_ = next_;
}

absl::Status ByteReader::status(std::string_view context) const {
  if (ok()) return absl::OkStatus();
  std::string text(context);
  if (!text.empty()) text += ": ";
  text += "byte " + std::to_string(offset()) + ": " + what_;
  return absl::DataLossError(text);
}

std::uint64_t ByteReader::LongVarint(std::size_t bytes_max, std::uint8_t last_byte_max) {
  const std::size_t start = offset();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes_max; ++i) {
    if (next_ == end_) {
      Fail("varint is cut short", start);
      return 0;
    }
    const auto byte = static_cast<std::uint8_t>(*next_++);
    if (i == bytes_max - 1 && byte > last_byte_max) break;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return value;
  }
  Fail("varint is too long", start);
  return 0;
}

std::optional<std::string_view> ByteReader::CompactNullableBytes() {
  const char* const start = next_;
  const std::uint32_t length_plus_one = UnsignedVarint();
  return Sized(std::int64_t{length_plus_one} - 1, static_cast<std::size_t>(next_ - start));
}

std::optional<std::string_view> ByteReader::Unsized(std::int64_t length, std::size_t length_bytes) {
  if (!ok() || length == -1) return std::nullopt;
  Fail(length < 0 ? "negative length" : "length goes beyond the end", offset() - length_bytes);
  return std::nullopt;
}

std::optional<std::size_t> ByteReader::ArrayCount(bool compact, std::size_t element_bytes_min) {
  KT_CHECK(element_bytes_min > 0);
  const std::size_t start = offset();
  const std::int64_t count = compact ? std::int64_t{UnsignedVarint()} - 1 : Fixed<std::int32_t>();
  if (!ok() || count == -1) return std::nullopt;
  if (count < 0) {
    Fail("negative count", start);
  } else if (static_cast<std::uint64_t>(count) > remaining() / element_bytes_min) {
    Fail("count goes beyond the end", start);
  } else {
    return static_cast<std::size_t>(count);
  }
  return std::nullopt;
}

}  // namespace ktrial::wire
