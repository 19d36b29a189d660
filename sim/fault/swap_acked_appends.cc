// swap_acked_appends: a bug of the broker, for scenarios that must fail. Of every two appends the later one comes to
// stand before the earlier.
#include "sim/fault/faults.h"
#include "sim/fault/planted_bug.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakeSwapAckedAppends(const SwapAckedAppends& spec) {
  return MakePlantedBug(PlantedBug::kSwapAppends, spec.topic, spec.partition);
}

}  // namespace ktrial::sim
