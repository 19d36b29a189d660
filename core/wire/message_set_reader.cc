#include <string>

#include "core/compression/decompressor.h"
#include "core/wire/byte_reader.h"
#include "core/wire/message_set.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

constexpr std::size_t kHeadBytes = 12;  // Offset and size.
constexpr std::size_t kCrcBytes = 4;
constexpr int kCodecMask = 0x07;
constexpr int kLogAppendTimeBit = 0x08;

absl::Status MessageError(ErrorCode code, bool inside, std::size_t offset, std::string_view what) {
  return KafkaError(code, "message set: byte " + std::to_string(offset) +
                              (inside ? " of the decompressed messages: " : ": ") + std::string(what));
}

// Offsets are a peer's and may be anything.
std::int64_t WrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t WrappingDifference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace

struct MessageSetReader::Message {
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = -1;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::int8_t magic = 0;
  int attributes = 0;
  std::size_t bytes = 0;

  Codec codec() const { return static_cast<Codec>(attributes & kCodecMask); }
  bool has_log_append_time() const { return magic > 0 && (attributes & kLogAppendTimeBit) != 0; }
};

MessageSetReader::MessageSetReader(std::string_view set, Decompressor& decompressor, std::size_t plain_bytes_max)
    : set_(set), decompressor_(decompressor), plain_bytes_left_(plain_bytes_max) {}

bool MessageSetReader::Fail(absl::Status status) {
  status_ = std::move(status);
  return false;
}

// The message at `offset` of `bytes`, which are the set or, inside, the messages of a wrapper.
bool MessageSetReader::Read(std::string_view bytes, std::size_t offset, Message& message) {
  const auto fail = [&](ErrorCode code, std::size_t at, std::string_view what) {
    return Fail(MessageError(code, inside_, at, what));
  };
  ByteReader reader(bytes.substr(offset), offset);
  message.offset = reader.Fixed<std::int64_t>();
  const auto size = reader.Fixed<std::int32_t>();
  const auto crc = reader.Fixed<std::uint32_t>();
  message.magic = reader.Fixed<std::int8_t>();
  message.attributes = reader.Fixed<std::int8_t>();
  if (!reader.ok()) return fail(ErrorCode::kCorruptMessage, reader.offset(), "the message is cut short");
  if (message.magic != 0 && message.magic != 1) {
    return fail(ErrorCode::kInvalidRecord, offset + kHeadBytes + kCrcBytes, "neither format v0 nor v1");
  }
  message.bytes = kHeadBytes + static_cast<std::size_t>(size);
  if (size < 0 || message.bytes < MessageOverheadBytes(message.magic)) {
    return fail(ErrorCode::kCorruptMessage, offset + 8, "the size is too small");
  }
  if (message.bytes > bytes.size() - offset) {
    return fail(ErrorCode::kCorruptMessage, offset + 8, "the size goes beyond the end");
  }
  const std::string_view checked = bytes.substr(offset, message.bytes).substr(kHeadBytes + kCrcBytes);
  if (Crc32(checked) != crc) return fail(ErrorCode::kCorruptMessage, offset + kHeadBytes, "wrong CRC");
  ByteReader body(checked.substr(2), offset + kHeadBytes + kCrcBytes + 2);
  message.timestamp_ms = message.magic > 0 ? body.Fixed<std::int64_t>() : -1;
  message.key = body.NullableBytes();
  message.value = body.NullableBytes();
  body.ExpectEnd();
  if (!body.ok()) return fail(ErrorCode::kCorruptMessage, body.offset(), body.what());
  return true;
}

bool MessageSetReader::Unwrap(const Message& wrapper, std::size_t offset) {
  const Codec codec = wrapper.codec();
  if (codec == Codec::kZstd || !IsKnown(codec)) {
    return Fail(MessageError(ErrorCode::kUnsupportedCompressionType, false, offset,
                             "codec " + std::to_string(static_cast<int>(codec)) + " in a message set"));
  }
  if (!wrapper.value)
    return Fail(MessageError(ErrorCode::kCorruptMessage, false, offset, "a wrapper without messages"));
  const absl::Status status =
      decompressor_.Decompress(codec, *wrapper.value, plain_bytes_left_, inner_,
                               wrapper.magic == 0 ? Framing::kMessageSetV0 : Framing::kStandard);
  if (!status.ok()) {
    const bool too_large = status.code() == absl::StatusCode::kResourceExhausted;
    return Fail(MessageError(too_large ? ErrorCode::kMessageTooLarge : ErrorCode::kCorruptMessage, false, offset,
                             std::string_view(status.message().data(), status.message().size())));
  }
  plain_bytes_left_ -= inner_.size();
  if (inner_.empty()) {
    return Fail(MessageError(ErrorCode::kCorruptMessage, false, offset, "a wrapper without messages"));
  }
  inside_ = true;
  inner_position_ = 0;
  inner_codec_ = codec;
  inner_magic_ = wrapper.magic;
  inner_timestamp_ = wrapper.has_log_append_time() ? std::optional(wrapper.timestamp_ms) : std::nullopt;
  inner_base_ = 0;
  if (wrapper.magic == 0) return true;
  // The wrapper has the offset of the last one, so all must be looked at before the first can be given.
  Message message;
  for (std::size_t at = 0; at < inner_.size(); at += message.bytes) {
    if (!Read(inner_, at, message)) return false;
  }
  inner_base_ = WrappingDifference(wrapper.offset, message.offset);
  return true;
}

void MessageSetReader::Give(const Message& message) {
  view_.offset = inside_ ? WrappingSum(inner_base_, message.offset) : message.offset;
  view_.timestamp_ms = inside_ ? inner_timestamp_.value_or(message.timestamp_ms) : message.timestamp_ms;
  view_.key = message.key;
  view_.value = message.value;
  view_.magic = message.magic;
  view_.codec = inside_ ? inner_codec_ : Codec::kNone;
}

const MessageView* MessageSetReader::Next() {
  if (!status_.ok()) return nullptr;
  Message message;
  if (inside_ && inner_position_ == inner_.size()) inside_ = false;
  if (!inside_) {
    if (position_ == set_.size()) return nullptr;
    const std::size_t offset = position_;
    if (!Read(set_, offset, message)) return nullptr;
    position_ += message.bytes;
    if (message.codec() == Codec::kNone) {
      Give(message);
      return &view_;
    }
    if (!Unwrap(message, offset)) return nullptr;
  }
  const std::size_t offset = inner_position_;
  if (!Read(inner_, offset, message)) return nullptr;
  inner_position_ += message.bytes;
  const char* wrong = message.codec() != Codec::kNone ? "a wrapper within a wrapper"
                      : message.magic != inner_magic_ ? "another format than the wrapper's"
                                                      : nullptr;
  if (wrong != nullptr) {
    Fail(MessageError(ErrorCode::kCorruptMessage, true, offset, wrong));
    return nullptr;
  }
  Give(message);
  return &view_;
}

}  // namespace ktrial::wire
