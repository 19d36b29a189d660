// SaslHandshake, 0 and 1.
// Same as a real broker: UNSUPPORTED_SASL_MECHANISM lists what is enabled; ILLEGAL_SASL_STATE where no SASL is wanted.
// Simplified: a renewal may name another mechanism.
// Absent: what follows version 0, messages without headers; the connection ends there.
#include <utility>

#include "core/wire/codec.h"
#include "core/wire/sasl_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

class SaslHandshake final : public RequestOf<wire::SaslHandshakeRequest> {
 public:
  void Act(BrokerContext& context) override {
    response_.error = control.ErrorFor();
    if (response_.error != ErrorCode::kNone) return;
    const SaslAccess& access = context.cluster.settings().sasl;
    if (!access.required()) {
      response_.error = ErrorCode::kIllegalSaslState;
      return;
    }
    response_.mechanisms = access.mechanisms;
    if (!access.Has(request_.mechanism)) {
      response_.error = ErrorCode::kUnsupportedSaslMechanism;
      return;
    }
    context.login.mechanism = request_.mechanism;
    context.login.exchange = NewSaslServer(request_.mechanism, access, "server-" + std::to_string(view.id),
                                           context.broker.release->checks_scram_nonce);
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    wire::EncodeResponseFrame(response_, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  wire::SaslHandshakeResponse response_;
};

}  // namespace

std::unique_ptr<Request> NewSaslHandshake() { return std::make_unique<SaslHandshake>(); }

}  // namespace ktrial::sim
