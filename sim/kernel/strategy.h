// Strategy decides what a scheduler is free to decide: which runnable thread goes on, who of several waiters is woken,
// and whether a thread loses the CPU for a while. All freedom of a schedule passes through this interface, so a replay
// is one more strategy.
//
// The time rule decides which bugs a run can contain, the strategy only how often they show: virtual time moves only
// when nothing is runnable, and a *stalled* thread is how a deadline passes while somebody is in the middle of
// something.
#ifndef SIM_KERNEL_STRATEGY_H_
#define SIM_KERNEL_STRATEGY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "core/env/site.h"
#include "core/env/threads.h"
#include "sim/kernel/draws.h"

namespace ktrial::sim {

// What a strategy may know of a thread.
struct ThreadInfo {
  ThreadId id;
  std::string name;
  Subject subject = Subject::kNone;
  Site site{"kernel.not_started"};  // where it stands
  bool daemon = false;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Which of the runnable threads goes on; they are in the order in which they became runnable (the one that runs now,
  // if it could go on, is last). At least two.
  virtual std::size_t ChooseNext(std::span<ThreadInfo* const> runnable) = 0;
  // Which of the waiters of one lock or condition is woken, in the order in which they came. At least two.
  virtual std::size_t ChooseWaiter(std::span<ThreadInfo* const> waiters) = 0;
  // Asked at each scheduling point, if stalls() says so: for how long the thread loses the CPU. Zero: not at all.
  virtual Duration DrawStall(const ThreadInfo& thread) = 0;
  virtual bool stalls() const = 0;
  // Whether a wait on a condition that begins now wakes up at once without a cause. Asked only if stalls().
  virtual bool DrawSpuriousWake(const ThreadInfo& thread) = 0;
};

enum class StrategyKind : std::uint8_t {
  kRoundRobin,  // each runnable thread in turn, switching at every scheduling point
  kRandomWalk,  // any runnable thread, all alike
};
std::string_view StrategyKindName(StrategyKind kind);  // "round_robin", "random"

enum class StallMode : std::uint8_t {
  kNone,
  kRare,   // one scheduling point in about 2000
  kOften,  // one in about 16
};
std::string_view StallModeName(StallMode mode);  // "none", "rare", "often"

// The stream is the only source of what the strategy draws.
std::unique_ptr<Strategy> MakeStrategy(StrategyKind kind, StallMode stalls, Stream stream);

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_STRATEGY_H_
