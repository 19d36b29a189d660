// What lose_acked_append and swap_acked_appends have in common: a log that misbehaves while the fault lasts. It had an
// effect if the log says so.
#ifndef SIM_FAULT_PLANTED_BUG_H_
#define SIM_FAULT_PLANTED_BUG_H_

#include <memory>

#include "sim/broker/partition_log.h"
#include "sim/fault/fault.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakePlantedBug(PlantedBug bug, TopicSelector topic, PartitionSelector partition);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_PLANTED_BUG_H_
