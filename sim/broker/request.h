// Request is one request that a broker has in hand: decoded, carried out and answered in steps that BrokerLoop drives.
// Each API has a subclass in a file of its own (00_produce.cc, ...).
//
//   Decode     the body; what a real broker could not decode either is an error, and the connection ends
//   Act        what the request asks for: appends, creates, hands out
//   Await      replication, for acks=all
//   Answer     the frame of the response
//
// Between the steps hooks are asked and time passes; the connection may end at any point, and the request with it.
#ifndef SIM_BROKER_REQUEST_H_
#define SIM_BROKER_REQUEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "sim/broker/cluster.h"
#include "sim/broker/observer.h"
#include "sim/broker/request_hook.h"

namespace ktrial::sim {

// What a request may use of the broker that has it in hand.
struct BrokerContext {
  Cluster& cluster;
  const Broker& broker;
  BrokerObserver& observer;
  std::vector<RecordIdentity>& scratch;  // room for the identities of one batch
};

class Request {
 public:
  virtual ~Request() = default;

  // `body` stays where it is until Forget. Sets the message of `view`, if it has one for this API.
  virtual absl::Status Decode(std::string_view body) = 0;
  virtual void Act(BrokerContext& context) = 0;
  // Calls `ready` once the answer can be given: now or later.
  virtual void Await(BrokerContext&, absl::AnyInvocable<void()> ready) { ready(); }

  enum class Reply : std::uint8_t {
    kSend,   // the frame was appended
    kNone,   // this request has no answer
    kClose,  // the answer is that the connection ends
  };
  virtual Reply Answer(BrokerContext& context, std::string& frame) = 0;
  // The bytes of the body go away. Nothing but view's numbers and the client id is used afterwards.
  void Forget() {
    view.produce = nullptr;
    view.metadata = nullptr;
  }

  RequestView view;
  RequestControl control;
  std::string client_id;  // what view.client_id points at
};

std::unique_ptr<Request> NewProduce();
std::unique_ptr<Request> NewMetadata();
std::unique_ptr<Request> NewApiVersions();
std::unique_ptr<Request> NewInitProducerId();
// Null for an API that is not served here.
std::unique_ptr<Request> NewRequest(wire::ApiKey api);

}  // namespace ktrial::sim

#endif  // SIM_BROKER_REQUEST_H_
