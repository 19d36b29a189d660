// The two requests that a NetworkClient makes for itself. They end inside the client, in the step of the poll in which
// their answer comes (NC-17, NC-25), so OnComplete has nothing to do.
#ifndef CORE_NETWORK_INTERNAL_REQUESTS_H_
#define CORE_NETWORK_INTERNAL_REQUESTS_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/network/message_call.h"
#include "core/wire/messages.h"

namespace ktrial {

// Thread safety: none; the sender thread.
class MetadataCall final : public MessageCall<wire::MetadataRequest, wire::MetadataResponse> {
 public:
  using MessageCall::MessageCall;
  void OnComplete(const RequestOutcome&) override {}

 private:
  void Adapt(std::int16_t version, wire::MetadataRequest& request) const override;
};

// Always in one version, as nothing is known of the node yet.
class ApiVersionsCall final : public MessageCall<wire::ApiVersionsRequest, wire::ApiVersionsResponse> {
 public:
  ApiVersionsCall(wire::ApiVersionsRequest request, std::int16_t version)
      : MessageCall(std::move(request), {.min = version, .max = version}) {}
  void OnComplete(const RequestOutcome&) override {}

 private:
  // An UNSUPPORTED_VERSION answer is decoded too (WP-07).
  absl::StatusOr<wire::ApiVersionsResponse> Decode(std::string_view body, std::int16_t version) const override;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_INTERNAL_REQUESTS_H_
