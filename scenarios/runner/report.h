// What became of one run of one scenario: the verdict, and all that a person or a program may want to know about it.
#ifndef SCENARIOS_RUNNER_REPORT_H_
#define SCENARIOS_RUNNER_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/language/scenario.h"
#include "sim/run_result.h"

namespace ktrial::scenario {

// One line of [expect], or one [[expect_that]].
struct ExpectationOutcome {
  std::string name;
  std::string want;
  double got = 0;            // NaN where there is nothing
  bool is_duration = false;  // `got` is in milliseconds
  bool holds = false;
  std::string nothing;  // why there is nothing to compare: it does not hold then. Empty otherwise
};

struct RunReport {
  std::string scenario;  // the file, as it was named
  std::string title;
  std::uint64_t seed = 0;
  bool passed = false;
  std::vector<std::string> failures;  // why not; a line each. Empty if passed
  std::vector<ExpectationOutcome> expectations;
  sim::RunResult result;
  double wall_seconds = 0;
  std::string repro;  // the line to paste

  double Metric(const std::string& name) const;  // 0 for what never counted, or was never measured
  // Something besides scenario and checkers objects, at the end of the run.
  void AddFailure(const std::string& who, const std::string& text);
  double SecondsOf(const sim::Violation& violation) const;  // since the start of the run
};

// The verdict. A scenario holds if all its expectations do, no checker objects and every fault fired; a negative one,
// if all expectations hold, every fault fired, and exactly the checkers that it names object. With stalls on top of the
// file, expectations of durations and faults that never fired are not judged.
RunReport Judge(const Scenario& scenario, sim::RunResult result);

// For people; several lines, the last of which is "PASS" or, after FAIL, the line to paste.
std::string RenderSummary(const RunReport& report, bool color);
// One line a report and a heading: what a run of a folder ends with.
std::string RenderTable(const std::vector<RunReport>& reports, bool color);
// One line: the object that docs/SCENARIOS.md describes.
std::string RenderJson(const RunReport& report);
// One line: what `list` shows of a scenario.
std::string RenderJsonListing(const Scenario& scenario);
// One line: what is wrong with an input. `Error` without a line is one of the command line.
std::string RenderJsonError(const Error& error);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_RUNNER_REPORT_H_
