#include <zlib.h>

#include <algorithm>

#include "core/check.h"
#include "core/compression/streams.h"

namespace ktrial::compression {
namespace {

// The largest window, and a gzip header and trailer instead of zlib's.
constexpr int kWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8;

Bytef* Bytes(const char* data) { return reinterpret_cast<Bytef*>(const_cast<char*>(data)); }

class GzipEncoder : public Encoder {
 public:
  explicit GzipEncoder(int level) {
    KT_CHECK(deflateInit2(&stream_, level, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  std::size_t BytesMax(std::size_t input_bytes) const override { return deflateBound(&stream_, input_bytes); }

  std::size_t Encode(std::string_view input, std::span<char> output, Framing) override {
    stream_.next_in = Bytes(input.data());
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = Bytes(output.data());
    stream_.avail_out = static_cast<uInt>(std::min(output.size(), BytesMax(input.size())));
    KT_CHECK(deflate(&stream_, Z_FINISH) == Z_STREAM_END);
    const std::size_t size = stream_.total_out;
    // Now and not before the next: deflateBound of a finished stream leaves out the header.
    KT_CHECK(deflateReset(&stream_) == Z_OK);
    return size;
  }

 private:
  mutable z_stream stream_{};  // deflateBound reads it through a pointer that is not to const.
};

class GzipDecoder : public StreamDecoder {
 public:
  GzipDecoder() { KT_CHECK(inflateInit2(&stream_, kWindowBits) == Z_OK); }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  std::size_t Read(std::span<char> output) override {
    if (failed()) return 0;
    std::size_t filled = 0;
    while (filled < output.size() && !ended_) {
      const std::size_t count = Step(output.subspan(filled));
      filled += count;
      if (failed()) break;
    }
    return filled;
  }

 protected:
  void Restart(std::size_t, Framing) override {
    KT_CHECK(inflateReset(&stream_) == Z_OK);
    ended_ = false;
  }

 private:
  std::size_t Step(std::span<char> output) {
    const std::string_view in = rest().substr(0, kInputBytesMax);
    stream_.next_in = Bytes(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = Bytes(output.data());
    const std::size_t room = std::min(output.size(), kInputBytesMax);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Advance(in.size() - stream_.avail_in);
    const std::size_t count = room - stream_.avail_out;
    if (result == Z_STREAM_END) {
      ended_ = rest().empty();
      if (!ended_) KT_CHECK(inflateReset(&stream_) == Z_OK);  // the next member
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      // The library's texts are literals.
      Fail(stream_.msg != nullptr ? stream_.msg : "damaged");
    } else if (count == 0 && rest().empty()) {
      Fail(kCutShort);
    }
    return count;
  }

  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Encoder> NewGzipEncoder(int level) { return std::make_unique<GzipEncoder>(level); }
std::unique_ptr<StreamDecoder> NewGzipDecoder() { return std::make_unique<GzipDecoder>(); }

}  // namespace ktrial::compression
