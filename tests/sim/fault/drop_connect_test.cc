#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(DropConnectFault, ConnectsTimeOutUntilItIsOver) {
  WorldSpec spec = SteadyLoad();
  spec.faults = {{.action = DropConnect{.broker = BrokerSelector::Id(1)}, .trigger = {.at = 4s, .lasting = 3s}},
                 {.action = Disconnect{.broker = BrokerSelector::Id(1)}, .trigger = {.at = 4001ms}}};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->Passed()) << Summary(*result);
  // One a second, by the setup timeout, where refused ones come faster.
  EXPECT_GE(Measure(*result, "connects", 4, 7, {{MetricFilter::kBroker, "1"}}), 2);
  EXPECT_LE(Measure(*result, "connects", 4, 7, {{MetricFilter::kBroker, "1"}}), 4);
  EXPECT_EQ(Measure(*result, "connections", 5, 7, {{MetricFilter::kBroker, "1"}}), 0);
}

}  // namespace
}  // namespace ktrial::sim
