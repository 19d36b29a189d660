#include "sim/checker/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CheckerTest, NobodyObjectsToAGoodRun) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(CheckerTest, NamesAreThoseOfScenarios) {
  EXPECT_THAT(CheckerNames(), ElementsAre("loss", "duplicate", "order", "completion", "atomicity", "delivery_timeout",
                                          "memory", "request_rate"));
}

TEST(CheckerTest, ManyViolationsAreCountedNotListed) {
  GoodRun run;
  run.AckAll();  // Nothing is in the log.
  const std::vector<Violation> violations = run.Violations();
  ASSERT_EQ(violations.size(), ViolationSink::kViolationsPerChecker + 1);
  EXPECT_EQ(violations.back().text, "and 5 more");
}

}  // namespace
}  // namespace ktrial::sim
