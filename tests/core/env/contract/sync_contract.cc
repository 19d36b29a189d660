// What Mutex, CondVar and Atomic promise in every world (core/env/sync.h).
#include <chrono>
#include <memory>
#include <vector>

#include "core/env/sync.h"
#include "gtest/gtest.h"
#include "tests/core/env/contract/door_world.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Shared {
  explicit Shared(Env& env, Site name) : mutex(env.threads(), name), changed(env.threads()) {}
  Mutex mutex;
  CondVar changed;
  int value ABSL_GUARDED_BY(mutex) = 0;
};

TEST(MutexContract, KeepsOthersOut) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.counter"));
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 4; ++i) {
      threads.push_back(env.threads().Spawn("adder", [&] {
        for (int n = 0; n < 500; ++n) {
          MutexLock lock(shared.mutex);
          ++shared.value;
        }
      }));
    }
    for (const auto& thread : threads) EXPECT_TRUE(thread->Join(Instant::Never()));
    MutexLock lock(shared.mutex);
    EXPECT_EQ(shared.value, 2000);
  });
}

TEST(MutexContract, TryLockFailsWhileAnotherThreadHolds) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.try_lock"));
    shared.mutex.Lock();
    bool got = true;
    const auto thread = env.threads().Spawn("trier", [&] {
      if (shared.mutex.TryLock()) {
        shared.mutex.Unlock();
      } else {
        got = false;
      }
    });
    EXPECT_TRUE(thread->Join(Instant::Never()));
    EXPECT_FALSE(got);
    shared.mutex.Unlock();
    if (!shared.mutex.TryLock()) {
      ADD_FAILURE() << "a free mutex was not taken";
      return;
    }
    shared.mutex.Unlock();
  });
}

TEST(CondVarContract, ADeadlineInThePastIsAPlainTest) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.past_deadline"));
    MutexLock lock(shared.mutex);
    EXPECT_FALSE(shared.changed.Wait(shared.mutex, Instant(), [] { return false; }, Site("test.contract.wait_past_no")));
    EXPECT_TRUE(shared.changed.Wait(shared.mutex, Instant(), [] { return true; }, Site("test.contract.wait_past_yes")));
  });
}

TEST(CondVarContract, AWaitEndsAtItsDeadlineAndNotBefore) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.deadline"));
    MutexLock lock(shared.mutex);
    const Instant deadline = env.clock().Now() + milliseconds(3);
    EXPECT_FALSE(shared.changed.Wait(shared.mutex, deadline, [] { return false; }, Site("test.contract.wait_deadline")));
    EXPECT_GE(env.clock().Now(), deadline);
  });
}

TEST(CondVarContract, NotifyBeforeTheWaitIsNotNeededWhenThePredicateHolds) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.early_notify"));
    const auto thread = env.threads().Spawn("early", [&] {
      MutexLock lock(shared.mutex);
      shared.value = 1;
      shared.changed.NotifyAll();
    });
    EXPECT_TRUE(thread->Join(Instant::Never()));
    MutexLock lock(shared.mutex);
    EXPECT_TRUE(shared.changed.Wait(
        shared.mutex, Instant::Never(), [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(shared.mutex) { return shared.value == 1; },
        Site("test.contract.wait_early")));
  });
}

TEST(CondVarContract, NotifyWakesAWaiter) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.notify"));
    const auto thread = env.threads().Spawn("setter", [&] {
      env.threads().SleepUntil(env.clock().Now() + milliseconds(2), Site("test.contract.setter_sleep"));
      {
        MutexLock lock(shared.mutex);
        shared.value = 1;
      }
      shared.changed.NotifyOne();
    });
    {
      MutexLock lock(shared.mutex);
      EXPECT_TRUE(shared.changed.Wait(
          shared.mutex, env.clock().Now() + seconds(30),
          [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(shared.mutex) { return shared.value == 1; }, Site("test.contract.wait_notify")));
    }
    EXPECT_TRUE(thread->Join(Instant::Never()));
  });
}

TEST(CondVarContract, NotifyAllWakesEveryWaiter) {
  NewDoorWorld()->Run([](Env& env) {
    Shared shared(env, Site("test.contract.notify_all"));
    int woken = 0;
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(env.threads().Spawn("waiter", [&] {
        MutexLock lock(shared.mutex);
        const bool holds = shared.changed.Wait(
            shared.mutex, env.clock().Now() + seconds(30),
            [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(shared.mutex) { return shared.value == 1; }, Site("test.contract.wait_all"));
        if (holds) ++woken;
      }));
    }
    env.threads().SleepUntil(env.clock().Now() + milliseconds(2), Site("test.contract.notifier_sleep"));
    {
      MutexLock lock(shared.mutex);
      shared.value = 1;
      shared.changed.NotifyAll();
    }
    for (const auto& thread : threads) EXPECT_TRUE(thread->Join(Instant::Never()));
    EXPECT_EQ(woken, 3);
  });
}

TEST(AtomicContract, OperationsReturnWhatWasThere) {
  NewDoorWorld()->Run([](Env& env) {
    Atomic<int> number(env.threads(), Site("test.contract.atomic"), 1);
    EXPECT_EQ(number.Exchange(5), 1);
    EXPECT_EQ(number.FetchAdd(2), 5);
    int expected = 3;
    EXPECT_FALSE(number.CompareExchange(expected, 9));
    EXPECT_EQ(expected, 7);
    EXPECT_TRUE(number.CompareExchange(expected, 9));
    number.AddRelaxed(1);
    EXPECT_EQ(number.Load(), 10);
  });
}

// Two threads raise their own flag and then look at the other's: at least one must see the other. The sleeping flag of the
// sender stands on this.
TEST(AtomicContract, AtLeastOneOfTwoFlagRaisersSeesTheOther) {
  NewDoorWorld()->Run([](Env& env) {
    for (int round = 0; round < 50; ++round) {
      Atomic<int> a(env.threads(), Site("test.contract.flag_a"), 0);
      Atomic<int> b(env.threads(), Site("test.contract.flag_b"), 0);
      int seen_by_one = 0;
      int seen_by_two = 0;
      const auto one = env.threads().Spawn("one", [&] {
        a.Store(1);
        seen_by_one = b.Load();
      });
      const auto two = env.threads().Spawn("two", [&] {
        b.Store(1);
        seen_by_two = a.Load();
      });
      EXPECT_TRUE(one->Join(Instant::Never()));
      EXPECT_TRUE(two->Join(Instant::Never()));
      ASSERT_EQ(seen_by_one + seen_by_two > 0, true);
    }
  });
}

}  // namespace
}  // namespace ktrial
