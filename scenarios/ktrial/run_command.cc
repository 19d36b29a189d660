#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "scenarios/ktrial/commands.h"
#include "scenarios/ktrial/files.h"
#include "scenarios/ktrial/progress_line.h"
#include "scenarios/runner/report.h"
#include "scenarios/runner/run.h"
#include "scenarios/runner/trace_file.h"

namespace ktrial::scenario {
namespace {

// What is the matter with a run that gave no report.
ExitStatus Explain(const std::string& file, const absl::Status& status, const Output& output) {
  const bool input = status.code() == absl::StatusCode::kInvalidArgument;
  const std::string text(status.message());
  if (output.json) std::printf("%s\n", RenderJsonError({file, 1, 1, text}).c_str());
  if (!output.json || !input) {
    std::fprintf(stderr, "%s:1:1: %s%s\n", file.c_str(), input ? "" : "a defect of the simulator: ", text.c_str());
  }
  return input ? kWrongInput : kDefect;
}

ExitStatus ReportDeterminism(const Scenario& scenario, const RunReport& report, const Output& output) {
  const absl::StatusOr<std::string> difference = CheckDeterminism(scenario, report);
  if (!difference.ok()) return Explain(scenario.file, difference.status(), output);
  if (difference->empty()) {
    std::fprintf(stderr, "%s: two runs, the same %lld events\n", scenario.file.c_str(),
                 static_cast<long long>(report.result.events));
    return kHolds;
  }
  std::fprintf(stderr, "%s: two runs differ: %s\n", scenario.file.c_str(), difference->c_str());
  return kDefect;
}

class Runner : private sim::ProgressListener {
 public:
  explicit Runner(const RunCommandOptions& options) : options_(options), progress_(options.output.progress) {}

  ExitStatus Run() {
    const FileList list = FindScenarioFiles(options_.paths, options_.output);
    ExitStatus status = list.complete ? kHolds : kWrongInput;
    // A table is for many; a single file is shown whole.
    many_ = list.files.size() > 1;
    if (many_ && !options_.trace_file.empty()) {
      std::fprintf(stderr, "--trace: there are %zu scenarios, allowed: one\n", list.files.size());
      return kWrongInput;
    }
    for (const std::string& file : list.files) {
      doing_ = many_ ? fmt::format("[{}/{}] {}", &file - list.files.data() + 1, list.files.size(), file) : file;
      progress_.Show([this] { return doing_; });
      status = Worse(status, RunFile(file));
    }
    progress_.Clear();
    if (many_ && !options_.output.json) std::printf("%s", RenderTable(reports_, options_.output.color).c_str());
    return status;
  }

 private:
  void OnProgress(Duration at, std::int64_t records) override {
    progress_.Show([&] {
      return fmt::format("{}: {:.1f} s of {:.0f} s, {} records", doing_, Seconds(at), Seconds(duration_), records);
    });
  }
  static double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

  ExitStatus RunFile(const std::string& file) {
    const std::optional<Scenario> scenario =
        LoadScenario(file, {.overrides = options_.overrides, .purpose = Purpose::kRun}, options_.output);
    if (!scenario) return kWrongInput;
    duration_ = scenario->world.duration;
    std::unique_ptr<TraceFile> trace;
    if (!options_.trace_file.empty()) {
      absl::StatusOr<std::unique_ptr<TraceFile>> created = TraceFile::Create(options_.trace_file);
      if (!created.ok()) return LostTrace(created.status());
      trace = *std::move(created);
    }
    const absl::StatusOr<RunReport> report = RunScenario(*scenario, {.seed = options_.seed,
                                                                     .program = options_.output.program,
                                                                     .overrides = options_.overrides,
                                                                     .trace = trace.get(),
                                                                     .progress = progress_.on() ? this : nullptr});
    progress_.Clear();
    if (!report.ok()) return Explain(file, report.status(), options_.output);
    ExitStatus status = report->passed ? kHolds : kFails;
    if (trace != nullptr) {
      if (const absl::Status written = trace->Finish(); !written.ok()) status = Worse(status, LostTrace(written));
    }
    Show(*report);
    if (options_.check_determinism) status = Worse(status, ReportDeterminism(*scenario, *report, options_.output));
    return status;
  }

  // Not the fault of the scenario: the option is the place.
  static ExitStatus LostTrace(const absl::Status& status) {
    std::fprintf(stderr, "--trace %s\n", std::string(status.message()).c_str());
    return kWrongInput;
  }

  void Show(const RunReport& report) {
    if (options_.output.json) {
      std::printf("%s\n", RenderJson(report).c_str());
    } else if (!many_ || !report.passed) {
      std::printf("%s", RenderSummary(report, options_.output.color).c_str());
      if (many_) std::printf("\n");
    }
    std::fflush(stdout);
    reports_.push_back(report);
    reports_.back().result.record.reset();  // the history of every record; only the numbers are needed from here on
  }

  const RunCommandOptions& options_;
  ProgressLine progress_;
  std::string doing_;  // what progress is shown of
  Duration duration_{0};
  bool many_ = false;
  std::vector<RunReport> reports_;
};

}  // namespace

ExitStatus RunCommand(const RunCommandOptions& options) { return Runner(options).Run(); }

}  // namespace ktrial::scenario
