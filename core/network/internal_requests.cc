#include "core/network/internal_requests.h"

#include <chrono>
#include <utility>

#include "core/check.h"
#include "core/wire/codec.h"

namespace ktrial {

wire::VersionRange MetadataCall::versions() const {
  const auto range = wire::ClientVersionRange(wire::ApiKey::kMetadata);
  KT_CHECK(range.has_value());
  return *range;
}

void MetadataCall::Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
                          wire::GatherBytes& frame) {
  wire::MetadataRequest request = request_;
  // The oldest version cannot ask for no topic at all; it asks for all of them, and those that are not tracked are ignored (MD-14).
  if (version == 0 && request.topics.has_value() && request.topics->empty()) request.topics.reset();
  wire::EncodeRequestFrame(request, version, correlation_id, client_id, frame);
}

absl::StatusOr<Duration> MetadataCall::ParseResponse(std::int16_t version, std::string_view body) {
  absl::StatusOr<wire::MetadataResponse> response = wire::Decode<wire::MetadataResponse>(body, version);
  if (!response.ok()) return response.status();
  response_ = *std::move(response);
  return std::chrono::milliseconds(response_.throttle_time_ms);
}

void ApiVersionsCall::Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
                             wire::GatherBytes& frame) {
  wire::EncodeRequestFrame(request_, version, correlation_id, client_id, frame);
}

absl::StatusOr<Duration> ApiVersionsCall::ParseResponse(std::int16_t version, std::string_view body) {
  absl::StatusOr<wire::ApiVersionsResponse> response = wire::DecodeApiVersionsResponse(body, version);
  if (!response.ok()) return response.status();
  response_ = *std::move(response);
  return std::chrono::milliseconds(response_.throttle_time_ms);
}

}  // namespace ktrial
