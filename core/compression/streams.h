// What each codec does for Compressor and Decompressor; for their files only.
#ifndef CORE_COMPRESSION_STREAMS_H_
#define CORE_COMPRESSION_STREAMS_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/compression/framing.h"

namespace ktrial::compression {

// The longest that one call takes: the libraries count in int or unsigned.
inline constexpr std::size_t kInputBytesMax = std::size_t{1} << 30;

class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual std::size_t BytesMax(std::size_t input_bytes) const = 0;
  // One complete stream; `output` has BytesMax(input.size()) bytes at least.
  virtual std::size_t Encode(std::string_view input, std::span<char> output, Framing framing) = 0;
};

std::unique_ptr<Encoder> NewGzipEncoder(int level);
std::unique_ptr<Encoder> NewSnappyEncoder();
std::unique_ptr<Encoder> NewLz4Encoder(int level);
std::unique_ptr<Encoder> NewZstdEncoder(int level);

// Reads one stream piece by piece. Total: any input ends, in a failure if it is damaged.
class StreamDecoder {
 public:
  virtual ~StreamDecoder() = default;
  // Begins with a new input, which must stay. No more than `output_bytes_max` bytes will be read out of it, so memory
  // for a larger claim need not be found.
  void Open(std::string_view input, std::size_t output_bytes_max, Framing framing) {
    what_ = nullptr;
    too_large_ = false;
    input_ = input;
    position_ = 0;
    Restart(output_bytes_max, framing);
  }
  // Fills `output`, which is not empty; less only at the end of the stream or after a failure.
  virtual std::size_t Read(std::span<char> output) = 0;

  bool failed() const { return what_ != nullptr; }
  const char* what() const { return what_; }
  bool too_large() const { return too_large_; }
  std::size_t position() const { return position_; }  // How far the input has been read.

 protected:
  virtual void Restart(std::size_t output_bytes_max, Framing framing) = 0;
  // Returns 0. The first failure counts. `what` is a literal.
  std::size_t Fail(const char* what) {
    if (what_ == nullptr) what_ = what;
    return 0;
  }
  std::size_t FailTooLarge(const char* what) {
    if (what_ == nullptr) too_large_ = true;
    return Fail(what);
  }
  std::string_view rest() const { return input_.substr(position_); }
  std::string_view input() const { return input_; }
  void Advance(std::size_t bytes) { position_ += bytes; }

 private:
  std::string_view input_;
  std::size_t position_ = 0;
  const char* what_ = nullptr;
  bool too_large_ = false;
};

inline constexpr char kCutShort[] = "the stream is cut short";
inline constexpr char kBytesAfterTheEnd[] = "bytes after the end";

std::unique_ptr<StreamDecoder> NewGzipDecoder();
std::unique_ptr<StreamDecoder> NewSnappyDecoder();
std::unique_ptr<StreamDecoder> NewLz4Decoder();
std::unique_ptr<StreamDecoder> NewZstdDecoder();

}  // namespace ktrial::compression

#endif  // CORE_COMPRESSION_STREAMS_H_
