// Fiber is the kernel's side of a simulated thread.
#ifndef SIM_KERNEL_FIBER_H_
#define SIM_KERNEL_FIBER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/env/clock.h"
#include "sim/kernel/context.h"
#include "sim/kernel/event_heap.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/strategy.h"

namespace ktrial::sim {

struct SimMutex;

// What a thread and its handle share: either may be gone first.
struct JoinState {
  ThreadId id;
  std::string name;
  bool ended = false;
  Fiber* joiner = nullptr;
};

//   kRunnable -> kRunning            the strategy chose it
//   kRunning  -> kRunnable           it came to a scheduling point, and another one was chosen
//             -> kParked             it waits
//             -> kStalled            it lost the CPU until stalled_until
//             -> kDead               a KT_CHECK failed on it; final
//             -> kEnded              its function returned, or threw; final
//   kParked, kStalled -> kRunnable   what it waited for came, or the deadline
//   kRunnable, kParked -> kStalled   somebody stalled it, or it is woken while it is stalled
class Fiber final : public ThreadInfo {
 public:
  enum class State : std::uint8_t { kRunnable, kRunning, kParked, kStalled, kDead, kEnded };

  Fiber(Kernel& kernel_in, ThreadId id_in, std::string_view name_in) : kernel(kernel_in) {
    id = id_in;
    name = name_in;
  }

  Kernel& kernel;
  Context context;
  absl::AnyInvocable<void()> function;
  std::shared_ptr<JoinState> join = std::make_shared<JoinState>();

  State state = State::kRunnable;
  Kernel::WaitFor wait;  // while parked
  Instant deadline = Instant::Never();
  EventId timer;
  bool timed_out = false;
  Instant stalled_until;  // in the past: not stalled

  std::vector<SimMutex*> held;  // in the order of locking
  SimMutex* locking = nullptr;  // while parked for a lock
};

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_FIBER_H_
