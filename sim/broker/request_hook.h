// RequestHook is where faults meet requests: it is asked at four points in the life of each request that a broker
// serves, and may change what becomes of it.
//
//   received         the request is complete and decoded; its place in the connection's order is fixed
//   before_append    its service time is over; nothing has been done yet
//   after_append     done: appended, topics created, ids handed out. Replication may still be under way
//   before_response  the answer is about to be sent (for acks=all after replication, or after it failed)
//
// All four exist for every API, not only for Produce.
#ifndef SIM_BROKER_REQUEST_HOOK_H_
#define SIM_BROKER_REQUEST_HOOK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"

namespace ktrial::wire {
struct ProduceRequest;
struct MetadataRequest;
struct AddPartitionsToTxnRequest;
struct TxnOffsetCommitRequest;
}  // namespace ktrial::wire

namespace ktrial::sim {

enum class RequestPhase : std::uint8_t { kReceived, kBeforeAppend, kAfterAppend, kBeforeResponse };

// A request that a broker has in hand. Views live for the call.
struct RequestView {
  std::uint64_t id = 0;  // unique within a BrokerHost, ascending in order of arrival
  NodeId broker;
  ConnectionId connection;
  wire::ApiKey api = wire::ApiKey::kProduce;
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  std::string_view client_id;  // empty if the client sent none
  std::int64_t bytes = 0;      // of the frame, without its length
  Instant received;
  // The message of an API that NamesTopics; of the others there is none.
  const wire::ProduceRequest* produce = nullptr;
  const wire::MetadataRequest* metadata = nullptr;
  const wire::AddPartitionsToTxnRequest* added = nullptr;
  const wire::TxnOffsetCommitRequest* offsets = nullptr;

  // Whether the request names the topic, or the partition of it (kUnknownPartition: any). A Metadata request names the
  // topics that it asks for one by one; one that asks for all topics names none.
  bool Names(std::string_view topic, PartitionIndex partition = kUnknownPartition) const;
};

// Whether requests of the API name topics at all: Produce, Metadata, AddPartitionsToTxn and TxnOffsetCommit.
bool NamesTopics(wire::ApiKey api);

// What the hooks of one request have decided so far. Decisions of several hooks add up.
class RequestControl {
 public:
  // At received and before_append: what follows is done later. Afterwards: the answer is sent later. What comes behind
  // it on the connection waits.
  void Delay(Duration by) { delay_ += by; }

  // The connection sends nothing more until it is closed. At received and before_append the request is not carried out
  // either, as if the broker hung before it.
  void DropResponse() { dropped_ = true; }

  // The connection ends now. At received and before_append the request is not carried out.
  void Disconnect(Transport::CloseKind how) {
    disconnected_ = true;
    close_kind_ = how;
  }

  // Answers with an error: with an empty topic everywhere that the answer has a place for one, else only for the topic
  // or partition named. At received and before_append what fails is not carried out; afterwards it was, and the answer
  // lies.
  void Fail(wire::ErrorCode code, std::string_view topic = {}, PartitionIndex partition = kUnknownPartition);

  Duration delay() const { return delay_; }
  bool dropped() const { return dropped_; }
  bool disconnected() const { return disconnected_; }
  Transport::CloseKind close_kind() const { return close_kind_; }
  // What the answer must say for a partition (or, without a topic, for the request as a whole); kNone if nothing was
  // decided. The latest decision that fits wins.
  wire::ErrorCode ErrorFor(std::string_view topic = {}, PartitionIndex partition = kUnknownPartition) const;

  // Forgets a delay that has been served.
  void ClearDelay() { delay_ = Duration(0); }

 private:
  struct Failure {
    wire::ErrorCode code = wire::ErrorCode::kNone;
    std::string topic;
    PartitionIndex partition = kUnknownPartition;
  };
  Duration delay_{0};
  bool dropped_ = false;
  bool disconnected_ = false;
  Transport::CloseKind close_kind_ = Transport::CloseKind::kReset;
  std::vector<Failure> failures_;
};

class RequestHook {
 public:
  virtual ~RequestHook() = default;
  // On the thread of the loop. May change the cluster (move a leader between received and before_append, say); must not
  // add or remove hooks.
  virtual void OnRequest(RequestPhase phase, const RequestView& request, RequestControl& control) = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_REQUEST_HOOK_H_
