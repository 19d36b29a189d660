// BrokerObserver is told what the brokers of a cluster see and do: traces, checkers and the verdict on a foreign client
// stand on it. Every function does nothing by default.
//
// Calls come from the thread of the loop, in the order in which things happen. An observer must not change the cluster.
// Views live for the call.
#ifndef SIM_BROKER_OBSERVER_H_
#define SIM_BROKER_OBSERVER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "sim/broker/record_identity.h"
#include "sim/broker/request_hook.h"

namespace ktrial::sim {

// What a Produce request got for one partition.
struct ProduceResult {
  std::string_view topic;
  PartitionIndex partition;
  wire::ErrorCode code = wire::ErrorCode::kNone;  // as the answer says it
  Offset base_offset = kUnknownOffset;
  std::int32_t record_count = 0;
  bool duplicate = false;  // the batch stood there already, and nothing was appended
};

class BrokerObserver {
 public:
  virtual ~BrokerObserver() = default;

  virtual void OnAccepted(NodeId /*broker*/, ConnectionId) {}
  // The connection is over, whoever ended it.
  virtual void OnClosed(NodeId /*broker*/, ConnectionId, std::string_view /*why*/) {}

  virtual void OnRequest(const RequestView&) {}
  // `pipelined`: bytes of the client's next request had arrived before this answer was sent.
  virtual void OnResponse(const RequestView&, std::int64_t /*bytes*/, bool /*pipelined*/) {}
  // No answer goes out: acks=0, a hook dropped it, the connection was lost.
  virtual void OnNoResponse(const RequestView&, std::string_view /*why*/) {}

  // A batch passed all checks and stands in the log.
  virtual void OnAppended(const RequestView&, std::string_view /*topic*/, PartitionIndex, Offset /*base_offset*/,
                          std::span<const RecordIdentity>) {}
  // For each partition of a Produce request, right before its answer is sent. With acks=0 there is no answer and code
  // is what the answer would have said.
  virtual void OnProduceResult(const RequestView&, const ProduceResult&) {}

  // The client sent what a real broker would not accept either: a bad length, a body that cannot be decoded, a batch
  // whose CRC is wrong. `text` says what and where.
  virtual void OnMalformed(NodeId /*broker*/, ConnectionId, std::string_view /*text*/) {}
  // The client asked for something that a real broker would serve and we do not. Show it loudly.
  virtual void OnNotServed(NodeId /*broker*/, ConnectionId, std::string_view /*text*/) {}
  // Leaders moved, brokers went and came, replicas fell out of sync: one line for people.
  virtual void OnClusterChange(std::string_view /*text*/) {}
};

// Says nothing to anybody.
BrokerObserver& NoBrokerObserver();

}  // namespace ktrial::sim

#endif  // SIM_BROKER_OBSERVER_H_
