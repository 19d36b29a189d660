#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(NoLeaderFault, NothingOfThePartitionIsAcknowledgedMeanwhile) {
  const RunResult result =
      RunWith(NoLeader{.topic = TopicSelector::Name("orders"), .partition = PartitionSelector::Index(1)},
              {.at = 4s, .lasting = 3s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "records.acked", 5, 7, {{MetricFilter::kPartition, "1"}}), 0);
  EXPECT_EQ(Measure(result, "records.acked", 5, 7, {{MetricFilter::kPartition, "0"}}), 100);
  EXPECT_EQ(*result.Metric("records.acked"), 1000);
  EXPECT_GT(*result.Metric("recovery"), 0);
}

}  // namespace
}  // namespace ktrial::sim
