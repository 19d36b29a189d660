#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void FailAt(GoodRun& run, std::int64_t millis) {
  run.AppendAll();
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  run.history.Complete(*run.entries[0], GoodRun::At(millis), {.state = RecordState::kFailed, .error = 7});
}

TEST(DeliveryTimeoutTest, LaterThanTheTimeoutIsAFault) {
  GoodRun run;
  FailAt(run, 125'000);
  EXPECT_THAT(run.Objections(), ElementsAre("delivery_timeout"));
}

TEST(DeliveryTimeoutTest, AtTheTimeoutIsNoFault) {
  GoodRun run;
  FailAt(run, 120'000);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(DeliveryTimeoutTest, StallsExcuseLateness) {
  GoodRun run;
  run.stall_budget = std::chrono::seconds(10);
  FailAt(run, 125'000);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(DeliveryTimeoutTest, TimeCountsFromTheReturnOfSend) {
  GoodRun run;
  run.entries[0]->returned_nanos = GoodRun::At(60'000).nanos();
  FailAt(run, 125'000);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
