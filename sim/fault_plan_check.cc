#include "sim/fault_plan_check.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "fmt/format.h"
#include "sim/broker/settings.h"
#include "sim/spec_text.h"
#include "sim/world_names.h"

namespace ktrial::sim {
namespace {

using Why = std::optional<std::string>;

// In front of what is wrong, its place in the fault.
Why In(std::string_view member, Why why) {
  if (why) why->insert(0, fmt::format("{}: ", member));
  return why;
}

Why WhyNoBrokers(std::string_view member, const BrokerSelector& selector, const WorldSpec& spec) {
  const std::string allowed =
      fmt::format(", allowed: Id(1) to Id({}), All(), Any(), or Leader of a topic's partition", spec.cluster.brokers);
  if (selector.terms.empty()) return In(member, "names no broker" + allowed);
  for (const BrokerTerm& term : selector.terms) {
    if (const Why why = WhyNoBroker(term, spec)) return In(member, *why + allowed);
  }
  return std::nullopt;
}

// What is wrong with the arguments of a fault.
struct ArgumentsCheck {
  const WorldSpec& spec;

  Why Topics(const TopicSelector& topic) const {
    const Why why = In("topic", WhyNoTopic(topic, spec));
    // Nobody but the thread knows what its code sends to.
    if (!why || spec.threads.empty()) return why;
    return *why + "; one that a thread's sends create is named in its ThreadSpec::creates";
  }
  Why Partitions(const TopicSelector& topic, const PartitionSelector& partition) const {
    if (Why why = Topics(topic)) return why;
    return In("partition", WhyNoPartition(partition, topic, spec));
  }
  Why Brokers(const BrokerSelector& broker) const { return WhyNoBrokers("broker", broker, spec); }
  Why Side(std::string_view member, const NetworkPartition::Side& side) const {
    return side.clients && side.brokers.terms.empty() ? std::nullopt : WhyNoBrokers(member, side.brokers, spec);
  }

  Why operator()(const MoveLeader& fault) const {
    if (Why why = Partitions(fault.topic, fault.partition)) return why;
    if (Why why = WhyNoBrokers("to", fault.to, spec)) return why;
    return In("lag", WhyWrongRange(fault.lag));
  }
  Why operator()(const NetworkPartition& fault) const {
    if (Why why = Side("first", fault.first)) return why;
    return Side("second", fault.second);
  }
  Why operator()(const Latency& fault) const {
    if (Why why = Brokers(fault.broker)) return why;
    return In("add", WhyWrongRange(fault.add));
  }
  Why operator()(const Misroute& fault) const {
    if (Why why = Brokers(fault.broker)) return why;
    if (Why why = WhyNoBrokers("to", fault.to, spec)) return why;
    if (MeansOneBroker(fault.to)) return std::nullopt;
    return fmt::format("to: {}, allowed: one broker, as an address leads to one", ToString(fault.to));
  }
  Why operator()(const ErrorAnswer& fault) const {
    if (Why why = Partitions(fault.topic, fault.partition)) return why;
    return Brokers(fault.broker);
  }
  Why operator()(const DeleteTopic& fault) const {
    if (Why why = Topics(fault.topic)) return why;
    const auto internal = std::ranges::find_if(fault.topic.terms, IsInternalTopic);
    if (internal != fault.topic.terms.end()) return fmt::format("topic: the brokers do not work without {}", *internal);
    return In("lag", WhyWrongRange(fault.lag));
  }
  Why operator()(const CreateTopic& fault) const {
    if (Why why = Topics(TopicSelector::Name(fault.topic))) return why;
    if (FindTopic(spec, fault.topic) == nullptr) return "topic: one is made at a time, allowed: a name";
    if (fault.partitions && *fault.partitions < 1)
      return fmt::format("partitions: {}, allowed: 1 or more", *fault.partitions);
    if (fault.replication && (*fault.replication < 1 || *fault.replication > spec.cluster.brokers)) {
      return fmt::format("replication: {}, allowed: 1 to {}", *fault.replication, spec.cluster.brokers);
    }
    return In("lag", WhyWrongRange(fault.lag));
  }
  Why operator()(const StallThread& fault) const { return In("thread", WhyNoThread(fault.thread, spec)); }
  Why operator()(const DropResponse&) const { return std::nullopt; }
  template <class Other>
  Why operator()(const Other& fault) const {
    if constexpr (requires { fault.broker; }) {
      return Brokers(fault.broker);
    } else {
      return Partitions(fault.topic, fault.partition);
    }
  }
};

Why WhyWrongTrigger(const FaultTrigger& trigger, const WorldSpec& spec) {
  if (trigger.at.has_value() + trigger.every.has_value() + trigger.on.has_value() != 1) {
    return "exactly one of at, every and on is needed";
  }
  if (trigger.at) {
    if (Why why = In("at", WhyWrongRange(*trigger.at))) return why;
  }
  if (trigger.every) {
    if (Why why = In("every", WhyWrongRange(*trigger.every, true))) return why;
  }
  if (trigger.lasting) {
    if (Why why = In("lasting", WhyWrongRange(*trigger.lasting))) return why;
  }
  if (trigger.times && *trigger.times < 1) return fmt::format("times: {}, allowed: 1 or more", *trigger.times);
  if (!trigger.on) return std::nullopt;
  if (trigger.on->nth < 1) return fmt::format("on.nth: {}, allowed: 1 or more", trigger.on->nth);
  return WhyNoBrokers("on.broker", trigger.on->broker, spec);
}

struct Contradiction {
  const FaultTrigger& trigger;

  Why operator()(const NetworkPartition& fault) const {
    if (fault.first.clients && fault.second.clients) return "\"clients\" stands on both sides";
    if (fault.first.clients || fault.second.clients) return std::nullopt;
    return "no bytes go from broker to broker here; one side must be \"clients\"";
  }
  Why operator()(const ErrorAnswer& fault) const {
    if (fault.code == wire::ErrorCode::kNone) return "NONE is no error";
    if (IsAboutPartitions(fault) && !NamesTopics(fault.api)) {
      return fmt::format(
          "{} names no topics, allowed: topic and partition with Produce, Metadata, AddPartitionsToTxn or "
          "TxnOffsetCommit",
          wire::ApiKeyName(fault.api));
    }
    if (!trigger.on) return std::nullopt;
    if (trigger.on->request && *trigger.on->request != fault.api) {
      return fmt::format("it waits for {} and answers {}", wire::ApiKeyName(*trigger.on->request),
                         wire::ApiKeyName(fault.api));
    }
    if (fault.phase < trigger.on->phase) return "its phase is over when `on` fires";
    return std::nullopt;
  }
  Why operator()(const DropResponse&) const {
    if (trigger.on) return std::nullopt;
    return "it is about one request, allowed: with `on`";
  }
  template <class Other>
  Why operator()(const Other&) const {
    return std::nullopt;
  }
};

}  // namespace

std::optional<std::string> WhyWrongRange(const DurationRange& range, bool positive) {
  if (range.max < range.min) {
    return fmt::format("from {} to {}, allowed: the shorter one first", FormatDuration(range.min),
                       FormatDuration(range.max));
  }
  if (range.min < Duration::zero() || (positive && range.min == Duration::zero())) {
    return fmt::format("{}, allowed: {}", FormatDuration(range.min), positive ? "more than 0s" : "0s or more");
  }
  return std::nullopt;
}

std::optional<std::string> WhyItContradictsItself(const FaultSpec& fault) {
  return std::visit(Contradiction{fault.trigger}, fault.action);
}

absl::Status CheckFaultPlan(const WorldSpec& spec) {
  // A fault may come when brokers have created more topics than there are at the start.
  WorldSpec world = spec;
  std::ranges::move(TopicsCreatedOnUse(spec), std::back_inserter(world.topics));
  for (std::size_t i = 0; i < spec.faults.size(); ++i) {
    const FaultSpec& fault = spec.faults[i];
    Why why = WhyWrongTrigger(fault.trigger, world);
    if (!why) why = std::visit(ArgumentsCheck{world}, fault.action);
    if (!why) why = WhyItContradictsItself(fault);
    if (why)
      return absl::InvalidArgumentError(fmt::format("faults[{}] ({}): {}", i, FaultKindName(fault.action), *why));
  }
  return absl::OkStatus();
}

}  // namespace ktrial::sim
