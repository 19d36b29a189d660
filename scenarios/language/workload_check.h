// Workloads that `check` and `run` refuse though all of their keys can be read: those that a run would not come to the end of,
// because a run that grows for hours looks like one that hangs; and those whose producer takes nothing from them, because
// a run without records looks like one in which all is well.
#ifndef SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_
#define SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_

#include <cstddef>
#include <optional>
#include <string>

#include "sim/world_spec.h"

namespace ktrial::scenario {

// What a run keeps of each record, some 50 bytes, must fit into memory: 5 GB of them.
inline constexpr double kRecordsMax = 100e6;

// Why `workload` sends without end in `world`, or more than kRecordsMax. An estimate from above: what it says that it sends,
// or, without rate and count, what the time that answers take, linger.ms and buffer.memory let it send.
std::optional<std::string> WhyItDoesNotEnd(const sim::WorkloadSpec& workload, const sim::WorldSpec& world);

// The producer that a workload or call of that `producer` uses; the first of those that are alike.
const sim::ProducerSpec& ProducerOf(const std::string& name, const sim::WorldSpec& world);

// Why no record of `workload` is ever accepted: with a transactional.id records are sent in transactions, and nobody begins
// any, neither a workload nor a call.
std::optional<std::string> WhyNothingIsAccepted(const sim::WorkloadSpec& workload, const sim::WorldSpec& world);

// Why the transactions of world.workloads[index] cannot be: a producer has one at a time, and an earlier workload is not yet
// through with its own when this one begins. Only what is certain: a workload whose end depends on answers may have ended.
std::optional<std::string> WhyTransactionsCollide(std::size_t index, const sim::WorldSpec& world);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_WORKLOAD_CHECK_H_
