#include "core/metadata/refresh_schedule.h"

#include <algorithm>

namespace ktrial {

Instant RefreshSchedule::NextUpdateAt() const {
  const Instant expires = ExpiresAt();
  const Instant wanted = full_ || partial_ ? kAtOnce : expires;
  // Answers that taught nothing slow down updates that somebody asked for, never the periodic one.
  const Instant equivalent = std::min(equivalent_backoff_until_, expires);
  return std::max({wanted, attempt_backoff_until_, equivalent});
}

void RefreshSchedule::RequestFull(RefreshReason reason) {
  full_ = true;
  Note(reason);
}

void RefreshSchedule::RequestFullFirst(RefreshReason reason) {
  full_ = true;
  reason_ = reason;
}

void RefreshSchedule::RequestPartial(RefreshReason reason, bool past_backoff) {
  partial_ = true;
  Note(reason);
  ForgetEquivalents();
  if (past_backoff) {
    past_backoff_ = true;
    attempt_backoff_until_ = kAtOnce;
  }
}

void RefreshSchedule::ForgetEquivalents() {
  equivalent_answers_ = 0;
  equivalent_backoff_until_ = kAtOnce;
}

RefreshSchedule::Started RefreshSchedule::Start(Instant now) {
  if (now >= ExpiresAt()) ForgetEquivalents();
  started_reason_ = reason_.value_or(RefreshReason::kPeriodic);
  reason_.reset();
  past_backoff_ = false;
  return {.partial = !full_ && ExpiresAt() > now, .reason = *started_reason_};
}

void RefreshSchedule::Answered(Instant now, bool partial, bool partial_wanted) {
  last_refresh_ = now;
  failed_attempts_ = 0;
  partial_ = partial_wanted;
  if (!partial) {
    full_ = false;
    last_success_ = now;
  }
  // What was asked for meanwhile has been answered, unless a flag is still up.
  if (!full_) reason_ = partial_ ? std::optional(RefreshReason::kNewTopic) : std::nullopt;
  started_reason_.reset();
}

void RefreshSchedule::Examined(bool taught_something, Entropy& entropy) {
  const Instant since = *last_refresh_;
  // A topic that became known while the answer was on its way has not been asked for: it need not wait for anything
  // (MD-07).
  attempt_backoff_until_ = since + backoff_.Delay(0, entropy, DrawPurpose::kMetadataBackoff);
  if (past_backoff_ && partial_) attempt_backoff_until_ = kAtOnce;
  if (taught_something) {
    ForgetEquivalents();
    return;
  }
  equivalent_backoff_until_ = since + backoff_.Delay(equivalent_answers_, entropy, DrawPurpose::kMetadataBackoff);
  ++equivalent_answers_;
  if (past_backoff_ && partial_) equivalent_backoff_until_ = kAtOnce;
}

void RefreshSchedule::Failed(Instant now, Entropy& entropy) {
  last_refresh_ = now;
  ++failed_attempts_;
  ForgetEquivalents();
  attempt_backoff_until_ = now + backoff_.Delay(failed_attempts_ - 1, entropy, DrawPurpose::kMetadataBackoff);
  if (started_reason_.has_value()) reason_ = started_reason_;
  started_reason_.reset();
}

}  // namespace ktrial
