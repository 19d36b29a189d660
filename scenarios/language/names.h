// How a scenario names brokers, topics and partitions: an id or a name, a list, "*", "any", "leader:orders/0",
// "follower:orders/0", "controller", "t-{1..5000}". A name that the world does not have is reported where it stands.
#ifndef SCENARIOS_LANGUAGE_NAMES_H_
#define SCENARIOS_LANGUAGE_NAMES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/reader.h"
#include "sim/fault/selector.h"
#include "sim/world_spec.h"

namespace ktrial::scenario {

// "t-{1..3}" gives t-1, t-2, t-3; a name without braces gives itself. Nothing for a broken pattern, or more than 100000
// names.
std::optional<std::vector<std::string>> ExpandName(std::string_view pattern);

// Null if there is none.
const sim::TopicShape* FindTopic(const sim::WorldSpec& world, std::string_view name);
// The topics that a selector can mean.
std::vector<const sim::TopicShape*> SelectedTopics(const sim::WorldSpec& world, const sim::TopicSelector& selector);
// The brokers that have a replica of the partition; the first leads at the start.
std::vector<NodeId> Replicas(const sim::WorldSpec& world, const sim::TopicShape& topic, PartitionIndex partition);

// Whether every [[topic]] could be read. One whose name could not is in the world without a name, and may be the one
// that is meant where a name is unknown.
bool AllTopicsAreKnown(const sim::WorldSpec& world);
std::vector<std::string> TopicNames(const sim::WorldSpec& world);
// The application's threads: those of workloads and calls, numbered where their producer has instances. Each once.
std::vector<std::string> ThreadNames(const sim::WorldSpec& world);
// The producers, each instance by its own name; "producer" is the only one if it has none.
std::vector<std::string> ProducerNames(const sim::WorldSpec& world);
// As an error lists them: the first few.
std::string JoinNames(const std::vector<std::string>& names);

// The selector at `key`; nothing if it is absent or wrong (and reported).
std::optional<sim::BrokerSelector> ReadBrokers(TableReader& reader, std::string_view key, const sim::WorldSpec& world);
// The same for a value that is not a member of its own, at `path` for messages.
std::optional<sim::BrokerSelector> ReadBrokersValue(const Value& value, std::string_view path,
                                                    const sim::WorldSpec& world, Errors& errors);
std::optional<sim::TopicSelector> ReadTopics(TableReader& reader, std::string_view key, const sim::WorldSpec& world);
// One existing topic, by name.
std::optional<std::string> ReadTopic(TableReader& reader, std::string_view key, const sim::WorldSpec& world);
// Each partition that is named must be one of at least one of `topics`; without topics nothing is said of the numbers:
// what is wrong with these was.
std::optional<sim::PartitionSelector> ReadPartitions(TableReader& reader, std::string_view key,
                                                     const std::vector<const sim::TopicShape*>& topics);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_NAMES_H_
