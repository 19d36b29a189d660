// Any bytes give messages and then an end or an error with a code. Sizes and CRCs are put right first, since no fuzzer would guess
// them. A set that is valid can be written again message by message, compressed too, and gives the same messages.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

constexpr std::size_t kPlainBytesMax = 1 << 16;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Owned {
  std::int64_t timestamp_ms;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::int8_t magic;
  friend bool operator==(const Owned&, const Owned&) = default;
};

// Nullopt if the set is damaged.
std::optional<std::vector<Owned>> ReadAll(std::string_view set) {
  Decompressor decompressor;
  MessageSetReader reader(set, decompressor, kPlainBytesMax);
  std::vector<Owned> messages;
  std::size_t bytes = 0;
  while (const MessageView* message = reader.Next()) {
    messages.push_back({message->timestamp_ms, std::optional<std::string>(message->key),
                        std::optional<std::string>(message->value), message->magic});
    bytes += message->key.value_or("").size() + message->value.value_or("").size();
  }
  Require(bytes <= set.size() + kPlainBytesMax);
  if (reader.status().ok()) return messages;
  const ErrorCode code = KafkaCode(reader.status());
  Require(code == ErrorCode::kCorruptMessage || code == ErrorCode::kMessageTooLarge ||
          code == ErrorCode::kUnsupportedCompressionType || code == ErrorCode::kInvalidRecord);
  return std::nullopt;
}

void TryOne(std::string_view input) {
  const std::optional<std::vector<Owned>> messages = ReadAll(input);
  if (!messages || messages->empty()) return;
  const std::int8_t magic = messages->front().magic;
  if (!std::ranges::all_of(*messages, [&](const Owned& message) { return message.magic == magic; })) return;
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kLz4}) {
    std::vector<char> buffer(input.size() + kPlainBytesMax);
    MessageSetBuilder builder(magic, buffer);
    for (const Owned& message : *messages) {
      Require(builder.Append(message.timestamp_ms, message.key, message.value) > 0);
    }
    if (builder.size_bytes() > kPlainBytesMax) return;
    if (codec != Codec::kNone) {
      Compressor compressor(codec);
      builder.Compress(compressor);
    }
    Require(ReadAll(builder.Close()) == messages);
  }
}

// What the sizes allow; the last message gets what is left.
std::string WithRightCrcs(std::string set) {
  for (std::size_t at = 0; at + 18 <= set.size();) {
    set[at + 16] = static_cast<char>(set[at + 16] & 1);
    auto size = static_cast<std::size_t>(LoadBigEndian<std::uint32_t>(set.data() + at + 8));
    const std::size_t left = set.size() - at - 12;
    if (size < 14 || size > left) {
      size = left;
      StoreBigEndian(set.data() + at + 8, static_cast<std::uint32_t>(size));
    }
    StoreBigEndian(set.data() + at + 12, Crc32(std::string_view(set).substr(at + 16, size - 4)));
    at += 12 + size;
  }
  return set;
}

}  // namespace
}  // namespace ktrial::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  ktrial::wire::TryOne(input);
  ktrial::wire::TryOne(ktrial::wire::WithRightCrcs(input));
  return 0;
}
