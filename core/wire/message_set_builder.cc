#include <isa-l/crc.h>

#include <cstring>
#include <limits>

#include "core/check.h"
#include "core/compression/compressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"

namespace ktrial::wire {
namespace {

using OptionalView = std::optional<std::string_view>;

constexpr std::size_t kSizeAt = 8;
constexpr std::size_t kCrcAt = 12;
constexpr std::size_t kMagicAt = 16;

std::size_t BytesOf(const OptionalView& bytes) { return bytes ? bytes->size() : 0; }

// Returns the end of the length, where the bytes go.
char* WriteLength(char* out, const OptionalView& bytes) {
  StoreBigEndian(out, bytes ? static_cast<std::int32_t>(bytes->size()) : std::int32_t{-1});
  return out + sizeof(std::int32_t);
}

char* Write(char* out, const OptionalView& bytes) {
  out = WriteLength(out, bytes);
  // An empty view may have no address, which memcpy must not see.
  if (!bytes || bytes->empty()) return out;
  std::memcpy(out, bytes->data(), bytes->size());
  return out + bytes->size();
}

// All in front of the key but the CRC.
char* WriteHead(char* out, std::int64_t offset, std::size_t message_bytes, std::int8_t magic, Codec codec,
                std::int64_t timestamp_ms) {
  StoreBigEndian(out, offset);
  StoreBigEndian(out + kSizeAt, static_cast<std::int32_t>(message_bytes - kCrcAt));
  out[kMagicAt] = static_cast<char>(magic);
  out[kMagicAt + 1] = static_cast<char>(codec);
  out += kMagicAt + 2;
  if (magic == 0) return out;
  StoreBigEndian(out, timestamp_ms);
  return out + sizeof timestamp_ms;
}

void WriteCrc(char* message, std::size_t message_bytes) {
  StoreBigEndian(message + kCrcAt, Crc32({message + kMagicAt, message_bytes - kMagicAt}));
}

}  // namespace

std::uint32_t Crc32(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::optional<std::int8_t> PeekMagic(std::string_view records) {
  if (records.size() <= kMagicAt) return std::nullopt;
  return static_cast<std::int8_t>(records[kMagicAt]);
}

std::size_t MessageSetUpperBound(std::int8_t magic, bool compressed, const OptionalView& key,
                                 const OptionalView& value) {
  const std::size_t messages = compressed ? 2 : 1;
  return messages * MessageOverheadBytes(magic) + BytesOf(key) + BytesOf(value);
}

MessageSetBuilder::MessageSetBuilder(std::int8_t magic, std::span<char> buffer)
    : data_(buffer.data()), capacity_(buffer.size()), magic_(magic) {
  KT_CHECK(magic == 0 || magic == 1);
  KT_CHECK(capacity_ <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
}

std::size_t MessageSetBuilder::Append(std::int64_t timestamp_ms, const OptionalView& key, const OptionalView& value) {
  KT_CHECK(!closed_);
  const std::size_t bytes = MessageOverheadBytes(magic_) + BytesOf(key) + BytesOf(value);
  if (bytes > capacity_ - size_) return 0;
  char* const message = data_ + size_;
  char* out = WriteHead(message, record_count_, bytes, magic_, Codec::kNone, timestamp_ms);
  out = Write(out, key);
  Write(out, value);
  WriteCrc(message, bytes);
  if (record_count_ == 0 || timestamp_ms > max_timestamp_) max_timestamp_ = timestamp_ms;
  size_ += bytes;
  ++record_count_;
  return bytes;
}

bool MessageSetBuilder::Compress(Compressor& compressor) {
  KT_CHECK(record_count_ > 0 && !closed_);
  KT_CHECK(compressor.codec() != Codec::kZstd);
  closed_ = true;
  const std::string_view stream =
      compressor.Compress({data_, size_}, magic_ == 0 ? Framing::kMessageSetV0 : Framing::kStandard);
  const std::size_t overhead = MessageOverheadBytes(magic_);
  if (overhead + stream.size() >= size_) return false;
  std::memcpy(data_ + overhead, stream.data(), stream.size());
  FinishWrapper(compressor.codec(), stream.size());
  return true;
}

bool MessageSetBuilder::CompressInto(Compressor& compressor, std::span<char> buffer) {
  KT_CHECK(record_count_ > 0 && !closed_);
  KT_CHECK(compressor.codec() != Codec::kZstd);
  const std::size_t overhead = MessageOverheadBytes(magic_);
  KT_CHECK(buffer.size() >= overhead);
  const std::size_t stream_bytes = compressor.Compress({data_, size_}, buffer.subspan(overhead),
                                                       magic_ == 0 ? Framing::kMessageSetV0 : Framing::kStandard);
  if (stream_bytes == 0) return false;
  closed_ = true;
  data_ = buffer.data();
  capacity_ = buffer.size();
  FinishWrapper(compressor.codec(), stream_bytes);
  return true;
}

void MessageSetBuilder::FinishWrapper(Codec codec, std::size_t stream_bytes) {
  codec_ = codec;
  size_ = MessageOverheadBytes(magic_) + stream_bytes;
  // The stream stands already behind the length that is written here.
  const std::string_view stream(data_ + size_ - stream_bytes, stream_bytes);
  char* out = WriteHead(data_, record_count_ - 1, size_, magic_, codec, max_timestamp_);
  out = WriteLength(out, std::nullopt);
  WriteLength(out, stream);
  WriteCrc(data_, size_);
}

std::string_view MessageSetBuilder::Close() {
  KT_CHECK(record_count_ > 0);
  closed_ = true;
  return {data_, size_};
}

}  // namespace ktrial::wire
