// ProducerConfig::ParseFile.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/producer/config.h"
#include "core/producer/config_properties.h"

namespace ktrial {

namespace {

// Nothing, and errno, if it cannot be read to its end.
std::optional<std::string> ContentOf(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) return std::nullopt;
  std::string content;
  char part[4096];
  std::size_t size = 0;
  while ((size = std::fread(part, 1, sizeof part, file)) > 0) content.append(part, size);
  const int error = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  errno = error;
  if (error != 0) return std::nullopt;
  return content;
}

}  // namespace

absl::StatusOr<ProducerConfig> ProducerConfig::ParseFile(const std::string& path, std::vector<ConfigProblem>* problems,
                                                         const ConfigProfile* profile) {
  const std::optional<std::string> content = ContentOf(path);
  if (!content) return absl::InvalidArgumentError(path + ": cannot be read: " + std::strerror(errno));
  const absl::StatusOr<PropertyFile> file = ParseProperties(*content, path);
  if (!file.ok()) return file.status();
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : *file) values[key] = value.text;
  std::vector<ConfigProblem> found;
  absl::StatusOr<ProducerConfig> config = Parse(values, &found, profile);
  std::string text;
  for (const ConfigProblem& problem : found) {
    if (!text.empty()) text += '\n';
    const auto place = file->find(problem.key);
    text += path + (place == file->end() ? "" : ":" + std::to_string(place->second.line)) + ": " + problem.text;
  }
  if (problems != nullptr) *problems = std::move(found);
  if (config.ok()) return config;
  return absl::Status(config.status().code(), text);
}

}  // namespace ktrial
