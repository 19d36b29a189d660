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

TEST(FaultSpecTest, PhaseNamesReadBack) {
  for (const FaultPhase phase :
       {FaultPhase::kReceived, FaultPhase::kBeforeAppend, FaultPhase::kAfterAppend, FaultPhase::kBeforeResponse}) {
    EXPECT_EQ(FaultPhaseFromName(FaultPhaseName(phase)), phase);
  }
  EXPECT_EQ(FaultPhaseFromName("later"), std::nullopt);
}

}  // namespace
}  // namespace ktrial::sim
