#include <gtest/gtest.h>

#include "sim/workload/app_context.h"
#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

TEST(StallThreadFault, AStalledApplicationIsLate) {
  const RunResult result = RunWith(StallThread{.thread = "app-1"}, {.at = 4s, .lasting = 2s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "records.sent", 5, 6), 0);
  // What fell due meanwhile is sent afterwards, and counted from when it was due.
  EXPECT_EQ(*result.Metric("records.sent"), 1000);
  EXPECT_GT(*result.Metric("delivery.max"), 1500);
}

TEST(StallThreadFault, AStalledSenderSendsNothing) {
  const RunResult result = RunWith(StallThread{.thread = "producer"}, {.at = 4s, .lasting = 2s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_EQ(Measure(result, "requests.Produce", 5, 6), 0);
  EXPECT_EQ(Measure(result, "records.sent", 5, 6), 100);
}

TEST(StallThreadFault, AThreadThatABodyStartsIsMet) {
  WorldSpec spec = SteadyLoad();
  Duration woke{0};
  const auto body = [&woke](AppContext& app) {
    const std::unique_ptr<Thread> worker = app.env().threads().Spawn("worker", [&] {
      app.SleepUntil(5s);
      woke = app.env().clock().Now() - app.start();
    });
    worker->Join(Instant::Never());
  };
  spec.threads = {{.name = "body", .body = body, .starts = {"worker"}}};
  const RunResult result = RunWith(StallThread{.thread = "worker"}, {.at = 4s, .lasting = 2s}, spec);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(woke, 6s);
  EXPECT_LT(woke, 6s + 1ms);
}

TEST(StallThreadFault, AThreadThatIsNotThereYetDoesNotFire) {
  WorldSpec spec = SteadyLoad();
  spec.threads = {{.name = "body", .body = [](AppContext&) {}, .starts = {"late"}}};
  EXPECT_EQ(RunWith(StallThread{.thread = "late"}, {.at = 4s, .lasting = 2s}, spec).faults[0].fired, 0);
}

}  // namespace
}  // namespace ktrial::sim
