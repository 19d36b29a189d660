#include "core/metadata/refresh_schedule.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using namespace std::chrono_literals;

constexpr Instant At(Duration since) { return Instant::FromNanos(5'000'000'000'000) + since; }

class RefreshScheduleTest : public ::testing::Test {
 protected:
  void Succeed(Duration at, bool taught_something = true, bool partial = false, bool partial_wanted = false) {
    schedule_.Start(At(at));
    schedule_.Answered(At(at), partial, partial_wanted);
    schedule_.Examined(taught_something, entropy_);
  }
  void Fail(Duration at) {
    schedule_.Start(At(at));
    schedule_.Failed(At(at), entropy_);
  }

  testing::FakeEntropy entropy_;
  RefreshSchedule schedule_{ExponentialBackoff(100ms, 1000ms), 5min};
};

// MD-21
TEST_F(RefreshScheduleTest, FirstUpdateIsDueAtOnce) { EXPECT_EQ(schedule_.NextUpdateAt(), kAtOnce); }

// MD-04, MD-08
TEST_F(RefreshScheduleTest, AfterASuccessTheNextIsDueAtMaxAge) {
  Succeed(0s);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(5min));
}

// MD-04, MD-06
TEST_F(RefreshScheduleTest, ARequestAfterASuccessWaitsForTheBackoff) {
  Succeed(0s);
  schedule_.RequestFull(RefreshReason::kProduceError);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(100ms));
}

// MD-04: the later of the two counts.
TEST_F(RefreshScheduleTest, MaxAgeBelowTheBackoffWaitsForTheBackoff) {
  RefreshSchedule schedule(ExponentialBackoff(100ms, 1000ms), 30ms);
  schedule.Start(At(0s));
  schedule.Answered(At(0s), false, false);
  schedule.Examined(true, entropy_);
  EXPECT_EQ(schedule.NextUpdateAt(), At(100ms));
}

// MD-05, MD-06, MD-10
TEST_F(RefreshScheduleTest, FailuresBackOffExponentiallyUpToTheMaximum) {
  const Duration expected[] = {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms};
  for (const Duration backoff : expected) {
    Fail(0s);
    schedule_.RequestFull(RefreshReason::kConnectionLost);  // Does not shorten it.
    EXPECT_EQ(schedule_.NextUpdateAt(), At(backoff));
  }
  EXPECT_EQ(schedule_.failed_attempts(), 6);
}

// MD-08
TEST_F(RefreshScheduleTest, ASuccessForgetsTheFailures) {
  for (int i = 0; i < 5; ++i) Fail(0s);
  Succeed(10s);
  schedule_.RequestFull(RefreshReason::kProduceError);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(10s + 100ms));
}

// D-4
TEST_F(RefreshScheduleTest, LookingDoesNotDraw) {
  Fail(0s);
  const int draws = entropy_.draws(DrawPurpose::kMetadataBackoff);
  const Instant next = schedule_.NextUpdateAt();
  entropy_.Fix(DrawPurpose::kMetadataBackoff, 1000);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(schedule_.NextUpdateAt(), next);
  EXPECT_EQ(entropy_.draws(DrawPurpose::kMetadataBackoff), draws);
}

// MD-05: plus and minus a fifth.
TEST_F(RefreshScheduleTest, BackoffHasJitter) {
  entropy_.Fix(DrawPurpose::kMetadataBackoff, 0);
  Fail(0s);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(80ms));
  RefreshSchedule other(ExponentialBackoff(100ms, 1000ms), 5min);
  entropy_.Fix(DrawPurpose::kMetadataBackoff, 1000);
  other.Start(At(0s));
  other.Failed(At(0s), entropy_);
  EXPECT_EQ(other.NextUpdateAt(), At(120ms));
}

// MD-07
TEST_F(RefreshScheduleTest, ANewTopicIsDueAtOnce) {
  Fail(0s);
  Fail(1s);
  schedule_.RequestPartial(RefreshReason::kNewTopic, /*past_backoff=*/true);
  EXPECT_EQ(schedule_.NextUpdateAt(), kAtOnce);
}

// MD-07, MD-11: what came while a request was in flight need not wait for the backoff after it.
TEST_F(RefreshScheduleTest, ANewTopicDuringAFlightIsDueRightAfterIt) {
  schedule_.Start(At(0s));
  schedule_.RequestPartial(RefreshReason::kNewTopic, /*past_backoff=*/true);
  schedule_.Answered(At(1s), /*partial=*/false, /*partial_wanted=*/true);
  schedule_.Examined(true, entropy_);
  EXPECT_TRUE(schedule_.partial_requested());
  EXPECT_EQ(schedule_.NextUpdateAt(), kAtOnce);
}

// MD-12
TEST_F(RefreshScheduleTest, PartialOnlyWhileTheFullPictureIsFresh) {
  schedule_.RequestPartial(RefreshReason::kNewTopic, true);
  EXPECT_FALSE(schedule_.Start(At(0s)).partial);  // Nothing is known yet.
  Succeed(0s);
  schedule_.RequestPartial(RefreshReason::kNewTopic, true);
  EXPECT_TRUE(schedule_.Start(At(1s)).partial);
  EXPECT_TRUE(schedule_.Start(At(5min - 1ns)).partial);
  EXPECT_FALSE(schedule_.Start(At(5min)).partial);
  schedule_.RequestFull(RefreshReason::kProduceError);
  EXPECT_FALSE(schedule_.Start(At(2s)).partial);  // Full wins.
}

// MD-09
TEST_F(RefreshScheduleTest, APartialAnswerLeavesFullFlagAndAge) {
  Succeed(0s);
  schedule_.RequestPartial(RefreshReason::kNewTopic, true);
  schedule_.Start(At(1min));
  schedule_.RequestFull(RefreshReason::kProduceError);
  schedule_.Answered(At(1min), /*partial=*/true, /*partial_wanted=*/false);
  schedule_.Examined(true, entropy_);
  EXPECT_TRUE(schedule_.full_requested());
  EXPECT_FALSE(schedule_.partial_requested());
  EXPECT_EQ(schedule_.last_success(), At(0s));
  EXPECT_EQ(schedule_.last_refresh(), At(1min));
  EXPECT_EQ(schedule_.NextUpdateAt(), At(1min + 100ms));
}

// MD-05, MD-45
TEST_F(RefreshScheduleTest, AnswersThatTeachNothingBackOffExponentially) {
  Succeed(0s);
  const Duration expected[] = {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms};
  for (const Duration backoff : expected) {
    Succeed(0s, /*taught_something=*/false);
    schedule_.RequestFull(RefreshReason::kUnknownLeader);
    EXPECT_EQ(schedule_.NextUpdateAt(), At(backoff));
  }
  Succeed(1s, /*taught_something=*/true);
  schedule_.RequestFull(RefreshReason::kUnknownLeader);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(1s + 100ms));
}

// MD-45
TEST_F(RefreshScheduleTest, FailuresAndNewTopicsForgetEquivalentAnswers) {
  Succeed(0s);
  for (int i = 0; i < 4; ++i) Succeed(1s, /*taught_something=*/false);
  EXPECT_EQ(schedule_.equivalent_answers(), 4);
  schedule_.RequestPartial(RefreshReason::kNewTopic, false);
  EXPECT_EQ(schedule_.equivalent_answers(), 0);
  for (int i = 0; i < 4; ++i) Succeed(1s, /*taught_something=*/false);
  Fail(2s);
  EXPECT_EQ(schedule_.equivalent_answers(), 0);
}

// MD-05: the periodic update does not wait for the backoff of equivalent answers.
TEST_F(RefreshScheduleTest, EquivalentAnswersNeverDelayThePeriodicUpdate) {
  RefreshSchedule schedule(ExponentialBackoff(100ms, 10s), 2s);
  schedule.Start(At(0s));
  schedule.Answered(At(0s), false, false);
  schedule.Examined(true, entropy_);
  for (int i = 0; i < 8; ++i) {
    schedule.Start(At(0s));
    schedule.Answered(At(0s), false, false);
    schedule.Examined(false, entropy_);
  }
  schedule.RequestFull(RefreshReason::kUnknownLeader);
  EXPECT_EQ(schedule.NextUpdateAt(), At(2s));
  schedule.Start(At(2s));
  EXPECT_EQ(schedule.equivalent_answers(), 0);
}

// MD-03
TEST_F(RefreshScheduleTest, ForgettingEquivalentsBringsTheNextForward) {
  Succeed(0s);
  for (int i = 0; i < 4; ++i) Succeed(1s, /*taught_something=*/false);
  schedule_.RequestFull(RefreshReason::kMetadataWait);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(1s + 800ms));
  schedule_.ForgetEquivalents();
  EXPECT_EQ(schedule_.NextUpdateAt(), At(1s + 100ms));
}

// NC-30: the first reason that was given since the last request.
TEST_F(RefreshScheduleTest, TheFirstReasonCounts) {
  schedule_.RequestFull(RefreshReason::kInitial);
  schedule_.RequestFull(RefreshReason::kConnectionLost);
  EXPECT_EQ(schedule_.Start(At(0s)).reason, RefreshReason::kInitial);
  schedule_.Answered(At(0s), false, false);
  schedule_.Examined(true, entropy_);
  EXPECT_EQ(schedule_.Start(At(5min)).reason, RefreshReason::kPeriodic);
}

TEST_F(RefreshScheduleTest, AFailedRequestKeepsItsReason) {
  schedule_.RequestFull(RefreshReason::kProduceError);
  schedule_.Start(At(0s));
  schedule_.Failed(At(1s), entropy_);
  schedule_.RequestFull(RefreshReason::kConnectionLost);
  EXPECT_EQ(schedule_.Start(At(2s)).reason, RefreshReason::kProduceError);
}

// MD-15
TEST_F(RefreshScheduleTest, AnErrorInTheAnswerAsksAgain) {
  schedule_.Start(At(0s));
  schedule_.Answered(At(0s), false, false);
  schedule_.RequestFull(RefreshReason::kMetadataError);
  schedule_.Examined(true, entropy_);
  EXPECT_EQ(schedule_.NextUpdateAt(), At(100ms));
  EXPECT_EQ(schedule_.Start(At(100ms)).reason, RefreshReason::kMetadataError);
}

}  // namespace
}  // namespace ktrial
