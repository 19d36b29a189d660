// TimerQueue holds what brokers and faults mean to do later. It belongs to a Cluster and is driven by the loop of its
// BrokerHost, so the same code waits in simulated and in real time.
//
// Due functions run in order of (moment, order of At), on the thread of the loop. A function may call At and Cancel.
//
// Not thread-safe. At may be called from outside the loop as long as the loop's thread is not running at that moment
// (before it starts, or from an event of a simulator that runs everything on one OS thread); other threads use
// BrokerHost::Post.
#ifndef SIM_BROKER_TIMER_QUEUE_H_
#define SIM_BROKER_TIMER_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/env/clock.h"

namespace ktrial::sim {

using TimerId = std::uint64_t;  // 0 is never given out.

class TimerQueue {
 public:
  using Function = absl::AnyInvocable<void()>;

  // A moment in the past is due at the next RunDue.
  TimerId At(Instant moment, Function function);
  // Does nothing if it has run or was cancelled, nor for 0.
  void Cancel(TimerId id);

  // When something is due next; Never() if nothing is.
  Instant Next() const { return heap_.empty() ? Instant::Never() : heap_.front().moment; }
  // Runs what is due at `now`, including what that adds for `now` or earlier. Returns how many ran.
  int RunDue(Instant now);

  // Called whenever Next() becomes earlier, so that a loop that waits can look again. One owner.
  void SetEarlierCallback(absl::AnyInvocable<void()> callback) { on_earlier_ = std::move(callback); }

 private:
  struct Entry {
    Instant moment;
    TimerId id = 0;
  };
  struct Slot {
    TimerId id = 0;  // 0: free
    Function function;
  };
  // Orders the heap: the earliest in front, the first asked for among equals.
  static bool IsLater(const Entry& left, const Entry& right);
  bool IsLive(const Entry& entry) const;
  void Release(std::size_t slot);
  void Sweep();
  // Keeps the front of the heap alive, so that Next() is right.
  void DropCancelledFront();

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t cancelled_ = 0;  // entries of the heap whose timer is gone
  std::uint64_t calls_ = 0;
  absl::AnyInvocable<void()> on_earlier_;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_TIMER_QUEUE_H_
