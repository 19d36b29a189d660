#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CompletionTest, RecordThatNeverCompletesIsAFault) {
  GoodRun run;
  run.AppendAll();
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  EXPECT_THAT(run.Objections(), ElementsAre("completion"));
}

TEST(CompletionTest, RecordThatCompletesTwiceIsAFault) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.Ack(3);
  EXPECT_THAT(run.Objections(), ElementsAre("completion"));
}

TEST(CompletionTest, CompletionAfterCloseIsAFault) {
  GoodRun run;
  run.AppendAll();
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  run.history.ProducerClosed(0);
  run.Ack(0);
  EXPECT_THAT(run.Objections(), ElementsAre("completion"));
}

TEST(CompletionTest, RefusalAfterCloseIsNoFault) {
  GoodRun run;
  run.Append({run.ids.begin() + 1, run.ids.end()});
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i, i - 1);
  run.history.ProducerClosed(0);
  run.Fail(0, RecordState::kRefused);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(CompletionTest, RefusedRecordInTheLogIsAFault) {
  GoodRun run;
  run.AppendAll();
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  run.Fail(0, RecordState::kRefused);
  EXPECT_THAT(run.Objections(), ElementsAre("completion"));
}

TEST(CompletionTest, UnsentRecordInADeletedTopicIsAFault) {
  GoodRun run;
  run.AppendToDeleted({run.ids[0]});
  run.Append({run.ids.begin() + 1, run.ids.end()});
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i, i - 1);
  run.Fail(0, RecordState::kUnsent);
  EXPECT_THAT(run.Objections(), ElementsAre("completion"));
}

TEST(CompletionTest, UnsentRecordInTheLogIsAFault) {
  GoodRun run;
  run.AppendAll();
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  run.Fail(0, RecordState::kUnsent);
  EXPECT_THAT(run.Objections(), ElementsAre("completion"));
}

TEST(CompletionTest, RecordThatFailedAfterItWasSentMayBeInTheLog) {
  GoodRun run;
  run.AppendAll();
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  run.Fail(0, RecordState::kFailed);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
