#include <lz4frame.h>
#include <lz4hc.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/check.h"
#include "core/compression/codec.h"
#include "core/compression/streams.h"

namespace ktrial::compression {
namespace {

// A frame's header: magic 4, flags 1, block size 1, perhaps the length of the contents 8, checksum 1.
constexpr std::size_t kFlagsAt = 4;
constexpr std::size_t kHeaderBytesMin = 7;
constexpr std::size_t kContentSizeBytes = 8;
constexpr unsigned char kMagic[] = {0x04, 0x22, 0x4d, 0x18};
constexpr unsigned kIndependentBlocks = 0x20;
constexpr unsigned kContentSize = 0x08;
constexpr unsigned kReservedAndDictionary = 0x03;

// A mistake that became the format: the right checksum begins behind the magic (WP-15).
char HeaderChecksum(const char* header, std::size_t begin, std::size_t end) {
  return static_cast<char>(XXH32(header + begin, end - begin, 0) >> 8);
}

LZ4F_preferences_t Preferences(int level) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.compressionLevel = level == DefaultLevel(Codec::kLz4) ? 0 : level;
  preferences.autoFlush = 1;  // One call brings everything, so nothing need be kept for a next one.
  return preferences;
}

class Lz4Encoder : public Encoder {
 public:
  explicit Lz4Encoder(int level) : preferences_(Preferences(level)) {
    KT_CHECK(!LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)));
  }
  ~Lz4Encoder() override { LZ4F_freeCompressionContext(context_); }
  Lz4Encoder(const Lz4Encoder&) = delete;
  Lz4Encoder& operator=(const Lz4Encoder&) = delete;

  std::size_t BytesMax(std::size_t input_bytes) const override {
    return LZ4F_HEADER_SIZE_MAX + LZ4F_compressBound(input_bytes, &preferences_);
  }

  std::size_t Encode(std::string_view input, std::span<char> output, Framing framing) override {
    std::size_t size = 0;
    const auto add = [&](std::size_t result) {
      KT_CHECK(!LZ4F_isError(result));
      size += result;
    };
    add(LZ4F_compressBegin(context_, output.data(), output.size(), &preferences_));
    if (framing == Framing::kMessageSetV0) output[size - 1] = HeaderChecksum(output.data(), 0, size - 1);
    if (!input.empty()) {
      add(LZ4F_compressUpdate(context_, output.data() + size, output.size() - size, input.data(), input.size(),
                              nullptr));
    }
    add(LZ4F_compressEnd(context_, output.data() + size, output.size() - size, nullptr));
    return size;
  }

 private:
  LZ4F_preferences_t preferences_;
  LZ4F_cctx* context_ = nullptr;
};

class Lz4Decoder : public StreamDecoder {
 public:
  Lz4Decoder() { KT_CHECK(!LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION))); }
  ~Lz4Decoder() override { LZ4F_freeDecompressionContext(context_); }
  Lz4Decoder(const Lz4Decoder&) = delete;
  Lz4Decoder& operator=(const Lz4Decoder&) = delete;

  std::size_t Read(std::span<char> output) override {
    std::size_t filled = 0;
    while (filled < output.size() && !ended_ && !failed()) filled += Step(rest(), output.subspan(filled));
    return filled;
  }

 protected:
  void Restart(std::size_t, Framing framing) override {
    LZ4F_resetDecompressionContext(context_);
    ended_ = false;
    ReadHeader(framing);
  }

 private:
  void ReadHeader(Framing framing) {
    const std::string_view in = rest();
    if (in.size() < kHeaderBytesMin) {
      Fail(kCutShort);
      return;
    }
    const auto flags = static_cast<unsigned char>(in[kFlagsAt]);
    const std::size_t size = kHeaderBytesMin + ((flags & kContentSize) != 0 ? kContentSizeBytes : 0);
    if (std::memcmp(in.data(), kMagic, sizeof kMagic) != 0) {
      Fail("not a frame");
    } else if ((flags & kIndependentBlocks) == 0) {
      Fail("blocks depend on each other");
    } else if ((flags & kReservedAndDictionary) != 0) {
      Fail("flags that are reserved");
    } else if (in.size() < size) {
      Fail(kCutShort);
    } else if (framing == Framing::kMessageSetV0) {
      // The checksum may be either, so the library gets a header with the right one.
      std::array<char, kHeaderBytesMin + kContentSizeBytes> header;
      std::memcpy(header.data(), in.data(), size);
      header[size - 1] = HeaderChecksum(header.data(), kFlagsAt, size - 1);
      Step({header.data(), size}, {});
    }
  }

  std::size_t Step(std::string_view in, std::span<char> output) {
    std::size_t taken = in.size();
    std::size_t given = output.size();
    const std::size_t result = LZ4F_decompress(context_, output.data(), &given, in.data(), &taken, nullptr);
    if (LZ4F_isError(result)) return Fail(LZ4F_getErrorName(result));
    Advance(taken);
    if (result == 0) {
      ended_ = true;
      if (!rest().empty()) Fail(kBytesAfterTheEnd);
    } else if (taken == 0 && given == 0 && rest().empty()) {
      Fail(kCutShort);
    }
    return given;
  }

  LZ4F_dctx* context_ = nullptr;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Encoder> NewLz4Encoder(int level) { return std::make_unique<Lz4Encoder>(level); }
std::unique_ptr<StreamDecoder> NewLz4Decoder() { return std::make_unique<Lz4Decoder>(); }

}  // namespace ktrial::compression
