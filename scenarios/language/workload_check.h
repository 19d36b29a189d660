// Workloads that a run would not come to the end of: `check` and `run` refuse them, because a run that grows for hours
// looks like one that hangs.
#ifndef SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_
#define SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_

#include <optional>
#include <string>

#include "sim/world_spec.h"

namespace ktrial::scenario {

// What a run keeps of each record, some 50 bytes, must fit into memory: 5 GB of them.
inline constexpr double kUnpacedRecordsMax = 100e6;

// Why `workload`, which has neither a rate nor a count, sends without end in `world`, or more than kUnpacedRecordsMax;
// nothing for all others: who states a number knows what he asks for. An estimate from above: only the time that
// answers take, linger.ms and buffer.memory hold such a workload back.
std::optional<std::string> WhyItDoesNotEnd(const sim::WorkloadSpec& workload, const sim::WorldSpec& world);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_
