#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(DropResponseFault, TheRequestTimesOutAndIsSentAgain) {
  const RunResult result =
      RunWith(DropResponse{},
              {.on = RequestTrigger{.request = wire::ApiKey::kProduce, .nth = 10, .phase = FaultPhase::kAfterAppend}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(*result.Metric("requests.timed_out"), 1);
  EXPECT_GE(*result.Metric("duplicates"), 1);
}

TEST(DropResponseFault, AnIdempotentProducersBatchIsKnownWhenItComesAgain) {
  WorldSpec spec = SteadyLoad();
  spec.producers[0].config["enable.idempotence"] = "true";
  spec.producers[0].config["max.in.flight.requests.per.connection"] = "5";
  const RunResult result = RunWith(
      DropResponse{},
      {.on = RequestTrigger{.request = wire::ApiKey::kProduce, .nth = 10, .phase = FaultPhase::kAfterAppend}}, spec);
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(*result.Metric("requests.timed_out"), 5);
  EXPECT_EQ(*result.Metric("duplicates"), 0);
}

TEST(DropResponseFault, BeforeTheAppendNothingIsDuplicated) {
  const RunResult result =
      RunWith(DropResponse{},
              {.on = RequestTrigger{.request = wire::ApiKey::kProduce, .nth = 10, .phase = FaultPhase::kBeforeAppend}});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(*result.Metric("requests.timed_out"), 1);
  EXPECT_EQ(*result.Metric("duplicates"), 0);
}

}  // namespace
}  // namespace ktrial::sim
