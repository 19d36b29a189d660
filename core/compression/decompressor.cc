#include "core/compression/decompressor.h"

#include <algorithm>

#include "core/check.h"
#include "core/compression/streams.h"

namespace ktrial {
namespace {

// The first piece; each later one doubles the output.
constexpr std::size_t kPieceBytesMin = 4096;

std::unique_ptr<compression::StreamDecoder> NewDecoder(Codec codec) {
  switch (codec) {
    case Codec::kGzip:
      return compression::NewGzipDecoder();
    case Codec::kSnappy:
      return compression::NewSnappyDecoder();
    case Codec::kLz4:
      return compression::NewLz4Decoder();
    case Codec::kZstd:
      return compression::NewZstdDecoder();
    default:
      return nullptr;
  }
}

}  // namespace

Decompressor::Decompressor() = default;
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

absl::Status Decompressor::Open(Codec codec, std::string_view input, std::size_t bytes_max, Framing framing) {
  KT_CHECK(codec != Codec::kNone);
  codec_ = codec;
  decoder_ = nullptr;
  bytes_max_ = left_ = bytes_max;
  if (!IsKnown(codec)) {
    status_ = absl::UnimplementedError("codec " + std::to_string(static_cast<int>(codec)) + " is not defined");
    return status_;
  }
  std::unique_ptr<compression::StreamDecoder>& decoder = decoders_[static_cast<std::size_t>(codec)];
  if (decoder == nullptr) decoder = NewDecoder(codec);
  decoder_ = decoder.get();
  status_ = absl::OkStatus();
  decoder_->Open(input, bytes_max, framing);
  return absl::OkStatus();
}

absl::Status Decompressor::Failure() const {
  std::string text(CodecName(codec_));
  text += ": byte " + std::to_string(decoder_->position()) + ": ";
  if (decoder_->failed()) text += decoder_->what();
  if (decoder_->failed() && !decoder_->too_large()) return absl::DataLossError(text);
  if (decoder_->failed()) text += "; ";
  return absl::ResourceExhaustedError(text + "at most " + std::to_string(bytes_max_) + " bytes are allowed");
}

absl::StatusOr<std::size_t> Decompressor::Read(std::span<char> output) {
  KT_CHECK(!output.empty());
  if (!status_.ok()) return status_;
  KT_CHECK(decoder_ != nullptr);
  std::size_t count = 0;
  bool over = false;
  if (left_ > 0) {
    output = output.first(std::min(output.size(), left_));
    count = decoder_->Read(output);
    left_ -= count;
  } else {
    // A stream that ends here is right, one byte more is not.
    over = decoder_->Read(output.first(1)) != 0;
  }
  if (over || decoder_->failed()) {
    status_ = Failure();
    // What came before the damage is given first.
    if (count == 0) return status_;
  }
  return count;
}

absl::Status Decompressor::Decompress(Codec codec, std::string_view input, std::size_t bytes_max, std::string& output,
                                      Framing framing) {
  output.clear();
  if (absl::Status status = Open(codec, input, bytes_max, framing); !status.ok()) return status;
  std::size_t size = 0;
  for (;;) {
    // One byte beyond the bound, so that a stream that goes on is noticed.
    const std::size_t room = std::max({kPieceBytesMin, input.size(), size});
    output.resize(std::min(size + room, std::max<std::size_t>(bytes_max, size + 1)));
    const absl::StatusOr<std::size_t> count = Read(std::span<char>(output).subspan(size));
    if (!count.ok() || *count == 0) {
      output.resize(size);
      return count.status();
    }
    size += *count;
  }
}

}  // namespace ktrial
