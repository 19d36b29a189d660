#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(CrashFault, OthersLeadAndConnectionsEnd) {
  const RunResult result = RunWith(Crash{.broker = BrokerSelector::Id(1)}, {.at = 4s, .lasting = 3s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(Measure(result, "disconnects", 4, 5, {{MetricFilter::kBroker, "1"}}), 1);
  EXPECT_EQ(Measure(result, "connections", 4, 7, {{MetricFilter::kBroker, "1"}}), 0);
  EXPECT_GT(Measure(result, "records.acked", 5, 7, {{MetricFilter::kPartition, "0"}}), 50);
}

}  // namespace
}  // namespace ktrial::sim
