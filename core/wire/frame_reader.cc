#include "core/wire/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "core/check.h"
#include "core/wire/big_endian.h"

namespace ktrial::wire {
namespace {

constexpr std::size_t kLengthBytes = 4;
// A Space() smaller than this would cost more in calls than the move of what is pending.
constexpr std::size_t kSpaceBytesMin = 16 * 1024;

}  // namespace

std::span<char> FrameReader::Space() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.size() - end_ < kSpaceBytesMin) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    // Doubling what has come, never what was promised.
    if (buffer_.size() - end_ < kSpaceBytesMin) buffer_.resize(std::max(2 * buffer_.size(), 2 * kSpaceBytesMin));
  }
  return std::span<char>(buffer_).subspan(end_);
}

void FrameReader::Filled(std::size_t count) {
  KT_CHECK(count <= buffer_.size() - end_);
  end_ += count;
}

absl::StatusOr<std::optional<std::string_view>> FrameReader::Next() {
  if (end_ - begin_ < kLengthBytes) return std::nullopt;
  const auto length = LoadBigEndian<std::int32_t>(buffer_.data() + begin_);
  if (length < 0 || static_cast<std::size_t>(length) > frame_bytes_max_) {
    return absl::DataLossError("a frame of " + std::to_string(length) + " bytes; at most " +
                               std::to_string(frame_bytes_max_) + " are allowed");
  }
  const auto size = static_cast<std::size_t>(length);
  if (end_ - begin_ - kLengthBytes < size) return std::nullopt;
  const std::string_view frame(buffer_.data() + begin_ + kLengthBytes, size);
  begin_ += kLengthBytes + size;
  return frame;
}

}  // namespace ktrial::wire
