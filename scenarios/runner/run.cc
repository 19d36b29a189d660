#include "scenarios/runner/run.h"

#include <chrono>

#include "scenarios/runner/text.h"

namespace ktrial::scenario {
absl::StatusOr<RunReport> RunScenario(const Scenario& scenario, const RunSettings& settings) {
  sim::WorldSpec world = scenario.world;
  world.seed = settings.seed;
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<sim::RunResult> result =
      sim::RunWorld(world, {.trace_sink = settings.trace, .progress = settings.progress});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!result.ok()) return result.status();
  RunReport report = Judge(scenario, *std::move(result));
  report.seed = settings.seed;
  report.wall_seconds = wall.count();
  report.repro = ReproLine({settings.program, "run", scenario.file, settings.seed, settings.overrides});
  return report;
}

}  // namespace ktrial::scenario
