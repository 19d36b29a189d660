// EndTxn, 0 to 5.
// Same as a real broker: answered once the decision stands, before the markers are written; INVALID_PRODUCER_EPOCH before
// version 2 for what is PRODUCER_FENCED from then on; since version 5 every end raises the epoch and names the producer
// id and epoch to go on with (KIP-890).
#include "core/wire/transaction_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kRaisesEpochSince = 5;

class EndTxn final : public RequestOf<wire::EndTxnRequest> {
 public:
  void Act(BrokerContext& context) override {
    if (control.ErrorFor() != ErrorCode::kNone) return;
    const ProducerIdAndEpoch producer{ProducerId(request_.producer_id), ProducerEpoch(request_.producer_epoch)};
    const EndRules rules = view.version >= kRaisesEpochSince ? EndRules::kRaiseEpoch : EndRules::kSameEpoch;
    const Transactions::EndResult result =
        context.transactions.End(view.broker, request_.transactional_id, producer, request_.committed, rules);
    response_.error = FencedAs(view.version, result.code);
    response_.producer_id = result.producer.id.value();
    response_.producer_epoch = result.producer.epoch.value();
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    if (const ErrorCode asked = control.ErrorFor(); asked != ErrorCode::kNone) response_ = {.error = asked};
    wire::EncodeResponseFrame(response_, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  wire::EndTxnResponse response_;
};

}  // namespace

std::unique_ptr<Request> NewEndTxn() { return std::make_unique<EndTxn>(); }

}  // namespace ktrial::sim
