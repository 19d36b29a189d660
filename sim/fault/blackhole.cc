// blackhole: a state; connections can be opened, and what is sent on any of them vanishes. One that lost bytes stays
// dead afterwards.
#include "sim/fault/faults.h"
#include "sim/fault/network_rule_fault.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakeBlackhole(const Blackhole& spec) {
  return MakeBrokerRule(NetworkRule::Kind::kBlackhole, spec.broker);
}

}  // namespace ktrial::sim
