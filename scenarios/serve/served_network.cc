#include "scenarios/serve/served_network.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sim/broker/broker_host.h"

namespace ktrial::scenario {
namespace {

using Kind = sim::NetworkRule::Kind;

bool Contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

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
    Touch(found->second.broker);
    return {count > 0 ? IoResult::Kind::kBytes : IoResult::Kind::kWouldBlock, count};
  }
  if (HoldsOutput(found->second)) {
    Touch(found->second.broker);
    return {};
  }
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

bool ServedNetwork::Holds(const Rule& rule, NodeId from, NodeId to) const {
  if (!rule.in_force || rule.rule.kind != Kind::kPartition) return false;
  if (Contains(rule.rule.nodes, from) && Contains(rule.rule.others, to)) return true;
  return !rule.rule.one_way && Contains(rule.rule.nodes, to) && Contains(rule.rule.others, from);
}

bool ServedNetwork::Passes(NodeId from, NodeId to) const {
  return std::none_of(rules_.begin(), rules_.end(), [&](const auto& entry) { return Holds(entry.second, from, to); });
}

bool ServedNetwork::HoldsInput(const Connection& connection) const {
  const auto dropped = rules_.find(connection.dropped_by);
  if (dropped != rules_.end() && dropped->second.in_force) return true;
  return !Passes(sim::kClients, connection.broker);
}

bool ServedNetwork::HoldsOutput(const Connection& connection) const {
  return !Passes(connection.broker, sim::kClients);
}

void ServedNetwork::Touch(NodeId broker) {
  for (auto& [id, rule] : rules_) {
    const bool meant = Contains(rule.rule.nodes, broker) || Contains(rule.rule.others, broker);
    if (rule.in_force && meant && rule.rule.kind != Kind::kRefuseConnect) ++rule.touched;
  }
}

Duration ServedNetwork::AddedLatency(NodeId broker) {
  Duration added{0};
  for (auto& [id, rule] : rules_) {
    if (!rule.in_force || rule.rule.kind != Kind::kLatency || !Contains(rule.rule.nodes, broker)) continue;
    added += 2 * rule.rule.added.Draw(draws_);
    ++rule.touched;
  }
  return added;
}

void ServedNetwork::Accepted(const TransportEvent& event) {
  const auto listener = listeners_.find(event.listener);
  if (listener == listeners_.end()) return;
  Connection connection{.broker = listener->second};
  for (auto& [id, rule] : rules_) {
    if (!rule.in_force || !Contains(rule.rule.nodes, connection.broker)) continue;
    if (rule.rule.kind == Kind::kBlackhole) connection.vanished = true;
    if (rule.rule.kind == Kind::kDropConnect) connection.dropped_by = id;
    if (rule.rule.kind == Kind::kBlackhole || rule.rule.kind == Kind::kDropConnect) ++rule.touched;
  }
  for (auto& [id, rule] : rules_) {
    if (Holds(rule, sim::kClients, connection.broker) || Holds(rule, connection.broker, sim::kClients)) ++rule.touched;
  }
  connections_[event.connection] = connection;
}

bool ServedNetwork::Admit(const TransportEvent& event) {
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
    if (real_.Receive(event.connection, nowhere).kind == IoResult::Kind::kBytes) Touch(connection.broker);
    return false;
  }
  if (connection.passed) return true;
  const Duration added = AddedLatency(connection.broker);
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

int ServedNetwork::RefusalsOf(NodeId broker) const {
  return static_cast<int>(std::count_if(rules_.begin(), rules_.end(), [broker](const auto& entry) {
    return entry.second.in_force && entry.second.rule.kind == Kind::kRefuseConnect &&
           Contains(entry.second.rule.nodes, broker);
  }));
}

sim::RuleId ServedNetwork::Impose(const sim::NetworkRule& rule) {
  KT_CHECK(host_ != nullptr);
  const sim::RuleId id(++last_rule_);
  Rule& added = rules_[id];
  added.rule = rule;
  if (rule.kind == Kind::kRefuseConnect) {
    // The operating system refuses, and tells nobody: that the port was closed is all that can be known.
    for (const NodeId broker : rule.nodes) added.touched += host_->SetRefusing(broker, true) ? 1 : 0;
  }
  if (rule.kind == Kind::kBlackhole) {
    for (auto& [connection_id, connection] : connections_) {
      if (Contains(rule.nodes, connection.broker)) connection.vanished = true;
    }
  }
  if (rule.kind == Kind::kPartition) {
    for (auto& [connection_id, connection] : connections_) {
      if (HoldsInput(connection) || HoldsOutput(connection)) ++added.touched;
    }
  }
  ApplyAll();
  return id;
}

void ServedNetwork::Lift(sim::RuleId rule) {
  const auto found = rules_.find(rule);
  if (found == rules_.end() || !found->second.in_force) return;
  found->second.in_force = false;
  if (found->second.rule.kind == Kind::kRefuseConnect) {
    for (const NodeId broker : found->second.rule.nodes) {
      if (RefusalsOf(broker) == 0) host_->SetRefusing(broker, false);
    }
  }
  ApplyAll();
}

std::int64_t ServedNetwork::Touched(sim::RuleId rule) const {
  const auto found = rules_.find(rule);
  return found == rules_.end() ? 0 : found->second.touched;
}

}  // namespace ktrial::scenario
