// lose_acked_append: a bug of the broker, for scenarios that must fail. What it appends it acknowledges and forgets.
#include "sim/fault/faults.h"
#include "sim/fault/planted_bug.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakeLoseAckedAppend(const LoseAckedAppend& spec) {
  return MakePlantedBug(PlantedBug::kLoseAppends, spec.topic, spec.partition);
}

}  // namespace ktrial::sim
