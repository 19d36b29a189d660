// InitProducerId, 0 to 5.
// Same as a real broker: every producer without a transactional id gets an id that nobody had, with epoch 0; brokers
// take the numbers in blocks of 1000.
// An id that the client names, to have its epoch raised (KIP-360), is raised only for a transactional one; without a
// transactional id it gets a new id, and INVALID_REQUEST if it names an id without an epoch or the other way round.
// Transactional ids: transaction_coordinator.h.
// Simplified: never COORDINATOR_LOAD_IN_PROGRESS for the first one that asks.
#include <optional>
#include <utility>

#include "core/wire/codec.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kFencedSince = 4;  // PRODUCER_FENCED

class InitProducerId final : public RequestOf<wire::InitProducerIdRequest> {
 public:
  void Act(BrokerContext& context) override {
    if (control.ErrorFor() != ErrorCode::kNone) return;
    const bool names_id = request_.producer_id != kNoProducerId.value();
    const bool names_epoch = request_.producer_epoch != kNoProducerEpoch.value();
    if (names_id != names_epoch) {
      response_.error = ErrorCode::kInvalidRequest;
      return;
    }
    if (request_.transactional_id.has_value()) {
      std::optional<ProducerIdAndEpoch> expected;
      if (names_id) expected = {ProducerId(request_.producer_id), ProducerEpoch(request_.producer_epoch)};
      const Transactions::InitResult result =
          context.transactions.Init(view.broker, *request_.transactional_id, request_.transaction_timeout_ms, expected);
      const bool knows_fenced = view.version >= kFencedSince || result.code != ErrorCode::kProducerFenced;
      response_.error = knows_fenced ? result.code : ErrorCode::kInvalidProducerEpoch;
      response_.producer_id = result.producer.id.value();
      response_.producer_epoch = result.producer.epoch.value();
      return;
    }
    response_.producer_id = context.cluster.NextProducerId(view.broker).value();
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    if (const ErrorCode asked = control.ErrorFor(); asked != ErrorCode::kNone) response_.error = asked;
    if (response_.error != ErrorCode::kNone) {
      response_.producer_id = kNoProducerId.value();
      response_.producer_epoch = kNoProducerEpoch.value();
    }
    wire::EncodeResponseFrame(response_, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  wire::InitProducerIdResponse response_;
};

}  // namespace

std::unique_ptr<Request> NewInitProducerId() { return std::make_unique<InitProducerId>(); }

}  // namespace ktrial::sim
