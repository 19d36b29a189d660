// The simulated doors of time, threads and chance: SimThreads, SimClock, SimEntropy. Everything they do is a matter of
// one Kernel.
#ifndef SIM_KERNEL_SIM_THREADS_H_
#define SIM_KERNEL_SIM_THREADS_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/threads.h"
#include "sim/kernel/draws.h"
#include "sim/kernel/kernel.h"

namespace ktrial::sim {

// Threads as fibers of the kernel. Made by the Kernel: Kernel::threads().
class SimThreads final : public Threads {
 public:
  explicit SimThreads(Kernel& kernel, SyncHooks& hooks) : Threads(&hooks), kernel_(kernel) {}
  std::unique_ptr<Thread> Spawn(std::string_view name, absl::AnyInvocable<void()> function) override;
  std::unique_ptr<Thread> SpawnDaemon(std::string_view name, absl::AnyInvocable<void()> function);
  void SleepUntil(Instant deadline, Site site) override;
  // 1 outside of threads.
  ThreadId Current() const override;

 private:
  Kernel& kernel_;
};

// One client's clocks. Now() is the kernel's time for all clients; the time of day is each client's own, steps every 4
// ms (the coarsest that Clock allows), and jumps when told to.
class SimClock final : public Clock {
 public:
  // `wall_start` is the time of day at the kernel's present moment.
  SimClock(Kernel& kernel, std::string_view client, WallTime wall_start);
  Instant Now() const override { return kernel_.Now(); }
  WallTime WallNow() const override;
  // Moves the time of day, forward or back.
  void JumpWall(Duration by);

 private:
  Kernel& kernel_;
  Subject subject_;
  std::int64_t offset_millis_;  // wall minus monotonic
};

// Streams of (seed, entity, purpose).
class SimEntropy final : public Entropy {
 public:
  SimEntropy(Kernel& kernel, std::string_view entity) : kernel_(kernel), entity_(entity) {}
  std::uint64_t Next(DrawPurpose purpose) override;
  void Secret(std::span<char> bytes) override;

 private:
  Kernel& kernel_;
  const std::string entity_;
  std::map<DrawPurpose, Stream> streams_;
  std::optional<Stream> secrets_;
};

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_SIM_THREADS_H_
