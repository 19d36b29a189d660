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

// The second half of the records was in flight when the topic was made again, and its leader took what came first.
class MadeAgainTest : public ::testing::Test {
 protected:
  MadeAgainTest() {
    run.producer.idempotent = true;
    run.producer.max_in_flight = 5;
  }
  void Append(std::int64_t first, std::int64_t end, std::int32_t sequence, std::int16_t epoch) {
    run.log.Append({.appended = GoodRun::At(50),
                    .producer_id = ProducerId(7),
                    .producer_epoch = ProducerEpoch(epoch),
                    .base_sequence = Sequence(sequence)},
                   std::vector<RecordId>(run.ids.begin() + first, run.ids.begin() + end));
  }
  void AckFrom(std::int64_t record, std::int64_t end, std::int64_t offset) {
    for (; record < end; ++record) run.Ack(record, offset++);
  }
  void DeleteFirstTwo() {
    run.AppendToDeleted({run.ids.begin(), run.ids.begin() + 2});
    AckFrom(0, 2, 0);
  }

  GoodRun run;
};

TEST_F(MadeAgainTest, WhatALeaderTookInTheMiddleStandsBeforeTheNextEpoch) {
  DeleteFirstTwo();
  Append(6, 8, 6, 0);
  Append(2, 6, 0, 1);
  Append(8, 10, 4, 1);
  AckFrom(6, 8, 0);
  AckFrom(2, 6, 2);
  AckFrom(8, 10, 6);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(MadeAgainTest, InTheNextEpochOrderIsPromisedAgain) {
  DeleteFirstTwo();
  Append(4, 6, 4, 0);
  Append(2, 4, 0, 1);
  Append(8, 10, 2, 1);
  Append(6, 8, 0, 2);
  AckFrom(4, 6, 0);
  AckFrom(2, 4, 2);
  AckFrom(8, 10, 4);
  AckFrom(6, 8, 6);
  EXPECT_THAT(run.Objections(), ElementsAre("order"));
}

TEST_F(MadeAgainTest, ALogThatBeginsWithTheFirstNumberIsInOrder) {
  DeleteFirstTwo();
  Append(6, 10, 0, 0);
  Append(2, 6, 0, 1);
  AckFrom(6, 10, 0);
  AckFrom(2, 6, 4);
  EXPECT_THAT(run.Objections(), ElementsAre("order"));
}

TEST_F(MadeAgainTest, ATopicThatWasNotDeletedIsInOrder) {
  Append(6, 10, 6, 0);
  Append(0, 6, 0, 1);
  AckFrom(6, 10, 0);
  AckFrom(0, 6, 4);
  EXPECT_THAT(run.Objections(), ElementsAre("order"));
}

}  // namespace
}  // namespace ktrial::sim
