#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LossTest, AcknowledgedAndNotInTheLogIsLost) {
  GoodRun run;
  run.Append({run.ids.begin(), run.ids.end() - 1});
  run.AckAll();
  EXPECT_THAT(run.Objections(), ElementsAre("loss"));
}

TEST(LossTest, FailedAndNotInTheLogIsNotLost) {
  GoodRun run;
  run.Append({run.ids.begin(), run.ids.end() - 1});
  for (std::int64_t i = 0; i < GoodRun::kRecords - 1; ++i) run.Ack(i);
  run.Fail(GoodRun::kRecords - 1, RecordState::kFailed);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(LossTest, OneAckMayLoseWhatALeaderChangeTruncated) {
  GoodRun run;
  run.producer.acks = 1;
  run.AppendAll();
  run.AckAll();
  run.log.TruncateTo(Offset(8));
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(LossTest, OneAckMayNotLoseMoreThanWasTruncated) {
  GoodRun run;
  run.producer.acks = 1;
  run.Append({run.ids.begin(), run.ids.end() - 1});
  run.log.TruncateTo(Offset(8));
  run.AckAll();
  EXPECT_THAT(run.Objections(), ElementsAre("loss"));
}

TEST(LossTest, AllAcksMayNotLoseWhatWasTruncated) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.log.TruncateTo(Offset(8));
  EXPECT_THAT(run.Objections(), ElementsAre("loss"));
}

TEST(LossTest, WhatADeletedTopicTookAwayIsNotLost) {
  GoodRun run;
  run.AppendToDeleted({run.ids.begin(), run.ids.begin() + 5});
  run.Append({run.ids.begin() + 5, run.ids.end()});
  for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, i % 5);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST(LossTest, WhatWasNeverInADeletedTopicIsLost) {
  GoodRun run;
  run.AppendToDeleted({run.ids.begin(), run.ids.begin() + 4});
  run.Append({run.ids.begin() + 5, run.ids.end()});
  for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, i % 5);
  EXPECT_THAT(run.Objections(), ElementsAre("loss"));
}

TEST(LossTest, NoAcksPromisesNothing) {
  GoodRun run;
  run.producer.acks = 0;
  run.AckAll();
  EXPECT_THAT(run.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
