#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(LatencyFault, DeliveryTakesLonger) {
  const RunResult result = RunWith(Latency{.broker = BrokerSelector::Id(1), .add = 50ms}, {.at = 4s, .lasting = 3s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_LT(Measure(result, "delivery.max", 0, 4, {{MetricFilter::kPartition, "0"}}), 50);
  EXPECT_GE(Measure(result, "delivery.min", 5, 7, {{MetricFilter::kPartition, "0"}}), 100);
  EXPECT_LT(Measure(result, "delivery.max", 5, 7, {{MetricFilter::kPartition, "1"}}), 50);
}

TEST(LatencyFault, AddingNothingIsNoEffect) {
  const RunResult result = RunWith(Latency{.broker = BrokerSelector::Id(1), .add = 0ms}, {.at = 4s, .lasting = 3s});
  EXPECT_EQ(result.faults[0].fired, 0);
}

}  // namespace
}  // namespace ktrial::sim
