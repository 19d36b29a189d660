#include "sim/fault/fault_spec.h"

#include <gtest/gtest.h>

namespace ktrial::sim {
namespace {

TEST(FaultSpecTest, KindsAreNamedAsInScenarios) {
  EXPECT_EQ(FaultKindName(MoveLeader{}), "move_leader");
  EXPECT_EQ(FaultKindName(NetworkPartition{}), "network_partition");
  EXPECT_EQ(FaultKindName(ErrorAnswer{}), "error");
  EXPECT_EQ(FaultKindName(DropResponse{}), "drop_response");
  EXPECT_EQ(FaultKindName(SwapAckedAppends{}), "swap_acked_appends");
}

TEST(FaultSpecTest, PhasesAreNamedInTheirOrder) {
  const auto name = [](FaultPhase phase) { return FaultPhaseNames()[static_cast<std::size_t>(phase)]; };
  ASSERT_EQ(FaultPhaseNames().size(), 4u);
  EXPECT_EQ(name(FaultPhase::kReceived), "received");
  EXPECT_EQ(name(FaultPhase::kBeforeAppend), "before_append");
  EXPECT_EQ(name(FaultPhase::kAfterAppend), "after_append");
  EXPECT_EQ(name(FaultPhase::kBeforeResponse), "before_response");
}

}  // namespace
}  // namespace ktrial::sim
