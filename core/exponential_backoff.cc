#include "core/exponential_backoff.h"

#include <algorithm>
#include <cstdint>

namespace ktrial {

Duration ExponentialBackoff::Delay(std::int64_t failures, Entropy& entropy, DrawPurpose purpose) const {
  const Duration first = std::min(base_, max_);
  if (max_ <= base_) return first;
  __extension__ using Wide = unsigned __int128;
  const auto max_nanos = static_cast<std::uint64_t>(max_.count());
  const auto first_nanos = static_cast<std::uint64_t>(std::max<std::int64_t>(first.count(), 0));
  // The exponent is capped at log2(max / max(base, 1 ms)), which caps the product at what follows; doubling up to there
  // needs no fractional power.
  constexpr std::uint64_t kFloorNanos = 1'000'000;
  const Wide cap = first_nanos >= kFloorNanos ? Wide{max_nanos} : Wide{first_nanos} * max_nanos / kFloorNanos;
  Wide grown = first_nanos;
  for (std::int64_t i = 0; i < failures && grown < cap; ++i) grown *= 2;
  grown = std::min(grown, cap);
  // r in [0.8, 1.2] in millionths; one draw.
  const std::uint64_t millionths = 800'000 + DrawBelow(entropy, purpose, 400'001);
  const Wide jittered = grown * millionths / 1'000'000;
  return Duration(static_cast<std::int64_t>(std::min<Wide>(jittered, max_nanos)));
}

}  // namespace ktrial
