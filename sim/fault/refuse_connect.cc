// refuse_connect: a state; new connections are refused. Old ones go on.
#include "sim/fault/faults.h"
#include "sim/fault/network_rule_fault.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakeRefuseConnect(const RefuseConnect& spec) {
  return MakeBrokerRule(NetworkRule::Kind::kRefuseConnect, spec.broker);
}

}  // namespace ktrial::sim
