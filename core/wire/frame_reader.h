// FrameReader cuts a byte stream into frames: four bytes of length, big-endian, and that many bytes (WP-01).
//
//   const std::span<char> space = reader.Space();
//   ... receive n bytes into it ...
//   reader.Filled(n);
//   for (;;) {
//     absl::StatusOr<std::optional<std::string_view>> frame = reader.Next();
//     if (!frame.ok()) close the connection;
//     if (!frame->has_value()) break;      // the rest has not come yet
//     ... **frame is valid until the next call of Space() ...
//   }
//
// Memory follows what has arrived, not what a length promises: a peer that announces 2 GB and sends 10 bytes costs one
// small buffer. Not thread-safe.
#ifndef CORE_WIRE_FRAME_READER_H_
#define CORE_WIRE_FRAME_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ktrial::wire {

class FrameReader {
 public:
  // Longer frames are an error. The default is what the length can say.
  explicit FrameReader(std::size_t frame_bytes_max = INT32_MAX) : frame_bytes_max_(frame_bytes_max) {}

  // Where the next bytes go: never empty. Drops the frames that were handed out.
  std::span<char> Space();
  // `count` bytes at the front of the last Space() are filled now.
  void Filled(std::size_t count);

  // The next whole frame without its length; nullopt if there is none yet; kDataLoss for a negative or too large
  // length, for ever.
  absl::StatusOr<std::optional<std::string_view>> Next();

  // Bytes that came and are not part of a frame handed out.
  std::size_t pending_bytes() const { return end_ - begin_; }

 private:
  std::size_t frame_bytes_max_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // [begin_, end_) of buffer_ is what came and was not handed out.
  std::size_t end_ = 0;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_FRAME_READER_H_
