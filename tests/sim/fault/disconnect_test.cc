#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(DisconnectFault, EveryConnectionOfTheBrokerEnds) {
  for (const Disconnect::How how : {Disconnect::How::kReset, Disconnect::How::kFin}) {
    const RunResult result = RunWith(Disconnect{.broker = BrokerSelector::Leader("orders", 0), .how = how}, {.at = 5s});
    EXPECT_TRUE(result.Passed()) << Summary(result);
    EXPECT_EQ(result.faults[0].fired, 1);
    EXPECT_GE(Measure(result, "disconnects", 5, 6, {{MetricFilter::kBroker, "1"}}), 1);
    EXPECT_GE(Measure(result, "connections", 5, 6, {{MetricFilter::kBroker, "1"}}), 1);
  }
}

TEST(DisconnectFault, AtTheNthRequestItMeetsThatRequest) {
  const RunResult result =
      RunWith(Disconnect{.broker = BrokerSelector::Id(1)}, {.on = RequestTrigger{.request = wire::ApiKey::kProduce,
                                                                                 .broker = BrokerSelector::Id(1),
                                                                                 .nth = 10,
                                                                                 .phase = FaultPhase::kAfterAppend}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  // The append was done and its answer is lost: the retry appends it again.
  EXPECT_GE(*result.Metric("duplicates"), 1);
}

TEST(DisconnectFault, BeforeAnybodyIsConnectedItDoesNotFire) {
  EXPECT_EQ(RunWith(Disconnect{.broker = BrokerSelector::All()}, {.at = 0s}).faults[0].fired, 0);
}

}  // namespace
}  // namespace ktrial::sim
