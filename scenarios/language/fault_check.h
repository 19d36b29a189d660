// Faults that certainly cannot fire: `check` and `run` refuse them, because a run that tests nothing looks like one
// that passed.
#ifndef SCENARIOS_LANGUAGE_FAULT_CHECK_H_
#define SCENARIOS_LANGUAGE_FAULT_CHECK_H_

#include <optional>
#include <string>

#include "sim/world_spec.h"

namespace ktrial::scenario {

// Why `fault`, one of the world's own, cannot fire in `world`, if that is certain. Its names are known to exist. With
// `foreign_client` nothing is certain about what is sent: the workloads of the world do not run.
std::optional<std::string> WhyItCannotFire(const sim::FaultSpec& fault, const sim::WorldSpec& world,
                                           bool foreign_client);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_FAULT_CHECK_H_
