// Histogram counts non-negative integers in buckets that are at most 1/1024 of their value wide, and so gives
// percentiles that are the same on every machine. Values above 2^62 are counted as 2^62.
#ifndef SIM_METRICS_HISTOGRAM_H_
#define SIM_METRICS_HISTOGRAM_H_

#include <cstdint>
#include <vector>

namespace ktrial::sim {

class Histogram {
 public:
  void Add(std::int64_t value);
  std::int64_t count() const { return count_; }
  std::int64_t min() const { return count_ == 0 ? 0 : min_; }
  std::int64_t max() const { return max_; }
  // Rounded down; 0 if empty.
  std::int64_t mean() const;
  // The smallest counted value, or the upper end of its bucket, that at least `parts_per_million` of all values do not
  // exceed. 0 if empty; 1'000'000 gives max().
  std::int64_t Percentile(std::int64_t parts_per_million) const;

 private:
  std::vector<std::int64_t> buckets_;  // Grows with the largest value.
  std::int64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  __extension__ unsigned __int128 sum_ = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_METRICS_HISTOGRAM_H_
