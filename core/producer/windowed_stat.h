// WindowedStat is what metrics stand on: values of the last num_samples windows of time, and from them a rate, an
// average and a maximum (PR-27). The oldest window falls out as a whole, so a value counts for between num_samples - 1
// and num_samples windows.
//
// A function of what was recorded and of the moments given; owns no clock. Thread safety: none.
#ifndef CORE_PRODUCER_WINDOWED_STAT_H_
#define CORE_PRODUCER_WINDOWED_STAT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/env/clock.h"

namespace ktrial {

struct StatWindows {
  std::int32_t count = 2;  // >= 1
  Duration length = std::chrono::seconds(30);
};

class WindowedStat {
 public:
  explicit WindowedStat(StatWindows windows) : windows_(windows) {}

  // `now` never goes back by more than threads can disagree; an earlier one counts for the current window.
  void Record(Instant now, double value);

  // The sum of the values by the time that they are from, in 1/s. That time is at least count - 1 whole windows, so
  // that the first value of all does not give an absurd rate. 0 if there are none.
  double RatePerSecond(Instant now) const;
  // The same of how many values there were, whatever they are.
  double CountPerSecond(Instant now) const;
  // NaN if there are none.
  double Average(Instant now) const;
  double SumInWindows(Instant now) const { return Sum(now).sum; }
  double Max(Instant now) const;
  // Since the start.
  double total() const { return total_; }
  std::int64_t total_count() const { return total_count_; }

 private:
  struct Window {
    Instant start;
    double sum = 0;
    double max = 0;
    std::int64_t count = 0;
  };
  // The windows that are not too old at `now`, added up; `start` is that of the oldest.
  Window Sum(Instant now) const;
  // How long the windows of such a sum are to count, in seconds.
  double Seconds(const Window& sum, Instant now) const;

  StatWindows windows_;
  // A ring, filled up to windows_.count; `current_` is the newest.
  std::vector<Window> ring_;
  std::size_t current_ = 0;
  double total_ = 0;
  std::int64_t total_count_ = 0;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_WINDOWED_STAT_H_
