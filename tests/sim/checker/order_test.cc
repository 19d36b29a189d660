#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The second half lies before the first.
void AppendSwapped(GoodRun& run) {
  run.Append({run.ids.begin() + 5, run.ids.end()});
  run.Append({run.ids.begin(), run.ids.begin() + 5});
}
void AckSwapped(GoodRun& run) {
  for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, (i + 5) % 10);
}

TEST(OrderTest, SwappedAppendsAreAFaultWithOneInFlight) {
  GoodRun run;
  AppendSwapped(run);
  AckSwapped(run);
  EXPECT_THAT(run.Objections(), ElementsAre("order"));
}

TEST(OrderTest, SwappedAppendsAreAFaultWithIdempotence) {
  GoodRun run;
  run.producer.max_in_flight = 5;
  run.producer.idempotent = true;
  AppendSwapped(run);
  AckSwapped(run);
  EXPECT_THAT(run.Objections(), ElementsAre("order"));
}

TEST(OrderTest, SwappedAppendsAreNoFaultWithSeveralInFlight) {
  GoodRun run;
  run.producer.max_in_flight = 5;
  AppendSwapped(run);
  AckSwapped(run);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(OrderTest, OnlyTheFirstAppendOfARecordCounts) {
  GoodRun run;
  run.AppendAll();
  run.Append({run.ids[0], run.ids[1]});
  run.AckAll();
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(OrderTest, FailedRecordMayBeAppendedLate) {
  GoodRun run;
  run.Append({run.ids.begin() + 1, run.ids.end()});
  run.Append({run.ids[0]});
  run.Fail(0, RecordState::kFailed);
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i, i - 1);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(OrderTest, AcknowledgedOffsetMustHoldTheRecord) {
  GoodRun run;
  run.producer.max_in_flight = 5;
  run.AppendAll();
  for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, i == 4 ? 5 : i);
  EXPECT_THAT(run.Objections(), ElementsAre("order"));
}

TEST(OrderTest, AcknowledgedOffsetMayBeThatOfAnyCopy) {
  GoodRun run;
  run.AppendAll();
  run.Append({run.ids[4]});
  for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, i == 4 ? 10 : i);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
