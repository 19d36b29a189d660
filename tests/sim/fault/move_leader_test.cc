#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

MoveLeader OrdersZero() { return {.topic = TopicSelector::Name("orders"), .partition = PartitionSelector::Index(0)}; }

TEST(MoveLeaderFault, RecordsGoToAnotherBrokerAfterwards) {
  MoveLeader move = OrdersZero();
  move.to = BrokerSelector::Id(3);
  const RunResult result = RunWith(move, {.at = 5s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "requests.Produce", 0, 5, {{MetricFilter::kBroker, "3"}}), 0);
  EXPECT_GT(Measure(result, "requests.Produce", 5, 10, {{MetricFilter::kBroker, "3"}}), 100);
}

TEST(MoveLeaderFault, LagMakesTheProducerAskLonger) {
  MoveLeader move = OrdersZero();
  move.hint = false;
  move.lag = 2s;
  const RunResult result = RunWith(move, {.at = 5s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_GT(Measure(result, "delivery.max", 5, 10), 1500);
}

TEST(MoveLeaderFault, WithALengthTheLeaderComesBack) {
  MoveLeader move = OrdersZero();
  move.to = BrokerSelector::Id(3);
  const RunResult result = RunWith(move, {.at = 3s, .lasting = 3s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_GT(Measure(result, "requests.Produce", 3, 6, {{MetricFilter::kBroker, "3"}}), 50);
  EXPECT_EQ(Measure(result, "requests.Produce", 7, 10, {{MetricFilter::kBroker, "3"}}), 0);
}

TEST(MoveLeaderFault, ToTheLeaderItselfNeverFires) {
  MoveLeader move = OrdersZero();
  move.to = BrokerSelector::Id(1);
  EXPECT_EQ(RunWith(move, {.at = 5s}).faults[0].fired, 0);
}

}  // namespace
}  // namespace ktrial::sim
