// What is wrong with the faults of a WorldSpec.
#ifndef SIM_FAULT_PLAN_CHECK_H_
#define SIM_FAULT_PLAN_CHECK_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "sim/world_spec.h"

namespace ktrial::sim {

// INVALID_ARGUMENT for the first fault that names what the world does not have, or whose numbers cannot be. The names of
// the spec itself are good. Of what is only made in the run, the world has the topics that its brokers create for calls
// and for threads that say so, and the threads that threads say they start.
absl::Status CheckFaultPlan(const WorldSpec& spec);

// Why no world could let this fault happen: its parts exclude each other.
std::optional<std::string> WhyItContradictsItself(const FaultSpec& fault);

// Why nothing can be drawn from it: reversed, or below zero. `positive`: zero is wrong, too.
std::optional<std::string> WhyWrongRange(const DurationRange& range, bool positive = false);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_PLAN_CHECK_H_
