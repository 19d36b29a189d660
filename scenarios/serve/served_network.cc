#include "scenarios/serve/served_network.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sim/broker/broker_host.h"

namespace ktrial::scenario {
namespace {

using Kind = sim::NetworkRule::Kind;

}  // namespace

ServedNetwork::ServedNetwork(Transport& real, const Clock& clock, std::vector<NodeId> brokers, sim::Stream draws)
    : real_(real), clock_(clock), brokers_(std::move(brokers)), draws_(draws) {}

absl::StatusOr<Listening> ServedNetwork::Listen(const Address& address, SocketBuffers buffers) {
  absl::StatusOr<Listening> listening = real_.Listen(address, buffers);
  if (!listening.ok()) return listening;
  const std::uint16_t port = listening->address.port;
  // A broker keeps its port when it comes back.
  if (!ports_.contains(port)) {
    KT_CHECK(ports_.size() < brokers_.size());
    const NodeId next = brokers_[ports_.size()];
    ports_[port] = next;
  }
  listeners_[listening->id] = ports_[port];
  return listening;
}

IoResult ServedNetwork::Send(ConnectionId connection, std::span<const ConstBytes> pieces) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return real_.Send(connection, pieces);
  if (found->second.vanished) {
    std::size_t count = 0;
    for (const ConstBytes piece : pieces) count += piece.size();
    rules_.Meets(Kind::kBlackhole, found->second.broker);
    return {count > 0 ? IoResult::Kind::kBytes : IoResult::Kind::kWouldBlock, count};
  }
  if (rules_.Holds(found->second.broker, sim::kClients, true)) return {};
  return real_.Send(connection, pieces);
}

IoResult ServedNetwork::Receive(ConnectionId connection, std::span<char> buffer) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return real_.Receive(connection, buffer);
  Connection& state = found->second;
  if (HoldsInput(state) || state.vanished || state.late) return {};
  const IoResult result = real_.Receive(connection, buffer);
  if (result.kind == IoResult::Kind::kWouldBlock) state.passed = false;  // What comes next is late anew.
  return result;
}

void ServedNetwork::Interest(ConnectionId connection, bool read, bool write) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return real_.Interest(connection, read, write);
  found->second.wants_read = read;
  found->second.wants_write = write;
  Apply(connection, found->second);
}

void ServedNetwork::Close(ConnectionId connection, CloseKind kind) {
  connections_.erase(connection);
  real_.Close(connection, kind);
}

void ServedNetwork::Apply(ConnectionId id, const Connection& connection) {
  // A connection that has vanished is still read by Admit, into nothing, so that its end is seen.
  const bool read = connection.wants_read && !HoldsInput(connection) && !connection.late;
  const bool write = connection.wants_write && (connection.vanished || !HoldsOutput(connection));
  real_.Interest(id, read, write);
}

void ServedNetwork::ApplyAll() {
  for (const auto& [id, connection] : connections_) Apply(id, connection);
}

bool ServedNetwork::HoldsInput(const Connection& connection) const {
  if (connection.dropped_by && rules_.InForce(*connection.dropped_by)) return true;
  return !Passes(sim::kClients, connection.broker);
}

bool ServedNetwork::HoldsOutput(const Connection& connection) const {
  return !Passes(connection.broker, sim::kClients);
}

void ServedNetwork::Accepted(TransportEvent& event) {
  const auto listener = listeners_.find(event.listener);
  if (listener == listeners_.end()) return;
  Connection connection{.broker = listener->second};
  connection.misrouted_by = rules_.Meets(Kind::kMisroute, connection.broker);
  if (connection.misrouted_by) {
    connection.broker = rules_.At(*connection.misrouted_by).others.front();
    const auto other = std::ranges::find(listeners_, connection.broker, [](const auto& entry) { return entry.second; });
    if (other != listeners_.end()) event.listener = other->first;
  }
  connection.vanished = rules_.Meets(Kind::kBlackhole, connection.broker).has_value();
  connection.dropped_by = rules_.Meets(Kind::kDropConnect, connection.broker);
  rules_.Holds(sim::kClients, connection.broker, true) || rules_.Holds(connection.broker, sim::kClients, true);
  connections_[event.connection] = connection;
}

bool ServedNetwork::Admit(TransportEvent& event) {
  if (event.kind == TransportEvent::Kind::kAccepted) Accepted(event);
  const auto found = connections_.find(event.connection);
  if (found == connections_.end()) return true;
  Connection& connection = found->second;
  if (event.kind == TransportEvent::Kind::kEnded) {
    connections_.erase(found);
    return true;
  }
  if (event.kind != TransportEvent::Kind::kReadable) return true;
  if (connection.vanished) {
    char nowhere[4096];
    if (real_.Receive(event.connection, nowhere).kind == IoResult::Kind::kBytes) {
      rules_.Meets(Kind::kBlackhole, connection.broker);
    }
    return false;
  }
  if (connection.passed) return true;
  const Duration added = 2 * rules_.AddedLatency(connection.broker, draws_);
  if (added == Duration(0)) return true;
  connection.late = true;
  connection.ready = clock_.Now() + added;
  Apply(event.connection, connection);
  return false;
}

Instant ServedNetwork::NextReady() const {
  Instant next = Instant::Never();
  for (const auto& [id, connection] : connections_) {
    if (connection.late) next = std::min(next, connection.ready);
  }
  return next;
}

void ServedNetwork::Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) {
  scratch_.clear();
  for (const ConnectionId id : reset_) {
    events.push_back({.kind = TransportEvent::Kind::kEnded, .reason = EndReason::kReset, .connection = id});
  }
  if (!std::exchange(reset_, {}).empty()) deadline = Instant();
  real_.Poll(std::min(deadline, NextReady()), scratch_, site);
  for (TransportEvent& event : scratch_) {
    if (Admit(event)) events.push_back(std::move(event));
  }
  const Instant now = clock_.Now();
  for (auto& [id, connection] : connections_) {
    if (!connection.late || connection.ready > now) continue;
    connection.late = false;
    connection.passed = true;
    Apply(id, connection);  // Level-triggered: the bytes that waited are an event of the next Poll.
  }
}

std::int64_t ServedNetwork::Disconnect(NodeId broker, sim::DisconnectKind how) {
  KT_CHECK(host_ != nullptr);
  return host_->Disconnect(broker, how == sim::DisconnectKind::kEnd ? CloseKind::kGraceful : CloseKind::kReset);
}

sim::RuleId ServedNetwork::Impose(const sim::NetworkRule& rule) {
  KT_CHECK(host_ != nullptr);
  const sim::RuleId id = rules_.Impose(rule);
  if (rule.kind == Kind::kRefuseConnect) {
    // The operating system refuses, and tells nobody: that the port was closed is all that can be known.
    for (const NodeId broker : rule.nodes) rules_.Touch(id, host_->SetRefusing(broker, true) ? 1 : 0);
  }
  if (rule.kind == Kind::kMisroute) {
    for (const NodeId broker : rule.nodes) rules_.Touch(id, Disconnect(broker, sim::DisconnectKind::kReset));
  }
  for (auto& [connection_id, connection] : connections_) {
    if (rule.kind == Kind::kBlackhole && std::ranges::count(rule.nodes, connection.broker) > 0) {
      connection.vanished = true;
    }
    const bool holds = HoldsInput(connection) || HoldsOutput(connection);
    if (rule.kind == Kind::kPartition && holds) rules_.Touch(id, 1);
  }
  ApplyAll();
  return id;
}

void ServedNetwork::EndMisrouted(sim::RuleId rule) {
  for (auto it = connections_.begin(); it != connections_.end();) {
    if (it->second.misrouted_by != rule) {
      ++it;
      continue;
    }
    real_.Close(it->first, CloseKind::kReset);
    reset_.push_back(it->first);
    it = connections_.erase(it);
  }
}

void ServedNetwork::Lift(sim::RuleId rule) {
  const std::optional<sim::NetworkRule> lifted = rules_.Lift(rule);
  if (!lifted) return;
  if (lifted->kind == Kind::kMisroute) EndMisrouted(rule);
  if (lifted->kind == Kind::kRefuseConnect) {
    for (const NodeId broker : lifted->nodes) {
      if (!rules_.Speaks(Kind::kRefuseConnect, broker)) host_->SetRefusing(broker, false);
    }
  }
  ApplyAll();
}

}  // namespace ktrial::scenario
