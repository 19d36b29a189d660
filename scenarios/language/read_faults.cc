#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "scenarios/language/fault_check.h"
#include "scenarios/language/names.h"
#include "scenarios/language/sections.h"
#include "sim/broker/settings.h"

namespace ktrial::scenario {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();

// What the arguments of a fault are read with.
struct Arguments {
  TableReader& table;
  const sim::WorldSpec& world;
  const sim::FaultTrigger& trigger;
};

using sim::FaultAction;

sim::BrokerSelector Broker(Arguments& arguments) {
  arguments.table.FindRequired("broker", "which broker");
  return ReadBrokers(arguments.table, "broker", arguments.world).value_or(sim::BrokerSelector::All());
}

// topic and partition of a fault that is about partitions: they may be left out where there is only one to mean.
template <class Fault>
void TopicAndPartition(Arguments& arguments, Fault& fault) {
  const sim::WorldSpec& world = arguments.world;
  if (world.topics.size() != 1) arguments.table.FindRequired("topic", "which topic");
  const std::optional<sim::TopicSelector> topic = ReadTopics(arguments.table, "topic", world);
  fault.topic = topic.value_or(sim::TopicSelector::All());
  std::vector<const sim::TopicShape*> topics = SelectedTopics(world, fault.topic);
  // Of a topic that is wrong nothing can be said about partitions.
  if (!topic && arguments.table.Has("topic")) topics.clear();
  const auto single = [](const sim::TopicShape* topic) { return topic->partitions == 1; };
  if (!std::all_of(topics.begin(), topics.end(), single)) arguments.table.FindRequired("partition", "which partition");
  fault.partition = ReadPartitions(arguments.table, "partition", topics).value_or(sim::PartitionSelector::All());
}

FaultAction ReadMoveLeader(Arguments& arguments) {
  sim::MoveLeader fault;
  TopicAndPartition(arguments, fault);
  fault.to = ReadBrokers(arguments.table, "to", arguments.world).value_or(sim::BrokerSelector::Any());
  fault.lag = arguments.table.Durations("lag").value_or(sim::DurationRange());
  fault.hint = arguments.table.Boolean("hint").value_or(true);
  return fault;
}

template <class Fault>
FaultAction ReadPartitionFault(Arguments& arguments) {
  Fault fault;
  TopicAndPartition(arguments, fault);
  return fault;
}

template <class Fault>
FaultAction ReadBrokerFault(Arguments& arguments) {
  return Fault{Broker(arguments)};
}

FaultAction ReadMisroute(Arguments& arguments) {
  sim::Misroute fault{Broker(arguments), {}};
  arguments.table.FindRequired("to", "which broker has its address");
  fault.to = ReadBrokers(arguments.table, "to", arguments.world).value_or(sim::BrokerSelector::Any());
  if (!sim::MeansOneBroker(fault.to)) {
    arguments.table.Wrong("to",
                          "one broker: an id, \"any\", \"leader:TOPIC/PARTITION\", \"follower:TOPIC/PARTITION\" or "
                          "\"controller\"");
  }
  return fault;
}

FaultAction ReadDowngradeApi(Arguments& arguments) {
  sim::DowngradeApi fault{Broker(arguments), {}};
  arguments.table.FindRequired("version", "a release such as \"2.8\"");
  fault.version = ReadVersion(arguments.table).value_or(arguments.world.cluster.version);
  return fault;
}

FaultAction ReadDisconnect(Arguments& arguments) {
  sim::Disconnect fault{Broker(arguments)};
  if (arguments.table.Choice("how", {"rst", "fin"}) == 1) fault.how = sim::Disconnect::How::kFin;
  return fault;
}

sim::NetworkPartition::Side ReadSide(const Value& value, const sim::WorldSpec& world, Errors& errors) {
  sim::NetworkPartition::Side side;
  if (value.kind == Value::Kind::kString && value.text == "clients") {
    side.clients = true;
  } else {
    side.brokers =
        ReadBrokersValue(value, "fault.network_partition.between", world, errors).value_or(sim::BrokerSelector::All());
  }
  return side;
}

FaultAction ReadNetworkPartition(Arguments& arguments) {
  sim::NetworkPartition fault;
  fault.first.clients = true;
  const Member* between = arguments.table.FindRequired("between", "two sides such as [\"clients\", 2]");
  if (between != nullptr && between->value.items.size() == 2) {
    fault.first = ReadSide(between->value.items[0], arguments.world, arguments.table.errors());
    fault.second = ReadSide(between->value.items[1], arguments.world, arguments.table.errors());
  } else if (between != nullptr) {
    arguments.table.Wrong("between", "two sides such as [\"clients\", 2]");
  }
  fault.oneway = arguments.table.Boolean("oneway").value_or(false);
  return fault;
}

FaultAction ReadLatency(Arguments& arguments) {
  sim::Latency fault{Broker(arguments), {}};
  arguments.table.FindRequired("add", "a duration");
  const std::optional<sim::DurationRange> add = arguments.table.Durations("add");
  if (add && add->max == Duration(0)) arguments.table.Wrong("add", "more than 0s");
  fault.add = add.value_or(sim::DurationRange());
  return fault;
}

// What the brokers serve is what can be decoded.
std::vector<std::string_view> ServedApis() {
  std::vector<std::string_view> names;
  for (int number = 0; number <= static_cast<int>(wire::kLastApiKey); ++number) {
    const auto api = static_cast<wire::ApiKey>(number);
    if (wire::CodecVersionRange(api).has_value()) names.push_back(wire::ApiKeyName(api));
  }
  return names;
}

std::optional<wire::ApiKey> ReadApi(TableReader& table, std::string_view key) {
  const std::optional<std::string> name = table.String(key);
  if (!name) return std::nullopt;
  const std::optional<wire::ApiKey> api = wire::ApiKeyFromName(*name);
  if (!api) {
    const std::vector<std::string_view> served = ServedApis();
    table.Wrong(key, JoinAllowed(served) + Suggestion(*name, served));
  }
  return api;
}

FaultAction ReadError(Arguments& arguments) {
  TableReader& table = arguments.table;
  const std::optional<sim::RequestTrigger>& on = arguments.trigger.on;
  sim::ErrorAnswer fault;
  if (!on) table.FindRequired("api", JoinAllowed(ServedApis()));
  fault.api = ReadApi(table, "api").value_or(on ? on->request.value_or(fault.api) : fault.api);
  table.FindRequired("code", "an error's name such as NOT_LEADER_OR_FOLLOWER");
  if (const auto name = table.String("code")) {
    const std::optional<wire::ErrorCode> code = wire::ErrorCodeFromName(*name);
    if (!code) table.Wrong("code", "an error's name such as NOT_LEADER_OR_FOLLOWER");
    fault.code = code.value_or(wire::ErrorCode::kUnknownServerError);
  }
  // The default is the earliest phase in which the answer can be known to be an error.
  if (on) fault.phase = std::max(fault.phase, on->phase);
  if (const auto phase = table.Choice("phase", sim::FaultPhaseNames()))
    fault.phase = static_cast<sim::FaultPhase>(*phase);
  fault.topic = ReadTopics(table, "topic", arguments.world).value_or(sim::TopicSelector::All());
  fault.partition = ReadPartitions(table, "partition", SelectedTopics(arguments.world, fault.topic))
                        .value_or(sim::PartitionSelector::All());
  return fault;
}

FaultAction ReadDropResponse(Arguments& arguments) {
  if (!arguments.trigger.on) {
    arguments.table.errors().Add(arguments.table.position(), "fault.drop_response",
                                 "stands without `on`, required: on = { request = ... }");
  }
  return sim::DropResponse{};
}

FaultAction ReadStallThread(Arguments& arguments) {
  sim::StallThread fault;
  arguments.table.FindRequired("thread", "a thread's name, or \"producer\" for the sender threads");
  fault.thread = arguments.table.String("thread").value_or("producer");
  if (!arguments.trigger.lasting) {
    arguments.table.errors().Add(arguments.table.position(), "fault.stall_thread",
                                 "stands without `for`, required: for = DURATION");
  }
  return fault;
}

FaultAction ReadDeleteTopic(Arguments& arguments) {
  sim::DeleteTopic fault;
  if (arguments.world.topics.size() != 1) arguments.table.FindRequired("topic", "which topic");
  fault.topic = ReadTopics(arguments.table, "topic", arguments.world).value_or(sim::TopicSelector::All());
  const auto internal = std::find_if(fault.topic.terms.begin(), fault.topic.terms.end(), sim::IsInternalTopic);
  if (internal != fault.topic.terms.end())
    arguments.table.Complain("topic", "the brokers do not work without " + *internal);
  fault.lag = arguments.table.Durations("lag").value_or(sim::DurationRange());
  return fault;
}

FaultAction ReadCreateTopic(Arguments& arguments) {
  TableReader& table = arguments.table;
  const sim::WorldSpec& world = arguments.world;
  sim::CreateTopic fault;
  if (world.topics.size() != 1) table.FindRequired("topic", "which topic");
  fault.topic = ReadTopic(table, "topic", world).value_or(world.topics.empty() ? "" : world.topics.front().name);
  const auto number = [&table](std::string_view key, std::int64_t max) -> std::optional<std::int32_t> {
    const std::optional<std::int64_t> found = table.Integer(key, 1, max);
    if (!found) return std::nullopt;
    return static_cast<std::int32_t>(*found);
  };
  fault.partitions = number("partitions", kPartitionsMax);
  fault.replication = number("replication", world.cluster.brokers);
  fault.lag = table.Durations("lag").value_or(sim::DurationRange());
  return fault;
}

struct Kind {
  std::string_view name;
  FaultAction (*read)(Arguments&);  // Null: a kind of the language that this build cannot do.
  bool has_end = true;              // false: an instant; `for` has no meaning
};
constexpr std::array kKinds = {
    Kind{"move_leader", ReadMoveLeader, false},
    Kind{"no_leader", ReadPartitionFault<sim::NoLeader>},
    Kind{"crash", ReadBrokerFault<sim::Crash>},
    Kind{"disconnect", ReadDisconnect, false},
    Kind{"refuse_connect", ReadBrokerFault<sim::RefuseConnect>},
    Kind{"drop_connect", ReadBrokerFault<sim::DropConnect>},
    Kind{"blackhole", ReadBrokerFault<sim::Blackhole>},
    Kind{"network_partition", ReadNetworkPartition},
    Kind{"latency", ReadLatency},
    Kind{"misroute", ReadMisroute},
    Kind{"downgrade_api", ReadDowngradeApi},
    Kind{"pause_broker", ReadBrokerFault<sim::PauseBroker>},
    Kind{"error", ReadError},
    Kind{"drop_response", ReadDropResponse, false},
    Kind{"stall_thread", ReadStallThread},
    Kind{"delete_topic", ReadDeleteTopic},
    Kind{"create_topic", ReadCreateTopic, false},
    Kind{"lose_acked_append", ReadPartitionFault<sim::LoseAckedAppend>},
    Kind{"swap_acked_appends", ReadPartitionFault<sim::SwapAckedAppends>},
    Kind{"rolling_restart", nullptr},
    Kind{"zone_outage", nullptr},
    Kind{"accept_then_close", nullptr},
    Kind{"instant_connect", nullptr},
    Kind{"bandwidth", nullptr},
    Kind{"slow_broker", nullptr},
    Kind{"delay_response", nullptr},
    Kind{"throttle", nullptr},
    Kind{"corrupt", nullptr},
    Kind{"wrong_correlation", nullptr},
    Kind{"mutate_response", nullptr},
    Kind{"stale_metadata", nullptr},
    Kind{"lag_metadata", nullptr},
    Kind{"epoch_rewind", nullptr},
    Kind{"add_partitions", nullptr},
    Kind{"change_address", nullptr},
    Kind{"dns", nullptr},
    Kind{"deny", nullptr},
    Kind{"shrink_isr", nullptr},
    Kind{"unclean_election", nullptr},
    Kind{"clock_jump", nullptr},
    Kind{"slow_callback", nullptr},
    Kind{"throwing_callback", nullptr},
    Kind{"fail_point", nullptr},
    Kind{"ack_unknown_offset", nullptr},
    Kind{"never_answer_metadata", nullptr},
};

std::optional<sim::RequestTrigger> ReadOn(TableReader& fault, const sim::WorldSpec& world) {
  const Member* member = fault.Find("on");
  if (member == nullptr) return std::nullopt;
  TableReader on(member->value, "fault.on", fault.errors());
  sim::RequestTrigger trigger;
  trigger.request = ReadApi(on, "request");
  if (const auto broker = ReadBrokers(on, "broker", world)) trigger.broker = *broker;
  trigger.nth = on.Integer("nth", 1, kCountMax).value_or(1);
  if (const auto phase = on.Choice("phase", sim::FaultPhaseNames()))
    trigger.phase = static_cast<sim::FaultPhase>(*phase);
  on.Finish();
  return trigger;
}

sim::FaultTrigger ReadTrigger(TableReader& fault, const sim::WorldSpec& world) {
  sim::FaultTrigger trigger;
  fault.Exclude("at", "every");
  fault.Exclude("at", "on");
  fault.Exclude("every", "on");
  trigger.at = fault.Durations("at");
  trigger.every = fault.Durations("every");
  trigger.on = ReadOn(fault, world);
  trigger.lasting = fault.Durations("for");
  trigger.times = fault.Integer("times", 1, kCountMax);
  if (trigger.every && trigger.every->min == Duration(0)) fault.Wrong("every", "more than 0s");
  if (trigger.lasting && trigger.lasting->max == Duration(0)) fault.Wrong("for", "more than 0s");
  if (trigger.times && trigger.at) fault.Complain("times", "stands beside at, allowed: with every or on");
  return trigger;
}

void ReadFault(TableReader fault, sim::WorldSpec& world) {
  sim::FaultSpec spec;
  spec.trigger = ReadTrigger(fault, world);
  spec.may_not_fire = fault.Boolean("may_not_fire").value_or(false);
  const Member* chosen = nullptr;
  for (const Kind& kind : kKinds) {
    const Member* member = fault.Find(kind.name);
    if (member == nullptr) continue;
    if (chosen != nullptr) fault.Exclude(chosen->key, member->key);
    chosen = member;
    if (kind.read == nullptr) {
      fault.NotSupported(kind.name);
      continue;
    }
    TableReader table(member->value, fault.Path(kind.name), fault.errors());
    Arguments arguments{table, world, spec.trigger};
    spec.action = kind.read(arguments);
    table.Finish();
    if (spec.trigger.lasting && !kind.has_end) {
      fault.Complain("for", "stands beside " + std::string(kind.name) + ", which is over at once");
    }
  }
  const bool has_trigger = fault.Has("at") || fault.Has("every") || fault.Has("on");
  // A key that is unknown was meant to say it.
  if (fault.Finish()) {
    if (!has_trigger) {
      fault.errors().Add(fault.position(), "fault", "says not when, required: one of at, every or on");
    }
    if (chosen == nullptr) fault.errors().Add(fault.position(), "fault", "says not what, required: one kind of fault");
  }
  world.faults.push_back(std::move(spec));
}

}  // namespace

void ReadFaults(TableReader& root, sim::WorldSpec& world) {
  for (const Value* value : ReadTables(root, "fault")) ReadFault(TableReader(*value, "fault", root.errors()), world);
}

void CheckFaults(TableReader& root, bool foreign_client, const sim::WorldSpec& world) {
  const std::vector<const Value*> tables = ReadTables(root, "fault");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::optional<std::string> why = WhyItCannotFire(world.faults[i], world, foreign_client);
    if (!why) continue;
    const std::string kind(sim::FaultKindName(world.faults[i].action));
    root.errors().Add(tables[i]->Find(kind)->position, "fault." + kind, "certainly cannot fire: " + *why);
  }
}

}  // namespace ktrial::scenario
