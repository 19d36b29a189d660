// Clock is the only way code in core/ may learn what time it is. Production reads the system's clocks; a simulated clock moves
// only when the simulator moves it, which is what makes a run repeatable from its seed.
//
// There are two kinds of time, of two types that do not convert into each other:
//   Instant   monotonic nanoseconds. It never goes back, it has no calendar, it means nothing to another process. All deadlines
//             are Instants: a wait that is tried again cannot drift.
//   WallTime  milliseconds since 1970, for record timestamps. It may jump either way and may be up to 4 ms old, which makes it
//             cheap enough (a few ns) for the path of a record. It is the only clock on that path.
//
// Lengths of time are std::chrono::nanoseconds, called Duration.
#ifndef CORE_ENV_CLOCK_H_
#define CORE_ENV_CLOCK_H_

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace ktrial {

using Duration = std::chrono::nanoseconds;

// A moment on one Clock. Instants of two different clocks must not be compared. Sums saturate: a moment plus a huge linger is
// Never(), not the past.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant FromNanos(std::int64_t nanos) { return Instant(nanos); }
  // Later than every moment that a clock returns; as a deadline, "no deadline".
  static constexpr Instant Never() { return Instant(std::numeric_limits<std::int64_t>::max()); }
  constexpr std::int64_t nanos() const { return nanos_; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant moment, Duration length) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(moment.nanos_, length.count(), &sum)) return Instant(sum);
    return length.count() > 0 ? Never() : Instant(std::numeric_limits<std::int64_t>::min());
  }
  friend constexpr Instant operator-(Instant moment, Duration length) { return moment + Duration(-length.count()); }
  friend constexpr Duration operator-(Instant later, Instant earlier) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(later.nanos_, earlier.nanos_, &difference)) return Duration(difference);
    return later.nanos_ > 0 ? Duration::max() : Duration::min();
  }

 private:
  constexpr explicit Instant(std::int64_t nanos) : nanos_(nanos) {}
  std::int64_t nanos_ = 0;
};

// A time of day, in milliseconds since 1970-01-01 UTC, as Kafka writes it into records.
class WallTime {
 public:
  constexpr WallTime() = default;
  static constexpr WallTime FromMillis(std::int64_t millis) { return WallTime(millis); }
  constexpr std::int64_t millis() const { return millis_; }
  friend constexpr auto operator<=>(WallTime, WallTime) = default;

 private:
  constexpr explicit WallTime(std::int64_t millis) : millis_(millis) {}
  std::int64_t millis_ = 0;
};

// Thread safety: both reads may be called from any thread at any time.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never earlier than a previous call on any thread returned. Two calls may return the same moment.
  virtual Instant Now() const = 0;
  // May be 4 ms old, may jump either way.
  virtual WallTime WallNow() const = 0;
};

}  // namespace ktrial

#endif  // CORE_ENV_CLOCK_H_
