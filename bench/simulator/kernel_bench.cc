// What the simulator's kernel costs, beside a bare event loop measured in the same run: absolute rates depend on the
// machine, the ratios that are printed at the end hardly do.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/simulator/bare_loop.h"
#include "bench/simulator/rates.h"
#include "benchmark/benchmark.h"
#include "core/env/sync.h"
#include "sim/kernel/context.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/switch.h"

namespace ktrial::sim {
namespace {

using bench::BM_BareLoop;
using bench::kActors;
using bench::NextWait;

BENCHMARK(BM_BareLoop);

// The same actors as events of the kernel, with trace and hash.
void BM_KernelEvents(benchmark::State& state) {
  struct Actor {
    Kernel* kernel;
    std::int64_t* left;
    std::uint64_t random;
    void operator()() {
      if (--*left <= 0) kernel->Stop("measured");
      const Duration wait(static_cast<std::int64_t>(NextWait(random)));
      kernel->At(kernel->Now() + wait, *this);
    }
  };
  Trace trace;
  Kernel kernel({}, trace);
  std::int64_t left = 0;
  for (std::uint64_t i = 0; i < kActors; ++i) kernel.At(kernel.Now(), Actor{&kernel, &left, i});
  for (auto _ : state) {
    left = 10'000;
    kernel.Run();
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}
BENCHMARK(BM_KernelEvents);

// The same actors as threads that sleep: an event and two switches each time.
void BM_KernelSleepers(benchmark::State& state) {
  Trace trace;
  Kernel kernel({}, trace);
  std::int64_t left = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  for (std::uint64_t i = 0; i < kActors; ++i) {
    threads.push_back(kernel.threads().Spawn("sleeper", [&, random = i]() mutable {
      for (;;) {
        if (--left <= 0) kernel.Stop("measured");
        const Duration wait(static_cast<std::int64_t>(NextWait(random)));
        kernel.threads().SleepUntil(kernel.Now() + wait, Site("bench.kernel.sleep"));
      }
    }));
  }
  for (auto _ : state) {
    left = 10'000;
    kernel.Run();
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
  kernel.Abandon();
}
BENCHMARK(BM_KernelSleepers);

// Into a context and back.
void BM_ContextRoundTrip(benchmark::State& state) {
  struct Pair {
    ContextSwitcher switcher;
    Context context;
  } pair;
  StackPool stacks;
  pair.context.stack = stacks.Take();
  pair.context.argument = &pair;
  pair.context.name = "bench";
  pair.context.entry = [](void* argument) -> Context* {
    Pair& self = *static_cast<Pair*>(argument);
    for (;;) SwitchContext(self.switcher, self.context, self.switcher.main());
  };
  pair.switcher.Enter();
  pair.switcher.Prepare(pair.context);
  for (auto _ : state) SwitchContext(pair.switcher, pair.switcher.main(), pair.context);
  pair.switcher.Forget(pair.context);
  pair.switcher.Leave();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ContextRoundTrip);

// One thread alone, or two of which one is chosen at each point.
void BM_SchedulingPoint(benchmark::State& state) {
  for (auto _ : state) {
    Trace trace;
    Kernel kernel({}, trace);
    Atomic<int> shared(kernel.threads(), Site("bench.kernel.point"), 0);
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < state.range(0); ++i) {
      threads.push_back(kernel.threads().Spawn("pointer", [&] {
        for (int point = 0; point < 100'000; ++point) benchmark::DoNotOptimize(shared.Load());
      }));
    }
    kernel.Run();
    for (const auto& thread : threads) thread->Join(Instant());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * 100'000);
}
BENCHMARK(BM_SchedulingPoint)->Arg(1)->Arg(2);

void BM_LockUnlock(benchmark::State& state) {
  for (auto _ : state) {
    Trace trace;
    Kernel kernel({}, trace);
    Mutex mutex(kernel.threads(), Site("bench.kernel.lock"));
    const auto thread = kernel.threads().Spawn("locker", [&] {
      for (int i = 0; i < 100'000; ++i) MutexLock lock(mutex);
    });
    kernel.Run();
    thread->Join(Instant());
  }
  state.SetItemsProcessed(state.iterations() * 100'000);
}
BENCHMARK(BM_LockUnlock);

// A world with three threads, from its making to its end.
void BM_SmallWorld(benchmark::State& state) {
  StackPool stacks;
  for (auto _ : state) {
    Trace trace;
    Kernel kernel({.stacks = &stacks}, trace);
    std::array<std::unique_ptr<Thread>, 3> threads;
    for (auto& thread : threads) thread = kernel.threads().Spawn("short", [] {});
    kernel.Run();
    for (const auto& thread : threads) thread->Join(Instant());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_SmallWorld);

}  // namespace
}  // namespace ktrial::sim

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  ktrial::bench::RateReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  for (const std::string suffix : {"", "_median"}) {
    const double bare = reporter.rates["BM_BareLoop" + suffix];
    const double events = reporter.rates["BM_KernelEvents" + suffix];
    const double round_trips = reporter.rates["BM_ContextRoundTrip" + suffix];
    if (bare == 0 || events == 0 || round_trips == 0) continue;
    std::printf("kernel events / bare loop%s: %.2f (at least 0.60)\n", suffix.c_str(), events / bare);
    std::printf("there and back%s: %.1f ns (at most 15 ns)\n", suffix.c_str(), 1e9 / round_trips);
  }
  return 0;
}
