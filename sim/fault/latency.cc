// latency: a state; everything from and to the broker takes longer, each way. The length is drawn once for each
// episode.
#include "sim/fault/faults.h"
#include "sim/fault/network_rule_fault.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class LatencyFault final : public NetworkRuleFault {
 public:
  explicit LatencyFault(const Latency& spec) : spec_(spec) {}

 private:
  std::optional<NetworkRule> MakeRule(const FaultWorld& world, Stream& draws) override {
    NetworkRule rule{.kind = NetworkRule::Kind::kLatency, .nodes = ResolveBrokers(spec_.broker, world.cluster, draws)};
    if (rule.nodes.empty()) return std::nullopt;
    const Duration added = draws.Between(spec_.add.min, spec_.add.max);
    if (added == Duration(0)) return std::nullopt;
    rule.added = Distribution::Constant(added);
    return rule;
  }
  const Latency spec_;
};

}  // namespace

std::unique_ptr<Fault> MakeLatency(const Latency& spec) { return std::make_unique<LatencyFault>(spec); }

}  // namespace ktrial::sim
