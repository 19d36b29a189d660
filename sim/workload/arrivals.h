// Arrivals gives the moments at which records of a workload fall due: evenly, or as a Poisson process. Evenly means
// exactly: the n-th of a rate falls due at start + n * per / count, rounded down, so nothing drifts.
#ifndef SIM_WORKLOAD_ARRIVALS_H_
#define SIM_WORKLOAD_ARRIVALS_H_

#include <cstdint>

#include "core/env/clock.h"
#include "sim/kernel/draws.h"
#include "sim/workload/workload_spec.h"

namespace ktrial::sim {

class Arrivals {
 public:
  // The first even arrival is at `start`, the first of a Poisson process one drawn interval later. `draws` outlives
  // this.
  Arrivals(Rate rate, Arrival kind, Instant start, Stream& draws);
  Instant next() const { return next_; }
  void Advance();

 private:
  const Rate rate_;
  const Arrival kind_;
  const Instant start_;
  Stream& draws_;
  const Distribution interval_;
  std::int64_t number_ = 0;
  Instant next_;
};

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_ARRIVALS_H_
