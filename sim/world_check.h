// What is wrong with a WorldSpec before it is run: names that do not exist, numbers out of range, what excludes each
// other.
#ifndef SIM_WORLD_CHECK_H_
#define SIM_WORLD_CHECK_H_

#include "absl/status/status.h"
#include "sim/world_spec.h"

namespace ktrial::sim {

// INVALID_ARGUMENT for the first thing found. What brokers and producers check themselves (settings, versions, producer
// keys) is left to them.
absl::Status CheckWorld(const WorldSpec& spec);

}  // namespace ktrial::sim

#endif  // SIM_WORLD_CHECK_H_
