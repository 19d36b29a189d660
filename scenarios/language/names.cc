#include "scenarios/language/names.h"

#include <algorithm>
#include <charconv>

#include "sim/world_check.h"

namespace ktrial::scenario {
namespace {

constexpr std::int64_t kNamesMax = 100'000;

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string BrokersAllowed(const sim::WorldSpec& world) {
  return "a broker's id (1 to " + std::to_string(world.cluster.brokers) +
         "), a list of them, \"*\", \"any\", \"leader:TOPIC/PARTITION\", \"follower:TOPIC/PARTITION\" or "
         "\"controller\"";
}

constexpr std::size_t kShown = 5;  // Enough to see what kind of names they are.

// " (did you mean ...?)", of all topics.
std::string SuggestTopic(std::string_view found, const sim::WorldSpec& world) {
  std::vector<std::string_view> names;
  for (const sim::TopicShape& topic : world.topics) names.push_back(topic.name);
  return Suggestion(found, names);
}

// What is wrong with a term, if anything.
std::optional<std::string> CheckTerm(const sim::BrokerTerm& term, const sim::WorldSpec& world) {
  using Kind = sim::BrokerTerm::Kind;
  if (term.kind == Kind::kId && (term.id.value() < 1 || term.id.value() > world.cluster.brokers)) {
    return "there is no broker " + std::to_string(term.id.value());
  }
  if (term.kind != Kind::kLeader && term.kind != Kind::kFollower) return std::nullopt;
  const sim::TopicShape* topic = FindTopic(world, term.topic);
  if (topic == nullptr) return "there is no topic " + term.topic;
  if (term.partition.value() < 0 || term.partition.value() >= topic->partitions) {
    return "topic " + term.topic + " has no partition " + std::to_string(term.partition.value());
  }
  if (term.kind == Kind::kFollower && topic->replication == 1) return "topic " + term.topic + " has no followers";
  return std::nullopt;
}

bool AddTerm(const Value& value, std::string_view path, const sim::WorldSpec& world, Errors& errors,
             sim::BrokerSelector& selector) {
  const bool scalar = value.kind == Value::Kind::kInteger || value.kind == Value::Kind::kString;
  if (scalar) {
    const absl::StatusOr<sim::BrokerTerm> term = sim::ParseBrokerTerm(value.text);
    if (term.ok()) {
      const std::optional<std::string> complaint = CheckTerm(*term, world);
      if (complaint) errors.Add(value.position, path, *complaint + ", allowed: " + BrokersAllowed(world));
      selector.terms.push_back(*term);
      return !complaint;
    }
  }
  errors.Add(value.position, path, "found " + Describe(value) + ", allowed: " + BrokersAllowed(world));
  return false;
}

// The names that one item of a topic selector stands for.
bool AddTopics(const Value& value, std::string_view path, const sim::WorldSpec& world, Errors& errors,
               sim::TopicSelector& selector) {
  const std::string allowed = JoinNames(TopicNames(world)) + ", a list of names, \"*\" or \"any\"";
  if (value.kind != Value::Kind::kString) {
    errors.Add(value.position, path, "found " + Describe(value) + ", allowed: " + allowed);
    return false;
  }
  if (value.text == "*" || value.text == "any") {
    selector.terms.push_back(value.text);
    return true;
  }
  const std::optional<std::vector<std::string>> names = ExpandName(value.text);
  const auto exists = [&world](const std::string& name) { return FindTopic(world, name) != nullptr; };
  if (!names || !std::all_of(names->begin(), names->end(), exists)) {
    if (!AllTopicsAreKnown(world)) return false;
    errors.Add(value.position, path,
               "there is no topic " + value.text + ", allowed: " + allowed + SuggestTopic(value.text, world));
    return false;
  }
  selector.terms.insert(selector.terms.end(), names->begin(), names->end());
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> ExpandName(std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return std::vector<std::string>{std::string(pattern)};
  const std::size_t close = pattern.find('}', open);
  const std::size_t dots = pattern.find("..", open);
  if (close == std::string_view::npos || dots == std::string_view::npos || dots > close) return std::nullopt;
  const std::optional<std::int64_t> first = ParseNumber(pattern.substr(open + 1, dots - open - 1));
  const std::optional<std::int64_t> last = ParseNumber(pattern.substr(dots + 2, close - dots - 2));
  const bool counts = first && last && *first >= 0 && *last >= *first && *last - *first < kNamesMax;
  if (!counts) return std::nullopt;
  std::vector<std::string> names;
  for (std::int64_t number = *first; number <= *last; ++number) {
    names.push_back(std::string(pattern.substr(0, open)) + std::to_string(number) +
                    std::string(pattern.substr(close + 1)));
  }
  return names;
}

const sim::TopicShape* FindTopic(const sim::WorldSpec& world, std::string_view name) {
  for (const sim::TopicShape& topic : world.topics) {
    if (topic.name == name) return &topic;
  }
  return nullptr;
}

std::vector<const sim::TopicShape*> SelectedTopics(const sim::WorldSpec& world, const sim::TopicSelector& selector) {
  std::vector<const sim::TopicShape*> topics;
  for (const sim::TopicShape& topic : world.topics) {
    const auto means = [&topic](const std::string& term) { return term == "*" || term == "any" || term == topic.name; };
    if (std::any_of(selector.terms.begin(), selector.terms.end(), means)) topics.push_back(&topic);
  }
  return topics;
}

std::vector<NodeId> Replicas(const sim::WorldSpec& world, const sim::TopicShape& topic, PartitionIndex partition) {
  std::vector<NodeId> replicas;
  for (std::int32_t k = 0; k < topic.replication; ++k) {
    replicas.push_back(NodeId(1 + (partition.value() + k) % world.cluster.brokers));
  }
  return replicas;
}

bool AllTopicsAreKnown(const sim::WorldSpec& world) { return !world.topics.empty() && FindTopic(world, "") == nullptr; }

std::vector<std::string> TopicNames(const sim::WorldSpec& world) {
  std::vector<std::string> names;
  for (const sim::TopicShape& topic : world.topics) names.push_back(topic.name);
  return names;
}

std::vector<std::string> ThreadNames(const sim::WorldSpec& world) {
  const std::vector<sim::ProducerInstance> producers = sim::ProducerInstances(world);
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const auto add_each = [&](const std::string& thread, const std::string& producer) {
    const auto count = std::count_if(producers.begin(), producers.end(), [&](const sim::ProducerInstance& one) {
      return producer.empty() || one.name == producer || one.group == producer;
    });
    if (count <= 1) return add(thread);
    for (std::ptrdiff_t number = 1; number <= count; ++number) add(thread + "-" + std::to_string(number));
  };
  for (const sim::WorkloadSpec& workload : world.workloads) add_each(workload.thread, workload.producer);
  for (const sim::CallSpec& call : world.calls) add_each(call.thread, call.producer);
  return names;
}

std::vector<std::string> ProducerNames(const sim::WorldSpec& world) {
  std::vector<std::string> names;
  for (const sim::ProducerInstance& producer : sim::ProducerInstances(world)) names.push_back(producer.name);
  return names;
}

std::string JoinNames(const std::vector<std::string>& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  std::vector<std::string_view> views(names.begin(), names.begin() + shown);
  if (names.size() > kShown) views.push_back("...");
  return JoinAllowed(views);
}

std::optional<sim::BrokerSelector> ReadBrokersValue(const Value& value, std::string_view path,
                                                    const sim::WorldSpec& world, Errors& errors) {
  sim::BrokerSelector selector;
  bool good = true;
  if (value.kind == Value::Kind::kArray && !value.items.empty()) {
    for (const Value& item : value.items) good = AddTerm(item, path, world, errors, selector) && good;
  } else {
    good = AddTerm(value, path, world, errors, selector);
  }
  if (!good) return std::nullopt;
  return selector;
}

std::optional<sim::BrokerSelector> ReadBrokers(TableReader& reader, std::string_view key, const sim::WorldSpec& world) {
  const Member* member = reader.Find(key);
  if (member == nullptr) return std::nullopt;
  return ReadBrokersValue(member->value, reader.Path(key), world, reader.errors());
}

std::optional<sim::TopicSelector> ReadTopics(TableReader& reader, std::string_view key, const sim::WorldSpec& world) {
  const Member* member = reader.Find(key);
  if (member == nullptr) return std::nullopt;
  sim::TopicSelector selector;
  bool good = true;
  const Value& value = member->value;
  if (value.kind == Value::Kind::kArray && !value.items.empty()) {
    for (const Value& item : value.items) {
      good = AddTopics(item, reader.Path(key), world, reader.errors(), selector) && good;
    }
  } else {
    good = AddTopics(value, reader.Path(key), world, reader.errors(), selector);
  }
  if (!good) return std::nullopt;
  return selector;
}

std::optional<std::string> ReadTopic(TableReader& reader, std::string_view key, const sim::WorldSpec& world) {
  const std::optional<std::string> name = reader.String(key);
  if (!name || FindTopic(world, *name) != nullptr) return name;
  if (!AllTopicsAreKnown(world)) return std::nullopt;
  reader.Complain(
      key, "there is no topic " + *name + ", allowed: " + JoinNames(TopicNames(world)) + SuggestTopic(*name, world));
  return std::nullopt;
}

std::optional<sim::PartitionSelector> ReadPartitions(TableReader& reader, std::string_view key,
                                                     const std::vector<const sim::TopicShape*>& topics) {
  const Member* member = reader.Find(key);
  if (member == nullptr) return std::nullopt;
  if (topics.empty()) return std::nullopt;
  std::int32_t count = 0;
  for (const sim::TopicShape* topic : topics) count = std::max(count, topic->partitions);
  const std::string allowed = "a partition (0 to " + std::to_string(count - 1) + "), a list of them, \"*\" or \"any\"";
  const Value& value = member->value;
  if (value.kind == Value::Kind::kString && value.text == "*") return sim::PartitionSelector::All();
  if (value.kind == Value::Kind::kString && value.text == "any") return sim::PartitionSelector::Any();
  sim::PartitionSelector selector{sim::PartitionSelector::Kind::kList, {}};
  const std::vector<Value> items =
      value.kind == Value::Kind::kArray && !value.items.empty() ? value.items : std::vector<Value>{value};
  bool good = true;
  for (const Value& item : items) {
    if (item.kind == Value::Kind::kInteger && item.integer >= 0 && item.integer < count) {
      selector.list.push_back(PartitionIndex(static_cast<std::int32_t>(item.integer)));
      continue;
    }
    reader.errors().Add(item.position, reader.Path(key), "found " + Describe(item) + ", allowed: " + allowed);
    good = false;
  }
  if (!good) return std::nullopt;
  return selector;
}

}  // namespace ktrial::scenario
