// Any frame gives the parts of a request and of a response, or kDataLoss; what was read can be written and read again. The first three
// bytes of the input choose API and version of the response.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/wire/codec.h"

namespace ktrial::wire {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void TryRequest(std::string_view frame) {
  const absl::StatusOr<RequestParts> parts = DecodeRequestHeader(frame);
  if (!parts.ok()) return Require(parts.status().code() == absl::StatusCode::kDataLoss);
  std::string bytes;
  EncodeRequestHeader(parts->header, bytes);
  const absl::StatusOr<RequestParts> again = DecodeRequestHeader(bytes);
  Require(again.ok());
  Require(again->header == parts->header);
  Require(again->body.empty());
}

void TryResponse(std::string_view input) {
  const auto api = static_cast<ApiKey>(input[0]);
  const auto version = static_cast<std::int16_t>(input[1] * 256 + input[2]);
  const std::string_view frame = input.substr(3);
  const absl::StatusOr<ResponseParts> parts = DecodeResponseHeader(frame, api, version);
  if (!parts.ok()) return Require(parts.status().code() == absl::StatusCode::kDataLoss);
  Require(PeekCorrelationId(frame) == parts->correlation_id);
  std::string bytes;
  EncodeResponseHeader(api, version, parts->correlation_id, bytes);
  Require(DecodeResponseHeader(bytes, api, version)->correlation_id == parts->correlation_id);
}

}  // namespace
}  // namespace ktrial::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  ktrial::wire::TryRequest(input);
  if (size >= 3) ktrial::wire::TryResponse(input);
  return 0;
}
