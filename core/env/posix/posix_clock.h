// The kernel's clocks: CLOCK_MONOTONIC for Instants (about 20 ns a read), CLOCK_REALTIME_COARSE for WallTime (about 3 ns, up to
// one tick of 4 ms old).
#ifndef CORE_ENV_POSIX_POSIX_CLOCK_H_
#define CORE_ENV_POSIX_POSIX_CLOCK_H_

#include "core/env/clock.h"

namespace ktrial {

class PosixClock final : public Clock {
 public:
  Instant Now() const override;
  WallTime WallNow() const override;
};

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_POSIX_CLOCK_H_
