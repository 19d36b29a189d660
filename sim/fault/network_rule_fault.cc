#include "sim/fault/network_rule_fault.h"

#include <utility>

#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class BrokerRuleFault final : public NetworkRuleFault {
 public:
  BrokerRuleFault(NetworkRule::Kind kind, BrokerSelector brokers) : kind_(kind), brokers_(std::move(brokers)) {}

 private:
  std::optional<NetworkRule> MakeRule(const FaultWorld& world, Stream& draws) override {
    NetworkRule rule{.kind = kind_, .nodes = ResolveBrokers(brokers_, world.cluster, draws)};
    if (rule.nodes.empty()) return std::nullopt;
    return rule;
  }
  const NetworkRule::Kind kind_;
  const BrokerSelector brokers_;
};

}  // namespace

bool NetworkRuleFault::Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) {
  const std::optional<NetworkRule> rule = MakeRule(world, draws);
  if (rule) rule_ = world.network.Impose(*rule);
  return false;  // End knows.
}

bool NetworkRuleFault::End(FaultWorld& world) {
  if (!rule_) return false;
  const RuleId rule = *std::exchange(rule_, std::nullopt);
  world.network.Lift(rule);
  return world.network.Touched(rule) > 0;
}

std::unique_ptr<Fault> MakeBrokerRule(NetworkRule::Kind kind, BrokerSelector brokers) {
  return std::make_unique<BrokerRuleFault>(kind, std::move(brokers));
}

}  // namespace ktrial::sim
