#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include "scenarios/language/quantity.h"
#include "scenarios/runner/report.h"

namespace ktrial::scenario {
namespace {

bool IsWholeRun(const sim::MetricQuery& query) {
  return query.where.empty() && query.from == Duration(0) && query.to == Duration::max();
}

ExpectationOutcome Evaluate(const Expectation& expectation, const sim::RunResult& result) {
  ExpectationOutcome outcome;
  outcome.name = expectation.Name();
  outcome.want = expectation.condition.text;
  outcome.is_duration = sim::MetricIsDuration(expectation.query.metric);
  const absl::StatusOr<double> got =
      IsWholeRun(expectation.query) ? result.Metric(expectation.query.metric) : result.Query(expectation.query);
  outcome.got = got.value_or(std::numeric_limits<double>::quiet_NaN());
  if (!got.ok()) outcome.nothing = std::string(got.status().message());
  outcome.holds = got.ok() && expectation.condition.Holds(*got);
  return outcome;
}

// What became of the records. These counts hold however late a thread is; how often a connection broke or a request
// timed out does not: who has lost the CPU may sleep through a fault.
bool IsOutcome(std::string_view metric) {
  constexpr std::string_view kOutcomes[] = {"lost",         "duplicates",    "reordered",     "failed",
                                            "records.sent", "records.acked", "records.failed"};
  return std::find(std::begin(kOutcomes), std::end(kOutcomes), metric) != std::end(kOutcomes);
}

void JudgeExpectations(const Scenario& scenario, RunReport& report) {
  for (const Expectation& expectation : scenario.expectations) {
    if (scenario.stalls_on_top && !IsOutcome(expectation.query.metric)) continue;
    report.expectations.push_back(Evaluate(expectation, report.result));
    const ExpectationOutcome& outcome = report.expectations.back();
    if (outcome.holds) continue;
    report.failures.push_back("expected " + outcome.name + " " + outcome.want);
    if (!outcome.nothing.empty()) report.failures.back() += ": " + outcome.nothing;
  }
}

void JudgeViolations(const Scenario& scenario, RunReport& report) {
  std::set<std::string> fired;
  for (const sim::Violation& violation : report.result.violations) fired.insert(violation.checker);
  const std::vector<std::string> wanted = scenario.violations.value_or(std::vector<std::string>());
  for (const std::string& checker : fired) {
    const bool expected = std::find(wanted.begin(), wanted.end(), checker) != wanted.end();
    if (!expected) report.failures.push_back("checker " + checker + " objects");
  }
  for (const std::string& checker : wanted) {
    if (!fired.contains(checker)) report.failures.push_back("checker " + checker + " must object and does not");
  }
}

void JudgeFaults(RunReport& report) {
  for (const sim::FaultOutcome& fault : report.result.faults) {
    if (fault.fired == 0 && !fault.may_not_fire) report.failures.push_back("fault " + fault.kind + " never fired");
  }
}

}  // namespace

double RunReport::Metric(const std::string& name) const { return result.Metric(name).value_or(0); }

void RunReport::AddFailure(const std::string& who, const std::string& text) {
  passed = false;
  failures.push_back(text);
  result.violations.push_back({who, result.start + result.virtual_time, text});
}

double RunReport::SecondsOf(const sim::Violation& violation) const {
  return static_cast<double>((violation.at - result.start).count()) / 1e9;
}

RunReport Judge(const Scenario& scenario, sim::RunResult result) {
  RunReport report;
  report.scenario = scenario.file;
  report.title = scenario.title;
  report.seed = result.seed;
  report.result = std::move(result);
  JudgeViolations(scenario, report);
  if (!scenario.stalls_on_top) JudgeFaults(report);
  JudgeExpectations(scenario, report);
  report.passed = report.failures.empty();
  return report;
}

}  // namespace ktrial::scenario
