// What the parts of a world are called, and which names a spec may use for them.
#ifndef SIM_WORLD_NAMES_H_
#define SIM_WORLD_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "sim/fault/selector.h"
#include "sim/world_spec.h"

namespace ktrial::sim {

// --- Producers ---

// A producer of the spec, one for each instance.
struct ProducerInstance {
  const ProducerSpec* spec = nullptr;
  std::string name;         // "p-2"
  std::string group;        // "p"
  std::int32_t number = 0;  // 1, 2, ... within the group; 0 if it is alone
};
std::vector<ProducerInstance> ProducerInstances(const WorldSpec& spec);
// Each instance by its own name; "producer" is the only one if it has none.
std::vector<std::string> ProducerNames(const WorldSpec& spec);

// --- Topics ---

// Null if there is none.
const TopicShape* FindTopic(const WorldSpec& spec, std::string_view name);
// The topics that a selector can mean.
std::vector<const TopicShape*> SelectedTopics(const WorldSpec& spec, const TopicSelector& selector);
std::vector<std::string> TopicNames(const WorldSpec& spec);
// Those that brokers will have created when a call or a thread has sent to them: none if the cluster's settings forbid it.
std::vector<TopicShape> TopicsCreatedOnUse(const WorldSpec& spec);
std::int32_t ReplicationOf(const TopicShape& topic, const WorldSpec& spec);
// The brokers that have a replica of the partition; the first leads at the start.
std::vector<NodeId> Replicas(const WorldSpec& spec, const TopicShape& topic, PartitionIndex partition);

// --- Threads ---

// What the thread of the workload, or call, of this index is called, before it is numbered for the instances.
std::string WorkloadThread(const WorldSpec& spec, std::size_t index);
std::string CallThread(const WorldSpec& spec, std::size_t index);
// The application's: those of workloads and calls, numbered where their producer has instances, and bodies with the
// threads that they start. Each once.
std::vector<std::string> ThreadNames(const WorldSpec& spec);

// --- What is wrong with a name, for an error ---

// That there is no such broker, topic, partition or follower.
std::optional<std::string> WhyNoBroker(const BrokerTerm& term, const WorldSpec& spec);
// That it names none, or one that is not there, and which are.
std::optional<std::string> WhyNoTopic(const TopicSelector& selector, const WorldSpec& spec);
// The same of partitions: each must be one of at least one of the topics, which exist.
std::optional<std::string> WhyNoPartition(const PartitionSelector& selector, const TopicSelector& topics,
                                          const WorldSpec& spec);
std::optional<std::string> WhyNoProducer(std::string_view name, const WorldSpec& spec);
// That StallThread would find nobody by that name, and whom it would find.
std::optional<std::string> WhyNoThread(std::string_view name, const WorldSpec& spec);

}  // namespace ktrial::sim

#endif  // SIM_WORLD_NAMES_H_
