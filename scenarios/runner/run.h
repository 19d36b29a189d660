// Runs scenarios in the simulator.
#ifndef SCENARIOS_RUNNER_RUN_H_
#define SCENARIOS_RUNNER_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "scenarios/language/scenario.h"
#include "scenarios/runner/report.h"
#include "sim/world.h"

namespace ktrial::scenario {

struct RunSettings {
  std::uint64_t seed = 1;
  std::string program = "ktrial";             // How it was called; only for the line to paste, as are the overrides:
  std::vector<std::string> overrides;         // the scenario has them already.
  sim::TraceSink* trace = nullptr;            // Is told every event of the run. Not owned.
  sim::ProgressListener* progress = nullptr;  // Is told how far the run is. Not owned.
};

// Runs a world to its end and judges it. Errors: INVALID_ARGUMENT if the world cannot be built from the scenario;
// anything else is a defect of the simulator.
absl::StatusOr<RunReport> RunScenario(const Scenario& scenario, const RunSettings& settings);

// Runs the scenario once more and compares it with `first`, event by event. Empty if they are the same; else a few
// lines that show the first event that differs. Takes the time of two runs, and of four if they differ.
absl::StatusOr<std::string> CheckDeterminism(const Scenario& scenario, const RunReport& first);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_RUNNER_RUN_H_
