// What is wrong with a WorldSpec before it is run: names that do not exist, numbers out of range, what excludes each
// other.
#ifndef SIM_WORLD_CHECK_H_
#define SIM_WORLD_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sim/world_spec.h"

namespace ktrial::sim {

// INVALID_ARGUMENT for the first thing found. What brokers and producers check themselves (settings, versions, producer
// keys) is left to them.
absl::Status CheckWorld(const WorldSpec& spec);

// A producer of the spec, one for each instance.
struct ProducerInstance {
  const ProducerSpec* spec = nullptr;
  std::string name;         // "p-2"
  std::string group;        // "p"
  std::int32_t number = 0;  // 1, 2, ... within the group; 0 if it is alone
};
std::vector<ProducerInstance> ProducerInstances(const WorldSpec& spec);

}  // namespace ktrial::sim

#endif  // SIM_WORLD_CHECK_H_
