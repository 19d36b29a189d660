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

TEST(DuplicateTest, OneCopyInADeletedTopicAndOneInTheNextAreTwoLogs) {
  GoodRun run;
  run.producer.idempotent = true;
  run.AppendToDeleted({run.ids.begin(), run.ids.begin() + 5});
  run.AppendAll();
  run.AckAll();
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(DuplicateTest, TwoCopiesInADeletedTopicAreAFault) {
  GoodRun run;
  run.producer.idempotent = true;
  run.AppendToDeleted({run.ids[3], run.ids[3]});
  run.AppendAll();
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
