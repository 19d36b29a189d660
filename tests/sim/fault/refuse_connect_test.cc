#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

// A broker that refuses is noticed only by who has to connect: the connection is cut too.
TEST(RefuseConnectFault, ConnectsFailUntilItIsOver) {
  WorldSpec spec = SteadyLoad();
  spec.faults = {{.action = RefuseConnect{.broker = BrokerSelector::Id(1)}, .trigger = {.at = 4s, .lasting = 3s}},
                 {.action = Disconnect{.broker = BrokerSelector::Id(1)}, .trigger = {.at = 4001ms}}};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->Passed()) << Summary(*result);
  EXPECT_GT(Measure(*result, "connects", 4, 7, {{MetricFilter::kBroker, "1"}}), 2);
  EXPECT_EQ(Measure(*result, "connections", 5, 7, {{MetricFilter::kBroker, "1"}}), 0);
  EXPECT_GE(Measure(*result, "connections", 7, 10, {{MetricFilter::kBroker, "1"}}), 1);
}

TEST(RefuseConnectFault, WithNobodyToConnectItDoesNotFire) {
  EXPECT_EQ(RunWith(RefuseConnect{.broker = BrokerSelector::Id(1)}, {.at = 4s, .lasting = 3s}).faults[0].fired, 0);
}

}  // namespace
}  // namespace ktrial::sim
