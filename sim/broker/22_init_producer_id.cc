// InitProducerId, 0 to 5.
// Same as a real broker: every producer without a transactional id gets an id that nobody had, with epoch 0; brokers
// take the numbers in blocks of 1000.
// An id that the client names, to have its epoch raised (KIP-360), is raised only for a transactional one; without a
// transactional id it gets a new id, and INVALID_REQUEST if it names an id without an epoch or the other way round.
// Simplified: never COORDINATOR_LOAD_IN_PROGRESS for the first one that asks. Absent: transactional ids
// (COORDINATOR_NOT_AVAILABLE).
#include <utility>

#include "core/wire/codec.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

class InitProducerId final : public Request {
 public:
  absl::Status Decode(std::string_view body) override {
    absl::StatusOr<wire::InitProducerIdRequest> request = wire::Decode<wire::InitProducerIdRequest>(body, view.version);
    if (request.ok()) request_ = *std::move(request);
    return request.status();
  }

  void Act(BrokerContext& context) override {
    if (control.ErrorFor() != wire::ErrorCode::kNone) return;
    if (request_.transactional_id.has_value()) {
      context.observer.OnNotServed(view.broker, view.connection, "InitProducerId with a transactional id");
      response_.error = wire::ErrorCode::kCoordinatorNotAvailable;
      return;
    }
    const bool names_id = request_.producer_id != kNoProducerId.value();
    const bool names_epoch = request_.producer_epoch != kNoProducerEpoch.value();
    if (names_id != names_epoch) {
      response_.error = wire::ErrorCode::kInvalidRequest;
      return;
    }
    response_.producer_id = context.cluster.NextProducerId(view.broker).value();
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    if (const wire::ErrorCode asked = control.ErrorFor(); asked != wire::ErrorCode::kNone) response_.error = asked;
    if (response_.error != wire::ErrorCode::kNone) {
      response_.producer_id = kNoProducerId.value();
      response_.producer_epoch = kNoProducerEpoch.value();
    }
    wire::EncodeResponseFrame(response_, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  wire::InitProducerIdRequest request_;
  wire::InitProducerIdResponse response_;
};

}  // namespace

std::unique_ptr<Request> NewInitProducerId() { return std::make_unique<InitProducerId>(); }

}  // namespace ktrial::sim
