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
#include "absl/status/statusor.h"
#include "core/wire/codec.h"
#include "sim/broker/batch_check.h"
#include "sim/broker/cluster.h"
#include "sim/broker/observer.h"
#include "sim/broker/request_hook.h"
#include "sim/broker/sasl.h"
#include "sim/broker/transaction_coordinator.h"

namespace ktrial::sim {

// What a request may use of the broker that has it in hand.
struct BrokerContext {
  Cluster& cluster;
  const Broker& broker;
  BrokerObserver& observer;
  TransactionCoordinator& transactions;
  SaslLogin& login;  // of the connection
  PlainRecordsBuffer& plain;
  std::vector<RecordIdentity>& scratch;  // room for the identities of one batch
};

class Request {
 public:
  virtual ~Request() = default;

  // `body` stays where it is until Forget. Sets the message of `view`, if it has one for this API.
  virtual absl::Status Decode(std::string_view body) = 0;
  // Fills in what the body names by numbers that only a broker can read, before the first hook is asked.
  virtual void Resolve(BrokerContext&) {}
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
    view.added = nullptr;
    view.offsets = nullptr;
  }

  RequestView view;
  RequestControl control;
  std::string client_id;  // what view.client_id points at
};

// A request that is kept as its message says it.
template <class Message>
class RequestOf : public Request {
 public:
  absl::Status Decode(std::string_view body) override {
    absl::StatusOr<Message> message = wire::Decode<Message>(body, view.version);
    if (message.ok()) request_ = *std::move(message);
    return message.status();
  }

 protected:
  Message request_;
};

// What a coordinator says in a version of AddPartitionsToTxn, AddOffsetsToTxn or EndTxn: only later ones know
// PRODUCER_FENCED.
wire::ErrorCode FencedAs(std::int16_t version, wire::ErrorCode code);

std::unique_ptr<Request> NewProduce();             // 00_produce.cc
std::unique_ptr<Request> NewMetadata();            // 03_metadata.cc
std::unique_ptr<Request> NewFindCoordinator();     // 10_find_coordinator.cc
std::unique_ptr<Request> NewSaslHandshake();       // 17_sasl_handshake.cc
std::unique_ptr<Request> NewApiVersions();         // 18_api_versions.cc
std::unique_ptr<Request> NewInitProducerId();      // 22_init_producer_id.cc
std::unique_ptr<Request> NewAddPartitionsToTxn();  // 24_add_partitions_to_txn.cc
std::unique_ptr<Request> NewAddOffsetsToTxn();     // 25_add_offsets_to_txn.cc
std::unique_ptr<Request> NewEndTxn();              // 26_end_txn.cc
std::unique_ptr<Request> NewTxnOffsetCommit();     // 28_txn_offset_commit.cc
std::unique_ptr<Request> NewSaslAuthenticate();    // 36_sasl_authenticate.cc
// Null for an API that is not served here.
std::unique_ptr<Request> NewRequest(wire::ApiKey api);

}  // namespace ktrial::sim

#endif  // SIM_BROKER_REQUEST_H_
