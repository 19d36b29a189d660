#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DuplicateTest, TwoCopiesAreAFaultWithIdempotence) {
  GoodRun run;
  run.producer.idempotent = true;
  run.AppendAll();
  run.Append({run.ids[3]});
  run.AckAll();
  EXPECT_THAT(run.Objections(), ElementsAre("duplicate"));
}

TEST(DuplicateTest, TwoCopiesAreNoFaultWithoutIdempotence) {
  GoodRun run;
  run.AppendAll();
  run.Append({run.ids[3]});
  run.AckAll();
  EXPECT_THAT(run.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
