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
  if (rule.kind != NetworkRule::Kind::kPartition) return text;
  return text.append(rule.one_way ? " towards " : " from ").append(Names(rule.others));
}

RuleId RuleBook::Impose(const NetworkRule& rule) {
  entries_.push_back({.rule = rule});
  ++in_force_;
  return RuleId(entries_.size());
}

std::optional<NetworkRule> RuleBook::Lift(RuleId rule) {
  if (rule.value() == 0 || rule.value() > entries_.size()) return std::nullopt;
  Entry& entry = entries_[rule.value() - 1];
  if (!entry.in_force) return std::nullopt;
  entry.in_force = false;
  --in_force_;
  return entry.rule;
}

std::int64_t RuleBook::Touched(RuleId rule) const {
  if (rule.value() == 0 || rule.value() > entries_.size()) return 0;
  return entries_[rule.value() - 1].touched;
}

bool RuleBook::Meets(NetworkRule::Kind kind, NodeId broker) {
  if (in_force_ == 0) return false;
  for (Entry& entry : entries_) {
    if (!entry.in_force || entry.rule.kind != kind || !Contains(entry.rule.nodes, broker)) continue;
    ++entry.touched;
    return true;
  }
  return false;
}

bool RuleBook::Holds(NodeId from, NodeId to, bool touch) {
  if (in_force_ == 0) return false;
  bool holds = false;
  for (Entry& entry : entries_) {
    if (!entry.in_force || !Separates(entry.rule, from, to)) continue;
    holds = true;
    entry.touched += touch ? 1 : 0;
  }
  return holds;
}

bool RuleBook::Passes(NodeId from, NodeId to) const {
  return std::none_of(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.in_force && Separates(entry.rule, from, to); });
}

Duration RuleBook::AddedLatency(NodeId broker, Stream& stream) {
  Duration added{0};
  if (in_force_ == 0) return added;
  for (Entry& entry : entries_) {
    if (!entry.in_force || entry.rule.kind != NetworkRule::Kind::kLatency) continue;
    if (!Contains(entry.rule.nodes, broker)) continue;
    added += entry.rule.added.Draw(stream);
    ++entry.touched;
  }
  return added;
}

std::int64_t RuleBook::BytesPerSecond(NodeId broker, std::int64_t unruled) {
  std::int64_t limit = unruled;
  if (in_force_ == 0) return limit;
  for (Entry& entry : entries_) {
    if (!entry.in_force || entry.rule.kind != NetworkRule::Kind::kBandwidth) continue;
    if (!Contains(entry.rule.nodes, broker)) continue;
    ++entry.touched;
    if (limit == 0 || entry.rule.bytes_per_second < limit) limit = entry.rule.bytes_per_second;
  }
  return limit;
}

}  // namespace ktrial::sim
