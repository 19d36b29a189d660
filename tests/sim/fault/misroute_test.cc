#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

const Misroute kTwoIsThree{.broker = BrokerSelector::Id(2), .to = BrokerSelector::Id(3)};

RunResult RunMisrouted(const std::string& release, const std::string& check) {
  WorldSpec spec = SteadyLoad();
  spec.cluster.version = release;
  spec.producers[0].config["metadata.cluster.check.enable"] = check;
  return RunWith(kTwoIsThree, {.at = 4s, .lasting = 3s}, spec);
}

// KIP-1242
TEST(MisrouteFault, WhoChecksSendsNothingToTheWrongBroker) {
  const RunResult result = RunMisrouted("4.4", "true");
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(Measure(result, "metadata.reason.rebootstrap", 4, 7), 1);
  EXPECT_EQ(Measure(result, "metadata.reason.produce_error", 0, 10), 0);
  EXPECT_EQ(Measure(result, "metadata.reason.rebootstrap", 8, 10), 0);
}

TEST(MisrouteFault, WhoDoesNotCheckAsksTheWrongBrokerForItsLeader) {
  const RunResult result = RunMisrouted("4.4", "false");
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(Measure(result, "metadata.reason.rebootstrap", 0, 10), 0);
  EXPECT_GE(Measure(result, "metadata.reason.produce_error", 4, 7), 1);
}

TEST(MisrouteFault, OlderBrokersDoNotNotice) {
  const RunResult result = RunMisrouted("4.0", "true");
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(Measure(result, "metadata.reason.rebootstrap", 0, 10), 0);
  EXPECT_GE(Measure(result, "metadata.reason.produce_error", 4, 7), 1);
}

TEST(MisrouteFault, ABrokerAtItsOwnAddressIsNoFault) {
  const Misroute itself{.broker = BrokerSelector::Id(2), .to = BrokerSelector::Id(2)};
  EXPECT_EQ(RunWith(itself, {.at = 4s, .lasting = 3s}).faults[0].fired, 0);
}

}  // namespace
}  // namespace ktrial::sim
