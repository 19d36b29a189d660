#include "scenarios/runner/run.h"

#include <chrono>

#include "scenarios/runner/text.h"

namespace ktrial::scenario {
namespace {

std::string Repro(const Scenario& scenario, const RunSettings& settings) {
  std::string line = "ktrial run " + ShellQuote(scenario.file) + " --seed " + std::to_string(settings.seed);
  for (const std::string& change : settings.overrides) line += " --set " + ShellQuote(change);
  return line;
}

}  // namespace

absl::StatusOr<RunReport> RunScenario(const Scenario& scenario, const RunSettings& settings) {
  sim::WorldSpec world = scenario.world;
  world.seed = settings.seed;
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<sim::RunResult> result = sim::RunWorld(world, {.trace_sink = settings.trace});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!result.ok()) return result.status();
  RunReport report = Judge(scenario, *std::move(result));
  report.seed = settings.seed;
  report.wall_seconds = wall.count();
  report.repro = Repro(scenario, settings);
  return report;
}

}  // namespace ktrial::scenario
