// misroute: a state; the address of a broker leads to another one.
#include "sim/fault/faults.h"
#include "sim/fault/network_rule_fault.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class MisrouteFault final : public NetworkRuleFault {
 public:
  explicit MisrouteFault(const Misroute& spec) : spec_(spec) {}

 private:
  std::optional<NetworkRule> MakeRule(const FaultWorld& world, Stream& draws) override {
    NetworkRule rule{.kind = NetworkRule::Kind::kMisroute};
    rule.others = ResolveBrokers(spec_.to, world.cluster, draws);
    if (rule.others.empty()) return std::nullopt;
    for (const NodeId broker : ResolveBrokers(spec_.broker, world.cluster, draws)) {
      if (broker != rule.others.front()) rule.nodes.push_back(broker);
    }
    if (rule.nodes.empty()) return std::nullopt;
    return rule;
  }
  const Misroute spec_;
};

}  // namespace

std::unique_ptr<Fault> MakeMisroute(const Misroute& spec) { return std::make_unique<MisrouteFault>(spec); }

}  // namespace ktrial::sim
