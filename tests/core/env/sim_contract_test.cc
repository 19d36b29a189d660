// The simulated doors under the contract of tests/core/env/contract/.
#include "tests/core/env/contract/sim_door_world.h"

namespace ktrial {

std::unique_ptr<DoorWorld> NewDoorWorld() { return std::make_unique<SimDoorWorld>(6); }

}  // namespace ktrial
