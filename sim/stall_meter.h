// StallMeter passes a strategy's decisions on and adds up for how long threads lost the CPU, which is what a deadline
// that was missed by less may be blamed on.
#ifndef SIM_STALL_METER_H_
#define SIM_STALL_METER_H_

#include <memory>
#include <span>

#include "core/env/clock.h"
#include "sim/kernel/strategy.h"

namespace ktrial::sim {

class StallMeter final : public Strategy {
 public:
  // `total` outlives the meter.
  StallMeter(std::unique_ptr<Strategy> strategy, Duration& total) : strategy_(std::move(strategy)), total_(total) {}

  std::size_t ChooseNext(std::span<ThreadInfo* const> runnable) override { return strategy_->ChooseNext(runnable); }
  std::size_t ChooseWaiter(std::span<ThreadInfo* const> waiters) override { return strategy_->ChooseWaiter(waiters); }
  Duration DrawStall(const ThreadInfo& thread) override {
    const Duration stall = strategy_->DrawStall(thread);
    total_ += stall;
    return stall;
  }
  bool stalls() const override { return strategy_->stalls(); }
  bool DrawSpuriousWake(const ThreadInfo& thread) override { return strategy_->DrawSpuriousWake(thread); }

 private:
  const std::unique_ptr<Strategy> strategy_;
  Duration& total_;
};

}  // namespace ktrial::sim

#endif  // SIM_STALL_METER_H_
