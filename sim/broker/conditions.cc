// What can happen to a broker as a whole: the part of BrokerLoop that faults use.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.h"
#include "fmt/format.h"
#include "sim/broker/loop.h"

namespace ktrial::sim {

int BrokerLoop::Disconnect(NodeId broker, Transport::CloseKind how) {
  std::vector<ConnectionId> ids;
  for (const auto& [id, connection] : connections_) {
    if (connection->broker == broker) ids.push_back(id);
  }
  for (const ConnectionId id : ids) {
    if (Connection* connection = Find(id)) Close(*connection, how, "disconnected");
  }
  return static_cast<int>(ids.size());
}

bool BrokerLoop::SetRefusing(NodeId broker, bool refusing) {
  const auto listener = listeners_.find(broker);
  if (listener == listeners_.end() || listener->second.refusing == refusing) return false;
  listener->second.refusing = refusing;
  ApplyListening(broker);
  return true;
}

void BrokerLoop::ApplyListening(NodeId broker) {
  if (!cluster_.FindBroker(broker)->up || listeners_.at(broker).refusing) {
    CloseListener(broker);
    return;
  }
  // The port was ours before; somebody may have taken it meanwhile.
  if (const absl::Status status = OpenListener(broker); !status.ok()) {
    observer_.OnNotServed(
        broker, ConnectionId(),
        fmt::format("broker {} cannot listen again: {}", broker.value(), std::string(status.message())));
  }
}

bool BrokerLoop::SetSilent(NodeId broker, bool silent) {
  const auto listener = listeners_.find(broker);
  if (listener == listeners_.end() || listener->second.silent == silent) return false;
  listener->second.silent = silent;
  WakeConnections(broker);
  return true;
}

bool BrokerLoop::Pause(NodeId broker) {
  if (!cluster_.SetPaused(broker, true)) return false;
  WakeConnections(broker);  // for their interests
  const std::uint64_t life = ++listeners_.at(broker).life;
  const Instant given_up = cluster_.clock().Now() + cluster_.settings().session_timeout;
  cluster_.timers().At(given_up, [this, broker, life] {
    if (listeners_.at(broker).life == life) cluster_.FenceBroker(broker);
  });
  return true;
}

bool BrokerLoop::Resume(NodeId broker) {
  if (!cluster_.SetPaused(broker, false)) return false;
  ++listeners_.at(broker).life;
  cluster_.UnfenceBroker(broker);
  WakeConnections(broker);
  return true;
}

bool BrokerLoop::Crash(NodeId broker, BrokerHost::CrashOptions options) {
  if (!cluster_.SetDown(broker)) return false;
  cluster_.SetPaused(broker, false);
  const std::uint64_t life = ++listeners_.at(broker).life;
  ApplyListening(broker);
  Disconnect(broker, Transport::CloseKind::kReset);
  if (options.failover <= Duration(0)) {
    cluster_.FenceBroker(broker);
    return true;
  }
  cluster_.timers().At(cluster_.clock().Now() + options.failover, [this, broker, life] {
    if (listeners_.at(broker).life == life) cluster_.FenceBroker(broker);
  });
  return true;
}

bool BrokerLoop::Restart(NodeId broker, BrokerHost::RestartOptions options) {
  if (!cluster_.SetUp(broker)) return false;
  const std::uint64_t life = ++listeners_.at(broker).life;
  cluster_.FenceBroker(broker);  // one that comes back before the controller missed it leads nothing either
  ApplyListening(broker);
  if (options.catch_up <= Duration(0)) {
    cluster_.UnfenceBroker(broker);
    return true;
  }
  cluster_.timers().At(cluster_.clock().Now() + options.catch_up, [this, broker, life] {
    if (listeners_.at(broker).life == life) cluster_.UnfenceBroker(broker);
  });
  return true;
}

Address BrokerLoop::address(NodeId broker) const {
  const Broker* known = cluster_.FindBroker(broker);
  KT_CHECK(known != nullptr);
  return {known->spec.host, known->spec.port};
}

int BrokerLoop::ConnectionCount(NodeId broker) const {
  return static_cast<int>(
      std::ranges::count_if(connections_, [broker](const auto& entry) { return entry.second->broker == broker; }));
}

}  // namespace ktrial::sim
