#include "tests/scenarios/language/helpers.h"

#include <gtest/gtest.h>

namespace ktrial::scenario {
namespace {

std::string Lines(const std::vector<Error>& errors) {
  std::string lines;
  for (const Error& error : errors) lines += (lines.empty() ? "" : "\n") + ToString(error);
  return lines;
}

}  // namespace

std::string ErrorsOf(std::string_view text, const ParseOptions& options) {
  const ParseResult result = ParseScenario(text, "f.toml", options);
  EXPECT_EQ(result.scenario.has_value(), result.errors.empty());
  return Lines(result.errors);
}

std::string ErrorsOfAdded(std::string_view added, const ParseOptions& options) {
  return ErrorsOf(std::string(kActing) + std::string(added), options);
}

Scenario Parsed(std::string_view added, const ParseOptions& options) {
  ParseResult result = ParseScenario(std::string(kActing) + std::string(added), "f.toml", options);
  EXPECT_EQ(Lines(result.errors), "");
  return result.scenario.value_or(Scenario());
}

}  // namespace ktrial::scenario
