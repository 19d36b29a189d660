// FindCoordinator, 0 to 6.
// Same as a real broker: the leader of the partition of an internal topic that the key belongs to;
// COORDINATOR_NOT_AVAILABLE while there is none, and for the request that has the topic made; several keys since
// version 4.
// Simplified: any broker knows at once where the coordinator has moved. Absent: share groups.
#include <utility>

#include "core/wire/transaction_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kSeveralKeysSince = 4;

class FindCoordinator final : public RequestOf<wire::FindCoordinatorRequest> {
 public:
  void Act(BrokerContext& context) override {
    if (view.version < kSeveralKeysSince) request_.coordinator_keys = {request_.key};
    for (const std::string& key : request_.coordinator_keys) found_.push_back(Find(context, key));
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    wire::FindCoordinatorResponse response;
    if (const ErrorCode asked = control.ErrorFor(); asked != ErrorCode::kNone) {
      for (wire::Coordinator& coordinator : found_) coordinator = Nobody(coordinator.key, asked);
    }
    if (view.version >= kSeveralKeysSince) {
      response.coordinators = found_;
    } else {
      wire::Coordinator& one = found_.front();
      response.error = one.error;
      response.node_id = one.node_id;
      response.host = std::move(one.host);
      response.port = one.port;
    }
    wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  static wire::Coordinator Nobody(const std::string& key, ErrorCode code) {
    return {.key = key, .node_id = -1, .port = -1, .error = code};
  }

  wire::Coordinator Find(BrokerContext& context, const std::string& key) const {
    using Kind = TransactionCoordinator::KeyKind;
    const bool transaction = request_.key_type == wire::kTransactionCoordinator;
    if (!transaction && request_.key_type != wire::kGroupCoordinator) return Nobody(key, ErrorCode::kInvalidRequest);
    const NodeId id = context.transactions.Find(transaction ? Kind::kTransaction : Kind::kGroup, key);
    const Broker* broker = context.cluster.FindBroker(id);
    if (broker == nullptr || !broker->listed()) return Nobody(key, ErrorCode::kCoordinatorNotAvailable);
    return {.key = key, .node_id = id.value(), .host = broker->advertised_host(), .port = broker->spec.port};
  }

  std::vector<wire::Coordinator> found_;  // by key
};

}  // namespace

std::unique_ptr<Request> NewFindCoordinator() { return std::make_unique<FindCoordinator>(); }

}  // namespace ktrial::sim
