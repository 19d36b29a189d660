#include "scenarios/language/workload_check.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

std::optional<std::string> WhyItDoesNotEnd(const sim::WorkloadSpec& workload, const sim::WorldSpec& world) {
  if (workload.rate || workload.count) return std::nullopt;
  const ProducerConfig config = ConfigOf(ProducerOf(workload, world));
  const double record = (workload.value.min + workload.value.max) / 2.0 + kRecordOverhead;
  // So many records at most are on their way at a time, and none of them comes back faster than this.
  double outstanding = static_cast<double>(config.buffer_memory) / record;
  Duration turn = RoundTrip(world);
  if (workload.closed) {
    outstanding = std::min(outstanding, static_cast<double>(*workload.closed));
    // A batch that is not full waits for linger.ms.
    if (static_cast<double>(*workload.closed) * record < config.batch_size) turn += config.linger;
  }
  const std::string what = workload.closed ? "closed without count" : "neither rate, closed nor count";
  const std::string allowed = ", allowed: with count = 1000 or rate = \"1000/s\"";
  if (turn == Duration(0)) {
    return what + ", and nothing takes time (latency 0): it sends without end in one moment" + allowed +
           ", or with a network.latency";
  }
  const double records = outstanding * Seconds(workload.stop.value_or(world.duration) - workload.start) / Seconds(turn);
  if (records <= kUnpacedRecordsMax) return std::nullopt;
  return what + ": it would send up to " + std::to_string(std::llround(records / 1e6)) +
         " million records, more than fit into memory" + allowed;
}

}  // namespace ktrial::scenario
