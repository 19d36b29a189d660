// Decompressor reads streams that a peer has compressed: those of compressor.h, and what other clients write.
//
//   gzip    several members, one after the other, are one stream
//   snappy  with the framing of snappy-java (several such streams, one after the other, too), or one bare block
//   lz4     one frame of any block size. Blocks that refer to earlier ones are refused, as Kafka's brokers do
//   zstd    any frames; a window of more than 8 MiB only if the output may be as large
//
// It is total: any bytes give what they stand for, or an error. And it is bounded: the output by `bytes_max`, which the
// caller names, and the memory that it takes itself by about twice the larger of 8 MiB and `bytes_max`, whatever the
// input claims (WP-15). Errors are kDataLoss for a damaged stream, kResourceExhausted for one that would give more than
// bytes_max, kUnimplemented for a codec that nobody has defined; they name the codec and the byte of the input.
//
// The state of a codec is made when it is first needed and used again. Not thread-safe. Movable.
#ifndef CORE_COMPRESSION_DECOMPRESSOR_H_
#define CORE_COMPRESSION_DECOMPRESSOR_H_

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/compression/codec.h"
#include "core/compression/framing.h"

namespace ktrial {

namespace compression {
class StreamDecoder;
}

class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // Replaces what `output` holds. After an error it holds what came before the damage. Grows as the stream is read, so
  // a stream that lies about its length costs nothing.
  absl::Status Decompress(Codec codec, std::string_view input, std::size_t bytes_max, std::string& output,
                          Framing framing = Framing::kStandard);

  // The same in pieces: Open, then Read until it gives 0. `input` stays until then. Not kNone.
  absl::Status Open(Codec codec, std::string_view input, std::size_t bytes_max, Framing framing = Framing::kStandard);
  // Fills `output`, which is not empty; less only at the end. After an error every call gives that error.
  absl::StatusOr<std::size_t> Read(std::span<char> output);

 private:
  absl::Status Failure() const;

  Codec codec_ = Codec::kNone;
  compression::StreamDecoder* decoder_ = nullptr;  // One of the following.
  std::array<std::unique_ptr<compression::StreamDecoder>, kCodecCount> decoders_;
  std::size_t bytes_max_ = 0;
  std::size_t left_ = 0;  // Of bytes_max_.
  absl::Status status_;
};

}  // namespace ktrial

#endif  // CORE_COMPRESSION_DECOMPRESSOR_H_
