// Reads files; finds scenarios among them, and says what is wrong with them.
#ifndef SCENARIOS_KTRIAL_FILES_H_
#define SCENARIOS_KTRIAL_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "scenarios/ktrial/commands.h"
#include "scenarios/language/parse.h"

namespace ktrial::scenario {

// All of a file, "-" is standard input. Not OK: a text that says why it cannot be read.
absl::StatusOr<std::string> ReadAll(const std::string& path);

// A path below scenarios/ that does not exist is looked for in the library that is installed with the program.

// Replaces each folder by the *.toml files below it, sorted by name. Files and "-" stay. What does not exist is
// reported.
struct FileList {
  std::vector<std::string> files;
  bool complete = true;
};
FileList FindScenarioFiles(const std::vector<std::string>& paths, const Output& output);

// Reads and parses one file, "-" from standard input. What is wrong is reported: a line an error on standard error, or,
// with json, one object for the first on standard output.
std::optional<Scenario> LoadScenario(const std::string& path, const ParseOptions& options, const Output& output);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_FILES_H_
