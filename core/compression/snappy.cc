#include <snappy.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/check.h"
#include "core/compression/streams.h"
#include "core/wire/big_endian.h"

namespace ktrial::compression {
namespace {

using wire::LoadBigEndian;
using wire::StoreBigEndian;

// The framing of snappy-java: this, two versions, then blocks, each with its length in front.
constexpr char kMagic[] = {'\x82', 'S', 'N', 'A', 'P', 'P', 'Y', '\0'};
constexpr std::size_t kHeaderBytes = sizeof kMagic + 2 * sizeof(std::int32_t);
constexpr std::int32_t kVersion = 1;
constexpr std::size_t kLengthBytes = sizeof(std::int32_t);
constexpr std::size_t kBlockBytes = 32 * 1024;
// Nothing is shorter for what it gives than a copy of 64 bytes, which takes 3.
constexpr std::size_t kExpansionMax = 64 / 3 + 1;

class SnappyEncoder : public Encoder {
 public:
  std::size_t BytesMax(std::size_t input_bytes) const override {
    const std::size_t blocks = (input_bytes + kBlockBytes - 1) / kBlockBytes;
    return kHeaderBytes + blocks * (kLengthBytes + snappy::MaxCompressedLength(kBlockBytes));
  }

  std::size_t Encode(std::string_view input, std::span<char> output, Framing) override {
    char* out = output.data();
    std::memcpy(out, kMagic, sizeof kMagic);
    StoreBigEndian(out + sizeof kMagic, kVersion);
    StoreBigEndian(out + sizeof kMagic + sizeof kVersion, kVersion);  // the oldest version that can read this
    out += kHeaderBytes;
    while (!input.empty()) {
      const std::string_view block = input.substr(0, kBlockBytes);
      std::size_t size = 0;
      snappy::RawCompress(block.data(), block.size(), out + kLengthBytes, &size);
      StoreBigEndian(out, static_cast<std::int32_t>(size));
      out += kLengthBytes + size;
      input.remove_prefix(block.size());
    }
    return static_cast<std::size_t>(out - output.data());
  }
};

// A block can be read only as a whole, so what does not fit into the caller's piece waits here.
class SnappyDecoder : public StreamDecoder {
 public:
  std::size_t Read(std::span<char> output) override {
    std::size_t filled = 0;
    while (filled < output.size() && !failed()) {
      if (!waiting_.empty()) {
        const std::size_t count = std::min(waiting_.size(), output.size() - filled);
        std::memcpy(output.data() + filled, waiting_.data(), count);
        waiting_.remove_prefix(count);
        filled += count;
      } else if (bare_ && !rest().empty()) {
        filled += ReadBlock(rest(), output.subspan(filled));
      } else if (!bare_ && !rest().empty()) {
        filled += ReadFramed(output.subspan(filled));
      } else {
        break;
      }
    }
    return filled;
  }

 protected:
  void Restart(std::size_t output_bytes_max, Framing) override {
    waiting_ = {};
    output_left_ = output_bytes_max;
    bare_ = !HasHeader();
    if (bare_ && rest().empty()) Fail(kCutShort);
  }

 private:
  bool HasHeader() const {
    return rest().size() >= kHeaderBytes && std::memcmp(rest().data(), kMagic, sizeof kMagic) == 0;
  }

  std::size_t ReadFramed(std::span<char> output) {
    // At the start, and where another stream has been put behind the first.
    if (HasHeader()) {
      if (LoadBigEndian<std::int32_t>(rest().data() + sizeof kMagic) < kVersion) return Fail("version below 1");
      Advance(kHeaderBytes);
      return 0;
    }
    if (rest().size() < kLengthBytes) return Fail(kCutShort);
    const auto size = LoadBigEndian<std::int32_t>(rest().data());
    if (size < 0) return Fail("negative length of a block");
    if (static_cast<std::size_t>(size) > rest().size() - kLengthBytes) return Fail(kCutShort);
    Advance(kLengthBytes);
    return ReadBlock(rest().substr(0, static_cast<std::size_t>(size)), output);
  }

  // Into `output`, or else into waiting_.
  std::size_t ReadBlock(std::string_view block, std::span<char> output) {
    std::size_t size = 0;
    if (!snappy::GetUncompressedLength(block.data(), block.size(), &size)) return Fail("damaged length of a block");
    if (size > block.size() * kExpansionMax) return Fail("a block claims more than its bytes can hold");
    if (size > output_left_) return FailTooLarge("a block is too large");
    const bool direct = size <= output.size();
    if (!direct && waiting_capacity_ < size) {
      waiting_memory_ = std::make_unique_for_overwrite<char[]>(size);
      waiting_capacity_ = size;
    }
    char* const target = direct ? output.data() : waiting_memory_.get();
    if (!snappy::RawUncompress(block.data(), block.size(), target)) return Fail("damaged block");
    Advance(block.size());
    output_left_ -= size;
    if (direct) return size;
    waiting_ = {target, size};
    return 0;
  }

  bool bare_ = false;
  std::size_t output_left_ = 0;
  std::unique_ptr<char[]> waiting_memory_;
  std::size_t waiting_capacity_ = 0;
  std::string_view waiting_;
};

}  // namespace

std::unique_ptr<Encoder> NewSnappyEncoder() { return std::make_unique<SnappyEncoder>(); }
std::unique_ptr<StreamDecoder> NewSnappyDecoder() { return std::make_unique<SnappyDecoder>(); }

}  // namespace ktrial::compression
