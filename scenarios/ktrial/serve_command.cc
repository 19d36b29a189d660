#include <fmt/format.h>
#include <poll.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "scenarios/ktrial/commands.h"
#include "scenarios/ktrial/files.h"
#include "scenarios/ktrial/interrupts.h"
#include "scenarios/runner/report.h"
#include "scenarios/runner/text.h"
#include "scenarios/serve/child.h"
#include "scenarios/serve/trial.h"

namespace ktrial::scenario {
namespace {

std::string Repro(const ServeCommandOptions& options) {
  ReproParts parts{options.output.program, "serve", options.path, options.seed, options.overrides, {}};
  if (!options.command.empty()) parts.rest = {"--"};
  parts.rest.insert(parts.rest.end(), options.command.begin(), options.command.end());
  return ReproLine(parts);
}

// Why the command is at fault; nothing if it ended well.
std::optional<std::string> RunCommandOf(const ServeCommandOptions& options, Child& child) {
  int status = child.Wait();
  while (status < 0) {
    child.Signal(InterruptSignal());
    status = child.Wait();
  }
  if (status == 0) return std::nullopt;
  return fmt::format("the command {} ended with status {}", options.command[0], status);
}

std::string Render(const RunReport& report, bool color) {
  const Style style = MakeStyle(color);
  const auto count = [&report](const std::string& name) {
    const auto metric = report.result.metrics.find(name);
    return metric == report.result.metrics.end() ? std::string("0") : FormatNumber(metric->second);
  };
  std::string text = fmt::format("{}{}{}  {}{}, served{}\n", style.bold, report.title, style.off, style.faint,
                                 report.scenario, style.off);
  text += fmt::format("  records    {} acknowledged, {} in the logs, {} of them equal to an earlier one\n",
                      count("records.acked"), count("log.records"), count("duplicates"));
  text +=
      fmt::format("  requests   {} Produce ({} batches refused), {} Metadata, {} connections\n",
                  count("requests.Produce"), count("batches.refused"), count("requests.Metadata"), count("connects"));
  text += "  faults     ";
  for (const sim::FaultOutcome& fault : report.result.faults) text += fmt::format("{} {}  ", fault.kind, fault.fired);
  text += fmt::format("\n  time       {:.1f} s\n", report.wall_seconds);
  for (const sim::Violation& violation : report.result.violations) {
    text += fmt::format("  {}{}{}: {}\n", style.bad, violation.checker, style.off, violation.text);
  }
  for (const std::string& warning : report.result.warnings) text += fmt::format("  note       {}\n", warning);
  if (report.passed) return text + fmt::format("{}PASS{}\n", style.good, style.off);
  text += fmt::format("{}FAIL{}\n", style.bad, style.off);
  for (const std::string& failure : report.failures) text += fmt::format("  {}\n", failure);
  return text + fmt::format("reproduce: {}\n", report.repro);
}

}  // namespace

ExitStatus ServeCommand(const ServeCommandOptions& options) {
  const std::optional<Scenario> scenario =
      LoadScenario(options.path, {.overrides = options.overrides, .purpose = Purpose::kServe}, options.output);
  if (!scenario) return kWrongInput;
  CatchInterrupts();
  absl::StatusOr<std::unique_ptr<Trial>> trial =
      Trial::Start(*scenario, {options.seed, options.port, options.advertise, !options.output.json});
  if (!trial.ok()) {
    std::fprintf(stderr, "%s: %s\n", options.path.c_str(), std::string(trial.status().message()).c_str());
    return kWrongInput;
  }
  const std::string variable = "KTRIAL_BOOTSTRAP=" + (*trial)->bootstrap();
  std::fprintf(stderr, "serving %s: %s\n", options.path.c_str(), variable.c_str());
  std::optional<std::string> complaint;
  if (options.command.empty()) {
    std::fprintf(stderr, "until it is interrupted\n");
    pollfd wait = {InterruptDescriptor(), POLLIN, 0};
    while (InterruptSignal() == 0) poll(&wait, 1, -1);
  } else {
    absl::StatusOr<Child> child = Child::Start(options.command, variable);
    if (!child.ok()) {
      std::fprintf(stderr, "%s\n", std::string(child.status().message()).c_str());
      return kWrongInput;
    }
    complaint = RunCommandOf(options, *child);
  }
  RunReport report = (*trial)->Finish();
  report.repro = Repro(options);
  if (complaint) report.AddFailure("command", *complaint);
  std::printf("%s",
              options.output.json ? (RenderJson(report) + "\n").c_str() : Render(report, options.output.color).c_str());
  if (InterruptSignal() != 0) return InterruptStatus();
  return report.passed ? kHolds : kFails;
}

}  // namespace ktrial::scenario
