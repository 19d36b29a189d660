// A world in which faults show: three brokers, topic "orders" of two partitions that broker 1 and broker 2 lead, a
// steady load, and a producer that learns fast of what happens (short timeouts), for ten virtual seconds. Without
// idempotence, so that what was appended twice shows.
#ifndef TESTS_SIM_FAULT_TESTING_FAULT_WORLD_H_
#define TESTS_SIM_FAULT_TESTING_FAULT_WORLD_H_

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "sim/world.h"

namespace ktrial::sim {

inline WorldSpec SteadyLoad() {
  using namespace std::chrono_literals;
  WorldSpec spec;
  spec.duration = 10s;
  spec.cluster.brokers = 3;
  spec.topics = {{.name = "orders", .partitions = 2}};
  spec.network.latency = Distribution::Constant(500us);
  spec.producers = {{.config = {{"acks", "all"},
                                {"enable.idempotence", "false"},
                                {"max.in.flight.requests.per.connection", "1"},
                                {"request.timeout.ms", "1000"},
                                {"delivery.timeout.ms", "30000"},
                                {"socket.connection.setup.timeout.ms", "1000"},
                                {"socket.connection.setup.timeout.max.ms", "2000"}}}};
  spec.workloads = {
      {.topic = TopicSelector::Name("orders"), .partition = PartitionSelector::All(), .rate = Rate{.count = 100}}};
  return spec;
}

// The same with one fault, of which nothing is left undone: everything arrives, and it has fired.
inline RunResult RunWith(FaultAction action, FaultTrigger trigger, WorldSpec spec = SteadyLoad()) {
  spec.faults = {{.action = std::move(action), .trigger = std::move(trigger)}};
  absl::StatusOr<RunResult> result = RunWorld(spec);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : RunResult();
}

// A metric, in a window of seconds and for a part.
inline double Measure(const RunResult& result, const std::string& metric, int from_seconds, int to_seconds,
                      std::map<MetricFilter, std::string> where = {}) {
  const absl::StatusOr<double> value = result.Query({.metric = metric,
                                                     .where = std::move(where),
                                                     .from = std::chrono::seconds(from_seconds),
                                                     .to = std::chrono::seconds(to_seconds)});
  EXPECT_TRUE(value.ok()) << value.status().message();
  return value.value_or(-1);
}

}  // namespace ktrial::sim

#endif  // TESTS_SIM_FAULT_TESTING_FAULT_WORLD_H_
