#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/byte_reader.h"
#include "core/wire/byte_writer.h"
#include "core/wire/codec.h"

namespace ktrial::wire {
namespace {

bool RequestHasTags(ApiKey api, std::int16_t version) { return IsFlexible(FirstFlexibleVersion(api), version); }

// The oldest request of all, of broker to controller, has no client id.
bool RequestHasClientId(ApiKey api, std::int16_t version) { return api != ApiKey::kControlledShutdown || version != 0; }

// A client that asks in a version unknown to the broker must be able to read the answer, so ApiVersions never grew tags
// here (WP-04).
bool ResponseHasTags(ApiKey api, std::int16_t version) {
  return api != ApiKey::kApiVersions && IsFlexible(FirstFlexibleVersion(api), version);
}

void SkipTags(ByteReader& reader) {
  const std::uint32_t count = reader.UnsignedVarint();
  std::int64_t last_tag = -1;
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    const std::size_t start = reader.offset();
    const std::int64_t tag = reader.UnsignedVarint();
    reader.Bytes(reader.UnsignedVarint());
    if (tag <= last_tag) reader.Fail("tags are not in ascending order", start);
    last_tag = tag;
  }
}

}  // namespace

void EncodeRequestHeader(const RequestHeader& header, std::string& out) {
  ByteWriter writer(out);
  writer.Fixed(static_cast<std::int16_t>(header.api));
  writer.Fixed(header.version);
  writer.Fixed(header.correlation_id);
  // In the old form even where all else is compact (WP-03).
  if (RequestHasClientId(header.api, header.version)) writer.NullableString(header.client_id);
  if (RequestHasTags(header.api, header.version)) writer.UnsignedVarint(0);
}

absl::StatusOr<RequestParts> DecodeRequestHeader(std::string_view frame) {
  ByteReader reader(frame);
  RequestParts parts;
  parts.header.api = static_cast<ApiKey>(reader.Fixed<std::int16_t>());
  parts.header.version = reader.Fixed<std::int16_t>();
  parts.header.correlation_id = reader.Fixed<std::int32_t>();
  if (RequestHasClientId(parts.header.api, parts.header.version)) parts.header.client_id = reader.NullableString();
  if (RequestHasTags(parts.header.api, parts.header.version)) SkipTags(reader);
  if (!reader.ok()) return reader.status("request header");
  parts.body = reader.Bytes(reader.remaining());
  return parts;
}

void EncodeResponseHeader(ApiKey api, std::int16_t version, std::int32_t correlation_id, std::string& out) {
  ByteWriter writer(out);
  writer.Fixed(correlation_id);
  if (ResponseHasTags(api, version)) writer.UnsignedVarint(0);
}

absl::StatusOr<ResponseParts> DecodeResponseHeader(std::string_view frame, ApiKey api, std::int16_t version) {
  ByteReader reader(frame);
  ResponseParts parts;
  parts.correlation_id = reader.Fixed<std::int32_t>();
  if (ResponseHasTags(api, version)) SkipTags(reader);
  if (!reader.ok()) return reader.status("response header");
  parts.body = reader.Bytes(reader.remaining());
  return parts;
}

std::optional<std::int32_t> PeekCorrelationId(std::string_view frame) {
  if (frame.size() < sizeof(std::int32_t)) return std::nullopt;
  return LoadBigEndian<std::int32_t>(frame.data());
}

}  // namespace ktrial::wire
