// What delete_topic and create_topic have in common.
#ifndef SIM_FAULT_TOPIC_LIFE_H_
#define SIM_FAULT_TOPIC_LIFE_H_

#include "sim/broker/cluster.h"
#include "sim/fault/fault.h"

namespace ktrial::sim {

// How late each broker hears of a change, drawn for each.
Cluster::TopicLags DrawTopicLags(const Cluster& cluster, const DurationRange& lag, Stream& draws);

// Makes the topic, and notes it in the trace. False where it is there already.
bool MakeTopic(FaultWorld& world, const TopicSpec& topic, const Cluster::TopicLags& lags);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_TOPIC_LIFE_H_
