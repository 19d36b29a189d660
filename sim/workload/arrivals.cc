#include "sim/workload/arrivals.h"

#include "core/check.h"
#include "sim/kernel/unchecked_section.h"

namespace ktrial::sim {

Arrivals::Arrivals(Rate rate, Arrival kind, Instant start, Stream& draws)
    : rate_(rate),
      kind_(kind),
      start_(start),
      draws_(draws),
      interval_(Distribution::Exponential(rate.per / rate.count)),
      next_(start) {
  KT_CHECK(rate.count > 0 && rate.per > Duration::zero());
  if (kind_ == Arrival::kPoisson) next_ = start_ + interval_.Draw(draws_);
}

void Arrivals::Advance() {
  ++number_;
  if (kind_ == Arrival::kPoisson) {
    const UncheckedSection unchecked;
    next_ = next_ + interval_.Draw(draws_);
    return;
  }
  __extension__ using Wide = __int128;
  next_ = start_ + Duration(static_cast<std::int64_t>(static_cast<Wide>(number_) * rate_.per.count() / rate_.count));
}

}  // namespace ktrial::sim
