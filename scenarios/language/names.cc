#include "scenarios/language/names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/world_names.h"

namespace ktrial::scenario {
namespace {

constexpr std::int64_t kNamesMax = 100'000;
constexpr std::array<std::string_view, 9> kVersions = {"0.9", "0.10", "0.11", "1.0", "2.0", "2.8", "3.9", "4.0", "4.4"};

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

// " (did you mean ...?)", of all topics.
std::string SuggestTopic(std::string_view found, const sim::WorldSpec& world) {
  std::vector<std::string_view> names;
  for (const sim::TopicShape& topic : world.topics) names.push_back(topic.name);
  return Suggestion(found, names);
}

bool AddTerm(const Value& value, std::string_view path, const sim::WorldSpec& world, Errors& errors,
             sim::BrokerSelector& selector) {
  const bool scalar = value.kind == Value::Kind::kInteger || value.kind == Value::Kind::kString;
  if (scalar) {
    const absl::StatusOr<sim::BrokerTerm> term = sim::ParseBrokerTerm(value.text);
    if (term.ok()) {
      const std::optional<std::string> complaint = sim::WhyNoBroker(*term, world);
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

std::optional<std::string> ReadVersion(TableReader& reader) {
  const std::optional<std::string> version = reader.String("version");
  if (!version) return std::nullopt;
  const auto is = [&version](std::string_view known) { return known == *version; };
  if (std::ranges::any_of(kVersions, is)) return version;
  reader.Wrong("version", JoinAllowed(kVersions) + Suggestion(*version, kVersions));
  return std::nullopt;
}

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

bool AllTopicsAreKnown(const sim::WorldSpec& world) { return !world.topics.empty() && FindTopic(world, "") == nullptr; }

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
