// Kernel is the heart of a simulated world: virtual time, a heap of events, and threads that are fibers on one OS
// thread. Everything that happens in a run is a function of the seed.
//
// The time rule. Time moves only when no thread is runnable: then the next event runs, at its moment. A thread that
// computes takes no time. But at any scheduling point a thread may be stalled for a drawn length of time (StallMode),
// as a real thread is by pre-emption, a page fault or a collector: other threads, timers and the network go on
// meanwhile.
//
// Scheduling points stand before lock, unlock, wait, notify, spawn, join, sleep, every access of an Atomic and every
// operation of a Transport. While one thread alone is runnable and nothing stalls, such a point costs a few nanoseconds
// and draws nothing.
//
// A world is driven from outside: Run, RunUntil. They return when there is nothing left to do, when asked to, or with a
// finding (deadlock, livelock, failed KT_CHECK); an exception that leaves a thread is thrown out of the Run call. After
// a finding the world may go on (the threads that are stuck stay stuck), so that it can be healed and its threads can
// end.
//
// Ending. When all threads have ended the Kernel is simply destroyed. Otherwise it is abandoned (Abandon, or its
// destructor): stacks stay as they are, nothing on them is destroyed, and LeakSanitizer is told. That costs some memory
// for good, so a process should not abandon more than about 1000 worlds.
//
// Thread safety: none. A Kernel belongs to the OS thread that made it; several kernels may live on one, one at a time
// in a Run. Events and what is outside of threads must not block (KT_CHECK).
#ifndef SIM_KERNEL_KERNEL_H_
#define SIM_KERNEL_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "core/env/clock.h"
#include "core/env/site.h"
#include "core/env/threads.h"
#include "sim/kernel/draws.h"
#include "sim/kernel/event_heap.h"
#include "sim/kernel/strategy.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

class ContextSwitcher;
class Fiber;
class SimSync;
class SimThreads;
class StackPool;

struct KernelOptions {
  std::uint64_t seed = 1;
  StrategyKind strategy = StrategyKind::kRandomWalk;
  StallMode stalls = StallMode::kNone;
  // Odd, not zero, and far from any time of day, so that a mixture of clocks shows.
  Instant start = Instant::FromNanos(4'000'000'000'003);
  // A step is a scheduling point or an event. More of them in one moment are a livelock.
  std::int64_t steps_without_time_max = 50'000'000;
  // Steps of one Run or RunUntil; more end it with kStepLimit.
  std::int64_t steps_max = std::numeric_limits<std::int64_t>::max();
  // Where stacks come from and go back to; null: the kernel has its own. Outlives the kernel.
  StackPool* stacks = nullptr;
};

enum class KernelEnd : std::uint8_t {
  kIdle,         // nothing is left to do: all threads but daemons have ended, and no event is pending but daemon events
  kHolds,        // the predicate holds
  kDeadline,     // the moment was reached
  kStopped,      // somebody called Stop
  kDeadlock,     // threads wait, and nothing can wake them
  kLivelock,     // steps_without_time_max
  kStepLimit,    // steps_max
  kCheckFailed,  // a KT_CHECK failed on a thread; that thread stays where it is for good
};
std::string_view KernelEndName(KernelEnd end);

struct KernelResult {
  KernelEnd end = KernelEnd::kIdle;
  std::string text;  // for a person: the report of a finding, or why it was stopped. Of several lines.
  bool is_finding() const { return end >= KernelEnd::kDeadlock; }
};

class Kernel {
 public:
  // `trace` outlives the kernel. A null strategy: made from the options.
  Kernel(const KernelOptions& options, Trace& trace, std::unique_ptr<Strategy> strategy = nullptr);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Instant Now() const {
    UncheckedSection unchecked;
    return now_;
  }
  std::uint64_t seed() const { return options_.seed; }
  Trace& trace() { return trace_; }
  Stream NewStream(std::string_view entity, std::string_view purpose);
  // Starts threads of the program, which must end by themselves.
  Threads& threads();
  // A thread that serves the others: it may be left waiting when all else has ended. While it waits with a deadline,
  // that deadline counts as work left to do; a daemon that has nothing to do waits without one. The handle need not be
  // joined.
  std::unique_ptr<Thread> SpawnDaemon(std::string_view name, absl::AnyInvocable<void()> function);

  // Runs `function` at that moment (now, if it is past), outside of threads, when nothing is runnable. Closures up to
  // 40 bytes allocate nothing.
  template <class Function>
  EventId At(Instant when, Function&& function) {
    UncheckedSection unchecked;
    return heap_.Push(when < now_ ? now_ : when, false, std::forward<Function>(function));
  }
  // The same for housekeeping: what only keeps itself going is no reason to go on.
  template <class Function>
  EventId AtDaemon(Instant when, Function&& function) {
    UncheckedSection unchecked;
    return heap_.Push(when < now_ ? now_ : when, true, std::forward<Function>(function));
  }
  // False if it ran or was cancelled before.
  bool Cancel(EventId event) {
    UncheckedSection unchecked;
    return heap_.Cancel(event);
  }

  // Takes the CPU away from the threads of that name ("*": all but daemons) until `until`. Returns how many there are.
  int StallThreads(std::string_view name, Instant until);
  // Ends the running Run at the next opportunity, or else the next one at once. From threads and events.
  void Stop(std::string_view why);

  // Runs until nothing is left to do. What comes first of a finding, Stop and the condition ends a run; it can be
  // called again.
  KernelResult Run();
  // Runs all that is due up to and including `deadline`, daemon events too, and leaves the clock there. Threads that
  // wait for good meanwhile are no finding here: the caller may be about to wake them.
  KernelResult RunUntil(Instant deadline);
  // The predicate is asked before each event, when nothing is runnable. Ends with kIdle or kDeadlock as Run does.
  KernelResult RunUntil(absl::FunctionRef<bool()> predicate, Instant deadline = Instant::Never());

  // Every thread that has not ended: where it waits, for what, who owns that, which locks it holds, until when.
  std::string ThreadReport() const;
  // Threads of the program that have not ended (daemons do not count).
  int LiveThreads() const { return live_count_; }
  void Abandon();
  bool abandoned() const { return abandoned_; }

  struct Counts {
    std::int64_t events = 0;    // of the heap
    std::int64_t switches = 0;  // of threads
    std::int64_t points = 0;    // scheduling points
    std::int64_t stalls = 0;
    Duration stalled{0};  // in sum
    std::int64_t spawned = 0;
  };
  Counts counts() const;

  // --- For the simulator's own parts that make threads wait: SimSync, SimTransport. ---

  // The thread that runs, null in events and outside a run.
  Fiber* current() const {
    UncheckedSection unchecked;
    return current_;
  }
  // A scheduling point: others may run before this returns. Nothing happens outside of threads.
  void Point(Site site) {
    UncheckedSection unchecked;
    if (--points_left_ > 0 && runnable_.empty()) [[likely]]
      return;
    SlowPoint(site);
  }
  // What a parked thread waits for, for the report.
  struct WaitFor {
    const char* what = "";          // "lock", "condition", "poll", "join", "sleep"
    std::string_view object;        // its name; lives as long as the wait
    Fiber* const* owner = nullptr;  // who has it by the time of the report
  };
  // The running thread waits until Unpark, or until the deadline: false. On a thread only (KT_CHECK).
  bool Park(Instant deadline, Site site, const WaitFor& wait);
  // Does nothing if the thread does not wait.
  void Unpark(Fiber& fiber);

 private:
  friend class SimSync;
  friend class SimThreads;

  Fiber& Start(std::string_view name, absl::AnyInvocable<void()> function, bool daemon);
  static void RunFiber(Fiber& fiber);
  Fiber* ChooseNext();
  void SwitchAway();
  void MakeRunnable(Fiber& fiber);
  void Retire(Fiber& fiber);
  void Reap();

  void SlowPoint(Site site);
  // Brings the counts up to date and grants points anew; finds out about limits.
  void Account();
  void Stall(Fiber& fiber, Duration length);
  bool stalls() const { return stalls_; }
  Strategy& strategy() { return *strategy_; }

  enum class Until : std::uint8_t { kNothingLeft, kMoment };
  using Predicate = absl::FunctionRef<bool()>;
  KernelResult Drive(const Predicate* holds, Instant deadline, Until until);
  KernelResult Loop(const Predicate* holds, Instant deadline, Until until);
  void RunThreads();
  void RunEvent();
  void MoveTime(Instant to);
  // Somebody wants the run to end here.
  void Interrupt();
  KernelResult TakeInterruption();
  void Find(KernelEnd end, std::string text);
  static void OnCheckFailed(void* kernel, std::string_view text);

  // Set in the constructor.
  const KernelOptions options_;
  Trace& trace_;
  std::unique_ptr<Strategy> strategy_;
  bool stalls_;
  std::unique_ptr<StackPool> own_stacks_;
  StackPool* stacks_;
  std::unique_ptr<ContextSwitcher> switcher_;
  std::unique_ptr<SimSync> sync_;
  std::unique_ptr<SimThreads> threads_;

  Instant now_;
  EventHeap heap_;
  Fiber* current_ = nullptr;
  std::vector<ThreadInfo*> runnable_;  // without the one that runs
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<std::unique_ptr<Fiber>> ended_;  // whose stacks are still in use, or just were
  std::uint64_t next_thread_id_ = 2;
  int live_count_ = 0;

  // Points until something has to be looked at: a stall, a limit, a Stop. points_granted_ is what it was set to.
  std::int64_t points_left_ = 0;
  std::int64_t points_granted_ = 0;
  std::int64_t steps_in_moment_ = 0;  // up to the last account
  Instant accounted_;                 // its moment
  std::int64_t steps_in_run_ = 0;
  Counts counts_;

  bool running_ = false;
  bool abandoned_ = false;
  bool interrupted_ = false;  // one of the following three says why
  bool stop_asked_ = false;
  std::string stop_reason_;
  std::vector<KernelResult> findings_;
  std::exception_ptr escaped_;
  std::exception_ptr thrown_;  // out of the Run call that ends
};

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_KERNEL_H_
