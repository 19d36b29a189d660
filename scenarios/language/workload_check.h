// Workloads that a run would not come to the end of: `check` and `run` refuse them, because a run that grows for hours
// looks like one that hangs.
#ifndef SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_
#define SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_

#include <optional>
#include <string>

#include "sim/world_spec.h"

namespace ktrial::scenario {

// What a run keeps of each record, some 50 bytes, must fit into memory: 5 GB of them.
inline constexpr double kRecordsMax = 100e6;

// Why `workload` sends without end in `world`, or more than kRecordsMax. An estimate from above: what it says that it sends,
// or, without rate and count, what the time that answers take, linger.ms and buffer.memory let it send.
std::optional<std::string> WhyItDoesNotEnd(const sim::WorkloadSpec& workload, const sim::WorldSpec& world);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_
