#include "core/network/internal_requests.h"

namespace ktrial {

void MetadataCall::Adapt(std::int16_t version, wire::MetadataRequest& request) const {
  // The oldest version cannot ask for no topic at all; it asks for all of them, and those that are not tracked are ignored (MD-14).
  if (version == 0 && request.topics.has_value() && request.topics->empty()) request.topics.reset();
}

absl::StatusOr<wire::ApiVersionsResponse> ApiVersionsCall::Decode(std::string_view body, std::int16_t version) const {
  return wire::DecodeApiVersionsResponse(body, version);
}

}  // namespace ktrial
