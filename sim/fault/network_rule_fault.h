// NetworkRuleFault is a fault that is a rule of the network while it lasts. It had an effect if the rule touched
// anything.
#ifndef SIM_FAULT_NETWORK_RULE_FAULT_H_
#define SIM_FAULT_NETWORK_RULE_FAULT_H_

#include <optional>

#include "sim/fault/fault.h"
#include "sim/network/network_control.h"

namespace ktrial::sim {

class NetworkRuleFault : public Fault {
 public:
  bool is_state() const final { return true; }
  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint* point, Instant until) final;
  bool End(FaultWorld& world) final;

 private:
  // What to impose; nothing if there is nobody to impose it on.
  virtual std::optional<NetworkRule> MakeRule(const FaultWorld& world, Stream& draws) = 0;
  std::optional<RuleId> rule_;
};

// A rule on brokers that has nothing else to say.
std::unique_ptr<Fault> MakeBrokerRule(NetworkRule::Kind kind, BrokerSelector brokers);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_NETWORK_RULE_FAULT_H_
