#include "sim/world.h"

#include <memory>
#include <utility>

#include "sim/kernel/kernel.h"
#include "sim/simulated_world.h"
#include "sim/world_check.h"

namespace ktrial::sim {

Instant WorldStart() { return KernelOptions().start; }

absl::StatusOr<RunResult> RunWorld(const WorldSpec& spec, const RunOptions& options) {
  if (absl::Status status = CheckWorld(spec); !status.ok()) return status;
  SimulatedWorld world(spec, options);
  if (absl::Status status = world.Build(); !status.ok()) return status;
  return world.Run();
}

}  // namespace ktrial::sim
