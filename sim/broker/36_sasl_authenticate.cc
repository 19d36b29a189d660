// SaslAuthenticate, 0 to 2.
// Same as a real broker: one message of the mechanism each way; SASL_AUTHENTICATION_FAILED with a text that names no user;
// ILLEGAL_SASL_STATE without a handshake; the lifetime of the session since version 1.
// Simplified: a connection whose client was refused ends with its next request, not after
// connection.failed.authentication.delay.ms. Every user may use every mechanism.
#include <utility>

#include "core/producer/text.h"
#include "core/wire/codec.h"
#include "core/wire/sasl_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kLifetimeSince = 1;

class SaslAuthenticate final : public RequestOf<wire::SaslAuthenticateRequest> {
 public:
  void Act(BrokerContext& context) override {
    SaslLogin& login = context.login;
    std::unique_ptr<SaslServer> exchange = std::move(login.exchange);
    if (const ErrorCode asked = control.ErrorFor(); asked != ErrorCode::kNone) return Refuse(login, asked);
    if (exchange == nullptr) return Refuse(login, ErrorCode::kIllegalSaslState);
    switch (exchange->Next(request_.auth_bytes, response_.auth_bytes)) {
      case SaslServer::Step::kGoesOn:
        login.exchange = std::move(exchange);
        return;
      case SaslServer::Step::kRefused:
        return Refuse(login, ErrorCode::kSaslAuthenticationFailed);
      case SaslServer::Step::kDone:
        break;
    }
    login.done = true;
    login.until.reset();
    const Duration session = context.cluster.settings().sasl.session;
    if (session == Duration::zero() || view.version < kLifetimeSince) return;
    login.until = context.cluster.clock().Now() + session;
    response_.session_lifetime_ms = Millis(session);
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    wire::EncodeResponseFrame(response_, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  void Refuse(SaslLogin& login, ErrorCode code) {
    login.done = false;
    response_.error = code;
    response_.error_message =
        "Authentication failed during authentication due to invalid credentials with SASL mechanism " +
        (login.mechanism.empty() ? std::string("none") : login.mechanism);
    response_.auth_bytes.clear();
  }

  wire::SaslAuthenticateResponse response_;
};

}  // namespace

std::unique_ptr<Request> NewSaslAuthenticate() { return std::make_unique<SaslAuthenticate>(); }

}  // namespace ktrial::sim
