// How a scenario names releases, brokers, topics and partitions: an id or a name, a list, "*", "any", "leader:orders/0",
// "follower:orders/0", "controller", "t-{1..5000}". A name that the world does not have is reported where it stands.
#ifndef SCENARIOS_LANGUAGE_NAMES_H_
#define SCENARIOS_LANGUAGE_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/reader.h"
#include "sim/fault/selector.h"
#include "sim/spec_text.h"
#include "sim/world_names.h"
#include "sim/world_spec.h"

namespace ktrial::scenario {

// Of the whole cluster: what fits in memory with room to spare.
inline constexpr std::int64_t kPartitionsMax = 100'000;

// "t-{1..3}" gives t-1, t-2, t-3; a name without braces gives itself. Nothing for a broken pattern, or more than 100000
// names.
std::optional<std::vector<std::string>> ExpandName(std::string_view pattern);

// The release of brokers at "version"; nothing if it is absent or wrong (and reported).
std::optional<std::string> ReadVersion(TableReader& reader);

using sim::FindTopic;
using sim::JoinNames;
using sim::ProducerNames;
using sim::Replicas;
using sim::SelectedTopics;
using sim::ThreadNames;
using sim::TopicNames;

// Whether every [[topic]] could be read. One whose name could not is in the world without a name, and may be the one
// that is meant where a name is unknown.
bool AllTopicsAreKnown(const sim::WorldSpec& world);

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
