// Message sets: the formats v0 and v1 of before Kafka 0.11 (WP-20). A set is messages one behind the other:
//
//   0 offset 8 | 8 size 4, of all that follows | 12 CRC-32 4, of 16 to the end | 16 magic 1 | 17 attributes 1
//   v1 alone: timestamp 8 | key length 4, -1 for null | key | value length 4 | value
//
// The attributes hold the codec in bits 0 to 2 and, in v1, the kind of the timestamp in bit 3. Compression wraps: one
// message with a null key whose value is a compressed set. The offsets inside are absolute in v0; in v1 they count from
// 0 and the wrapper has the last one's. There are no headers, no producer state, and no zstd.
#ifndef CORE_WIRE_MESSAGE_SET_H_
#define CORE_WIRE_MESSAGE_SET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/compression/codec.h"

namespace ktrial {
class Compressor;
class Decompressor;
}  // namespace ktrial

namespace ktrial::wire {

// A message without its key and value: in v0, and in v1, which has the timestamp.
constexpr std::size_t MessageOverheadBytes(std::int8_t magic) { return magic == 0 ? 26 : 34; }

// CRC-32 (IEEE 802.3) as zlib has it: "123456789" gives 0xCBF43926.
std::uint32_t Crc32(std::string_view bytes);

// The format of records that somebody sent: 0 or 1 is a message set, 2 a record batch. Where it stands has never
// changed. Nullopt if they are too short to have one.
std::optional<std::int8_t> PeekMagic(std::string_view records);

// What a set of this one record may need at most, a wrapper included if it is to be compressed (WP-19).
std::size_t MessageSetUpperBound(std::int8_t magic, bool compressed, const std::optional<std::string_view>& key,
                                 const std::optional<std::string_view>& value);

// Fills a buffer that it does not own, as RecordBatchBuilder does for format v2. Movable and cheap; one at a time per
// buffer. Not thread-safe.
class MessageSetBuilder {
 public:
  MessageSetBuilder() = default;  // Without a buffer: nothing fits.
  // `magic` is 0 or 1. The buffer outlives the builder and all views of the set.
  MessageSetBuilder(std::int8_t magic, std::span<char> buffer);

  // Appends one record and returns its encoded size, or 0, with nothing changed, if it does not fit into the buffer.
  // Does not allocate. v0 forgets the timestamp. Not after Compress or Close.
  std::size_t Append(std::int64_t timestamp_ms, const std::optional<std::string_view>& key,
                     const std::optional<std::string_view>& value);

  // Wraps the messages and returns true; or leaves all as it is and returns false, if that would not be smaller. At
  // least one record; at most once. Not for zstd.
  bool Compress(Compressor& compressor);
  // The same into another buffer, where the builder goes on. False if the set does not fit there. No overlap.
  bool CompressInto(Compressor& compressor, std::span<char> buffer);

  // The whole set. At least one record.
  std::string_view Close();

  std::int32_t record_count() const { return record_count_; }
  Codec codec() const { return codec_; }  // kNone until Compress has returned true.
  std::size_t size_bytes() const { return size_; }
  std::size_t capacity_bytes() const { return capacity_; }
  std::int64_t max_timestamp_ms() const { return max_timestamp_; }  // As given, in v0 too.

 private:
  void FinishWrapper(Codec codec, std::size_t stream_bytes);

  char* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::int32_t record_count_ = 0;
  std::int8_t magic_ = 0;
  bool closed_ = false;
  Codec codec_ = Codec::kNone;
  std::int64_t max_timestamp_ = 0;
};

// One message, unwrapped. Views of the set, or of the reader's memory; good until the reader's next message.
struct MessageView {
  std::int64_t offset = 0;         // Absolute, as far as the set knows: producers count from 0.
  std::int64_t timestamp_ms = -1;  // -1 in v0.
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::int8_t magic = 0;
  Codec codec = Codec::kNone;  // Of the wrapper that it was in.
};

// Reads the messages of a set one by one, those in wrappers too. Total, and bounded: ends at the first damage, and
// decompresses no more than `plain_bytes_max` bytes in all, one wrapper at a time.
//
// Errors carry CORRUPT_MESSAGE (cut short, a wrong CRC, lengths or wrappers that cannot be), MESSAGE_TOO_LARGE (beyond
// plain_bytes_max), UNSUPPORTED_COMPRESSION_TYPE (zstd, or a codec that nobody has defined) or INVALID_RECORD (neither
// v0 nor v1), and say at which byte of the set, or of a wrapper's decompressed messages.
class MessageSetReader {
 public:
  // Set and decompressor outlive the reader.
  MessageSetReader(std::string_view set, Decompressor& decompressor, std::size_t plain_bytes_max);

  // Null at the end and after damage. The message is the reader's own and is overwritten by the next call.
  const MessageView* Next();
  // After Next() gave null.
  const absl::Status& status() const { return status_; }

 private:
  struct Message;
  bool Read(std::string_view bytes, std::size_t offset, Message& message);
  bool Unwrap(const Message& wrapper, std::size_t offset);
  void Give(const Message& message);
  bool Fail(absl::Status status);

  std::string_view set_;
  std::size_t position_ = 0;
  Decompressor& decompressor_;
  std::size_t plain_bytes_left_;
  // The messages of the wrapper at hand.
  std::string inner_;
  std::size_t inner_position_ = 0;
  std::int64_t inner_base_ = 0;
  std::optional<std::int64_t> inner_timestamp_;  // Counts for all of them: the broker's time.
  Codec inner_codec_ = Codec::kNone;
  std::int8_t inner_magic_ = 0;
  bool inside_ = false;
  MessageView view_;
  absl::Status status_;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_MESSAGE_SET_H_
