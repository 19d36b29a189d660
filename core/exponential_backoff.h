// How long to wait after the n-th failure in a row: EB(base, max, n) of behaviours.md.
//
//   b = min(base, max). If max <= base the result is the constant b.
//   Otherwise min(max, r * b * 2^min(n, log2(max / max(base, 1 ms)))), r drawn uniformly from [0.8, 1.2]; the cap applies after r.
//
// Integers only, so that every compiler and C library gives the same nanosecond. Draw once per failure and keep the deadline:
// a backoff that is drawn again at each look lets "is it due?" flicker.
#ifndef CORE_EXPONENTIAL_BACKOFF_H_
#define CORE_EXPONENTIAL_BACKOFF_H_

#include <chrono>

#include "core/env/clock.h"
#include "core/env/entropy.h"

namespace ktrial {

// The longest wait where a broker says CONCURRENT_TRANSACTIONS to the first that a transaction asks for: the one before is
// still getting its markers, which takes a moment only (SN-32). Shorter than what is drawn for other errors.
inline constexpr Duration kConcurrentTransactionsBackoff = std::chrono::milliseconds(20);

class ExponentialBackoff {
 public:
  constexpr ExponentialBackoff(Duration base, Duration max) : base_(base), max_(max) {}
  // `failures` >= 0: 0 gives about `base`. Draws once, unless the result is constant.
  Duration Delay(std::int64_t failures, Entropy& entropy, DrawPurpose purpose) const;
  // The largest value that Delay can return.
  constexpr Duration Max() const { return max_ <= base_ ? (base_ < max_ ? base_ : max_) : max_; }

 private:
  Duration base_;
  Duration max_;
};

}  // namespace ktrial

#endif  // CORE_EXPONENTIAL_BACKOFF_H_
