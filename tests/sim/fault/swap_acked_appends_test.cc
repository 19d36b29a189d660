#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(SwapAckedAppendsFault, TheOrderCheckerAloneObjects) {
  const RunResult result = RunWith(SwapAckedAppends{}, {.at = 4s, .lasting = 200ms});
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(*result.Metric("reordered"), 1);
  ASSERT_FALSE(result.violations.empty());
  for (const Violation& violation : result.violations) EXPECT_EQ(violation.checker, "order") << violation.text;
}

}  // namespace
}  // namespace ktrial::sim
