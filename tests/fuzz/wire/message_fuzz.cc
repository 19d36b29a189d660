// Any bytes give a message or kDataLoss, and a message that was read can be written and read again. The first byte of the input
// chooses the version. KT_FUZZ_MESSAGE is one of core/wire/messages.h or transaction_messages.h.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/wire/codec.h"
#include "core/wire/transaction_messages.h"

namespace ktrial::wire {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

template <class Message>
void TryOne(std::string_view input) {
  const VersionRange range = *CodecVersionRange(Message::kApi);
  const int versions = range.max - range.min + 1;
  const auto version = static_cast<std::int16_t>(range.min + static_cast<unsigned char>(input[0]) % versions);
  const absl::StatusOr<Message> message = Decode<Message>(input.substr(1), version);
  if (!message.ok()) {
    Require(message.status().code() == absl::StatusCode::kDataLoss);
    return;
  }
  std::string bytes;
  Encode(*message, version, bytes);
  // Unknown tagged fields are dropped and varints lose their padding, so it may have become shorter, never longer.
  Require(bytes.size() < input.size());
  const absl::StatusOr<Message> again = Decode<Message>(bytes, version);
  Require(again.ok());
  Require(*again == *message);
  GatherBytes gathered;
  Encode(*message, version, gathered);
  Require(gathered.Flatten() == bytes);
}

}  // namespace
}  // namespace ktrial::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) ktrial::wire::TryOne<ktrial::wire::KT_FUZZ_MESSAGE>({reinterpret_cast<const char*>(data), size});
  return 0;
}
