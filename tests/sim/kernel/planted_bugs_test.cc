// Goal:   the time rule and the strategies find the bugs that they are there for, about as often as they should.
// Method: three small programs with a planted bug each, run with many seeds; the shares of runs that fail are compared
//         with those of a prototype (A 0.7 % without stalls and 5 % with them, B none and 24 %, C none and 2.6 %),
//         within wide bounds.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/env/sync.h"
#include "gtest/gtest.h"
#include "sim/kernel/context.h"
#include "sim/kernel/kernel.h"

namespace ktrial::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kSeeds = 1500;

struct Program {
  explicit Program(Kernel& kernel_in)
      : kernel(kernel_in),
        mutex(kernel.threads(), Site("test.bugs.mutex")),
        changed(kernel.threads()),
        points(kernel.threads(), Site("test.bugs.point"), 0) {}
  virtual ~Program() = default;
  virtual void Start() = 0;
  virtual bool Failed(const KernelResult& result) const = 0;

  void Spawn(std::string_view name, absl::AnyInvocable<void()> function) {
    handles.push_back(kernel.threads().Spawn(name, std::move(function)));
  }
  void Points(int count) {
    for (int i = 0; i < count; ++i) points.Load();
  }
  void SleepUntil(Instant moment) { kernel.threads().SleepUntil(moment, Site("test.bugs.sleep")); }

  Kernel& kernel;
  Mutex mutex;
  CondVar changed;
  Atomic<int> points;
  std::vector<std::unique_ptr<Thread>> handles;
};

// Per cent of the seeds that fail.
template <class P>
double FailureRate(StallMode stalls) {
  StackPool stacks;
  int failed = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Trace trace;
    Kernel kernel({.seed = static_cast<std::uint64_t>(seed), .stalls = stalls, .stacks = &stacks}, trace);
    P program(kernel);
    program.Start();
    const KernelResult result = kernel.Run();
    failed += program.Failed(result) ? 1 : 0;
    if (kernel.LiveThreads() > 0) {
      kernel.Abandon();
    } else {
      for (const auto& handle : program.handles) handle->Join(Instant());
    }
  }
  return 100.0 * failed / kSeeds;
}

// A: whether to wait is decided before the lock is taken.
struct LostWakeUp final : Program {
  using Program::Program;
  Atomic<bool> free{kernel.threads(), Site("test.bugs.free"), false};
  void Start() override {
    Spawn("waiter", [this] {
      points.Load();
      if (free.LoadRelaxed()) return;
      MutexLock lock(mutex);
      bool first = true;  // a wait that does not look before it waits
      const auto woken = [&] { return !std::exchange(first, false) && free.LoadRelaxed(); };
      changed.Wait(mutex, Instant::Never(), woken, Site("test.bugs.waiter"));
    });
    Spawn("giver", [this] {
      Points(6);
      MutexLock lock(mutex);
      free.StoreRelaxed(true);
      lock.Unlock();
      changed.NotifyOne();
      lock.Lock();
    });
    Spawn("bystander", [this] { Points(10); });
  }
  bool Failed(const KernelResult& result) const override { return result.end == KernelEnd::kDeadlock; }
};

TEST(PlantedBugsTest, ALostWakeUpIsFoundWithAndWithoutStalls) {
  const double without = FailureRate<LostWakeUp>(StallMode::kNone);
  EXPECT_GT(without, 0.2);
  EXPECT_LT(without, 6.0);
  const double with = FailureRate<LostWakeUp>(StallMode::kOften);
  EXPECT_GT(with, 2.0);
  EXPECT_LT(with, 15.0);
}

// B: an answer comes 1 ms before the 120 s timeout; what was looked up under the lock is acted on after it was given
// up.
struct CompletedTwice final : Program {
  using Program::Program;
  const Instant deadline = kernel.Now() + seconds(120);
  bool in_flight = true;
  int completed = 0;
  void Complete() {
    in_flight = false;
    ++completed;
  }
  void Start() override {
    Spawn("answer", [this] {
      SleepUntil(deadline - milliseconds(1));
      MutexLock lock(mutex);
      const bool mine = in_flight;
      lock.Unlock();
      Points(3);
      lock.Lock();
      if (mine) Complete();
    });
    Spawn("timeout", [this] {
      SleepUntil(deadline);
      MutexLock lock(mutex);
      if (in_flight) Complete();
    });
    for (int i = 0; i < 2; ++i) {
      Spawn("bystander", [this] {
        for (int round = 0; round < 12; ++round) SleepUntil(kernel.Now() + seconds(15));
      });
    }
  }
  bool Failed(const KernelResult&) const override { return completed > 1; }
};

TEST(PlantedBugsTest, ARaceWithADeadlineIsFoundWithStallsOnly) {
  EXPECT_EQ(FailureRate<CompletedTwice>(StallMode::kNone), 0.0);
  const double with = FailureRate<CompletedTwice>(StallMode::kOften);
  EXPECT_GT(with, 12.0);
  EXPECT_LT(with, 40.0);
}

// C: a waiter that is signalled just before its deadline gives up, and does not pass the signal on.
struct SwallowedSignal final : Program {
  using Program::Program;
  const Instant deadline = kernel.Now() + seconds(60);
  int memory = 0;
  void Start() override {
    Spawn("timed", [this] {
      MutexLock lock(mutex);
      changed.Wait(mutex, deadline, [&] { return memory > 0; }, Site("test.bugs.timed"));
      if (kernel.Now() >= deadline) return;
      --memory;
      lock.Unlock();
      lock.Lock();
      ++memory;
      lock.Unlock();
      changed.NotifyOne();
      lock.Lock();
    });
    Spawn("patient", [this] {
      SleepUntil(kernel.Now() + seconds(1));
      MutexLock lock(mutex);
      changed.Wait(mutex, Instant::Never(), [&] { return memory > 0; }, Site("test.bugs.patient"));
      --memory;
    });
    Spawn("giver", [this] {
      SleepUntil(deadline - microseconds(500));
      MutexLock lock(mutex);
      ++memory;
      lock.Unlock();
      changed.NotifyOne();
      lock.Lock();
    });
    Spawn("bystander", [this] {
      for (int round = 0; round < 12; ++round) SleepUntil(kernel.Now() + seconds(7));
    });
  }
  bool Failed(const KernelResult& result) const override { return result.end == KernelEnd::kDeadlock; }
};

TEST(PlantedBugsTest, ASwallowedSignalIsFoundWithStallsOnly) {
  EXPECT_EQ(FailureRate<SwallowedSignal>(StallMode::kNone), 0.0);
  const double with = FailureRate<SwallowedSignal>(StallMode::kOften);
  EXPECT_GT(with, 1.0);
  EXPECT_LT(with, 8.0);
}

}  // namespace
}  // namespace ktrial::sim
