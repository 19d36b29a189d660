#include "core/producer/windowed_stat.h"

#include <algorithm>
#include <limits>

namespace ktrial {

void WindowedStat::Record(Instant now, double value) {
  if (ring_.empty()) {
    ring_.reserve(static_cast<std::size_t>(windows_.count));
    ring_.push_back({.start = now});
  } else if (now - ring_[current_].start >= windows_.length) {
    current_ = (current_ + 1) % static_cast<std::size_t>(windows_.count);
    if (current_ == ring_.size()) ring_.emplace_back();
    ring_[current_] = {.start = now};
  }
  Window& window = ring_[current_];
  window.max = window.count == 0 ? value : std::max(window.max, value);
  window.sum += value;
  ++window.count;
  total_ += value;
  ++total_count_;
}

WindowedStat::Window WindowedStat::Sum(Instant now) const {
  Window sum{.start = now};
  for (const Window& window : ring_) {
    if (now - window.start >= windows_.length * windows_.count) continue;
    sum.start = std::min(sum.start, window.start);
    sum.max = sum.count == 0 ? window.max : std::max(sum.max, window.max);
    sum.sum += window.sum;
    sum.count += window.count;
  }
  return sum;
}

double WindowedStat::Seconds(const Window& sum, Instant now) const {
  Duration span = now - sum.start;
  const std::int64_t whole_windows = span / windows_.length;
  const std::int64_t least = windows_.count - 1;
  if (whole_windows < least) span += windows_.length * (least - whole_windows);
  // One window, all in one instant: a rate over a window is as good as any, and finite.
  if (span <= Duration::zero()) span = windows_.length;
  return static_cast<double>(span.count()) / 1e9;
}

double WindowedStat::RatePerSecond(Instant now) const {
  const Window sum = Sum(now);
  return sum.count == 0 ? 0 : sum.sum / Seconds(sum, now);
}

double WindowedStat::CountPerSecond(Instant now) const {
  const Window sum = Sum(now);
  return sum.count == 0 ? 0 : static_cast<double>(sum.count) / Seconds(sum, now);
}

double WindowedStat::Average(Instant now) const {
  const Window sum = Sum(now);
  return sum.count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum.sum / static_cast<double>(sum.count);
}

double WindowedStat::Max(Instant now) const {
  const Window sum = Sum(now);
  return sum.count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum.max;
}

}  // namespace ktrial
