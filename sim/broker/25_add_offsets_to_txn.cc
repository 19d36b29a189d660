// AddOffsetsToTxn, 0 to 4.
// Same as a real broker: the partition of __consumer_offsets that the group belongs to becomes part of the transaction;
// INVALID_PRODUCER_EPOCH before version 2 for what is PRODUCER_FENCED from then on.
#include "core/wire/transaction_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

class AddOffsetsToTxn final : public RequestOf<wire::AddOffsetsToTxnRequest> {
 public:
  void Act(BrokerContext& context) override {
    if (control.ErrorFor() != wire::ErrorCode::kNone) return;
    const ProducerIdAndEpoch producer{ProducerId(request_.producer_id), ProducerEpoch(request_.producer_epoch)};
    code_ = FencedAs(view.version, context.transactions.AddOffsets(view.broker, request_.transactional_id, producer,
                                                                   request_.group_id));
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    const wire::ErrorCode asked = control.ErrorFor();
    const wire::AddOffsetsToTxnResponse response{.error = asked != wire::ErrorCode::kNone ? asked : code_};
    wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  wire::ErrorCode code_ = wire::ErrorCode::kNone;
};

}  // namespace

std::unique_ptr<Request> NewAddOffsetsToTxn() { return std::make_unique<AddOffsetsToTxn>(); }

}  // namespace ktrial::sim
