#include "scenarios/ktrial/arguments.h"

#include <fmt/format.h>

#include <cstdio>

#include "scenarios/runner/report.h"

namespace ktrial::scenario {

void ReportArgument(const std::string& text, const Output& output) {
  if (output.json) {
    std::printf("%s\n", RenderJsonError({.origin = "", .text = text}).c_str());
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
}

std::optional<const ConfigProfile*> ProfileByName(const std::string& name, const Output& output) {
  if (name.empty()) return nullptr;
  const ConfigProfile* profile = FindProfile(name);
  if (profile != nullptr) return profile;
  ReportArgument(fmt::format("--profile {}: there is no such profile, allowed: {}", name, ProfileNames()), output);
  return std::nullopt;
}

}  // namespace ktrial::scenario
