// network_partition: a state; what is sent between the two sides is held back and passes when it heals, as TCP
// retransmits.
#include "sim/fault/faults.h"
#include "sim/fault/network_rule_fault.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class NetworkPartitionFault final : public NetworkRuleFault {
 public:
  explicit NetworkPartitionFault(const NetworkPartition& spec) : spec_(spec) {}

 private:
  std::optional<NetworkRule> MakeRule(const FaultWorld& world, Stream& draws) override {
    NetworkRule rule{.kind = NetworkRule::Kind::kPartition, .one_way = spec_.oneway};
    rule.nodes = NodesOf(spec_.first, world, draws);
    rule.others = NodesOf(spec_.second, world, draws);
    if (rule.nodes.empty() || rule.others.empty()) return std::nullopt;
    return rule;
  }

  static std::vector<NodeId> NodesOf(const NetworkPartition::Side& side, const FaultWorld& world, Stream& draws) {
    std::vector<NodeId> nodes = ResolveBrokers(side.brokers, world.cluster, draws);
    if (side.clients) nodes.push_back(kClients);
    return nodes;
  }
  const NetworkPartition spec_;
};

}  // namespace

std::unique_ptr<Fault> MakeNetworkPartition(const NetworkPartition& spec) {
  return std::make_unique<NetworkPartitionFault>(spec);
}

}  // namespace ktrial::sim
