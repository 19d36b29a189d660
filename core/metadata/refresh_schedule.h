// RefreshSchedule knows when metadata has to be asked for again, and why. It is the arithmetic of MD-04 to MD-12 and
// MD-45 alone: no clock, no lock, no topics. Every answer is a function of (state, now).
//
//   next update = the latest of   now, if an update was asked for; else the last full success + max_age
//                                 the end of the backoff after the last attempt, good or bad
//                                 the end of the backoff of answers that taught nothing (only until max_age is over)
//
// A backoff is drawn once, when the attempt ends, and kept as a moment (D-4).
#ifndef CORE_METADATA_REFRESH_SCHEDULE_H_
#define CORE_METADATA_REFRESH_SCHEDULE_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/exponential_backoff.h"
#include "core/observer.h"

namespace ktrial {

// Earlier than every moment that a clock returns: "at once".
inline constexpr Instant kAtOnce = Instant::FromNanos(std::numeric_limits<std::int64_t>::min());

// Thread safety: none; Metadata guards it.
class RefreshSchedule {
 public:
  RefreshSchedule(ExponentialBackoff backoff, Duration max_age) : backoff_(backoff), max_age_(max_age) {}

  // kAtOnce or a moment; due iff it is not after now.
  Instant NextUpdateAt() const;

  // --- Asking ---

  // A full update, as soon as the backoffs allow (MD-03, MD-06).
  void RequestFull(RefreshReason reason);
  // As above, but the reason counts before those given so far.
  void RequestFullFirst(RefreshReason reason);
  // A partial update for topics that nobody has asked for yet; `past_backoff` makes it due at once (MD-07).
  void RequestPartial(RefreshReason reason, bool past_backoff);
  // Answers that taught nothing so far no longer slow down the next update (MD-03, MD-45).
  void ForgetEquivalents();

  // --- The life of one request ---

  // A request goes out now. Returns whether it is partial (MD-12) and its reason: the first one given since the request
  // before, kPeriodic if age alone makes it due.
  struct Started {
    bool partial = false;
    RefreshReason reason = RefreshReason::kPeriodic;
  };
  Started Start(Instant now);
  // An answer came; its body is not examined yet, so that an error in it can ask again (MD-15). `partial_wanted`:
  // topics were added after the request was built (MD-11).
  void Answered(Instant now, bool partial, bool partial_wanted);
  // The body has been examined: did it say anything new (MD-45)? Draws the backoffs.
  void Examined(bool taught_something, Entropy& entropy);
  // No usable answer (MD-10). Draws the backoff.
  void Failed(Instant now, Entropy& entropy);

  // --- For metrics and tests ---
  bool full_requested() const { return full_; }
  bool partial_requested() const { return partial_; }
  std::optional<Instant> last_success() const { return last_success_; }
  std::optional<Instant> last_refresh() const { return last_refresh_; }
  std::int64_t failed_attempts() const { return failed_attempts_; }
  std::int64_t equivalent_answers() const { return equivalent_answers_; }

 private:
  // When age alone makes an update due.
  Instant ExpiresAt() const { return last_success_.has_value() ? *last_success_ + max_age_ : kAtOnce; }
  void Note(RefreshReason reason) {
    if (!reason_.has_value()) reason_ = reason;
  }

  // Set in the constructor, never changed.
  const ExponentialBackoff backoff_;
  const Duration max_age_;

  bool full_ = false;
  bool partial_ = false;
  std::optional<RefreshReason> reason_;          // The first given since the last request started.
  std::optional<RefreshReason> started_reason_;  // Of the request in flight; comes back if that fails.
  std::optional<Instant> last_refresh_;          // The last attempt that ended, good or bad.
  std::optional<Instant> last_success_;          // The last full answer.
  std::int64_t failed_attempts_ = 0;             // In a row.
  std::int64_t equivalent_answers_ = 0;          // In a row.
  bool past_backoff_ = false;                    // A new topic came after the last attempt started.
  Instant attempt_backoff_until_ = kAtOnce;
  Instant equivalent_backoff_until_ = kAtOnce;
};

}  // namespace ktrial

#endif  // CORE_METADATA_REFRESH_SCHEDULE_H_
