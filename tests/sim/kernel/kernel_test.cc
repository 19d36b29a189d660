// The kernel: time, events, threads, the ways in which a run ends, and that it is a function of its seed.
#include "sim/kernel/kernel.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/env/sync.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/sim_threads.h"
#include "sim/kernel/unchecked_section.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KernelTest : public ::testing::Test {
 protected:
  explicit KernelTest(const KernelOptions& options = {}) : kernel_(options, trace_) {}
  ~KernelTest() override { kernel_.Abandon(); }

  Threads& threads() { return kernel_.threads(); }
  void Start(std::string_view name, absl::AnyInvocable<void()> function) {
    handles_.push_back(threads().Spawn(name, std::move(function)));
  }
  void Sleep(Duration length) { threads().SleepUntil(kernel_.Now() + length, Site("test.kernel.sleep")); }

  Trace trace_;
  Kernel kernel_;
  const Instant start_ = kernel_.Now();
  std::vector<std::unique_ptr<Thread>> handles_;
};

TEST_F(KernelTest, StartsAtAnOddMomentFarFromTheTimeOfDay) {
  EXPECT_EQ(start_.nanos() % 2, 1);
  EXPECT_LT(start_, Instant::FromNanos(0) + std::chrono::hours(24));
}

TEST_F(KernelTest, EventsRunInTheOrderOfTimeThenOfScheduling) {
  std::vector<int> order;
  kernel_.At(start_ + seconds(2), [&] { order.push_back(3); });
  kernel_.At(start_ + seconds(1), [&] { order.push_back(1); });
  kernel_.At(start_ + seconds(1), [&] { order.push_back(2); });
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
  EXPECT_EQ(kernel_.Now(), start_ + seconds(2));
}

TEST_F(KernelTest, AnEventOfThePastRunsNow) {
  Instant ran;
  kernel_.At(start_ - seconds(1), [&] { ran = kernel_.Now(); });
  kernel_.Run();
  EXPECT_EQ(ran, start_);
}

TEST_F(KernelTest, ACancelledEventDoesNotRun) {
  bool ran = false;
  const EventId event = kernel_.At(start_ + seconds(1), [&] { ran = true; });
  EXPECT_TRUE(kernel_.Cancel(event));
  EXPECT_FALSE(kernel_.Cancel(event));
  kernel_.Run();
  EXPECT_FALSE(ran);
  EXPECT_EQ(kernel_.Now(), start_);
}

TEST_F(KernelTest, TimeStandsWhileAThreadCanRun) {
  bool timer = false;
  kernel_.At(start_, [&] { timer = true; });
  Atomic<int> shared(threads(), Site("test.kernel.stands"), 0);
  Start("busy", [&] {
    for (int i = 0; i < 1000; ++i) shared.Load();
    EXPECT_FALSE(timer);
    EXPECT_EQ(kernel_.Now(), start_);
  });
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_TRUE(timer);
}

TEST_F(KernelTest, ASleeperWakesAtItsMoment) {
  Start("sleeper", [&] {
    Sleep(milliseconds(1500));
    EXPECT_EQ(kernel_.Now(), start_ + milliseconds(1500));
  });
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
}

TEST_F(KernelTest, DaemonEventsDoNotKeepARunGoing) {
  int ticks = 0;
  struct Tick {
    Kernel& kernel;
    int& ticks;
    void operator()() {
      ++ticks;
      kernel.AtDaemon(kernel.Now() + seconds(1), *this);
    }
  };
  kernel_.AtDaemon(start_ + seconds(1), Tick{kernel_, ticks});
  Start("worker", [&] { Sleep(milliseconds(3500)); });
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_EQ(ticks, 3);
}

TEST_F(KernelTest, RunUntilAMomentRunsDaemonEventsAndStopsThere) {
  int ticks = 0;
  kernel_.AtDaemon(start_ + seconds(1), [&] { ++ticks; });
  kernel_.AtDaemon(start_ + seconds(2), [&] { ++ticks; });
  kernel_.AtDaemon(start_ + seconds(3), [&] { ++ticks; });
  EXPECT_EQ(kernel_.RunUntil(start_ + seconds(2)).end, KernelEnd::kDeadline);
  EXPECT_EQ(ticks, 2);
  EXPECT_EQ(kernel_.RunUntil(start_ + milliseconds(2500)).end, KernelEnd::kDeadline);
  EXPECT_EQ(kernel_.Now(), start_ + milliseconds(2500));
}

TEST_F(KernelTest, RunUntilAPredicateHolds) {
  int done = 0;
  Start("worker", [&] {
    for (;;) {
      Sleep(seconds(1));
      ++done;
    }
  });
  EXPECT_EQ(kernel_.RunUntil([&] { return done == 5; }).end, KernelEnd::kHolds);
  EXPECT_EQ(kernel_.Now(), start_ + seconds(5));
  EXPECT_EQ(kernel_.RunUntil([] { return false; }, start_ + seconds(8)).end, KernelEnd::kDeadline);
  EXPECT_EQ(done, 8);
}

TEST_F(KernelTest, AWaitingDaemonThreadIsNoDeadlock) {
  Mutex mutex(threads(), Site("test.kernel.daemon_mutex"));
  CondVar never(threads());
  const auto daemon = kernel_.SpawnDaemon("daemon", [&] {
    MutexLock lock(mutex);
    never.Wait(mutex, Instant::Never(), [] { return false; }, Site("test.kernel.daemon"));
  });
  Start("worker", [&] { Sleep(seconds(1)); });
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  kernel_.Abandon();  // the daemon waits on what ends here
}

TEST_F(KernelTest, StopEndsTheRunAndTheNextOneGoesOn) {
  int reached = 0;
  Start("worker", [&] {
    ++reached;
    kernel_.Stop("enough for now");
    Sleep(seconds(1));
    ++reached;
  });
  const KernelResult stopped = kernel_.Run();
  EXPECT_EQ(stopped.end, KernelEnd::kStopped);
  EXPECT_EQ(stopped.text, "enough for now");
  EXPECT_EQ(reached, 1);
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_EQ(reached, 2);
}

TEST_F(KernelTest, AStalledThreadIsPassedByOthersAndByTime) {
  std::vector<std::string> order;
  Start("victim", [&] {
    Sleep(seconds(1));
    UncheckedSection time_orders_them;
    order.push_back("victim");
    EXPECT_EQ(kernel_.Now(), start_ + seconds(30));
  });
  Start("other", [&] {
    Sleep(seconds(2));
    UncheckedSection time_orders_them;
    order.push_back("other");
  });
  kernel_.At(start_ + milliseconds(500), [&] { EXPECT_EQ(kernel_.StallThreads("victim", start_ + seconds(30)), 1); });
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_THAT(order, ElementsAre("other", "victim"));
  EXPECT_EQ(kernel_.counts().stalls, 1);
}

TEST_F(KernelTest, AFailedCheckOnAThreadIsAFindingAndOthersGoOn) {
  bool other_ended = false;
  Start("broken", [&] {
    Sleep(seconds(1));
    KT_CHECK_MSG(1 + 1 == 3, "arithmetic");
  });
  Start("other", [&] {
    Sleep(seconds(2));
    other_ended = true;
  });
  const KernelResult found = kernel_.Run();
  EXPECT_EQ(found.end, KernelEnd::kCheckFailed);
  EXPECT_THAT(found.text, HasSubstr("1 + 1 == 3"));
  EXPECT_THAT(found.text, HasSubstr("arithmetic"));
  EXPECT_THAT(found.text, HasSubstr("\"broken\""));
  EXPECT_TRUE(found.is_finding());
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_TRUE(other_ended);
}

TEST_F(KernelTest, AFailedCheckInAnEventIsAFinding) {
  kernel_.At(start_ + seconds(1), [] { KT_CHECK(!"an event that fails"); });
  const KernelResult found = kernel_.Run();
  EXPECT_EQ(found.end, KernelEnd::kCheckFailed);
  EXPECT_THAT(found.text, HasSubstr("an event that fails"));
}

TEST_F(KernelTest, WhatWouldBlockOutsideOfThreadsIsAFinding) {
  kernel_.At(start_, [&] { Sleep(seconds(1)); });
  const KernelResult found = kernel_.Run();
  EXPECT_EQ(found.end, KernelEnd::kCheckFailed);
  EXPECT_THAT(found.text, HasSubstr("would block outside of threads: test.kernel.sleep"));
}

TEST_F(KernelTest, TheTimeOfDayJumpsAndTheKernelsTimeDoesNot) {
  SimClock clock(kernel_, "client", WallTime::FromMillis(1'000'000));
  EXPECT_EQ(clock.WallNow(), WallTime::FromMillis(1'000'000));
  kernel_.RunUntil(start_ + milliseconds(10));
  EXPECT_EQ(clock.WallNow(), WallTime::FromMillis(1'000'008)) << "steps of 4 ms";
  clock.JumpWall(-seconds(100));
  EXPECT_EQ(clock.WallNow(), WallTime::FromMillis(900'008));
  EXPECT_EQ(clock.Now(), start_ + milliseconds(10));
}

class LimitedKernelTest : public KernelTest {
 protected:
  LimitedKernelTest() : KernelTest({.steps_without_time_max = 100'000, .steps_max = 1'000'000}) {}
};

TEST_F(LimitedKernelTest, AThreadThatSpinsIsALivelock) {
  Atomic<int> flag(threads(), Site("test.kernel.spin"), 0);
  Start("spinner", [&] {
    while (flag.Load() == 0) {
    }
  });
  const KernelResult found = kernel_.Run();
  EXPECT_EQ(found.end, KernelEnd::kLivelock);
  EXPECT_THAT(found.text, HasSubstr("\"spinner\" at test.kernel.spin"));
}

TEST_F(LimitedKernelTest, AnEventThatRepeatsItselfNowIsALivelock) {
  struct Again {
    Kernel& kernel;
    void operator()() { kernel.At(kernel.Now(), *this); }
  };
  kernel_.At(start_, Again{kernel_});
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kLivelock);
}

TEST_F(LimitedKernelTest, ARunThatDoesNotEndMeetsTheLimitOfSteps) {
  struct Tick {
    Kernel& kernel;
    void operator()() { kernel.At(kernel.Now() + milliseconds(1), *this); }
  };
  kernel_.At(start_, Tick{kernel_});
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kStepLimit);
}

// Three threads that share a lock and sleep for drawn times.
std::uint64_t HashOfRun(const KernelOptions& options) {
  Trace trace;
  Kernel kernel(options, trace);
  Mutex mutex(kernel.threads(), Site("test.kernel.shared"));
  Stream draws = kernel.NewStream("test", "sleep");
  std::vector<std::unique_ptr<Thread>> handles;
  for (int i = 0; i < 3; ++i) {
    handles.push_back(kernel.threads().Spawn("worker", [&] {
      for (int round = 0; round < 20; ++round) {
        MutexLock lock(mutex);
        const Duration length = draws.Between(Duration(0), milliseconds(1));
        lock.Unlock();
        kernel.threads().SleepUntil(kernel.Now() + length, Site("test.kernel.drawn_sleep"));
        lock.Lock();
      }
    }));
  }
  EXPECT_EQ(kernel.Run().end, KernelEnd::kIdle);
  for (const auto& handle : handles) EXPECT_TRUE(handle->Join(Instant()));
  return trace.hash();
}

TEST(KernelHashTest, TheSameSeedGivesTheSameRun) {
  for (const StallMode stalls : {StallMode::kNone, StallMode::kRare, StallMode::kOften}) {
    EXPECT_EQ(HashOfRun({.seed = 7, .stalls = stalls}), HashOfRun({.seed = 7, .stalls = stalls}));
  }
}

TEST(KernelHashTest, AnotherSeedGivesAnotherRun) { EXPECT_NE(HashOfRun({.seed = 7}), HashOfRun({.seed = 8})); }

TEST(KernelHashTest, EarlierRunsLeaveNothingBehind) {
  const std::uint64_t alone = HashOfRun({.seed = 9});
  HashOfRun({.seed = 10, .stalls = StallMode::kOften});
  EXPECT_EQ(HashOfRun({.seed = 9}), alone);
}

// A change here is a change of what every seed means: say so in the commit.
TEST(KernelHashTest, TheHashIsTheSameWithEveryCompiler) {
  EXPECT_EQ(HashOfRun({.seed = 1}), 4683141041132440695u);
  EXPECT_EQ(HashOfRun({.seed = 1, .stalls = StallMode::kOften}), 3719481724249247248u);
}

TEST(KernelEndTest, AWorldWithWaitingThreadsCanBeAbandoned) {
  Trace trace;
  auto kernel = std::make_unique<Kernel>(KernelOptions{}, trace);
  auto mutex = std::make_unique<Mutex>(kernel->threads(), Site("test.kernel.abandoned"));
  const std::string kept(100, 'x');
  auto holder = kernel->threads().Spawn("holder", [&, owned = std::make_unique<std::string>(kept)] {
    const std::string local = *owned + "on the stack";
    MutexLock lock(*mutex);
    kernel->threads().SleepUntil(Instant::Never(), Site("test.kernel.for_ever"));
  });
  EXPECT_EQ(kernel->Run().end, KernelEnd::kDeadlock);
  kernel->Abandon();
  EXPECT_TRUE(kernel->abandoned());
  holder.reset();
  mutex.reset();
  kernel.reset();
}

}  // namespace
}  // namespace ktrial::sim
