// What every Clock and every Threads promises (core/env/clock.h, core/env/threads.h).
#include <chrono>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/core/env/contract/door_world.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;

TEST(ClockContract, NeverGoesBack) {
  NewDoorWorld()->Run([](Env& env) {
    Instant last = env.clock().Now();
    for (int i = 0; i < 1000; ++i) {
      const Instant now = env.clock().Now();
      ASSERT_LE(last, now);
      last = now;
    }
  });
}

TEST(ClockContract, WallTimeIsOfThisCentury) {
  NewDoorWorld()->Run([](Env& env) { EXPECT_GT(env.clock().WallNow(), WallTime::FromMillis(946'684'800'000)); });
}

TEST(ThreadsContract, SleepNeverEndsEarly) {
  NewDoorWorld()->Run([](Env& env) {
    const Instant until = env.clock().Now() + milliseconds(3);
    env.threads().SleepUntil(until, Site("test.contract.sleep"));
    EXPECT_GE(env.clock().Now(), until);
  });
}

TEST(ThreadsContract, SleepUntilThePastReturns) {
  NewDoorWorld()->Run([](Env& env) {
    env.threads().SleepUntil(env.clock().Now() - milliseconds(1), Site("test.contract.sleep_past"));
    env.threads().SleepUntil(Instant(), Site("test.contract.sleep_zero"));
  });
}

TEST(ThreadsContract, JoinWaitsForTheFunction) {
  NewDoorWorld()->Run([](Env& env) {
    bool ran = false;
    const std::unique_ptr<Thread> thread = env.threads().Spawn("worker", [&] {
      env.threads().SleepUntil(env.clock().Now() + milliseconds(2), Site("test.contract.worker"));
      ran = true;
    });
    EXPECT_TRUE(thread->Join(Instant::Never()));
    EXPECT_TRUE(ran);
  });
}

TEST(ThreadsContract, JoinGivesUpAtItsDeadlineAndCanBeRepeated) {
  NewDoorWorld()->Run([](Env& env) {
    const std::unique_ptr<Thread> thread = env.threads().Spawn("slow", [&] {
      env.threads().SleepUntil(env.clock().Now() + milliseconds(50), Site("test.contract.slow_worker"));
    });
    const Instant deadline = env.clock().Now() + milliseconds(1);
    EXPECT_FALSE(thread->Join(deadline));
    EXPECT_GE(env.clock().Now(), deadline);
    EXPECT_TRUE(thread->Join(Instant::Never()));
    EXPECT_TRUE(thread->Join(Instant::Never()));
  });
}

TEST(ThreadsContract, EveryThreadKnowsItself) {
  NewDoorWorld()->Run([](Env& env) {
    const ThreadId mine = env.threads().Current();
    ThreadId theirs;
    const std::unique_ptr<Thread> thread =
        env.threads().Spawn("other", [&] { theirs = env.threads().Current(); });
    EXPECT_TRUE(thread->Join(Instant::Never()));
    EXPECT_EQ(theirs, thread->id());
    EXPECT_NE(theirs, mine);
    EXPECT_EQ(env.threads().Current(), mine);
  });
}

TEST(ThreadsContract, WhatTheFunctionOwnsEndsBeforeJoinReturns) {
  NewDoorWorld()->Run([](Env& env) {
    const auto owned = std::make_shared<int>(7);
    const std::unique_ptr<Thread> thread = env.threads().Spawn("owner", [owned] { EXPECT_EQ(*owned, 7); });
    EXPECT_TRUE(thread->Join(Instant::Never()));
    EXPECT_EQ(owned.use_count(), 1);
  });
}

TEST(EnvContract, ProducerNumbersCountUp) {
  NewDoorWorld()->Run([](Env& env) {
    const std::int64_t first = env.NextProducerNumber();
    EXPECT_EQ(env.NextProducerNumber(), first + 1);
  });
}

TEST(EntropyContract, StreamsOfTwoPurposesDoNotShiftEachOther) {
  NewDoorWorld()->Run([](Env& env) {
    const std::unique_ptr<Entropy> one = env.NewEntropy("same");
    const std::unique_ptr<Entropy> two = env.NewEntropy("same");
    const std::uint64_t first = one->Next(DrawPurpose::kRetryBackoff);
    two->Next(DrawPurpose::kStickyPartition);
    EXPECT_EQ(two->Next(DrawPurpose::kRetryBackoff), first);
    EXPECT_NE(one->Next(DrawPurpose::kRetryBackoff), first);
  });
}

TEST(EntropyContract, DrawsStayBelowTheirBound) {
  NewDoorWorld()->Run([](Env& env) {
    const std::unique_ptr<Entropy> entropy = env.NewEntropy("bounded");
    int seen = 0;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t draw = DrawBelow(*entropy, DrawPurpose::kLeastLoadedNode, 3);
      ASSERT_LT(draw, 3u);
      seen |= 1 << draw;
    }
    EXPECT_EQ(seen, 0b111);
  });
}

}  // namespace
}  // namespace ktrial
