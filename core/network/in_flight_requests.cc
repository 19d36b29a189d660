#include "core/network/in_flight_requests.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.h"

namespace ktrial {

std::deque<InFlightRequest>* InFlightRequests::FindQueue(NodeId id) {
  const auto found = queues_.find(id);
  return found == queues_.end() || found->second.empty() ? nullptr : &found->second;
}

bool InFlightRequests::CanSendMore(NodeId id) const {
  const auto found = queues_.find(id);
  if (found == queues_.end() || found->second.empty()) return true;
  return found->second.back().IsWritten() && found->second.size() < max_per_node_;
}

InFlightRequest& InFlightRequests::Add(NodeId id, InFlightRequest request) {
  std::deque<InFlightRequest>& queue = queues_[id];
  KT_CHECK(queue.empty() || queue.back().IsWritten());
  queue.push_back(std::move(request));
  return queue.back();
}

InFlightRequest* InFlightRequests::Oldest(NodeId id) {
  std::deque<InFlightRequest>* const queue = FindQueue(id);
  return queue == nullptr ? nullptr : &queue->front();
}

InFlightRequest* InFlightRequests::Newest(NodeId id) {
  std::deque<InFlightRequest>* const queue = FindQueue(id);
  return queue == nullptr ? nullptr : &queue->back();
}

InFlightRequest InFlightRequests::TakeOldest(NodeId id) {
  std::deque<InFlightRequest>* const queue = FindQueue(id);
  KT_CHECK(queue != nullptr);
  InFlightRequest request = std::move(queue->front());
  queue->pop_front();
  return request;
}

std::vector<InFlightRequest> InFlightRequests::TakeWritten(NodeId id) {
  std::vector<InFlightRequest> taken;
  std::deque<InFlightRequest>* const queue = FindQueue(id);
  if (queue == nullptr) return taken;
  std::deque<InFlightRequest> kept;
  for (InFlightRequest& request : *queue) {
    if (!request.expects_response && request.IsWritten()) {
      taken.push_back(std::move(request));
    } else {
      kept.push_back(std::move(request));
    }
  }
  *queue = std::move(kept);
  return taken;
}

std::vector<InFlightRequest> InFlightRequests::TakeAll(NodeId id) {
  std::vector<InFlightRequest> taken;
  const auto found = queues_.find(id);
  if (found == queues_.end()) return taken;
  for (InFlightRequest& request : found->second) taken.push_back(std::move(request));
  queues_.erase(found);
  return taken;
}

void InFlightRequests::AddThrottle(NodeId id, Duration throttle) {
  const auto found = queues_.find(id);
  if (found == queues_.end()) return;
  for (InFlightRequest& request : found->second) request.throttled += throttle;
}

std::vector<NodeId> InFlightRequests::TimedOutNodes(Instant now) const {
  std::vector<NodeId> late;
  for (const auto& [id, queue] : queues_) {
    const bool is_late = std::ranges::any_of(queue, [now](const InFlightRequest& request) {
      return now > request.created + request.timeout + request.throttled;
    });
    if (is_late) late.push_back(id);
  }
  return late;
}

Instant InFlightRequests::NextTimeout() const {
  Instant next = Instant::Never();
  for (const auto& [id, queue] : queues_) {
    for (const InFlightRequest& request : queue) {
      // The limit must be passed, not reached.
      next = std::min(next, request.created + request.timeout + request.throttled + std::chrono::nanoseconds(1));
    }
  }
  return next;
}

std::size_t InFlightRequests::count() const {
  std::size_t sum = 0;
  for (const auto& [id, queue] : queues_) sum += queue.size();
  return sum;
}

std::size_t InFlightRequests::count(NodeId id) const {
  const auto found = queues_.find(id);
  return found == queues_.end() ? 0 : found->second.size();
}

}  // namespace ktrial
