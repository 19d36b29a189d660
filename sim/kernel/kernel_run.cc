// Kernel: how a world is driven, and how a run ends.
#include <utility>

#include "core/check.h"
#include "sim/kernel/context.h"
#include "sim/kernel/fiber.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/switch.h"

namespace ktrial::sim {
namespace {

// What a failed check in an event is thrown as: there is no thread to park.
struct CheckFailedInEvent {
  std::string text;
};

}  // namespace

void Kernel::Stop(std::string_view why) {
  UncheckedSection unchecked;
  if (!stop_asked_) stop_reason_ = why;
  stop_asked_ = true;
  Interrupt();
}

void Kernel::Interrupt() {
  interrupted_ = true;
  points_left_ = 0;
}

KernelResult Kernel::Run() { return Drive(nullptr, Instant::Never(), Until::kNothingLeft); }

KernelResult Kernel::RunUntil(Instant deadline) { return Drive(nullptr, deadline, Until::kMoment); }

KernelResult Kernel::RunUntil(absl::FunctionRef<bool()> predicate, Instant deadline) {
  return Drive(&predicate, deadline, Until::kNothingLeft);
}

KernelResult Kernel::Drive(const Predicate* holds, Instant deadline, Until until) {
  KT_CHECK_MSG(!running_ && !abandoned_, "a world that already runs, or was abandoned");
  running_ = true;
  steps_in_run_ = 0;
  const CheckFailureHook hook = ExchangeCheckFailureHook({.handler = &OnCheckFailed, .context = this});
  switcher_->Enter();
  struct Leave {
    Kernel& kernel;
    const CheckFailureHook& hook;
    ~Leave() {
      kernel.Reap();
      for (const std::unique_ptr<Fiber>& fiber : kernel.fibers_) kernel.switcher_->Observe(fiber->context);
      kernel.switcher_->Leave();
      ExchangeCheckFailureHook(hook);
      kernel.running_ = false;
    }
  } leave{*this, hook};
  KernelResult result = Loop(holds, deadline, until);
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return result;
}

KernelResult Kernel::Loop(const Predicate* holds, Instant deadline, Until until) {
  for (;;) {
    if (!runnable_.empty()) RunThreads();
    if (interrupted_) [[unlikely]]
      return TakeInterruption();
    if (holds != nullptr) {
      UncheckedSection unchecked;
      if ((*holds)()) return {.end = KernelEnd::kHolds};
    }
    if (until == Until::kNothingLeft && heap_.work_count() == 0) {
      if (live_count_ == 0) return {.end = KernelEnd::kIdle};
      return {.end = KernelEnd::kDeadlock, .text = "threads wait, and nothing can wake them\n" + ThreadReport()};
    }
    if (heap_.empty() || heap_.next_moment() > deadline) {
      if (deadline != Instant::Never()) MoveTime(deadline);
      return {.end = KernelEnd::kDeadline};
    }
    RunEvent();
  }
}

void Kernel::RunThreads() {
  while (!runnable_.empty() && !interrupted_) {
    current_ = ChooseNext();
    ++counts_.switches;
    SwitchContext(*switcher_, switcher_->main(), current_->context);
    current_ = nullptr;
    if (!ended_.empty()) Reap();
  }
}

// Events are the simulator's own: what they hand to threads (addresses, bytes, ends) needs no lock of the program.
void Kernel::RunEvent() {
  UncheckedSection unchecked;
  const Instant moment = heap_.next_moment();
  if (moment != now_) MoveTime(moment);
  trace_.Note(TraceKind::kTimer, Subject::kNone, static_cast<std::uint64_t>(moment.nanos()), heap_.next_sequence());
  ++counts_.events;
  --points_left_;
  if (points_left_ <= 0) [[unlikely]]
    Account();
  try {
    heap_.RunNext();
  } catch (const CheckFailedInEvent& failure) {
    Find(KernelEnd::kCheckFailed, failure.text);
  }
}

void Kernel::MoveTime(Instant to) {
  KT_CHECK(to >= now_);
  now_ = to;
  trace_.MoveTo(now_);
}

void Kernel::Find(KernelEnd end, std::string text) {
  findings_.push_back({.end = end, .text = std::move(text)});
  Interrupt();
}

KernelResult Kernel::TakeInterruption() {
  KernelResult result;
  if (!findings_.empty()) {
    result = std::move(findings_.front());
    findings_.erase(findings_.begin());
  } else if (stop_asked_) {
    stop_asked_ = false;
    result = {.end = KernelEnd::kStopped, .text = std::exchange(stop_reason_, {})};
  } else {
    thrown_ = std::exchange(escaped_, nullptr);
  }
  interrupted_ = !findings_.empty() || stop_asked_ || escaped_ != nullptr;
  return result;
}

void Kernel::OnCheckFailed(void* context, std::string_view text) {
  Kernel& kernel = *static_cast<Kernel*>(context);
  if (kernel.current() == nullptr) throw CheckFailedInEvent{std::string(text)};
  UncheckedSection unchecked;
  Fiber& self = *kernel.current_;
  self.state = Fiber::State::kDead;
  kernel.live_count_ -= self.daemon ? 0 : 1;
  kernel.Find(KernelEnd::kCheckFailed, std::string(text).append("\n  on the thread \"").append(self.name).append("\""));
  for (;;) kernel.SwitchAway();
}

}  // namespace ktrial::sim
