#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/producer/config.h"
#include "scenarios/language/names.h"
#include "scenarios/language/sections.h"
#include "sim/broker/settings.h"

namespace ktrial::scenario {
namespace {

constexpr std::int64_t kBrokersMax = 1000;
constexpr std::string_view kTopicNameAllowed =
    "1 to 249 letters, digits, '.', '_' or '-', with one \"{1..N}\" for many";

// Each setting is tried alone, so that a wrong one is reported where it stands.
template <class Target, class Apply>
std::map<std::string, std::string> ReadSettings(TableReader& reader, const Target& defaults, Apply apply,
                                                const std::vector<std::string_view>& known, std::int64_t brokers) {
  std::map<std::string, std::string> settings;
  const Member* member = reader.Find("settings");
  if (member == nullptr) return settings;
  if (member->value.kind != Value::Kind::kTable) {
    reader.Wrong("settings", "a table such as { min.insync.replicas = 2 }");
    return settings;
  }
  const std::string path = reader.Path("settings");
  for (const FlatEntry& entry : ReadFlat(member->value, path, {}, reader.errors())) {
    Target scratch = defaults;
    const absl::Status status = apply({{entry.key, entry.value}}, scratch);
    if (!status.ok()) {
      reader.errors().Add(entry.position, path + "." + entry.key,
                          std::string(status.message()) + Suggestion(entry.key, known));
    } else if (entry.key == "min.insync.replicas" && ParseSize(entry.value).value_or(0) > brokers) {
      reader.errors().Add(
          entry.position, path + "." + entry.key,
          "found " + entry.value + ", allowed: at most " + std::to_string(brokers) + ", one for each broker");
    }
    settings[entry.key] = entry.value;
  }
  return settings;
}

void ReadBootstrap(TableReader& cluster, sim::ClusterShape& spec) {
  const Member* member = cluster.Find("bootstrap");
  if (member == nullptr) return;
  const std::string allowed =
      "brokers' ids (1 to " + std::to_string(spec.brokers) + ") or \"host:port\" with a port from 1 to 65535";
  if (member->value.kind != Value::Kind::kArray) {
    cluster.Wrong("bootstrap", "a list of " + allowed);
    return;
  }
  if (member->value.items.empty()) {
    cluster.Complain("bootstrap",
                     "found an empty list, allowed: a list of " + allowed + "; without the key, all brokers");
    return;
  }
  for (const Value& item : member->value.items) {
    const bool is_id = item.kind == Value::Kind::kInteger && item.integer >= 1 && item.integer <= spec.brokers;
    const bool is_address = item.kind == Value::Kind::kString && ParseBootstrapServer(item.text).has_value();
    if (is_id || is_address) {
      spec.bootstrap.push_back(item.text);
    } else {
      cluster.errors().Add(item.position, "cluster.bootstrap", "found " + Describe(item) + ", allowed: " + allowed);
    }
  }
}

void ReadClusterTable(TableReader& root, sim::ClusterShape& spec) {
  spec.brokers = kBrokersMax;  // Where the number is missing, nothing else is out of its range.
  const Member* member = root.FindRequired("cluster", "a table with brokers");
  if (member == nullptr) return;
  TableReader cluster(member->value, "cluster", root.errors());
  cluster.FindRequired("brokers", "how many");
  if (const auto brokers = cluster.Integer("brokers", 1, kBrokersMax)) {
    spec.brokers = static_cast<std::int32_t>(*brokers);
  }
  if (const auto version = ReadVersion(cluster)) spec.version = *version;
  spec.resets_unknown_versions = cluster.Choice("unknown_versions", {"answer", "rst"}).value_or(0) == 1;
  ReadBootstrap(cluster, spec);
  spec.settings = ReadSettings(
      cluster, sim::BrokerSettings(),
      [](const sim::SettingsMap& map, sim::BrokerSettings& target) { return sim::ApplyBrokerSettings(map, target); },
      sim::BrokerSettingNames(), spec.brokers);
  cluster.Finish();
}

void ReadBroker(TableReader broker, sim::WorldSpec& world) {
  sim::BrokerShape spec;
  broker.FindRequired("id", "a broker's id (1 to " + std::to_string(world.cluster.brokers) + ")");
  if (const auto id = broker.Integer("id", 1, world.cluster.brokers)) spec.id = static_cast<std::int32_t>(*id);
  spec.version = ReadVersion(broker);
  spec.rack = broker.String("rack").value_or("");
  spec.latency = broker.Delay("latency");
  spec.service = broker.Delay("service");
  broker.Finish();
  for (const sim::BrokerShape& other : world.brokers) {
    if (other.id == spec.id) broker.Complain("id", "broker " + std::to_string(spec.id) + " stands here twice");
  }
  world.brokers.push_back(std::move(spec));
}

bool IsTopicName(std::string_view name) {
  constexpr std::size_t kLengthMax = 249;
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kLengthMax && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), legal);
}

// `names` and `partitions` are those of the topics so far.
void ReadTopicTable(TableReader topic, sim::WorldSpec& world, std::set<std::string>& names, std::int64_t& partitions) {
  sim::TopicShape spec;
  const std::int64_t brokers = world.cluster.brokers;
  topic.FindRequired("name", "a name");
  const std::optional<std::string> pattern = topic.String("name");
  spec.partitions = static_cast<std::int32_t>(topic.Integer("partitions", 1, kPartitionsMax).value_or(1));
  spec.replication =
      static_cast<std::int32_t>(topic.Integer("replication", 1, brokers).value_or(std::min<std::int64_t>(3, brokers)));
  spec.settings = ReadSettings(
      topic, sim::TopicSettings(),
      [](const sim::SettingsMap& map, sim::TopicSettings& target) { return sim::ApplyTopicSettings(map, target); },
      sim::TopicSettingNames(), brokers);
  topic.Finish();
  const std::optional<std::vector<std::string>> expanded = ExpandName(pattern.value_or(""));
  if (!expanded || !IsTopicName(expanded->front())) {
    if (pattern) topic.Wrong("name", kTopicNameAllowed);
    world.topics.push_back(spec);  // Without a name; it may be the one that others mean.
    return;
  }
  partitions += static_cast<std::int64_t>(expanded->size()) * spec.partitions;
  if (partitions > kPartitionsMax) {
    topic.Complain("partitions", "more than " + std::to_string(kPartitionsMax) + " partitions in all");
    return;
  }
  for (const std::string& name : *expanded) {
    if (!names.insert(name).second) {
      topic.Complain("name", "topic " + name + " stands here twice");
      return;
    }
    spec.name = name;
    world.topics.push_back(spec);
  }
}

}  // namespace

void ReadCluster(TableReader& root, sim::WorldSpec& world) {
  ReadClusterTable(root, world.cluster);
  for (const Value* value : ReadTables(root, "broker")) ReadBroker(TableReader(*value, "broker", root.errors()), world);
  std::set<std::string> names;
  std::int64_t partitions = 0;
  root.FindRequired("topic", "[[topic]] with a name");
  for (const Value* value : ReadTables(root, "topic")) {
    ReadTopicTable(TableReader(*value, "topic", root.errors()), world, names, partitions);
  }
  if (const Member* member = root.Find("network")) {
    TableReader network(member->value, "network", root.errors());
    if (const auto latency = network.Delay("latency")) world.network.latency = *latency;
    network.Finish();
  }
}

}  // namespace ktrial::scenario
