#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "scenarios/ktrial/commands.h"
#include "scenarios/ktrial/files.h"
#include "scenarios/runner/report.h"
#include "scenarios/runner/text.h"
#include "scenarios/serve/child.h"
#include "scenarios/serve/trial.h"

namespace ktrial::scenario {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void OnInterrupt(int) {
  if (interrupts > 0) _exit(kInterrupted);
  interrupts = 1;
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

std::string Repro(const ServeCommandOptions& options) {
  std::string line = "ktrial serve " + ShellQuote(options.path) + " --seed " + std::to_string(options.seed);
  for (const std::string& change : options.overrides) line += " --set " + ShellQuote(change);
  if (options.command.empty()) return line;
  line += " --";
  for (const std::string& word : options.command) line += " " + ShellQuote(word);
  return line;
}

// Why the command is at fault; nothing if it ended well.
std::optional<std::string> RunCommandOf(const ServeCommandOptions& options, Child& child) {
  int status = child.Wait();
  while (status < 0) {
    child.Interrupt();
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
    // A look now and then: a signal between the test and the wait must not be missed.
    while (interrupts == 0) poll(nullptr, 0, 200);
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
  if (complaint) {
    report.passed = false;
    report.failures.push_back(*complaint);
    report.result.violations.push_back({"command", Instant() + report.result.virtual_time, *complaint});
  }
  std::printf("%s",
              options.output.json ? (RenderJson(report) + "\n").c_str() : Render(report, options.output.color).c_str());
  if (interrupts != 0) return kInterrupted;
  return report.passed ? kHolds : kFails;
}

}  // namespace ktrial::scenario
