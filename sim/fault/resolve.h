// From selectors to what they mean now.
#ifndef SIM_FAULT_RESOLVE_H_
#define SIM_FAULT_RESOLVE_H_

#include <vector>

#include "core/types.h"
#include "sim/fault/selector.h"
#include "sim/kernel/draws.h"

namespace ktrial::sim {

class Cluster;

// Ascending, each once. "any" and "follower" draw once each.
std::vector<NodeId> ResolveBrokers(const BrokerSelector& selector, const Cluster& cluster, Stream& draws);
// Whether a broker is meant. Draws only for terms that have to be drawn.
bool Selects(const BrokerSelector& selector, NodeId broker, const Cluster& cluster, Stream& draws);
// Ascending. "any" topics are drawn first, then the partition of each.
std::vector<TopicPartition> ResolvePartitions(const TopicSelector& topics, const PartitionSelector& partitions,
                                              const Cluster& cluster, Stream& draws);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_RESOLVE_H_
