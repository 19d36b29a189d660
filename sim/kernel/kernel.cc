#include "sim/kernel/kernel.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sim/kernel/context.h"
#include "sim/kernel/fiber.h"
#include "sim/kernel/sim_sync.h"
#include "sim/kernel/sim_threads.h"
#include "sim/kernel/switch.h"

namespace ktrial::sim {
namespace {

// How many scheduling points may pass without a look at the limits.
constexpr std::int64_t kPointsPerGrant = 10'000;

}  // namespace

std::string_view KernelEndName(KernelEnd end) {
  switch (end) {
    case KernelEnd::kIdle:
      return "idle";
    case KernelEnd::kHolds:
      return "holds";
    case KernelEnd::kDeadline:
      return "deadline";
    case KernelEnd::kStopped:
      return "stopped";
    case KernelEnd::kDeadlock:
      return "deadlock";
    case KernelEnd::kLivelock:
      return "livelock";
    case KernelEnd::kStepLimit:
      return "step limit";
    case KernelEnd::kCheckFailed:
      return "check failed";
  }
  KT_CHECK(!"an end outside the enumeration");
}

Kernel::Kernel(const KernelOptions& options, Trace& trace, std::unique_ptr<Strategy> strategy)
    : options_(options),
      trace_(trace),
      strategy_(strategy != nullptr ? std::move(strategy)
                                    : MakeStrategy(options.strategy, options.stalls, NewStream("kernel", "schedule"))),
      stalls_(strategy_->stalls()),
      own_stacks_(options.stacks == nullptr ? std::make_unique<StackPool>() : nullptr),
      stacks_(options.stacks == nullptr ? own_stacks_.get() : options.stacks),
      switcher_(std::make_unique<ContextSwitcher>()),
      sync_(std::make_unique<SimSync>(*this)),
      threads_(std::make_unique<SimThreads>(*this, *sync_)),
      now_(options.start) {
  trace_.MoveTo(now_);
}

Kernel::~Kernel() {
  KT_CHECK(!running_);
  Reap();
  if (!fibers_.empty() && !abandoned_) Abandon();
}

Stream Kernel::NewStream(std::string_view entity, std::string_view purpose) {
  return Stream(options_.seed, entity, purpose, trace_);
}

Threads& Kernel::threads() { return *threads_; }

std::unique_ptr<Thread> Kernel::SpawnDaemon(std::string_view name, absl::AnyInvocable<void()> function) {
  return threads_->SpawnDaemon(name, std::move(function));
}

// --- Threads ---

Fiber& Kernel::Start(std::string_view name, absl::AnyInvocable<void()> function, bool daemon) {
  KT_CHECK(!abandoned_);
  auto owned = std::make_unique<Fiber>(*this, ThreadId(next_thread_id_++), name);
  Fiber& fiber = *owned;
  fibers_.push_back(std::move(owned));
  fiber.daemon = daemon;
  fiber.subject = trace_.AddSubject(name);
  fiber.function = std::move(function);
  fiber.join->id = fiber.id;
  fiber.join->name = fiber.name;
  fiber.context.stack = stacks_->Take();
  fiber.context.argument = &fiber;
  fiber.context.name = fiber.name.c_str();
  fiber.context.of_simulator = daemon;
  fiber.context.entry = [](void* argument) -> Context* {
    Fiber& self = *static_cast<Fiber*>(argument);
    RunFiber(self);
    Kernel& kernel = self.kernel;
    UncheckedSection unchecked;
    kernel.Retire(self);
    Fiber* const next = kernel.interrupted_ ? nullptr : kernel.ChooseNext();
    kernel.current_ = next;
    return next == nullptr ? &kernel.switcher_->main() : &next->context;
  };
  switcher_->Prepare(fiber.context);
  trace_.Note(TraceKind::kSpawn, fiber.subject, daemon ? 1 : 0);
  ++counts_.spawned;
  live_count_ += daemon ? 0 : 1;
  MakeRunnable(fiber);
  return fiber;
}

// The program's code; nothing of it may be left on the stack when this returns.
void Kernel::RunFiber(Fiber& fiber) {
  try {
    fiber.function();
    fiber.function = nullptr;
  } catch (...) {
    UncheckedSection unchecked;
    if (fiber.kernel.escaped_ == nullptr) fiber.kernel.escaped_ = std::current_exception();
    fiber.kernel.Interrupt();
  }
}

void Kernel::Retire(Fiber& fiber) {
  KT_CHECK_MSG(fiber.held.empty() || escaped_ != nullptr, "a thread ended with a lock held: " + fiber.name);
  fiber.state = Fiber::State::kEnded;
  trace_.Note(TraceKind::kExit, fiber.subject);
  live_count_ -= fiber.daemon ? 0 : 1;
  DeclareRelease(fiber.join.get());
  fiber.join->ended = true;
  if (fiber.join->joiner != nullptr) Unpark(*fiber.join->joiner);
  // Its stack is in use until the next switch.
  const auto place =
      std::find_if(fibers_.begin(), fibers_.end(), [&](const auto& owned) { return owned.get() == &fiber; });
  ended_.push_back(std::move(*place));
  fibers_.erase(place);
}

void Kernel::Reap() {
  for (const std::unique_ptr<Fiber>& fiber : ended_) {
    switcher_->Observe(fiber->context);
    switcher_->Forget(fiber->context);
    stacks_->Give(fiber->context.stack);
  }
  ended_.clear();
}

Fiber* Kernel::ChooseNext() {
  if (runnable_.empty()) return nullptr;
  std::size_t index = 0;
  if (runnable_.size() > 1) {
    index = strategy_->ChooseNext(runnable_);
    const ThreadInfo& chosen = *runnable_[index];
    trace_.Note(TraceKind::kDecision, chosen.subject, runnable_.size(), TraceHash(chosen.site.name()));
  }
  auto* const next = static_cast<Fiber*>(runnable_[index]);
  runnable_.erase(runnable_.begin() + static_cast<std::ptrdiff_t>(index));
  next->state = Fiber::State::kRunning;
  return next;
}

// The running thread has put itself wherever it will be found again.
void Kernel::SwitchAway() {
  Fiber& self = *current_;
  Fiber* const next = interrupted_ ? nullptr : ChooseNext();
  if (next == &self) return;
  current_ = next;
  ++counts_.switches;
  SwitchContext(*switcher_, self.context, next == nullptr ? switcher_->main() : next->context);
  current_ = &self;
}

void Kernel::MakeRunnable(Fiber& fiber) {
  if (fiber.stalled_until > now_) [[unlikely]] {
    fiber.state = Fiber::State::kStalled;
    heap_.Push(fiber.stalled_until, false, [this, &fiber] { MakeRunnable(fiber); });
    return;
  }
  fiber.state = Fiber::State::kRunnable;
  runnable_.push_back(&fiber);
}

bool Kernel::Park(Instant deadline, Site site, const WaitFor& wait) {
  KT_CHECK_MSG(current_ != nullptr, std::string("would block outside of threads: ").append(site.name()));
  Fiber& self = *current_;
  self.state = Fiber::State::kParked;
  self.site = site;
  self.wait = wait;
  self.deadline = deadline;
  self.timed_out = false;
  trace_.Note(TraceKind::kWait, self.subject, static_cast<std::uint64_t>(deadline.nanos()), TraceHash(site.name()));
  if (deadline != Instant::Never()) {
    self.timer = At(deadline, [this, &self] {
      self.timer = EventId();
      self.timed_out = true;
      MakeRunnable(self);
    });
  }
  SwitchAway();
  return !self.timed_out;
}

void Kernel::Unpark(Fiber& fiber) {
  if (fiber.state != Fiber::State::kParked) return;
  if (fiber.timer != EventId()) {
    heap_.Cancel(fiber.timer);
    fiber.timer = EventId();
  }
  MakeRunnable(fiber);
}

int Kernel::StallThreads(std::string_view name, Instant until) {
  int met = 0;
  for (const std::unique_ptr<Fiber>& owned : fibers_) {
    Fiber& fiber = *owned;
    if (name == "*" ? fiber.daemon : fiber.name != name) continue;
    ++met;
    if (fiber.stalled_until >= until) continue;
    Stall(fiber, until - now_);
    if (&fiber == current_) {
      points_left_ = 0;  // at its next scheduling point
    } else if (std::erase(runnable_, &fiber) != 0) {
      MakeRunnable(fiber);
    }
  }
  return met;
}

void Kernel::Stall(Fiber& fiber, Duration length) {
  fiber.stalled_until = now_ + length;
  ++counts_.stalls;
  counts_.stalled += length;
  trace_.Note(TraceKind::kStall, fiber.subject, static_cast<std::uint64_t>(length.count()));
}

// --- Scheduling points ---

void Kernel::SlowPoint(Site site) {
  if (points_left_ <= 0) Account();
  if (current_ == nullptr) return;
  Fiber& self = *current_;
  self.site = site;
  if (stalls_ && !self.daemon) {
    const Duration length = strategy_->DrawStall(self);
    if (length > Duration::zero()) Stall(self, length);
  }
  if (runnable_.empty() && self.stalled_until <= now_ && !interrupted_) return;
  MakeRunnable(self);
  SwitchAway();
}

void Kernel::Account() {
  const std::int64_t consumed = points_granted_ - std::max<std::int64_t>(points_left_, 0);
  counts_.points += consumed;
  // Coarse: what was taken since the last account counts for the present moment only if that is the same one.
  steps_in_moment_ = accounted_ == now_ ? steps_in_moment_ + consumed : 0;
  accounted_ = now_;
  steps_in_run_ += consumed;
  points_granted_ = stalls_ ? 1 : kPointsPerGrant;
  points_left_ = points_granted_;
  if (steps_in_moment_ > options_.steps_without_time_max) {
    steps_in_moment_ = 0;
    Find(KernelEnd::kLivelock, "too many steps in one moment of virtual time\n" + ThreadReport());
  } else if (steps_in_run_ > options_.steps_max) {
    steps_in_run_ = 0;
    Find(KernelEnd::kStepLimit, "the run took more steps than it may\n" + ThreadReport());
  }
}

Kernel::Counts Kernel::counts() const {
  Counts counts = counts_;
  counts.points += points_granted_ - std::max<std::int64_t>(points_left_, 0);
  return counts;
}

void Kernel::Abandon() {
  KT_CHECK(!running_);
  abandoned_ = true;
  for (const std::unique_ptr<Fiber>& fiber : fibers_) switcher_->Abandon(fiber->context);
  // A thread that never started still has its function, and nothing on its stack that refers to it.
  runnable_.clear();
  live_count_ = 0;
}

}  // namespace ktrial::sim
