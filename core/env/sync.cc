#include "core/env/sync.h"

#include <chrono>

namespace ktrial {

bool CondVar::Wait(Mutex& mutex, Instant deadline, absl::FunctionRef<bool()> predicate, Site site) {
  if (hooks_ != nullptr) return hooks_->Wait(handle_, mutex.handle_, deadline, predicate, site);
  std::unique_lock<std::mutex> lock(mutex.native_, std::adopt_lock);
  bool holds = false;
  if (deadline == Instant::Never()) {
    native_.wait(lock, predicate);
    holds = true;
  } else {
    // An Instant of the production clock counts nanoseconds of CLOCK_MONOTONIC, as steady_clock does.
    const std::chrono::steady_clock::time_point until{Duration(deadline.nanos())};
    holds = native_.wait_until(lock, until, predicate);
  }
  lock.release();
  return holds;
}

}  // namespace ktrial
