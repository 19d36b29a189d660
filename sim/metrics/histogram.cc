#include "sim/metrics/histogram.h"

#include <algorithm>
#include <bit>

namespace ktrial::sim {
namespace {

// Values below 2^11 have buckets of their own; above, each power of two is cut into 2^10.
constexpr int kSubBits = 10;
constexpr std::int64_t kLargest = std::int64_t{1} << 62;

std::size_t BucketOf(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const int shift = std::max(0, static_cast<int>(std::bit_width(bits)) - (kSubBits + 1));
  return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(bits >> shift);
}

// The largest value that falls into the bucket.
std::int64_t UpperEnd(std::size_t bucket) {
  if (bucket < (std::size_t{2} << kSubBits)) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = (bucket >> kSubBits) - 1;
  const std::size_t sub = bucket - (shift << kSubBits);
  return static_cast<std::int64_t>(((sub + 1) << shift) - 1);
}

}  // namespace

void Histogram::Add(std::int64_t value) {
  value = std::clamp<std::int64_t>(value, 0, kLargest);
  const std::size_t bucket = BucketOf(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<std::uint64_t>(value);
  ++count_;
}

std::int64_t Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / static_cast<std::uint64_t>(count_));
}

std::int64_t Histogram::Percentile(std::int64_t parts_per_million) const {
  if (count_ == 0) return 0;
  __extension__ using Wide = __int128;
  const Wide scaled = static_cast<Wide>(count_) * parts_per_million;
  const auto rank = std::max<std::int64_t>(1, static_cast<std::int64_t>((scaled + 999'999) / 1'000'000));
  std::int64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) return std::clamp(UpperEnd(bucket), min_, max_);
  }
  return max_;
}

}  // namespace ktrial::sim
