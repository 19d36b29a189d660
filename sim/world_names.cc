#include "sim/world_names.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "sim/broker/settings.h"
#include "sim/spec_text.h"

namespace ktrial::sim {

std::vector<ProducerInstance> ProducerInstances(const WorldSpec& spec) {
  std::vector<ProducerInstance> instances;
  for (std::size_t i = 0; i < spec.producers.size(); ++i) {
    const ProducerSpec& producer = spec.producers[i];
    std::string group = producer.name;
    if (group.empty()) group = spec.producers.size() == 1 ? "producer" : fmt::format("producer-{}", i + 1);
    for (std::int32_t number = 1; number <= producer.instances; ++number) {
      const bool alone = producer.instances == 1;
      instances.push_back({&producer, alone ? group : fmt::format("{}-{}", group, number), group, alone ? 0 : number});
    }
  }
  return instances;
}

std::vector<std::string> ProducerNames(const WorldSpec& spec) {
  std::vector<std::string> names;
  for (const ProducerInstance& producer : ProducerInstances(spec)) names.push_back(producer.name);
  return names;
}

const TopicShape* FindTopic(const WorldSpec& spec, std::string_view name) {
  for (const TopicShape& topic : spec.topics) {
    if (topic.name == name) return &topic;
  }
  return nullptr;
}

std::vector<const TopicShape*> SelectedTopics(const WorldSpec& spec, const TopicSelector& selector) {
  std::vector<const TopicShape*> topics;
  for (const TopicShape& topic : spec.topics) {
    const auto means = [&topic](const std::string& term) { return term == "*" || term == "any" || term == topic.name; };
    if (std::any_of(selector.terms.begin(), selector.terms.end(), means)) topics.push_back(&topic);
  }
  return topics;
}

std::vector<std::string> TopicNames(const WorldSpec& spec) {
  std::vector<std::string> names;
  for (const TopicShape& topic : spec.topics) names.push_back(topic.name);
  return names;
}

std::vector<TopicShape> TopicsCreatedOnUse(const WorldSpec& spec) {
  BrokerSettings settings;
  // What is wrong with them the cluster says.
  ApplyBrokerSettings({spec.cluster.settings.begin(), spec.cluster.settings.end()}, settings).IgnoreError();
  if (!settings.auto_create_topics) return {};
  std::set<std::string> names;
  for (const CallSpec& call : spec.calls) {
    if (const auto* const send = std::get_if<SendCall>(&call.call)) names.insert(send->topic);
    if (const auto* const asked = std::get_if<PartitionsForCall>(&call.call)) names.insert(asked->topic);
  }
  for (const ThreadSpec& thread : spec.threads) names.insert(thread.creates.begin(), thread.creates.end());
  std::vector<TopicShape> created;
  for (const std::string& name : names) {
    if (FindTopic(spec, name) != nullptr) continue;
    created.push_back(
        {.name = name, .partitions = settings.num_partitions, .replication = settings.default_replication_factor});
  }
  return created;
}

std::int32_t ReplicationOf(const TopicShape& topic, const WorldSpec& spec) {
  return topic.replication > 0 ? topic.replication : std::min(3, spec.cluster.brokers);
}

std::vector<NodeId> Replicas(const WorldSpec& spec, const TopicShape& topic, PartitionIndex partition) {
  std::vector<NodeId> replicas;
  for (std::int32_t k = 0; k < ReplicationOf(topic, spec); ++k) {
    replicas.push_back(NodeId(1 + (partition.value() + k) % spec.cluster.brokers));
  }
  return replicas;
}

std::string WorkloadThread(const WorldSpec& spec, std::size_t index) {
  const std::string& name = spec.workloads[index].thread;
  return name.empty() ? fmt::format("app-{}", index + 1) : name;
}

std::string CallThread(const WorldSpec& spec, std::size_t index) {
  const std::string& name = spec.calls[index].thread;
  return name.empty() ? fmt::format("call-{}", index + 1) : name;
}

std::vector<std::string> ThreadNames(const WorldSpec& spec) {
  const std::vector<ProducerInstance> producers = ProducerInstances(spec);
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const auto add_each = [&](const std::string& thread, const std::string& producer) {
    const auto count = std::count_if(producers.begin(), producers.end(), [&](const ProducerInstance& one) {
      return producer.empty() || one.name == producer || one.group == producer;
    });
    if (count <= 1) return add(thread);
    for (std::ptrdiff_t number = 1; number <= count; ++number) add(fmt::format("{}-{}", thread, number));
  };
  for (std::size_t i = 0; i < spec.workloads.size(); ++i) add_each(WorkloadThread(spec, i), spec.workloads[i].producer);
  for (std::size_t i = 0; i < spec.calls.size(); ++i) add_each(CallThread(spec, i), spec.calls[i].producer);
  for (const ThreadSpec& thread : spec.threads) {
    add(thread.name);
    for (const std::string& started : thread.starts) add(started);
  }
  return names;
}

std::optional<std::string> WhyNoBroker(const BrokerTerm& term, const WorldSpec& spec) {
  using Kind = BrokerTerm::Kind;
  if (term.kind == Kind::kId && (term.id.value() < 1 || term.id.value() > spec.cluster.brokers)) {
    return fmt::format("there is no broker {}", term.id.value());
  }
  if (term.kind != Kind::kLeader && term.kind != Kind::kFollower) return std::nullopt;
  const TopicShape* topic = FindTopic(spec, term.topic);
  if (topic == nullptr) return "there is no topic " + term.topic;
  if (term.partition.value() < 0 || term.partition.value() >= topic->partitions) {
    return fmt::format("topic {} has no partition {}", term.topic, term.partition.value());
  }
  if (term.kind == Kind::kFollower && ReplicationOf(*topic, spec) == 1) {
    return fmt::format("topic {} has no followers", term.topic);
  }
  return std::nullopt;
}

std::optional<std::string> WhyNoTopic(const TopicSelector& selector, const WorldSpec& spec) {
  std::set<std::string_view> known = {"*", "any"};
  for (const TopicShape& topic : spec.topics) known.insert(topic.name);
  const auto unknown = std::find_if(selector.terms.begin(), selector.terms.end(),
                                    [&known](const std::string& term) { return !known.contains(term); });
  if (unknown == selector.terms.end() && !selector.terms.empty()) return std::nullopt;
  const std::vector<std::string> names = TopicNames(spec);
  const std::string allowed = fmt::format(", allowed: {}, \"*\" or \"any\"", JoinNames(names));
  if (selector.terms.empty()) return "names no topic" + allowed;
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("there is no topic \"{}\"{}{}", *unknown, allowed, Suggestion(*unknown, views));
}

std::optional<std::string> WhyNoPartition(const PartitionSelector& selector, const TopicSelector& topics,
                                          const WorldSpec& spec) {
  std::int32_t count = 0;
  for (const TopicShape* topic : SelectedTopics(spec, topics)) count = std::max(count, topic->partitions);
  // Of topics that the brokers create nothing is known.
  if (selector.kind != PartitionSelector::Kind::kList || count == 0) return std::nullopt;
  const std::string allowed = fmt::format(", allowed: 0 to {}, All() or Any()", count - 1);
  if (selector.list.empty()) return "names no partition" + allowed;
  for (const PartitionIndex partition : selector.list) {
    if (partition.value() < 0 || partition.value() >= count) {
      return fmt::format("there is no partition {}{}", partition.value(), allowed);
    }
  }
  return std::nullopt;
}

std::optional<std::string> WhyNoProducer(std::string_view name, const WorldSpec& spec) {
  std::vector<std::string> names;
  for (const ProducerInstance& producer : ProducerInstances(spec)) {
    if (producer.name == name || producer.group == name) return std::nullopt;
    if (names.empty() || names.back() != producer.group) names.push_back(producer.group);
  }
  if (name.empty()) {
    if (spec.producers.size() == 1) return std::nullopt;
    return fmt::format("name the producer: there are {}, allowed: {}", spec.producers.size(), JoinNames(names));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("there is no producer \"{}\", allowed: {}{}", name, JoinNames(names), Suggestion(name, views));
}

std::optional<std::string> WhyNoThread(std::string_view name, const WorldSpec& spec) {
  if (name == "*") return std::nullopt;
  std::vector<std::string> names = ThreadNames(spec);
  for (const ProducerInstance& producer : ProducerInstances(spec)) {
    names.push_back(producer.name);
    if (producer.group != producer.name && producer.number == 1) names.push_back(producer.group);
  }
  if (std::find(names.begin(), names.end(), name) != names.end()) return std::nullopt;
  return fmt::format("there is no thread and no producer \"{}\", allowed: {}, or \"*\"", name, JoinNames(names));
}

}  // namespace ktrial::sim
