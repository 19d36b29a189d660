// MessageCall is a request of which nothing is special: one message goes out, in the newest version that both sides
// know, and one comes back. What is special about some is a function to override; ProduceCall, whose bytes are not its
// own, is not one of them.
//
// Thread safety: none; the sender thread.
#ifndef CORE_NETWORK_MESSAGE_CALL_H_
#define CORE_NETWORK_MESSAGE_CALL_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/check.h"
#include "core/env/clock.h"
#include "core/network/outgoing_request.h"
#include "core/wire/api_key.h"
#include "core/wire/codec.h"

namespace ktrial {

// All versions that the client speaks.
inline constexpr wire::VersionRange kAnyVersion{.min = 0, .max = std::numeric_limits<std::int16_t>::max()};

template <class Request, class Response>
class MessageCall : public OutgoingRequest {
 public:
  // `versions`: of those that the client speaks, the ones that would do. At least one.
  explicit MessageCall(Request request, wire::VersionRange versions = kAnyVersion) : request_(std::move(request)) {
    const std::optional<wire::VersionRange> spoken = wire::ClientVersionRange(Request::kApi);
    KT_CHECK(spoken.has_value());
    versions_ = {.min = std::max(spoken->min, versions.min), .max = std::min(spoken->max, versions.max)};
    KT_CHECK(versions_.min <= versions_.max);
  }

  wire::ApiKey api() const final { return Request::kApi; }
  wire::VersionRange versions() const final { return versions_; }
  void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
              wire::GatherBytes& frame) final {
    Adapt(version, request_);
    wire::EncodeRequestFrame(request_, version, correlation_id, client_id, frame);
  }
  absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) final {
    absl::StatusOr<Response> response = Decode(body, version);
    if (!response.ok()) return response.status();
    if (absl::Status sense = Check(*response); !sense.ok()) return sense;
    response_ = *std::move(response);
    if constexpr (requires { response_.throttle_time_ms; }) {
      return std::chrono::milliseconds(response_.throttle_time_ms);
    } else {
      return Duration::zero();
    }
  }

  // After ParseResponse.
  const Response& response() const { return response_; }

 protected:
  // What has to be said otherwise in this version.
  virtual void Adapt(std::int16_t /*version*/, Request& /*request*/) const {}
  virtual absl::StatusOr<Response> Decode(std::string_view body, std::int16_t version) const {
    return wire::Decode<Response>(body, version);
  }
  // Not OK: the answer can be read, but makes no sense.
  virtual absl::Status Check(const Response& /*response*/) const { return absl::OkStatus(); }

 private:
  Request request_;
  wire::VersionRange versions_;
  Response response_;
};

// One whose end is told to a function. What the function refers to outlives the call.
template <class Request, class Response>
class ReportedCall : public MessageCall<Request, Response> {
 public:
  // `response` means something only if the outcome is kAnswered.
  using Done = absl::AnyInvocable<void(const Response& response, const RequestOutcome& outcome)>;

  ReportedCall(Request request, wire::VersionRange versions, Done done)
      : MessageCall<Request, Response>(std::move(request), versions), done_(std::move(done)) {}

  void OnComplete(const RequestOutcome& outcome) final { done_(this->response(), outcome); }

 private:
  Done done_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_MESSAGE_CALL_H_
