// Compressor makes one stream of a codec out of the records of a batch, in the form that every Kafka client reads:
//
//   gzip    RFC 1952
//   snappy  the framing of snappy-java ("xerial"): a header of 16 bytes, then blocks of 32 KiB with their length in front
//   lz4     frames of independent blocks of 64 KiB without checksums of their contents. The default level is the fast
//           compressor, as in Kafka's own client; 1, 2 and what is negative too; 3 and above search harder
//   zstd    one frame that says how long its contents are
//
// The state of the codec, up to some hundred KiB, is made once and used again for every batch. So a Compressor belongs to
// whoever closes batches, not to a batch. Equal input gives equal bytes, whatever was compressed before.
//
// Not thread-safe. Movable.
#ifndef CORE_COMPRESSION_COMPRESSOR_H_
#define CORE_COMPRESSION_COMPRESSOR_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/compression/codec.h"
#include "core/compression/framing.h"

namespace ktrial {

namespace compression {
class Encoder;
}

class Compressor {
 public:
  // Not kNone. The level is one that LevelRangeOf allows, checked by whoever read it from a user.
  explicit Compressor(Codec codec) : Compressor(codec, DefaultLevel(codec)) {}
  Compressor(Codec codec, int level);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  Codec codec() const { return codec_; }

  // What incompressible input of that size may become.
  std::size_t BytesMax(std::size_t input_bytes) const;

  // Writes the stream to `output` and returns its size, or 0, with `output` undefined, if it does not fit. A smaller
  // output than BytesMax costs a copy, and memory of that size, which is kept for the next time. The two do not overlap.
  // `input` has at most 1 GiB.
  std::size_t Compress(std::string_view input, std::span<char> output, Framing framing = Framing::kStandard);

  // The same into memory of the compressor, valid until the next call.
  std::string_view Compress(std::string_view input, Framing framing = Framing::kStandard);

 private:
  Codec codec_;
  std::unique_ptr<compression::Encoder> encoder_;
  std::vector<char> scratch_;
};

}  // namespace ktrial

#endif  // CORE_COMPRESSION_COMPRESSOR_H_
