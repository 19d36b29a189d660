#include "core/compression/compressor.h"

#include <cstring>

#include "core/check.h"
#include "core/compression/streams.h"

namespace ktrial {
namespace {

bool IsLevelOf(Codec codec, int level) {
  const std::optional<LevelRange> range = LevelRangeOf(codec);
  return range ? range->Contains(level) : level == 0;
}

std::unique_ptr<compression::Encoder> NewEncoder(Codec codec, int level) {
  KT_CHECK(IsLevelOf(codec, level));
  switch (codec) {
    case Codec::kGzip:
      return compression::NewGzipEncoder(level);
    case Codec::kSnappy:
      return compression::NewSnappyEncoder();
    case Codec::kLz4:
      return compression::NewLz4Encoder(level);
    case Codec::kZstd:
      return compression::NewZstdEncoder(level);
    default:
      return nullptr;
  }
}

}  // namespace

Compressor::Compressor(Codec codec, int level) : codec_(codec), encoder_(NewEncoder(codec, level)) {
  KT_CHECK(encoder_ != nullptr);
}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

std::size_t Compressor::BytesMax(std::size_t input_bytes) const {
  KT_CHECK(input_bytes <= compression::kInputBytesMax);
  return encoder_->BytesMax(input_bytes);
}

std::size_t Compressor::Compress(std::string_view input, std::span<char> output, Framing framing) {
  if (output.size() >= BytesMax(input.size())) return encoder_->Encode(input, output, framing);
  const std::string_view stream = Compress(input, framing);
  if (stream.size() > output.size()) return 0;
  std::memcpy(output.data(), stream.data(), stream.size());
  return stream.size();
}

std::string_view Compressor::Compress(std::string_view input, Framing framing) {
  const std::size_t bytes_max = BytesMax(input.size());
  if (scratch_.size() < bytes_max) scratch_.resize(bytes_max);
  return {scratch_.data(), encoder_->Encode(input, scratch_, framing)};
}

}  // namespace ktrial
