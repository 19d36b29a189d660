// FaultScheduler carries out a fault plan: it begins each fault when it is due, ends it when its time is over, and
// heals everything at the end. All of it runs on the host's thread, from the host's timers and request hooks.
//
//   FaultScheduler faults(plan, seed, duration, world);
//   faults.Start(now);        // before the host runs, or on its thread
//   ...
//   faults.HealAll();         // on its thread; nothing begins afterwards
//   faults.outcomes();
//
// Destroy it after the host has stopped: hooks and timers refer to it.
#ifndef SIM_FAULT_FAULT_SCHEDULER_H_
#define SIM_FAULT_FAULT_SCHEDULER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/env/clock.h"
#include "sim/broker/request_hook.h"
#include "sim/fault/fault.h"
#include "sim/fault/fault_spec.h"

namespace ktrial::sim {

class FaultScheduler final : public RequestHook {
 public:
  // What `world` refers to outlives the scheduler.
  FaultScheduler(std::vector<FaultSpec> plan, std::uint64_t seed, Duration duration, const FaultWorld& world);
  ~FaultScheduler() override;
  FaultScheduler(const FaultScheduler&) = delete;
  FaultScheduler& operator=(const FaultScheduler&) = delete;

  // Sets the timers and hooks; moments of the plan count from `start`. Everything heals at start + duration by itself.
  void Start(Instant start);
  // Ends every episode and stops everything that is still to come. Idempotent.
  void HealAll();
  bool healed() const { return healed_; }

  // In the order of the plan.
  std::vector<FaultOutcome> outcomes() const;
  // When episodes with a length ended, HealAll included; in order of time.
  const std::vector<Instant>& heals() const { return heals_; }
  // The longest time for which stall_thread may have kept a thread from the CPU, all episodes together.
  Duration stalled() const { return stalled_; }

  void OnRequest(RequestPhase phase, const RequestView& request, RequestControl& control) override;

 private:
  class Entry;
  void ScheduleNext(Entry& entry);
  void Begin(Entry& entry, const RequestPoint* point);
  void End(Entry& entry);
  bool MeetsTrigger(Entry& entry, const RequestPoint& point);
  Instant Now() const;

  FaultWorld world_;
  const Duration duration_;
  std::vector<std::unique_ptr<Entry>> entries_;
  bool has_hook_ = false;
  bool started_ = false;
  bool healed_ = false;
  Instant start_;
  std::vector<Instant> heals_;
  Duration stalled_{0};
};

}  // namespace ktrial::sim

#endif  // SIM_FAULT_FAULT_SCHEDULER_H_
