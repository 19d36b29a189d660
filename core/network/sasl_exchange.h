// SaslExchange is one authentication on one connection: which request comes next, and what its answer means.
//
//   SaslHandshake: the mechanism -> SaslAuthenticate: its messages, one each way -> done
//
// It is run before the first request of a connection, and again when the session that the broker granted is about to end (KIP-368).
// The broker answers in order, so what is in flight then is answered before, as ever; nothing else is sent until it is done (B113).
#ifndef CORE_NETWORK_SASL_EXCHANGE_H_
#define CORE_NETWORK_SASL_EXCHANGE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/env/entropy.h"
#include "core/network/api_versions.h"
#include "core/network/message_call.h"
#include "core/network/outgoing_request.h"
#include "core/sasl/sasl_client.h"
#include "core/sasl/sasl_settings.h"
#include "core/wire/sasl_messages.h"

namespace ktrial {

// Its two requests end inside of the network client, as those of internal_requests.h.
class SaslHandshakeCall final : public MessageCall<wire::SaslHandshakeRequest, wire::SaslHandshakeResponse> {
 public:
  using MessageCall::MessageCall;
  void OnComplete(const RequestOutcome&) override {}
};
class SaslAuthenticateCall final : public MessageCall<wire::SaslAuthenticateRequest, wire::SaslAuthenticateResponse> {
 public:
  using MessageCall::MessageCall;
  void OnComplete(const RequestOutcome&) override {}
};

// Thread safety: none; the sender thread.
class SaslExchange {
 public:
  // `entropy` outlives this, `settings` need not.
  SaslExchange(const SaslSettings& settings, Entropy& entropy);

  // Whether the broker knows the requests. UNAUTHENTICATED otherwise.
  static absl::Status Check(const ApiVersions& versions);

  // The request that has to be sent now; null: none, as one is in flight or all is done. Each comes once.
  std::unique_ptr<OutgoingRequest> TakeRequest() { return std::move(next_); }
  // Takes the answer of a request of ours. Not OK: the broker refuses, or is not to be trusted; a Kafka code if it gave one.
  absl::Status Answered(wire::ApiKey api, const OutgoingRequest& request);

  bool done() const { return done_; }
  // How long the broker will serve this client as whom it is now; nullopt: for as long as the connection lives.
  std::optional<Duration> session_lifetime() const { return session_lifetime_; }

 private:
  absl::Status OnHandshake(const wire::SaslHandshakeResponse& response);
  absl::Status OnAuthenticate(const wire::SaslAuthenticateResponse& response);

  const SaslMechanism mechanism_;
  const std::unique_ptr<SaslClient> client_;
  std::unique_ptr<OutgoingRequest> next_;
  bool done_ = false;
  std::optional<Duration> session_lifetime_;
};

// After which part of its life a session is renewed: drawn between 85 and 95 of 100, so that many clients do not come at once.
Duration ReauthenticateAfter(Duration session_lifetime, Entropy& entropy);

}  // namespace ktrial

#endif  // CORE_NETWORK_SASL_EXCHANGE_H_
