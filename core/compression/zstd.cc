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
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    while (!failed() && out.pos < out.size && !(between_frames_ && position() == input().size())) {
      const std::size_t out_before = out.pos;
      const std::size_t in_before = position();
      if (between_frames_ && !BeginFrame()) break;
      // The library decodes a frame that it sees whole by another way, with other checks: what a stream gives must not depend
      // on the sizes of the pieces, so that the first byte of a frame goes alone.
      const std::size_t in_end = position() == frame_at_ ? frame_at_ + 1 : input().size();
      Step(in_end, out);
      if (position() == in_before && out.pos == out_before && !between_frames_) Fail(kCutShort);
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
    between_frames_ = true;
    if (input().empty()) Fail(kCutShort);
  }

 private:
  // False for what is not a frame of the format: the library may read those of its first years too, and sets no bound to what
  // they look back into.
  bool BeginFrame() {
    const std::string_view frame = rest();
    if (frame.size() < 4) return Fail(kCutShort) != 0;
    const bool skippable = (frame[0] & 0xf0) == 0x50 && frame.substr(1, 3) == "\x2a\x4d\x18";
    if (!skippable && !frame.starts_with("\x28\xb5\x2f\xfd")) return Fail("not a frame") != 0;
    between_frames_ = false;
    frame_at_ = position();
    frame_bytes_ = 0;
    frame_bytes_told_ = ZSTD_getFrameContentSize(frame.data(), frame.size());
    return true;
  }

  void Step(std::size_t in_end, ZSTD_outBuffer& out) {
    ZSTD_inBuffer in{input().data(), in_end, position()};
    const std::size_t out_before = out.pos;
    const std::size_t result = ZSTD_decompressStream(context_, &out, &in);
    Advance(in.pos - position());
    if (ZSTD_isError(result)) {
      ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
          ? FailTooLarge("a frame wants to look back too far")
          : Fail(ZSTD_getErrorName(result));
      return;
    }
    frame_bytes_ += out.pos - out_before;
    between_frames_ = result == 0;
    // The library does not compare them when the last block is empty.
    if (frame_bytes_told_ != ZSTD_CONTENTSIZE_UNKNOWN && frame_bytes_told_ != ZSTD_CONTENTSIZE_ERROR &&
        (between_frames_ ? frame_bytes_ != frame_bytes_told_ : frame_bytes_ > frame_bytes_told_)) {
      Fail("a frame has not as many bytes as it says");
    }
  }

  ZSTD_DCtx* context_;
  bool between_frames_ = true;
  std::size_t frame_at_ = 0;
  unsigned long long frame_bytes_ = 0;
  unsigned long long frame_bytes_told_ = 0;  // or the library's word for unknown
};

}  // namespace

std::unique_ptr<Encoder> NewZstdEncoder(int level) { return std::make_unique<ZstdEncoder>(level); }
std::unique_ptr<StreamDecoder> NewZstdDecoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace ktrial::compression
