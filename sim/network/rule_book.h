// RuleBook keeps the network rules that are in force, answers what they mean for one pair of hosts, and counts whom
// they touched.
#ifndef SIM_NETWORK_RULE_BOOK_H_
#define SIM_NETWORK_RULE_BOOK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"
#include "sim/kernel/draws.h"
#include "sim/network/network_control.h"

namespace ktrial::sim {

class RuleBook {
 public:
  RuleId Impose(const NetworkRule& rule);
  // What was in force and no longer is.
  std::optional<NetworkRule> Lift(RuleId rule);
  bool InForce(RuleId rule) const;
  std::int64_t Touched(RuleId rule) const;
  // In force or not.
  const NetworkRule& At(RuleId rule) const { return entries_.at(rule.value() - 1).rule; }
  // It touched so much more, where only the caller can know.
  void Touch(RuleId rule, std::int64_t count) { entries_.at(rule.value() - 1).touched += count; }

  // The first rule of that kind that speaks of the broker; it counts as touching something. Nothing: none.
  std::optional<RuleId> Meets(NetworkRule::Kind kind, NodeId broker);
  // Whether there is one; that touches nothing.
  bool Speaks(NetworkRule::Kind kind, NodeId broker) const;
  // A partition holds what goes from one to the other. `touch`: it holds something new.
  bool Holds(NodeId from, NodeId to, bool touch);
  bool Passes(NodeId from, NodeId to) const;
  // What the latency rules add for one piece of data or SYN of the broker.
  Duration AddedLatency(NodeId broker, Stream& stream);
  // The lowest limit, with the network's own; 0: none.
  std::int64_t BytesPerSecond(NodeId broker, std::int64_t unruled);

 private:
  struct Entry {
    NetworkRule rule;
    std::int64_t touched = 0;
  };
  // Rule n is entry n - 1; lifted ones stay, for their counts.
  std::vector<Entry> entries_;
  std::vector<RuleId> in_force_;  // in the order of their imposing
};

// "partition of 1, 2 from clients": for traces.
std::string DescribeNetworkRule(const NetworkRule& rule);

}  // namespace ktrial::sim

#endif  // SIM_NETWORK_RULE_BOOK_H_
