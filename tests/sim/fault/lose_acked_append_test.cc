#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(LoseAckedAppendFault, TheLossCheckerAloneObjects) {
  const RunResult result = RunWith(LoseAckedAppend{}, {.at = 4s, .lasting = 100ms});
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(*result.Metric("lost"), 1);
  ASSERT_FALSE(result.violations.empty());
  for (const Violation& violation : result.violations) EXPECT_EQ(violation.checker, "loss") << violation.text;
}

TEST(LoseAckedAppendFault, WithATriggerItLosesOneAppend) {
  WorldSpec spec = SteadyLoad();
  spec.producers[0].config["linger.ms"] = "0";
  const RunResult result =
      RunWith(LoseAckedAppend{}, {.on = RequestTrigger{.request = wire::ApiKey::kProduce, .nth = 10}}, spec);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(*result.Metric("lost"), 1);
}

}  // namespace
}  // namespace ktrial::sim
