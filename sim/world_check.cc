#include "sim/world_check.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"

namespace ktrial::sim {
namespace {

template <class... Args>
absl::Status Wrong(fmt::format_string<Args...> format, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(format, std::forward<Args>(args)...));
}

// The names that things of the spec may refer to.
struct Names {
  explicit Names(const WorldSpec& spec) {
    for (const TopicShape& topic : spec.topics) topics.insert(topic.name);
    for (const ProducerInstance& producer : ProducerInstances(spec)) {
      producers.insert(producer.name);
      producers.insert(producer.group);
    }
  }
  bool HasTopic(const std::string& name) const { return topics.contains(name); }
  std::set<std::string> topics;
  std::set<std::string> producers;
};

absl::Status CheckProducer(const std::string& name, const WorldSpec& spec, const Names& names) {
  if (name.empty() && spec.producers.size() != 1)
    return Wrong("name the producer: there are {}", spec.producers.size());
  if (!name.empty() && !names.producers.contains(name)) return Wrong("there is no producer \"{}\"", name);
  return absl::OkStatus();
}

absl::Status CheckTopics(const TopicSelector& selector, const Names& names) {
  if (selector.terms.empty()) return Wrong("a workload names no topic");
  for (const std::string& term : selector.terms) {
    if (term != "*" && term != "any" && !names.HasTopic(term)) return Wrong("there is no topic \"{}\"", term);
  }
  return absl::OkStatus();
}

absl::Status CheckWorkload(const WorkloadSpec& workload, const WorldSpec& spec, const Names& names) {
  if (absl::Status status = CheckProducer(workload.producer, spec, names); !status.ok()) return status;
  if (absl::Status status = CheckTopics(workload.topic, names); !status.ok()) return status;
  if (workload.rate && workload.closed) return Wrong("rate and closed exclude each other");
  if (workload.rate && (workload.rate->count <= 0 || workload.rate->per <= Duration::zero()))
    return Wrong("rate: not positive");
  if (workload.closed && *workload.closed <= 0) return Wrong("closed: not positive");
  if (workload.value.min < SizeRange::kSmallest || workload.value.max < workload.value.min) {
    return Wrong("value: {} to {} bytes; a value carries the identity of its record and has {} at least",
                 workload.value.min, workload.value.max, SizeRange::kSmallest);
  }
  if (workload.partition && workload.partition->kind == PartitionSelector::Kind::kList &&
      workload.partition->list.empty()) {
    return Wrong("partition: an empty list");
  }
  if (workload.key_cardinality && *workload.key_cardinality <= 0) return Wrong("key: cardinality is not positive");
  return absl::OkStatus();
}

absl::Status CheckCall(const CallSpec& call, const WorldSpec& spec, const Names& names) {
  if (absl::Status status = CheckProducer(call.producer, spec, names); !status.ok()) return status;
  // The topic of a call may be one that does not exist: that is a story of its own.
  if (const auto* const send = std::get_if<SendCall>(&call.call)) {
    if (send->topic.empty()) return Wrong("send: names no topic");
  }
  return absl::OkStatus();
}

absl::Status CheckCluster(const WorldSpec& spec) {
  if (spec.cluster.brokers < 1 || spec.cluster.brokers > 60'000) return Wrong("brokers: {}", spec.cluster.brokers);
  std::set<std::string> topics;
  for (const TopicShape& topic : spec.topics) {
    if (!topics.insert(topic.name).second) return Wrong("there are two topics \"{}\"", topic.name);
  }
  for (const BrokerShape& broker : spec.brokers) {
    if (broker.id < 1 || broker.id > spec.cluster.brokers) return Wrong("there is no broker {}", broker.id);
  }
  return absl::OkStatus();
}

}  // namespace

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

absl::Status CheckWorld(const WorldSpec& spec) {
  if (spec.duration <= Duration::zero()) return Wrong("duration: not positive");
  if (spec.settle < Duration::zero()) return Wrong("settle: negative");
  if (absl::Status status = CheckCluster(spec); !status.ok()) return status;
  const Names names(spec);
  std::set<std::string> producers;
  for (const ProducerInstance& producer : ProducerInstances(spec)) {
    if (!producers.insert(producer.name).second) return Wrong("there are two producers \"{}\"", producer.name);
  }
  std::set<std::string> threads;
  for (const ThreadSpec& thread : spec.threads) {
    if (!threads.insert(thread.name).second) return Wrong("there are two threads \"{}\"", thread.name);
  }
  for (const WorkloadSpec& workload : spec.workloads) {
    if (absl::Status status = CheckWorkload(workload, spec, names); !status.ok()) return status;
  }
  for (const CallSpec& call : spec.calls) {
    if (absl::Status status = CheckCall(call, spec, names); !status.ok()) return status;
  }
  for (const FaultSpec& fault : spec.faults) {
    const FaultTrigger& trigger = fault.trigger;
    if (trigger.at.has_value() + trigger.every.has_value() + trigger.on.has_value() != 1) {
      return Wrong("{}: exactly one of at, every and on", FaultKindName(fault.action));
    }
    if (trigger.on && trigger.on->nth < 1) return Wrong("{}: nth is not positive", FaultKindName(fault.action));
  }
  return absl::OkStatus();
}

}  // namespace ktrial::sim
