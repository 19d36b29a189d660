#include "core/env/posix/posix_clock.h"

#include <time.h>

#include "core/check.h"

namespace ktrial {
namespace {

timespec Read(clockid_t clock) {
  timespec time;
  KT_CHECK(clock_gettime(clock, &time) == 0);
  return time;
}

}  // namespace

Instant PosixClock::Now() const {
  const timespec time = Read(CLOCK_MONOTONIC);
  return Instant::FromNanos(time.tv_sec * 1'000'000'000 + time.tv_nsec);
}

WallTime PosixClock::WallNow() const {
  const timespec time = Read(CLOCK_REALTIME_COARSE);
  return WallTime::FromMillis(time.tv_sec * 1'000 + time.tv_nsec / 1'000'000);
}

}  // namespace ktrial
