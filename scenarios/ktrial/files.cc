#include "scenarios/ktrial/files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/env/posix/read_file.h"
#include "scenarios/runner/report.h"

namespace ktrial::scenario {
namespace {

namespace fs = std::filesystem;

void Report(const std::vector<Error>& errors, const Output& output) {
  if (output.json) {
    std::printf("%s\n", RenderJsonError(errors.front()).c_str());
    return;
  }
  for (const Error& error : errors) std::fprintf(stderr, "%s\n", ToString(error).c_str());
}

void AddFolder(const std::string& folder, std::vector<std::string>& files) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".toml" && it->is_regular_file(error)) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

// `path`, or, where nothing has that name, the same of the library that is installed with the program: PREFIX/bin/ktrial has
// PREFIX/share/ktrial/scenarios.
std::string Locate(const std::string& path) {
  std::error_code error;
  const fs::path normal = fs::path(path).lexically_normal();
  if (normal.empty() || *normal.begin() != "scenarios" || fs::exists(path, error)) return path;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "ktrial" / normal;
  return !error && fs::exists(installed, error) ? installed.string() : path;
}

}  // namespace

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  return path == "-" ? ReadStream(stdin) : ReadFile(path);
}

FileList FindScenarioFiles(const std::vector<std::string>& paths, const Output& output) {
  FileList list;
  for (const std::string& given : paths) {
    const std::string path = Locate(given);
    std::error_code error;
    if (path != "-" && fs::is_directory(path, error)) {
      const std::size_t before = list.files.size();
      AddFolder(path, list.files);
      if (list.files.size() > before) continue;
      Report({{path, 1, 1, "a folder without any *.toml file"}}, output);
      list.complete = false;
    } else {
      list.files.push_back(path);
    }
  }
  return list;
}

std::optional<Scenario> LoadScenario(const std::string& path, const ParseOptions& options, const Output& output) {
  const std::string file = Locate(path);
  const absl::StatusOr<std::string> text = ReadAll(file);
  if (!text.ok()) {
    Report({{file, 1, 1, "cannot be read: " + std::string(text.status().message())}}, output);
    return std::nullopt;
  }
  ParseResult parsed = ParseScenario(*text, file, options);
  if (!parsed.scenario) Report(parsed.errors, output);
  return std::move(parsed.scenario);
}

}  // namespace ktrial::scenario
