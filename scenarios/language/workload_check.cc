#include "scenarios/language/workload_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "scenarios/language/producer_config.h"
#include "sim/world_names.h"

namespace ktrial::scenario {
namespace {

constexpr double kRecordOverhead = 10;  // Bytes of a record besides its key and value, about.

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

// How long the fastest broker takes from a request to its answer.
Duration RoundTrip(const sim::WorldSpec& world) {
  const auto of = [&world](const sim::BrokerShape& shape) {
    const Duration one_way = shape.latency.value_or(world.network.latency).low();
    return 2 * one_way + shape.service.value_or(sim::Distribution()).low();
  };
  // Brokers that nothing is said of are there too, unless each has a table.
  const bool each = world.brokers.size() == static_cast<std::size_t>(world.cluster.brokers);
  Duration fastest = each ? Duration::max() : 2 * world.network.latency.low();
  for (const sim::BrokerShape& shape : world.brokers) fastest = std::min(fastest, of(shape));
  return fastest;
}

// How many records a workload without rate sends at most in `span`: so many are on their way at a time, and none of them
// comes back faster than the fastest answer.
double UnpacedRecords(const sim::WorkloadSpec& workload, const sim::WorldSpec& world, Duration span) {
  const ProducerConfig config = ConfigOf(ProducerOf(workload.producer, world));
  const double record = (workload.value.min + workload.value.max) / 2.0 + kRecordOverhead;
  double outstanding = static_cast<double>(config.buffer_memory) / record;
  Duration turn = RoundTrip(world);
  if (workload.closed) {
    outstanding = std::min(outstanding, static_cast<double>(*workload.closed));
    // A batch that is not full waits for linger.ms.
    if (static_cast<double>(*workload.closed) * record < config.batch_size) turn += config.linger;
  }
  return turn == Duration(0) ? std::numeric_limits<double>::infinity() : outstanding * Seconds(span) / Seconds(turn);
}

std::string WhatHoldsItBack(const sim::WorkloadSpec& workload) {
  if (workload.count) return "count = " + std::to_string(*workload.count);
  if (workload.rate) return "rate without count";
  return workload.closed ? "closed without count" : "neither rate, closed nor count";
}

bool SameProducer(const std::string& one, const std::string& other, const sim::WorldSpec& world) {
  return &ProducerOf(one, world) == &ProducerOf(other, world);
}

// What the workload is at the earliest through with: without a pace of its own it may have sent all at once.
Duration EarliestEnd(const sim::WorkloadSpec& workload, const sim::WorldSpec& world) {
  const Duration stop = workload.stop.value_or(world.duration);
  if (!workload.count) return stop;
  if (!workload.rate || workload.arrival != sim::Arrival::kEven) return workload.start;
  const double last = static_cast<double>(*workload.count - 1) * static_cast<double>(workload.rate->per.count()) /
                      static_cast<double>(workload.rate->count);
  const Duration length = stop - workload.start;
  return last < static_cast<double>(length.count()) ? workload.start + Duration(static_cast<std::int64_t>(last)) : stop;
}

// On one thread, and a transaction a record: each is over before the other workload comes to its turn.
bool TakeTurns(std::size_t one, std::size_t other, const sim::WorldSpec& world) {
  return sim::WorkloadThread(world, one) == sim::WorkloadThread(world, other) &&
         world.workloads[one].transactions->records == 1 && world.workloads[other].transactions->records == 1;
}

}  // namespace

const sim::ProducerSpec& ProducerOf(const std::string& name, const sim::WorldSpec& world) {
  for (const sim::ProducerSpec& producer : world.producers) {
    if (producer.name == name) return producer;
  }
  return world.producers.front();
}

std::optional<std::string> WhyNothingIsAccepted(const sim::WorkloadSpec& workload, const sim::WorldSpec& world) {
  const std::string id = ConfigOf(ProducerOf(workload.producer, world)).transactional_id;
  if (id.empty()) return std::nullopt;
  const bool by_workload = std::ranges::any_of(world.workloads, [&](const sim::WorkloadSpec& other) {
    return other.transactions && SameProducer(other.producer, workload.producer, world);
  });
  const bool by_call = std::ranges::any_of(world.calls, [&](const sim::CallSpec& call) {
    return std::holds_alternative<sim::BeginCall>(call.call) && SameProducer(call.producer, workload.producer, world);
  });
  if (by_workload || by_call) return std::nullopt;
  return "sends outside of transactions, and its producer has transactional.id = \"" + id +
         "\": it would refuse each record, allowed: with transactions = { records = 20 }, or with a [[call]] that does "
         "begin";
}

std::optional<std::string> WhyTransactionsCollide(std::size_t index, const sim::WorldSpec& world) {
  const sim::WorkloadSpec& workload = world.workloads[index];
  if (!workload.transactions) return std::nullopt;
  for (std::size_t i = 0; i < index; ++i) {
    const sim::WorkloadSpec& other = world.workloads[i];
    if (!other.transactions || !SameProducer(other.producer, workload.producer, world)) continue;
    const auto [first, second] = std::ranges::minmax(workload, other, {}, &sim::WorkloadSpec::start);
    if (first.start != second.start && EarliestEnd(first, world) <= second.start) continue;
    if (TakeTurns(i, index, world)) continue;
    return "stands here and in workload " + std::to_string(i + 1) +
           ", of the same producer at the same time: it has one transaction at a time, and would refuse the other's, "
           "allowed: a producer for each, or one after the other (stop, start)";
  }
  return std::nullopt;
}

std::optional<std::string> WhyItDoesNotEnd(const sim::WorkloadSpec& workload, const sim::WorldSpec& world) {
  const Duration span = workload.stop.value_or(world.duration) - workload.start;
  double records = workload.rate
                       ? static_cast<double>(workload.rate->count) * Seconds(span) / Seconds(workload.rate->per)
                       : UnpacedRecords(workload, world, span);
  if (workload.count) records = std::min(records, static_cast<double>(*workload.count));
  if (records <= kRecordsMax) return std::nullopt;
  const std::string what = WhatHoldsItBack(workload);
  constexpr char kAllowed[] = ", allowed: with count = 1000 or rate = \"1000/s\"";
  if (std::isinf(records)) {
    return what + ", and nothing takes time (latency 0): it sends without end in one moment" + kAllowed +
           ", or with a network.latency";
  }
  return what + ": it would send up to " + std::to_string(std::llround(records / 1e6)) +
         " million records, more than fit into memory" +
         (workload.rate || workload.count ? ", allowed: at most 100 million" : kAllowed);
}

}  // namespace ktrial::scenario
