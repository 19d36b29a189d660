// InFlightRequests is the queue of each node's requests that were given to its connection and have not ended: first in,
// first out, because a broker answers in order (NC-16). At most one of a queue is not written to its end, always the
// newest (NC-13).
//
// Rules: NC-13, NC-16, NC-21, NC-23.
#ifndef CORE_NETWORK_IN_FLIGHT_REQUESTS_H_
#define CORE_NETWORK_IN_FLIGHT_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "core/env/clock.h"
#include "core/network/outgoing_request.h"
#include "core/types.h"
#include "core/wire/api_key.h"
#include "core/wire/gather_bytes.h"

namespace ktrial {

// Who made a request: it decides who hears of its end (NC-25).
enum class RequestKind : std::uint8_t { kCaller, kApiVersions, kMetadata, kSasl };

struct InFlightRequest {
  std::unique_ptr<OutgoingRequest> request;
  RequestKind kind = RequestKind::kCaller;
  wire::ApiKey api{};
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  bool expects_response = true;
  Instant created;
  Duration timeout{};
  Duration throttled{};  // Time that the node asked for while this was in flight; it does not count as age.
  wire::GatherBytes frame;
  std::size_t written_bytes = 0;

  bool IsWritten() const { return written_bytes == frame.size(); }
};

// Thread safety: none; one thread.
class InFlightRequests {
 public:
  explicit InFlightRequests(std::int32_t max_per_node) : max_per_node_(static_cast<std::size_t>(max_per_node)) {}

  bool CanSendMore(NodeId id) const;
  // The newest of the node may not be added while another one is partly written.
  InFlightRequest& Add(NodeId id, InFlightRequest request);
  // Null if there is none.
  InFlightRequest* Oldest(NodeId id);
  InFlightRequest* Newest(NodeId id);
  InFlightRequest TakeOldest(NodeId id);
  // Those that expect no response and are written, oldest first (NC-45).
  std::vector<InFlightRequest> TakeWritten(NodeId id);
  // All of a node, oldest first.
  std::vector<InFlightRequest> TakeAll(NodeId id);
  void Clear() { queues_.clear(); }

  void AddThrottle(NodeId id, Duration throttle);
  // Nodes that have a request older than its timeout, strictly (NC-21), by id.
  std::vector<NodeId> TimedOutNodes(Instant now) const;
  // The earliest moment at which TimedOutNodes will not be empty; Never().
  Instant NextTimeout() const;

  std::size_t count() const;
  std::size_t count(NodeId id) const;

 private:
  // Null if nothing is in flight to the node.
  std::deque<InFlightRequest>* FindQueue(NodeId id);

  // Set in the constructor, never changed.
  const std::size_t max_per_node_;

  // An empty queue stays until its connection ends: most requests find one.
  std::map<NodeId, std::deque<InFlightRequest>> queues_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_IN_FLIGHT_REQUESTS_H_
