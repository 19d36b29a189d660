// The two requests that a NetworkClient makes for itself. They end inside the client, in the step of the poll in which
// their answer comes (NC-17, NC-25), so OnComplete has nothing to do.
#ifndef CORE_NETWORK_INTERNAL_REQUESTS_H_
#define CORE_NETWORK_INTERNAL_REQUESTS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/network/outgoing_request.h"
#include "core/wire/api_key.h"
#include "core/wire/messages.h"

namespace ktrial {

// Thread safety: none; the sender thread.
class MetadataCall : public OutgoingRequest {
 public:
  explicit MetadataCall(const wire::MetadataRequest& request) : request_(request) {}

  wire::ApiKey api() const override { return wire::ApiKey::kMetadata; }
  wire::VersionRange versions() const override;
  void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
              wire::GatherBytes& frame) override;
  absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) override;
  void OnComplete(const RequestOutcome&) override {}

  // After ParseResponse.
  const wire::MetadataResponse& response() const { return response_; }

 private:
  const wire::MetadataRequest request_;
  wire::MetadataResponse response_;
};

// Always in one version, as nothing is known of the node yet.
class ApiVersionsCall : public OutgoingRequest {
 public:
  ApiVersionsCall(wire::ApiVersionsRequest request, std::int16_t version)
      : request_(std::move(request)), version_(version) {}

  wire::ApiKey api() const override { return wire::ApiKey::kApiVersions; }
  wire::VersionRange versions() const override { return {.min = version_, .max = version_}; }
  void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
              wire::GatherBytes& frame) override;
  // An UNSUPPORTED_VERSION answer is decoded too (WP-07).
  absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) override;
  void OnComplete(const RequestOutcome&) override {}

  // After ParseResponse.
  const wire::ApiVersionsResponse& response() const { return response_; }

 private:
  const wire::ApiVersionsRequest request_;
  const std::int16_t version_;
  wire::ApiVersionsResponse response_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_INTERNAL_REQUESTS_H_
