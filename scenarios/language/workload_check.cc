#include "scenarios/language/workload_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenarios/language/producer_config.h"

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

// The producer that a workload sends with.
const sim::ProducerSpec& ProducerOf(const sim::WorkloadSpec& workload, const sim::WorldSpec& world) {
  for (const sim::ProducerSpec& producer : world.producers) {
    if (producer.name == workload.producer) return producer;
  }
  return world.producers.front();
}

// How many records a workload without rate sends at most in `span`: so many are on their way at a time, and none of them
// comes back faster than the fastest answer.
double UnpacedRecords(const sim::WorkloadSpec& workload, const sim::WorldSpec& world, Duration span) {
  const ProducerConfig config = ConfigOf(ProducerOf(workload, world));
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

}  // namespace

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
