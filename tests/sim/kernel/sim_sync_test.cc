// Locks and conditions in simulation, and what is found out about threads that wait for good.
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "core/env/sync.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/kernel/kernel.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// One world; at its end the handles are joined, or the world is abandoned.
class World {
 public:
  explicit World(const KernelOptions& options = {}) : kernel(options, trace) {}
  ~World() { kernel.Abandon(); }
  Threads& threads() { return kernel.threads(); }
  void Start(std::string_view name, absl::AnyInvocable<void()> function) {
    handles.push_back(kernel.threads().Spawn(name, std::move(function)));
  }
  // After a finding the threads that are stuck are left behind, so that what they use may go.
  KernelResult Run() {
    KernelResult result = kernel.Run();
    if (result.is_finding()) kernel.Abandon();
    return result;
  }
  void Sleep(Duration length) { threads().SleepUntil(kernel.Now() + length, Site("test.sync.sleep")); }

  Trace trace;
  Kernel kernel;
  std::vector<std::unique_ptr<Thread>> handles;
};

// The report as a whole: what a person reads when a world stands still.
TEST(DeadlockTest, TheReportNamesWhoWaitsForWhatAndWhoHasIt) {
  World world({.strategy = StrategyKind::kRoundRobin});
  Mutex pool(world.threads(), Site("test.sync.pool"));
  Mutex queue(world.threads(), Site("test.sync.queue"));
  CondVar memory(world.threads());
  world.Start("sender", [&] {
    MutexLock lock(queue);
    MutexLock both(pool);
    memory.Wait(pool, Instant::Never(), [] { return false; }, Site("test.sync.memory"));
  });
  world.Start("app", [&] {
    world.Sleep(milliseconds(1500));
    MutexLock lock(queue);
  });
  const KernelResult found = world.Run();
  EXPECT_EQ(found.end, KernelEnd::kDeadlock);
  EXPECT_EQ(found.text,
            "threads wait, and nothing can wake them\n"
            "threads 1.500000 s after the start:\n"
            "  \"sender\" at test.sync.memory waits for condition test.sync.pool, without a deadline; holds "
            "test.sync.queue\n"
            "  \"app\" at test.sync.queue waits for lock test.sync.queue of \"sender\", without a deadline\n");
}

TEST(DeadlockTest, ACircleOfLocksIsFoundThoughOthersGoOn) {
  World world({.strategy = StrategyKind::kRoundRobin});
  Mutex one(world.threads(), Site("test.sync.one"));
  Mutex other(world.threads(), Site("test.sync.other"));
  const Instant before = world.kernel.Now();
  const auto lock_both = [&](Mutex& first, Mutex& second) {
    MutexLock lock(first);
    world.Sleep(milliseconds(1));
    MutexLock both(second);
  };
  world.Start("left", [&] { lock_both(one, other); });
  world.Start("right", [&] { lock_both(other, one); });
  world.Start("busy", [&] {
    for (;;) world.Sleep(milliseconds(10));
  });
  const KernelResult found = world.Run();
  EXPECT_EQ(found.end, KernelEnd::kDeadlock);
  EXPECT_THAT(found.text, HasSubstr("closes the circle at test.sync.o"));
  EXPECT_LT(world.kernel.Now(), before + seconds(1));
}

TEST(DeadlockTest, APeriodicDaemonEventDoesNotHideIt) {
  World world;
  struct Tick {
    Kernel& kernel;
    void operator()() { kernel.AtDaemon(kernel.Now() + seconds(1), *this); }
  };
  world.kernel.AtDaemon(world.kernel.Now(), Tick{world.kernel});
  Mutex mutex(world.threads(), Site("test.sync.hidden"));
  CondVar never(world.threads());
  world.Start("waiter", [&] {
    MutexLock lock(mutex);
    never.Wait(mutex, Instant::Never(), [] { return false; }, Site("test.sync.hidden_wait"));
  });
  EXPECT_EQ(world.Run().end, KernelEnd::kDeadlock);
}

TEST(DeadlockTest, AnEventThatWillWakeSomebodyIsNone) {
  World world;
  Mutex mutex(world.threads(), Site("test.sync.later"));
  CondVar changed(world.threads());
  bool ready = false;
  world.Start("waiter", [&] {
    MutexLock lock(mutex);
    EXPECT_TRUE(changed.Wait(mutex, Instant::Never(), [&] { return ready; }, Site("test.sync.later_wait")));
  });
  world.kernel.At(world.kernel.Now() + seconds(1), [&] {
    MutexLock lock(mutex);
    ready = true;
    changed.NotifyOne();
  });
  EXPECT_EQ(world.Run().end, KernelEnd::kIdle);
}

TEST(MutexTest, LockingTwiceOnOneThreadIsAFinding) {
  World world;
  Mutex mutex(world.threads(), Site("test.sync.twice"));
  Mutex& same = mutex;  // the analysis of the compiler would find it
  world.Start("greedy", [&] {
    MutexLock lock(mutex);
    MutexLock again(same);
  });
  const KernelResult found = world.Run();
  EXPECT_EQ(found.end, KernelEnd::kCheckFailed);
  EXPECT_THAT(found.text, HasSubstr("locked twice by one thread: test.sync.twice"));
}

TEST(MutexTest, AThreadThatEndsWithALockIsAFinding) {
  World world;
  Mutex mutex(world.threads(), Site("test.sync.kept"));
  // The analysis of the compiler would find it.
  world.Start("keeper", [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex.Lock(); });
  const KernelResult found = world.Run();
  EXPECT_EQ(found.end, KernelEnd::kCheckFailed);
  EXPECT_THAT(found.text, HasSubstr("a thread ended with a lock held: keeper"));
}

// Whoever waits is not the only one who may get it: a thread that comes by may be first.
TEST(MutexTest, EveryOrderOfThreeThreadsIsSeen) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    World world({.seed = seed});
    Mutex mutex(world.threads(), Site("test.sync.order"));
    std::string order;
    for (const char name : {'a', 'b', 'c'}) {
      world.Start(std::string(1, name), [&, name] {
        MutexLock lock(mutex);
        order += name;
      });
    }
    ASSERT_EQ(world.Run().end, KernelEnd::kIdle);
    orders.insert(order);
  }
  EXPECT_EQ(orders, (std::set<std::string>{"abc", "acb", "bac", "bca", "cab", "cba"}));
}

TEST(CondVarTest, AnyWaiterMayBeTheOneThatIsNotified) {
  std::set<char> first;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    World world({.seed = seed});
    Mutex mutex(world.threads(), Site("test.sync.any"));
    CondVar changed(world.threads());
    int units = 0;
    std::string order;
    for (const char name : {'a', 'b', 'c'}) {
      world.Start(std::string(1, name), [&, name] {
        MutexLock lock(mutex);
        changed.Wait(mutex, Instant::Never(), [&] { return units > 0; }, Site("test.sync.any_wait"));
        --units;
        order += name;
      });
    }
    world.Start("giver", [&] {
      world.Sleep(seconds(1));  // all of them wait by then
      for (int i = 0; i < 3; ++i) {
        MutexLock lock(mutex);
        ++units;
        changed.NotifyOne();
        lock.Unlock();
        world.Sleep(seconds(1));
        lock.Lock();
      }
    });
    ASSERT_EQ(world.Run().end, KernelEnd::kIdle);
    first.insert(order.at(0));
  }
  EXPECT_EQ(first, (std::set<char>{'a', 'b', 'c'}));
}

TEST(CondVarTest, PredicatesAreCalledWithTheLockHeldOnly) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    World world({.seed = seed, .stalls = StallMode::kOften});
    Mutex mutex(world.threads(), Site("test.sync.guarded"));
    CondVar changed(world.threads());
    int inside = 0;
    int turn = 0;
    for (int mine = 0; mine < 3; ++mine) {
      world.Start("worker", [&, mine] {
        MutexLock lock(mutex);
        for (int round = 0; round < 5; ++round) {
          const Instant deadline = world.kernel.Now() + milliseconds(5);
          changed.Wait(
              mutex, deadline,
              [&] {
                EXPECT_EQ(inside, 0);
                return turn % 3 == mine;
              },
              Site("test.sync.guarded_wait"));
          ++inside;
          world.Sleep(milliseconds(1));
          --inside;
          ++turn;
          changed.NotifyAll();
        }
      });
    }
    ASSERT_EQ(world.Run().end, KernelEnd::kIdle);
  }
}

}  // namespace
}  // namespace ktrial::sim
