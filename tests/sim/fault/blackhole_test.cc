#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(BlackholeFault, RequestsTimeOut) {
  const RunResult result = RunWith(Blackhole{.broker = BrokerSelector::Id(1)}, {.at = 4s, .lasting = 3s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(Measure(result, "requests.timed_out", 4, 8, {{MetricFilter::kBroker, "1"}}), 1);
  EXPECT_EQ(Measure(result, "records.acked", 5, 7, {{MetricFilter::kPartition, "0"}}), 0);
}

}  // namespace
}  // namespace ktrial::sim
