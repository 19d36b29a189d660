// A scenario: the world that a file describes, and what the file expects of it. Written in TOML (docs/SCENARIOS.md),
// read by parse.h, run by scenarios/runner, served by `ktrial serve`.
//
// Everything is resolved: defaults are filled in, "t-{1..5000}" is 5000 topics, dotted keys are flat. What is still
// drawn at run time (ranges, "any", "leader:orders/0") says so in its type. The seed is not part of a scenario:
// world.seed is the runner's.
#ifndef SCENARIOS_LANGUAGE_SCENARIO_H_
#define SCENARIOS_LANGUAGE_SCENARIO_H_

#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/expectation.h"
#include "sim/world_spec.h"

namespace ktrial::scenario {

struct Scenario {
  std::string file;  // As it was named, for messages and for the line that reproduces a failure.
  std::string title;
  std::vector<std::string> symptoms;  // What an operator would search for.
  sim::WorldSpec world;
  std::vector<Expectation> expectations;  // Of [expect], then of [[expect_that]], in the order of the file.
  // Stalls were drawn on top of what the file says (--set schedule.stalls=rare). A stalled thread is late by right, and
  // may sleep through a fault: only checkers and counts are judged then.
  bool stalls_on_top = false;
  // Set in a negative scenario: exactly these checkers must fire. Sorted.
  std::optional<std::vector<std::string>> violations;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_SCENARIO_H_
