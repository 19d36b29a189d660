#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

NetworkPartition ClientsFromOne() { return {.first = {.clients = true}, .second = {.brokers = BrokerSelector::Id(1)}}; }

TEST(NetworkPartitionFault, NothingPassesAndConnectionsStay) {
  WorldSpec spec = SteadyLoad();
  spec.producers[0].config["request.timeout.ms"] = "20000";
  const RunResult result = RunWith(ClientsFromOne(), {.at = 4s, .lasting = 3s}, spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "records.acked", 5, 7, {{MetricFilter::kPartition, "0"}}), 0);
  EXPECT_EQ(Measure(result, "disconnects", 4, 10), 0);
  EXPECT_EQ(*result.Metric("duplicates"), 0);
}

TEST(NetworkPartitionFault, OneWayHoldsBackAnswersOnly) {
  WorldSpec spec = SteadyLoad();
  spec.producers[0].config["request.timeout.ms"] = "1500";
  NetworkPartition partition{.first = {.brokers = BrokerSelector::Id(1)}, .second = {.clients = true}, .oneway = true};
  const RunResult result = RunWith(partition, {.at = 4s, .lasting = 3s}, spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  // The request arrived and was carried out; the client gives it up and sends it again.
  EXPECT_GE(*result.Metric("duplicates"), 1);
}

}  // namespace
}  // namespace ktrial::sim
