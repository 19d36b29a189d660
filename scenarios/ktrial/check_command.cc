#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>

#include "scenarios/ktrial/commands.h"
#include "scenarios/ktrial/files.h"
#include "scenarios/runner/report.h"

namespace ktrial::scenario {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Words that an operator would paste from a log, anywhere in a symptom or the title.
bool Matches(const Scenario& scenario, const std::string& symptom) {
  const std::string wanted = Lower(symptom);
  const auto contains = [&wanted](const std::string& text) { return Lower(text).find(wanted) != std::string::npos; };
  return contains(scenario.title) || std::any_of(scenario.symptoms.begin(), scenario.symptoms.end(), contains);
}

}  // namespace

ExitStatus CheckCommand(const CheckCommandOptions& options) {
  const FileList list = FindScenarioFiles(options.paths, options.output);
  ExitStatus status = list.complete ? kHolds : kWrongInput;
  for (const std::string& file : list.files) {
    const ParseOptions parse{.overrides = options.overrides, .purpose = Purpose::kCheck};
    const bool good = LoadScenario(file, parse, options.output).has_value();
    if (!good) status = kWrongInput;
    if (good && !options.output.json) std::printf("%s: ok\n", file.c_str());
  }
  return status;
}

ExitStatus ListCommand(const ListCommandOptions& options) {
  const FileList list = FindScenarioFiles(options.paths, options.output);
  ExitStatus status = list.complete ? kHolds : kWrongInput;
  std::vector<Scenario> scenarios;
  for (const std::string& file : list.files) {
    std::optional<Scenario> scenario =
        LoadScenario(file, {.overrides = {}, .purpose = Purpose::kCheck}, options.output);
    if (!scenario) status = kWrongInput;
    if (scenario && (options.symptom.empty() || Matches(*scenario, options.symptom))) {
      scenarios.push_back(*std::move(scenario));
    }
  }
  if (options.output.json) {
    for (const Scenario& scenario : scenarios) std::printf("%s\n", RenderJsonListing(scenario).c_str());
    return status;
  }
  std::size_t width = 0;
  for (const Scenario& scenario : scenarios) width = std::max(width, scenario.file.size());
  for (const Scenario& scenario : scenarios) {
    std::printf("%-*s  %s\n", static_cast<int>(width), scenario.file.c_str(), scenario.title.c_str());
    for (const std::string& symptom : scenario.symptoms) {
      std::printf("%-*s    %s\n", static_cast<int>(width), "", symptom.c_str());
    }
  }
  if (scenarios.empty() && status == kHolds) {
    std::fprintf(stderr, "no scenario has the symptom \"%s\"\n", options.symptom.c_str());
    return kFails;
  }
  return status;
}

}  // namespace ktrial::scenario
