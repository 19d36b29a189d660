#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(PauseBrokerFault, NothingIsAnsweredAndConnectionsStay) {
  WorldSpec spec = SteadyLoad();
  spec.producers[0].config["request.timeout.ms"] = "20000";
  const RunResult result =
      RunWith(PauseBroker{.broker = BrokerSelector::Leader("orders", 0)}, {.at = 4s, .lasting = 3s}, spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "records.acked", 5, 7, {{MetricFilter::kPartition, "0"}}), 0);
  EXPECT_EQ(Measure(result, "disconnects", 4, 10), 0);
}

}  // namespace
}  // namespace ktrial::sim
