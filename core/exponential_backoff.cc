#include "core/exponential_backoff.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ktrial {

Duration ExponentialBackoff::Delay(std::int64_t failures, Entropy& entropy, DrawPurpose purpose) const {
  const Duration first = std::min(base_, max_);
  if (max_ <= base_) return first;
  __extension__ using Wide = unsigned __int128;
  const auto max_nanos = static_cast<std::uint64_t>(max_.count());
  const auto first_nanos = static_cast<std::uint64_t>(std::max<std::int64_t>(first.count(), 0));
  // Growth is by 2^n until it would pass max; the last step, which Java takes as a fractional power, lands on max itself.
  Wide grown = first_nanos;
  const auto floor_nanos = static_cast<std::uint64_t>(Duration(std::chrono::milliseconds(1)).count());
  const Wide limit_times = max_nanos / std::max(first_nanos, floor_nanos);  // 2^limit of the exponent
  Wide factor = 1;
  for (std::int64_t i = 0; i < failures && factor < limit_times; ++i) factor *= 2;
  if (factor > limit_times) {
    // Past the largest whole power: the exponent is capped at log2(max / base), so the product is max scaled by first / base.
    grown = first_nanos >= floor_nanos ? Wide{max_nanos} : Wide{first_nanos} * limit_times;
  } else {
    grown = Wide{first_nanos} * factor;
  }
  // r in [0.8, 1.2] in millionths; one draw.
  const std::uint64_t millionths = 800'000 + DrawBelow(entropy, purpose, 400'001);
  const Wide jittered = grown * millionths / 1'000'000;
  return Duration(static_cast<std::int64_t>(std::min<Wide>(jittered, max_nanos)));
}

}  // namespace ktrial
