#include "sim/world_check.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "sim/fault_plan_check.h"
#include "sim/spec_text.h"
#include "sim/world_names.h"

namespace ktrial::sim {
namespace {

using Why = std::optional<std::string>;

constexpr std::int32_t kBrokersMax = 60'000;
constexpr std::int32_t kTopicsMax =
    30'000;  // What is noted of records has 15 bits for it; brokers may create some more.

// In front of what is wrong, its place in the spec.
absl::Status At(std::string_view place, const Why& why) {
  return why ? absl::InvalidArgumentError(fmt::format("{}: {}", place, *why)) : absl::OkStatus();
}
std::string Item(std::string_view list, std::size_t index, std::string_view member = "") {
  return fmt::format("{}[{}]{}{}", list, index, member.empty() ? "" : ".", member);
}

Why WhyLess(std::int64_t number, std::int64_t least) {
  if (number >= least) return std::nullopt;
  return fmt::format("{}, allowed: {} or more", number, least);
}
Why WhyNotIn(std::int64_t number, std::int64_t least, std::int64_t most) {
  if (number >= least && number <= most) return std::nullopt;
  return fmt::format("{}, allowed: {} to {}", number, least, most);
}
Why WhyNegative(Duration length) { return WhyWrongRange(length); }

// The first that is wrong.
class Findings {
 public:
  void Add(std::string_view place, const Why& why) {
    if (status_.ok()) status_ = At(place, why);
  }
  void Add(std::string_view list, std::size_t index, std::string_view member, const Why& why) {
    if (why) Add(Item(list, index, member), why);
  }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// What goes for workloads only.
Why WhyWrongPace(const WorkloadSpec& workload) {
  if (workload.rate && workload.closed) return "rate and closed exclude each other";
  if (workload.rate && (workload.rate->count <= 0 || workload.rate->per <= Duration::zero())) {
    return fmt::format("rate: {} in {}, allowed: 1 or more in more than 0s", workload.rate->count,
                       FormatDuration(workload.rate->per));
  }
  if (workload.stop && *workload.stop < workload.start) {
    return fmt::format("stop: {}, allowed: not before start, {}", FormatDuration(*workload.stop),
                       FormatDuration(workload.start));
  }
  return std::nullopt;
}

Why WhyWrongValue(const SizeRange& value) {
  if (value.min >= SizeRange::kSmallest && value.max >= value.min) return std::nullopt;
  return fmt::format(
      "{} to {} bytes, allowed: the smaller one first, at least {}: a value carries the identity of its record",
      value.min, value.max, SizeRange::kSmallest);
}

Why WhyNoGroup(const ConsumedSpec& consumed) {
  if (!consumed.group.empty()) return std::nullopt;
  return "is empty, allowed: the name of a group";
}

Why WhyNothingConsumed(const ConsumedSpec& consumed, const WorldSpec& spec) {
  if (FindTopic(spec, consumed.topic) != nullptr) return std::nullopt;
  return fmt::format("there is no topic \"{}\", allowed: {}", consumed.topic, JoinNames(TopicNames(spec)));
}

absl::Status CheckWorkload(std::size_t index, const WorldSpec& spec) {
  const WorkloadSpec& workload = spec.workloads[index];
  Findings found;
  const auto add = [&](std::string_view member, const Why& why) { found.Add("workloads", index, member, why); };
  add("producer", WhyNoProducer(workload.producer, spec));
  add("topic", WhyNoTopic(workload.topic, spec));
  if (workload.partition) add("partition", WhyNoPartition(*workload.partition, workload.topic, spec));
  add("start", WhyNegative(workload.start));
  add("", WhyWrongPace(workload));
  if (workload.closed) add("closed", WhyLess(*workload.closed, 1));
  if (workload.count) add("count", WhyLess(*workload.count, 0));
  add("value", WhyWrongValue(workload.value));
  if (workload.key_cardinality) add("key_cardinality", WhyLess(*workload.key_cardinality, 1));
  add("on_callback.block", WhyNegative(workload.on_callback.block));
  if (workload.transactions) {
    add("transactions.records", WhyLess(workload.transactions->records, 1));
    add("transactions.abort_every", WhyLess(workload.transactions->abort_every, 0));
    if (workload.transactions->offsets) {
      add("transactions.offsets.group", WhyNoGroup(*workload.transactions->offsets));
      add("transactions.offsets.topic", WhyNothingConsumed(*workload.transactions->offsets, spec));
    }
  }
  return found.status();
}

absl::Status CheckCall(std::size_t index, const WorldSpec& spec) {
  const CallSpec& call = spec.calls[index];
  Findings found;
  found.Add("calls", index, "producer", WhyNoProducer(call.producer, spec));
  found.Add("calls", index, "at", WhyWrongRange(call.at));
  // The topic of a call may be one that does not exist: that is a story of its own.
  const auto* const send = std::get_if<SendCall>(&call.call);
  if (send != nullptr && send->topic.empty()) found.Add("calls", index, "send", "names no topic");
  if (const auto* const offsets = std::get_if<SendOffsetsCall>(&call.call)) {
    found.Add("calls", index, "send_offsets.group", WhyNoGroup(offsets->consumed));
    found.Add("calls", index, "send_offsets.topic", WhyNothingConsumed(offsets->consumed, spec));
    found.Add("calls", index, "send_offsets.offset", WhyLess(offsets->offset, 0));
  }
  return found.status();
}

absl::Status CheckBroker(std::size_t index, const WorldSpec& spec) {
  const BrokerShape& broker = spec.brokers[index];
  Findings found;
  found.Add("brokers", index, "id", WhyNotIn(broker.id, 1, spec.cluster.brokers));
  if (broker.latency) found.Add("brokers", index, "latency", broker.latency->WhyInvalid());
  if (broker.service) found.Add("brokers", index, "service", broker.service->WhyInvalid());
  return found.status();
}

absl::Status CheckCluster(const WorldSpec& spec) {
  Findings found;
  found.Add("cluster.brokers", WhyNotIn(spec.cluster.brokers, 1, kBrokersMax));
  found.Add("topics", WhyNotIn(static_cast<std::int64_t>(spec.topics.size()), 0, kTopicsMax));
  std::set<std::string> topics;
  for (std::size_t i = 0; i < spec.topics.size(); ++i) {
    const TopicShape& topic = spec.topics[i];
    if (!topics.insert(topic.name).second) {
      found.Add("topics", i, "name", fmt::format("there are two topics \"{}\"", topic.name));
    }
    found.Add("topics", i, "partitions", WhyLess(topic.partitions, 1));
    found.Add("topics", i, "replication", WhyNotIn(topic.replication, 0, spec.cluster.brokers));
  }
  found.Add("network.latency", spec.network.latency.WhyInvalid());
  found.Add("network.bytes_per_second", WhyLess(spec.network.bytes_per_second, 0));
  return found.status();
}

absl::Status CheckProducers(const WorldSpec& spec) {
  Findings found;
  for (std::size_t i = 0; i < spec.producers.size(); ++i) {
    found.Add("producers", i, "instances", WhyLess(spec.producers[i].instances, 1));
  }
  std::set<std::string> names;
  for (const std::string& name : ProducerNames(spec)) {
    if (!names.insert(name).second) found.Add("producers", fmt::format("there are two producers \"{}\"", name));
  }
  return found.status();
}

absl::Status CheckThreads(const WorldSpec& spec) {
  Findings found;
  std::set<std::string> names;
  for (std::size_t i = 0; i < spec.threads.size(); ++i) {
    const ThreadSpec& thread = spec.threads[i];
    if (thread.name.empty()) found.Add("threads", i, "name", "empty, allowed: a name");
    if (!names.insert(thread.name).second) {
      found.Add("threads", i, "name", fmt::format("there are two threads \"{}\"", thread.name));
    }
    if (!thread.body) found.Add("threads", i, "body", "empty, allowed: a function");
    found.Add("threads", i, "start", WhyNegative(thread.start));
  }
  return found.status();
}

absl::Status CheckTimes(const WorldSpec& spec) {
  Findings found;
  found.Add("duration", WhyWrongRange(spec.duration, true));
  found.Add("settle", WhyNegative(spec.settle));
  return found.status();
}

}  // namespace

absl::Status CheckWorld(const WorldSpec& spec) {
  for (const auto check : {CheckTimes, CheckCluster, CheckProducers, CheckThreads}) {
    if (absl::Status status = check(spec); !status.ok()) return status;
  }
  for (std::size_t i = 0; i < spec.brokers.size(); ++i) {
    if (absl::Status status = CheckBroker(i, spec); !status.ok()) return status;
  }
  for (std::size_t i = 0; i < spec.workloads.size(); ++i) {
    if (absl::Status status = CheckWorkload(i, spec); !status.ok()) return status;
  }
  for (std::size_t i = 0; i < spec.calls.size(); ++i) {
    if (absl::Status status = CheckCall(i, spec); !status.ok()) return status;
  }
  return CheckFaultPlan(spec);
}

}  // namespace ktrial::sim
