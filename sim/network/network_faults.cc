// NetworkCore: what faults do to the network as a whole.
#include <algorithm>
#include <optional>
#include <vector>

#include "sim/network/network_core.h"

namespace ktrial::sim {

void NetworkCore::MapBroker(NodeId broker, const Address& address) {
  AddHost(address.ip);
  brokers_.insert_or_assign(broker, address);
}

std::int64_t NetworkCore::Disconnect(NodeId broker, DisconnectKind how) {
  std::vector<ConnectionRef> met;
  for (const auto& [number, connection] : connections_) {
    if (connection->broker == broker && connection->end(kClientSide).established) met.push_back(connection);
  }
  for (const ConnectionRef& connection : met) {
    for (const int side : {kClientSide, kServerSide}) {
      if (how == DisconnectKind::kReset) {
        Reset(connection, side);
      } else {
        Enqueue(connection, side, {.kind = Piece::Kind::kFin});
        connection->out(side).cut = true;
      }
    }
  }
  return static_cast<std::int64_t>(met.size());
}

RuleId NetworkCore::Impose(const NetworkRule& rule) {
  trace_.NoteText(TraceKind::kNetworkRule, subject_, 1, DescribeNetworkRule(rule));
  const RuleId id = rules_.Impose(rule);
  if (rule.kind == NetworkRule::Kind::kMisroute) {
    for (const NodeId broker : rule.nodes) rules_.Touch(id, Disconnect(broker, DisconnectKind::kReset));
  }
  return id;
}

void NetworkCore::EndMisrouted(RuleId rule) {
  for (const auto& [number, connection] : connections_) {
    if (connection->misrouted_by != rule) continue;
    if (connection->end(kClientSide).established) {
      for (const int side : {kClientSide, kServerSide}) Reset(connection, side);
    } else {
      FailOpen(connection, EndReason::kRefused, "connection refused", kernel_.Now());
    }
  }
}

void NetworkCore::Lift(RuleId id) {
  const std::optional<NetworkRule> rule = rules_.Lift(id);
  if (!rule.has_value()) return;
  trace_.NoteText(TraceKind::kNetworkRule, subject_, 0, DescribeNetworkRule(*rule));
  if (rule->kind == NetworkRule::Kind::kMisroute) EndMisrouted(id);
  if (rule->kind != NetworkRule::Kind::kPartition) return;
  // What was held is sent again.
  for (const auto& [number, connection] : connections_) {
    // Once, though several partitions that held it may end together.
    if (connection->syn_held && !connection->syn_resent) {
      connection->syn_resent = true;
      kernel_.At(kernel_.Now() + Latency(*connection), [this, held = connection] { ArriveSyn(held); });
    }
    for (const int side : {kClientSide, kServerSide}) {
      Pipe& pipe = connection->out(side);
      if (!pipe.held) continue;
      pipe.held = false;
      const Instant due = kernel_.Now() + Latency(*connection);
      for (Piece& piece : pipe.pieces) piece.due = std::max(piece.due, due);
      pipe.last_due = std::max(pipe.last_due, due);
      ScheduleDelivery(connection, side);
    }
  }
}

}  // namespace ktrial::sim
