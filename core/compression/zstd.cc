#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>

#include "core/check.h"
#include "core/compression/streams.h"

namespace ktrial::compression {
namespace {

// A decoder keeps as many bytes of output as a frame says that it will refer back to. The format asks every decoder for
// 8 MiB; the library takes no more than 128 MiB.
constexpr int kWindowLogMin = 23;
constexpr int kWindowLogMax = 27;

class ZstdEncoder : public Encoder {
 public:
  explicit ZstdEncoder(int level) : context_(ZSTD_createCCtx()) {
    KT_CHECK(context_ != nullptr);
    KT_CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level)));
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  std::size_t BytesMax(std::size_t input_bytes) const override { return ZSTD_compressBound(input_bytes); }

  std::size_t Encode(std::string_view input, std::span<char> output, Framing) override {
    const std::size_t size = ZSTD_compress2(context_, output.data(), output.size(), input.data(), input.size());
    KT_CHECK(!ZSTD_isError(size));
    return size;
  }

 private:
  ZSTD_CCtx* context_;
};

class ZstdDecoder : public StreamDecoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) { KT_CHECK(context_ != nullptr); }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  std::size_t Read(std::span<char> output) override {
    if (failed()) return 0;
    ZSTD_inBuffer in{input().data(), input().size(), position()};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    while (out.pos < out.size && !(between_frames_ && in.pos == in.size)) {
      const ZSTD_inBuffer in_before = in;
      const std::size_t out_before = out.pos;
      const std::size_t result = ZSTD_decompressStream(context_, &out, &in);
      Advance(in.pos - in_before.pos);
      if (ZSTD_isError(result)) {
        ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
            ? FailTooLarge("a frame wants to look back too far")
            : Fail(ZSTD_getErrorName(result));
        break;
      }
      between_frames_ = result == 0;
      if (!between_frames_ && in.pos == in_before.pos && out.pos == out_before) {
        Fail(kCutShort);
        break;
      }
    }
    return out.pos;
  }

 protected:
  void Restart(std::size_t output_bytes_max, Framing) override {
    const int log = std::bit_width(std::max<std::size_t>(output_bytes_max, 1) - 1);
    ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    const std::size_t set =
        ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, std::clamp(log, kWindowLogMin, kWindowLogMax));
    KT_CHECK(!ZSTD_isError(set));
    between_frames_ = false;
    if (input().empty()) Fail(kCutShort);
  }

 private:
  ZSTD_DCtx* context_;
  bool between_frames_ = false;
};

}  // namespace

std::unique_ptr<Encoder> NewZstdEncoder(int level) { return std::make_unique<ZstdEncoder>(level); }
std::unique_ptr<StreamDecoder> NewZstdDecoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace ktrial::compression
