#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/producer/config.h"
#include "core/producer/profile.h"
#include "scenarios/language/names.h"
#include "scenarios/language/producer_config.h"
#include "scenarios/language/sections.h"
#include "scenarios/language/workload_check.h"
#include "sim/world_names.h"

namespace ktrial::scenario {
namespace {

constexpr std::int64_t kInstancesMax = 1000;
constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();

// Kafka's configuration is checked by the producer itself; what it finds is reported where the key stands.
void CheckConfig(TableReader& producer, const std::vector<FlatEntry>& entries, const sim::ProducerSpec& spec) {
  std::vector<ConfigProblem> problems;
  if (ProducerConfig::Parse(ConfigValues(spec), &problems, spec.profile).ok()) return;
  for (const ConfigProblem& problem : problems) {
    Position position = producer.position();
    for (const FlatEntry& entry : entries) {
      if (entry.key == problem.key) position = entry.position;
    }
    // The text begins with the key, which stands before it already.
    std::string_view text = problem.text;
    if (text.starts_with(problem.key + " ")) text.remove_prefix(problem.key.size() + 1);
    producer.errors().Add(position, producer.Path(problem.key), text);
  }
}

// Whose defaults and names count; null: Kafka's.
const ConfigProfile* ReadProfile(TableReader& producer) {
  std::vector<std::string_view> names;
  for (const ConfigProfile& profile : ConfigProfiles()) names.push_back(profile.name);
  const std::optional<std::size_t> chosen = producer.Choice("profile", names);
  return chosen ? &ConfigProfiles()[*chosen] : nullptr;
}

bool NamesBootstrapServers(std::string_view key, const ConfigProfile* profile) {
  const ProfileAlias* alias = profile == nullptr ? nullptr : FindAlias(*profile, key);
  return (alias == nullptr ? key : alias->key) == "bootstrap.servers";
}

void ReadProducer(TableReader producer, std::size_t count, sim::WorldSpec& world) {
  sim::ProducerSpec spec;
  if (count > 1) producer.FindRequired("name", "a name, as there are several producers");
  const std::optional<std::string> name = producer.String("name");
  if (name == "") producer.Wrong("name", "a name");
  spec.name = name.value_or("");
  spec.instances = static_cast<std::int32_t>(producer.Integer("instances", 1, kInstancesMax).value_or(1));
  spec.profile = ReadProfile(producer);
  const std::vector<FlatEntry> entries =
      ReadFlat(producer.table(), "producer", {"name", "instances", "profile"}, producer.errors());
  for (const FlatEntry& entry : entries) {
    if (NamesBootstrapServers(entry.key, spec.profile)) {
      producer.errors().Add(entry.position, producer.Path(entry.key), "stands here, allowed: cluster.bootstrap");
      continue;
    }
    spec.config[entry.key] = entry.value;
  }
  CheckConfig(producer, entries, spec);
  for (const sim::ProducerSpec& other : world.producers) {
    if (!spec.name.empty() && other.name == spec.name)
      producer.Complain("name", "producer \"" + spec.name + "\" stands here twice");
  }
  world.producers.push_back(std::move(spec));
}

// Which producer a workload or call means; it must say so where there are several.
std::string ReadProducerName(TableReader& reader, const sim::WorldSpec& world) {
  std::vector<std::string_view> names;
  const std::vector<sim::ProducerInstance> producers = sim::ProducerInstances(world);
  for (const sim::ProducerInstance& one : producers) {
    if (names.empty() || names.back() != one.group) names.push_back(one.group);
  }
  // With one whose name is missing, which was said, it may be that one.
  const bool all_known = world.producers.size() == 1 ||
                         std::none_of(world.producers.begin(), world.producers.end(),
                                      [](const sim::ProducerSpec& producer) { return producer.name.empty(); });
  if (world.producers.size() > 1) reader.FindRequired("producer", JoinAllowed(names));
  const std::optional<std::string> name = reader.String("producer");
  if (!name) return "";
  if (all_known && std::find(names.begin(), names.end(), *name) == names.end()) {
    reader.Complain("producer", "there is no producer \"" + *name + "\", allowed: " + JoinAllowed(names) +
                                    Suggestion(*name, names));
  }
  return *name;
}

std::string ReadThread(TableReader& reader, std::string default_name) {
  const std::optional<std::string> thread = reader.String("thread");
  if (!thread) return default_name;
  if (thread->empty() || thread->find('*') != std::string::npos) reader.Wrong("thread", "a name without \"*\"");
  return *thread;
}

// Transactions are for producers that have a name for them.
void CheckTransactional(TableReader& reader, std::string_view key, const std::string& producer,
                        const sim::WorldSpec& world) {
  for (const sim::ProducerInstance& one : sim::ProducerInstances(world)) {
    if (!producer.empty() && one.group != producer) continue;
    const absl::StatusOr<ProducerConfig> config =
        ProducerConfig::Parse(ConfigValues(*one.spec), nullptr, one.spec->profile);
    if (config.ok() && config->transactional_id.empty()) {
      reader.Complain(key, "its producer has no transactions, allowed: with transactional.id in [producer]");
    }
  }
}

// The keys that name what was read; others may stand beside them.
sim::ConsumedSpec ReadConsumed(TableReader& offsets, const sim::WorldSpec& world) {
  sim::ConsumedSpec consumed;
  offsets.FindRequired("group", "the name of a group");
  const std::optional<std::string> group = offsets.String("group");
  if (group == "") offsets.Wrong("group", "the name of a group");
  consumed.group = group.value_or("");
  offsets.FindRequired("topic", "a topic's name");
  consumed.topic = ReadTopic(offsets, "topic", world).value_or("");
  return consumed;
}

void ReadTransactions(TableReader& workload, const sim::WorldSpec& world, sim::WorkloadSpec& spec) {
  const Member* member = workload.Find("transactions");
  if (member == nullptr) return;
  CheckTransactional(workload, "transactions", spec.producer, world);
  TableReader transactions(member->value, "workload.transactions", workload.errors());
  transactions.FindRequired("records", "how many records a transaction has");
  spec.transactions = {.records = transactions.Integer("records", 1, kCountMax).value_or(1),
                       .abort_every = transactions.Integer("abort_every", 1, kCountMax).value_or(0)};
  if (const Member* offsets = transactions.Find("offsets")) {
    TableReader consumed(offsets->value, "workload.transactions.offsets", workload.errors());
    spec.transactions->offsets = ReadConsumed(consumed, world);
    consumed.Finish();
  }
  transactions.Finish();
}

sim::CallbackAction ReadCallback(TableReader& workload) {
  using Kind = sim::CallbackAction::Kind;
  constexpr std::string_view kBlock = "block ";
  const std::optional<std::string> text = workload.String("on_callback");
  if (!text) return {};
  if (*text == "send") return {Kind::kSend, {}};
  if (*text == "flush") return {Kind::kFlush, {}};
  if (*text == "close") return {Kind::kClose, {}};
  if (*text == "throw") return {Kind::kThrow, {}};
  if (text->starts_with(kBlock)) {
    if (const auto block = ParseDuration(std::string_view(*text).substr(kBlock.size()))) return {Kind::kBlock, *block};
  }
  workload.Wrong("on_callback", "\"send\", \"flush\", \"close\", \"throw\" or \"block DURATION\"");
  return {};
}

// rate, closed, count, arrival, start, stop: how many records, and when.
void ReadPace(TableReader& workload, Duration duration, sim::WorkloadSpec& spec) {
  workload.Exclude("rate", "closed");
  spec.rate = workload.OneRate("rate");
  spec.closed = workload.Integer("closed", 1, kCountMax);
  spec.count = workload.Integer("count", 1, kCountMax);
  if (const auto arrival = workload.Choice("arrival", {"even", "poisson"})) {
    spec.arrival = *arrival == 0 ? sim::Arrival::kEven : sim::Arrival::kPoisson;
    if (!workload.Has("rate")) workload.Complain("arrival", "has no meaning without rate, allowed: with rate");
  }
  spec.start = workload.OneDuration("start").value_or(Duration(0));
  spec.stop = workload.OneDuration("stop");
  const std::string latest = FormatDuration(duration);
  if (spec.stop && *spec.stop > duration) workload.Wrong("stop", "at most the duration, " + latest);
  const Duration stop = spec.stop.value_or(duration);
  if (spec.start >= stop) workload.Complain("start", "is not before stop (" + FormatDuration(stop) + ")");
}

void ReadContent(TableReader& workload, sim::WorkloadSpec& spec) {
  if (const Member* member = workload.Find("key")) {
    TableReader key(member->value, "workload.key", workload.errors());
    key.FindRequired("cardinality", "how many different keys");
    spec.key_cardinality = key.Integer("cardinality", 1, kCountMax);
    key.Finish();
  }
  if (const Member* member = workload.Find("value")) {
    TableReader value(member->value, "workload.value", workload.errors());
    if (const auto bytes = value.Sizes("bytes")) spec.value = *bytes;
    if (spec.value.min < sim::SizeRange::kSmallest) {
      value.Wrong("bytes", "at least " + std::to_string(sim::SizeRange::kSmallest) +
                               ": a value begins with the identity of its record");
    }
    value.NotSupported("compress_to");
    value.Finish();
  }
}

void ReadWorkload(TableReader workload, sim::WorldSpec& world) {
  sim::WorkloadSpec spec;
  spec.producer = ReadProducerName(workload, world);
  spec.thread = ReadThread(workload, "app-" + std::to_string(world.workloads.size() + 1));
  workload.FindRequired("topic", "a topic's name");
  if (const auto topic = ReadTopics(workload, "topic", world)) {
    spec.topic = *topic;
    spec.partition = ReadPartitions(workload, "partition", SelectedTopics(world, spec.topic));
  } else {
    workload.Find("partition");
  }
  ReadPace(workload, world.duration, spec);
  ReadContent(workload, spec);
  spec.on_callback = ReadCallback(workload);
  ReadTransactions(workload, world, spec);
  if (const auto then = workload.Choice("then", {"nothing", "flush", "close"})) {
    constexpr sim::AfterLastSend kThen[] = {sim::AfterLastSend::kNothing, sim::AfterLastSend::kFlush,
                                            sim::AfterLastSend::kClose};
    spec.then = kThen[*then];
  }
  workload.Finish();
  world.workloads.push_back(std::move(spec));
}

sim::SendCall ReadSend(TableReader send, const sim::WorldSpec& world) {
  sim::SendCall call;
  send.FindRequired("topic", "a topic's name");
  if (const auto topic = ReadTopic(send, "topic", world)) {
    call.topic = *topic;
    const std::int64_t last = FindTopic(world, *topic)->partitions - 1;
    if (const auto partition = send.Integer("partition", 0, last)) {
      call.partition = PartitionIndex(static_cast<std::int32_t>(*partition));
    }
  } else {
    send.Find("partition");
  }
  call.key = send.String("key");
  call.value = send.String("value");
  send.Finish();
  return call;
}

std::optional<Duration> ReadTimeout(TableReader table) {
  const std::optional<Duration> timeout = table.OneDuration("timeout");
  table.Finish();
  return timeout;
}

// A call that is about a transaction.
void ReadTransactionCall(std::string_view kind, TableReader arguments, const sim::WorldSpec& world,
                         sim::CallSpec& spec) {
  if (kind == "begin") spec.call = sim::BeginCall();
  if (kind == "commit") spec.call = sim::CommitCall();
  if (kind == "abort") spec.call = sim::AbortCall();
  if (kind == "send_offsets") {
    sim::SendOffsetsCall call{.consumed = ReadConsumed(arguments, world)};
    arguments.FindRequired("offset", "a whole number");
    call.offset = arguments.Integer("offset", 0, kCountMax).value_or(0);
    spec.call = std::move(call);
  }
  arguments.Finish();
}

// The one thing that a [[call]] does; false if there is none.
bool ReadCallAction(TableReader& call, const sim::WorldSpec& world, sim::CallSpec& spec) {
  const std::vector<std::string_view> kinds = {"send",  "flush",  "close", "partitions_for",
                                               "begin", "commit", "abort", "send_offsets"};
  std::vector<std::string_view> found;
  for (const std::string_view kind : kinds) {
    const Member* member = call.Find(kind);
    if (member == nullptr) continue;
    found.push_back(kind);
    TableReader arguments(member->value, call.Path(kind), call.errors());
    if (kind == "send") spec.call = ReadSend(arguments, world);
    if (kind == "flush") spec.call = sim::FlushCall{ReadTimeout(arguments)};
    if (kind == "close") spec.call = sim::CloseCall{ReadTimeout(arguments)};
    if (kind == "partitions_for") {
      arguments.FindRequired("topic", "a topic's name");
      spec.call = sim::PartitionsForCall{ReadTopic(arguments, "topic", world).value_or("")};
      arguments.Finish();
    }
    const bool transactional = kind == "begin" || kind == "commit" || kind == "abort" || kind == "send_offsets";
    if (!transactional) continue;
    CheckTransactional(call, kind, spec.producer, world);
    ReadTransactionCall(kind, arguments, world, spec);
  }
  if (found.size() > 1) call.Exclude(found[0], found[1]);
  return !found.empty();
}

void ReadCall(TableReader call, sim::WorldSpec& world) {
  sim::CallSpec spec;
  spec.producer = ReadProducerName(call, world);
  spec.thread = ReadThread(call, "call-" + std::to_string(world.calls.size() + 1));
  call.FindRequired("at", "when");
  if (const auto at = call.Durations("at")) {
    spec.at = *at;
    if (at->min >= world.duration) call.Wrong("at", "before the duration, " + FormatDuration(world.duration));
  }
  const bool acts = ReadCallAction(call, world, spec);
  // A key that is unknown was meant for what it does.
  if (call.Finish() && !acts) {
    call.errors().Add(call.position(), "call",
                      "does nothing, allowed: one of send, flush, close, partitions_for, begin, commit, abort or "
                      "send_offsets");
  }
  world.calls.push_back(std::move(spec));
}

}  // namespace

void ReadProducers(TableReader& root, sim::WorldSpec& world) {
  const std::vector<const Value*> producers = ReadTables(root, "producer", true);
  for (const Value* value : producers) {
    ReadProducer(TableReader(*value, "producer", root.errors()), producers.size(), world);
  }
  if (world.producers.empty()) world.producers.emplace_back();
}

void ReadApplication(TableReader& root, sim::WorldSpec& world) {
  for (const Value* value : ReadTables(root, "workload")) {
    ReadWorkload(TableReader(*value, "workload", root.errors()), world);
  }
  for (const Value* value : ReadTables(root, "call")) ReadCall(TableReader(*value, "call", root.errors()), world);
}

void CheckWorkloads(TableReader& root, const sim::WorldSpec& world) {
  const std::vector<const Value*> tables = ReadTables(root, "workload");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::optional<std::string> why = WhyItDoesNotEnd(world.workloads[i], world);
    if (why) root.errors().Add(tables[i]->position, "workload", *why);
    if (const std::optional<std::string> nothing = WhyNothingIsAccepted(world.workloads[i], world)) {
      root.errors().Add(tables[i]->position, "workload", *nothing);
    }
    if (const std::optional<std::string> collision = WhyTransactionsCollide(i, world)) {
      root.errors().Add(tables[i]->Find("transactions")->value.position, "workload.transactions", *collision);
    }
  }
}

}  // namespace ktrial::scenario
