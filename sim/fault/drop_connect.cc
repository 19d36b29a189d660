// drop_connect: a state; the SYN of a new connection is lost, so the open never answers. Old connections go on.
#include "sim/fault/faults.h"
#include "sim/fault/network_rule_fault.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakeDropConnect(const DropConnect& spec) {
  return MakeBrokerRule(NetworkRule::Kind::kDropConnect, spec.broker);
}

}  // namespace ktrial::sim
