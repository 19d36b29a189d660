#include "sim/network/rule_book.h"

#include <algorithm>

namespace ktrial::sim {
namespace {

bool Contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool Separates(const NetworkRule& rule, NodeId from, NodeId to) {
  if (rule.kind != NetworkRule::Kind::kPartition) return false;
  if (Contains(rule.nodes, from) && Contains(rule.others, to)) return true;
  return !rule.one_way && Contains(rule.nodes, to) && Contains(rule.others, from);
}

std::string Names(const std::vector<NodeId>& nodes) {
  std::string names;
  for (const NodeId node : nodes) {
    if (!names.empty()) names += ", ";
    names += node == kClients ? "clients" : std::to_string(node.value());
  }
  return names;
}

}  // namespace

std::string DescribeNetworkRule(const NetworkRule& rule) {
  std::string text = std::string(NetworkRuleName(rule.kind)).append(" of ").append(Names(rule.nodes));
  if (rule.kind == NetworkRule::Kind::kMisroute) return text.append(" to ").append(Names(rule.others));
  if (rule.kind != NetworkRule::Kind::kPartition) return text;
  return text.append(rule.one_way ? " towards " : " from ").append(Names(rule.others));
}

RuleId RuleBook::Impose(const NetworkRule& rule) {
  entries_.push_back({.rule = rule});
  in_force_.emplace_back(entries_.size());
  return in_force_.back();
}

std::optional<NetworkRule> RuleBook::Lift(RuleId rule) {
  if (std::erase(in_force_, rule) == 0) return std::nullopt;
  return entries_[rule.value() - 1].rule;
}

bool RuleBook::InForce(RuleId rule) const {
  return std::find(in_force_.begin(), in_force_.end(), rule) != in_force_.end();
}

std::int64_t RuleBook::Touched(RuleId rule) const {
  if (rule.value() == 0 || rule.value() > entries_.size()) return 0;
  return entries_[rule.value() - 1].touched;
}

std::optional<RuleId> RuleBook::Meets(NetworkRule::Kind kind, NodeId broker) {
  for (const RuleId id : in_force_) {
    Entry& entry = entries_[id.value() - 1];
    if (entry.rule.kind != kind || !Contains(entry.rule.nodes, broker)) continue;
    ++entry.touched;
    return id;
  }
  return std::nullopt;
}

bool RuleBook::Speaks(NetworkRule::Kind kind, NodeId broker) const {
  return std::any_of(in_force_.begin(), in_force_.end(), [&](RuleId id) {
    const NetworkRule& rule = entries_[id.value() - 1].rule;
    return rule.kind == kind && Contains(rule.nodes, broker);
  });
}

bool RuleBook::Holds(NodeId from, NodeId to, bool touch) {
  bool holds = false;
  for (const RuleId id : in_force_) {
    Entry& entry = entries_[id.value() - 1];
    if (!Separates(entry.rule, from, to)) continue;
    holds = true;
    entry.touched += touch ? 1 : 0;
  }
  return holds;
}

bool RuleBook::Passes(NodeId from, NodeId to) const {
  return std::none_of(in_force_.begin(), in_force_.end(),
                      [&](RuleId id) { return Separates(entries_[id.value() - 1].rule, from, to); });
}

Duration RuleBook::AddedLatency(NodeId broker, Stream& stream) {
  Duration added{0};
  for (const RuleId id : in_force_) {
    Entry& entry = entries_[id.value() - 1];
    if (entry.rule.kind != NetworkRule::Kind::kLatency || !Contains(entry.rule.nodes, broker)) continue;
    added += entry.rule.added.Draw(stream);
    ++entry.touched;
  }
  return added;
}

std::int64_t RuleBook::BytesPerSecond(NodeId broker, std::int64_t unruled) {
  std::int64_t limit = unruled;
  for (const RuleId id : in_force_) {
    Entry& entry = entries_[id.value() - 1];
    if (entry.rule.kind != NetworkRule::Kind::kBandwidth || !Contains(entry.rule.nodes, broker)) continue;
    ++entry.touched;
    if (limit == 0 || entry.rule.bytes_per_second < limit) limit = entry.rule.bytes_per_second;
  }
  return limit;
}

}  // namespace ktrial::sim
