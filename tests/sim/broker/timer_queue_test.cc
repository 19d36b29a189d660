#include "sim/broker/timer_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ktrial::sim {
namespace {

constexpr Instant At(std::int64_t nanos) { return Instant::FromNanos(nanos); }

TEST(TimerQueueTest, RunsByMomentThenByOrderOfAsking) {
  TimerQueue timers;
  std::vector<int> ran;
  timers.At(At(20), [&] { ran.push_back(1); });
  timers.At(At(10), [&] { ran.push_back(2); });
  timers.At(At(10), [&] { ran.push_back(3); });
  EXPECT_EQ(timers.Next(), At(10));
  EXPECT_EQ(timers.RunDue(At(9)), 0);
  EXPECT_EQ(timers.RunDue(At(10)), 2);
  EXPECT_EQ(timers.RunDue(At(30)), 1);
  EXPECT_EQ(ran, (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(timers.Next(), Instant::Never());
}

TEST(TimerQueueTest, WhatATimerAddsForNowRunsInTheSameRound) {
  TimerQueue timers;
  std::vector<int> ran;
  timers.At(At(10), [&] {
    timers.At(At(5), [&] { ran.push_back(1); });
    timers.At(At(11), [&] { ran.push_back(2); });
  });
  EXPECT_EQ(timers.RunDue(At(10)), 2);
  EXPECT_EQ(ran, std::vector<int>{1});
}

TEST(TimerQueueTest, CancelledTimerDoesNotRunAndIsNotWaitedFor) {
  TimerQueue timers;
  bool ran = false;
  const TimerId first = timers.At(At(10), [&] { ran = true; });
  timers.At(At(20), [] {});
  timers.Cancel(first);
  timers.Cancel(first);
  EXPECT_EQ(timers.Next(), At(20));
  EXPECT_EQ(timers.RunDue(At(30)), 1);
  EXPECT_FALSE(ran);
}

TEST(TimerQueueTest, IdOfATimerThatRanCancelsNothingElse) {
  TimerQueue timers;
  const TimerId first = timers.At(At(10), [] {});
  timers.RunDue(At(10));
  bool ran = false;
  timers.At(At(20), [&] { ran = true; });  // in the slot of the first
  timers.Cancel(first);
  timers.RunDue(At(20));
  EXPECT_TRUE(ran);
}

TEST(TimerQueueTest, CancellingNoTimerDoesNothing) {
  TimerQueue timers;
  timers.At(At(1), [] {});
  timers.RunDue(At(1));
  timers.Cancel(0);  // while a slot is free
  int ran = 0;
  timers.At(At(2), [&] { ran += 1; });
  timers.At(At(2), [&] { ran += 10; });
  timers.RunDue(At(2));
  EXPECT_EQ(ran, 11);
}

TEST(TimerQueueTest, ManyCancelledTimersKeepTheOrderOfTheRest) {
  TimerQueue timers;
  std::vector<std::int64_t> ran;
  std::vector<TimerId> doomed;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t moment = i * 7919 % 1000;
    const TimerId id = timers.At(At(moment), [&ran, moment] { ran.push_back(moment); });
    if (moment % 10 != 0) doomed.push_back(id);
  }
  for (const TimerId id : doomed) timers.Cancel(id);
  EXPECT_EQ(timers.RunDue(At(1000)), 100);
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_EQ(ran.size(), 100U);
}

TEST(TimerQueueTest, SaysWhenTheNextMomentBecomesEarlier) {
  TimerQueue timers;
  int told = 0;
  timers.SetEarlierCallback([&] { ++told; });
  timers.At(At(20), [] {});
  timers.At(At(30), [] {});
  EXPECT_EQ(told, 1);
  timers.At(At(10), [] {});
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace ktrial::sim
