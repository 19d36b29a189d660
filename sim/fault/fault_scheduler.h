// FaultScheduler carries out a fault plan: it begins each fault when it is due, ends it when its time is over, and
// heals everything at the end. All of it runs on the host's thread, from the host's timers and request hooks.
//
//   FaultScheduler faults(plan, seed, duration, world);
//   faults.Start(now);        // before the host runs, or on its thread
//   ...
//   faults.HealAll();         // on its thread; nothing begins afterwards
//   faults.outcomes();
#ifndef SIM_FAULT_FAULT_SCHEDULER_H_
#define SIM_FAULT_FAULT_SCHEDULER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/env/clock.h"
#include "sim/fault/fault.h"
#include "sim/fault/fault_spec.h"

namespace ktrial::sim {

class FaultScheduler {
 public:
  FaultScheduler(std::vector<FaultSpec> plan, std::uint64_t seed, Duration duration, FaultWorld world);
  ~FaultScheduler();
  FaultScheduler(const FaultScheduler&) = delete;
  FaultScheduler& operator=(const FaultScheduler&) = delete;

  // Sets the timers and hooks; moments of the plan count from `start`.
  void Start(Instant start);
  // Ends every episode and stops everything that is still to come. Idempotent.
  void HealAll();
  // In the order of the plan.
  std::vector<FaultOutcome> outcomes() const;

 private:
  class Entry;
  FaultWorld world_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace ktrial::sim

#endif  // SIM_FAULT_FAULT_SCHEDULER_H_
