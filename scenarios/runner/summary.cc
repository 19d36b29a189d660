#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scenarios/runner/report.h"
#include "scenarios/runner/text.h"

namespace ktrial::scenario {
namespace {

// Of what there may be many: the first are enough to see what is the matter.
constexpr std::size_t kLinesMax = 8;

std::string Line(std::string_view name, std::string_view text) { return fmt::format("  {:<11}{}\n", name, text); }

// "produce_error 3, initial 1": the metrics below a prefix that counted anything, the largest first.
std::string Parts(const RunReport& report, std::string_view prefix) {
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, value] : report.result.metrics) {
    if (name.starts_with(prefix) && value > 0) parts.emplace_back(value, name.substr(prefix.size()));
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text;
  for (const auto& [value, name] : parts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, FormatNumber(value));
  }
  return text;
}

std::string InBrackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

std::string Records(const RunReport& report) {
  const std::string errors = Parts(report, "errors.");
  return fmt::format("{} sent, {} acknowledged, {} failed{}, {} retried", FormatNumber(report.Metric("records.sent")),
                     FormatNumber(report.Metric("records.acked")), FormatNumber(report.Metric("records.failed")),
                     InBrackets(errors), FormatNumber(report.Metric("records.retried")));
}

std::string InLogs(const RunReport& report) {
  return fmt::format("{} lost, {} duplicates, {} reordered", FormatNumber(report.Metric("lost")),
                     FormatNumber(report.Metric("duplicates")), FormatNumber(report.Metric("reordered")));
}

std::string Batches(const RunReport& report) {
  return fmt::format("{} sent, {:.0f} % full on average, in {} Produce requests",
                     FormatNumber(report.Metric("batches")), 100 * report.Metric("batch.fill"),
                     FormatNumber(report.Metric("requests.Produce")));
}

// "-" where nothing was acknowledged: no delivery is not a fast one.
std::string Millis(const RunReport& report, const std::string& metric) {
  return FormatMillis(report.result.Metric(metric).value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::string Delivery(const RunReport& report) {
  return fmt::format("p50 {}, p99 {}, max {}", Millis(report, "delivery.p50"), Millis(report, "delivery.p99"),
                     Millis(report, "delivery.max"));
}

std::string Faults(const RunReport& report) {
  std::string text;
  for (const sim::FaultOutcome& fault : report.result.faults) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", fault.kind,
                        fault.fired == 1 ? "once" : fmt::format("{} times", fault.fired));
  }
  return text.empty() ? "none" : text;
}

// Nothing where nothing failed.
std::string Failures(std::string_view heading, const auto& failures) {
  std::string text;
  for (std::size_t i = 0; i < failures.size() && i < kLinesMax; ++i) {
    text += Line(i == 0 ? heading : "", sim::Describe(failures[i]));
  }
  if (failures.size() <= kLinesMax) return text;
  return text + Line("", fmt::format("and {} more like these: --json has all", failures.size() - kLinesMax));
}

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

std::string Time(const RunReport& report) {
  const double virtual_seconds = Seconds(report.result.virtual_time);
  const double ratio = report.wall_seconds > 0 ? virtual_seconds / report.wall_seconds : 0;
  return fmt::format("{:.1f} s virtual in {:.2f} s ({}x), {} events", virtual_seconds, report.wall_seconds,
                     FormatLarge(ratio), FormatLarge(static_cast<double>(report.result.events)));
}

std::string Expectation(const ExpectationOutcome& outcome, const Style& style) {
  std::string got = outcome.is_duration ? FormatMillis(outcome.got) : FormatNumber(outcome.got);
  if (!outcome.nothing.empty()) got = "nothing: " + outcome.nothing;
  return fmt::format("{}{}{} {} {}, got {}", outcome.holds ? style.good : style.bad, outcome.holds ? "ok  " : "FAIL",
                     style.off, outcome.name, outcome.want, got);
}

std::string Findings(const RunReport& report, const Style& style) {
  std::string text;
  std::string_view heading = "expected";
  for (const ExpectationOutcome& outcome : report.expectations) {
    text += Line(heading, Expectation(outcome, style));
    heading = "";
  }
  heading = "violations";
  for (const sim::Violation& violation : report.result.violations) {
    text += Line(heading, fmt::format("{}{}{} at {:.3f} s: {}", style.bold, violation.checker, style.off,
                                      report.SecondsOf(violation), violation.text));
    heading = "";
  }
  for (const std::string& warning : report.result.warnings) text += Line("warning", warning);
  return text;
}

}  // namespace

std::string RenderSummary(const RunReport& report, bool color) {
  const Style style = MakeStyle(color);
  std::string text = fmt::format("{}{}{}  {}{}, seed {}{}\n", style.bold, report.title, style.off, style.faint,
                                 report.scenario, report.seed, style.off);
  text += Line("records", Records(report));
  text += Line("logs", InLogs(report));
  text += Line("metadata", fmt::format("{} requests{}", FormatNumber(report.Metric("metadata.requests")),
                                       InBrackets(Parts(report, "metadata.reason."))));
  text += Line("batches", Batches(report));
  text += Line("delivery", Delivery(report));
  text += Failures("producers", report.result.failed_producers);
  text += Failures("calls", report.result.failed_calls);
  text += Line("faults", Faults(report));
  text += Line("time", Time(report));
  text += Line("hash", FormatHash(report.result.hash));
  text += Findings(report, style);
  if (report.passed) return text + fmt::format("{}PASS{}\n", style.good, style.off);
  text += fmt::format("{}FAIL{}\n", style.bad, style.off);
  for (const std::string& failure : report.failures) text += fmt::format("  {}\n", failure);
  return text + fmt::format("reproduce: {}\n", report.repro);
}

std::string RenderTable(const std::vector<RunReport>& reports, bool color) {
  const Style style = MakeStyle(color);
  std::size_t width = 8;
  for (const RunReport& report : reports) width = std::max(width, report.scenario.size());
  std::string text = fmt::format("{}{:<{}}  {:<4}  {:>9}  {:>7}  {:>9}  {:>8}  {}{}\n", style.faint, "scenario", width,
                                 "", "acked", "failed", "p99", "virtual", "hash", style.off);
  std::size_t passed = 0;
  for (const RunReport& report : reports) {
    passed += report.passed ? 1 : 0;
    text += fmt::format("{:<{}}  {}{:<4}{}  {:>9}  {:>7}  {:>9}  {:>6.0f} s  {}\n", report.scenario, width,
                        report.passed ? style.good : style.bad, report.passed ? "PASS" : "FAIL", style.off,
                        FormatNumber(report.Metric("records.acked")), FormatNumber(report.Metric("records.failed")),
                        Millis(report, "delivery.p99"), Seconds(report.result.virtual_time),
                        FormatHash(report.result.hash));
  }
  for (const RunReport& report : reports) {
    if (!report.passed) text += fmt::format("reproduce: {}\n", report.repro);
  }
  return text + fmt::format("{} passed, {} failed\n", passed, reports.size() - passed);
}

}  // namespace ktrial::scenario
