#include "core/env/posix/config_providers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/env/posix/read_file.h"
#include "core/producer/config_properties.h"
#include "core/producer/text.h"

namespace ktrial {
namespace {

namespace fs = std::filesystem;
using Parameters = std::map<std::string, std::string>;
using Found = absl::StatusOr<std::optional<std::string>>;

// allowed.paths. Symbolic links are followed by whoever opens a file, as in Java.
class AllowedPaths {
 public:
  static absl::StatusOr<AllowedPaths> Parse(const std::string& text) {
    AllowedPaths allowed;
    for (const std::string_view part : SplitAtCommas(text)) {
      const fs::path path(part);
      std::error_code ignored;
      if (!path.is_absolute()) {
        return absl::InvalidArgumentError(fmt::format("allowed.paths: {} is not absolute", part));
      }
      if (!fs::exists(path, ignored))
        return absl::InvalidArgumentError(fmt::format("allowed.paths: {} does not exist", part));
      allowed.paths_.push_back(path.lexically_normal());
    }
    return allowed;
  }

  bool Allow(const fs::path& wanted) const {
    if (paths_.empty()) return true;
    const fs::path normal = wanted.lexically_normal();
    return std::ranges::any_of(paths_, [&](const fs::path& path) {
      // A path that ends with a slash has an empty last element.
      const auto end = path.has_filename() ? path.end() : std::prev(path.end());
      return std::mismatch(path.begin(), end, normal.begin(), normal.end()).first == end;
    });
  }

 private:
  std::vector<fs::path> paths_;
};

class FileConfigProvider final : public ConfigProvider {
 public:
  explicit FileConfigProvider(AllowedPaths allowed) : allowed_(std::move(allowed)) {}

  Found Get(std::string_view path, std::string_view key) override {
    if (path.empty()) return absl::InvalidArgumentError("it names no file, allowed: ${NAME:FILE:KEY}");
    const fs::path file(path);
    if (!allowed_.Allow(file)) return std::nullopt;
    const absl::StatusOr<std::string> content = ReadFile(file);
    if (!content.ok()) return absl::InvalidArgumentError("the file cannot be read");
    const absl::StatusOr<PropertyFile> properties = ParseProperties(*content, path);
    if (!properties.ok()) return properties.status();
    const auto found = properties->find(std::string(key));
    if (found == properties->end()) return std::nullopt;
    return found->second.text;
  }

 private:
  const AllowedPaths allowed_;
};

class DirectoryConfigProvider final : public ConfigProvider {
 public:
  explicit DirectoryConfigProvider(AllowedPaths allowed) : allowed_(std::move(allowed)) {}

  Found Get(std::string_view path, std::string_view key) override {
    if (path.empty()) return absl::InvalidArgumentError("it names no folder, allowed: ${NAME:FOLDER:FILE}");
    const fs::path folder(path);
    // A key is a name; it leads to no other folder.
    const bool is_name = !key.empty() && key != "." && key != ".." && key.find('/') == std::string_view::npos;
    if (!is_name || !allowed_.Allow(folder)) return std::nullopt;
    std::error_code ignored;
    const fs::path file = folder / key;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    absl::StatusOr<std::string> content = ReadFile(file);
    if (!content.ok()) return absl::InvalidArgumentError("the file cannot be read");
    return *std::move(content);
  }

 private:
  const AllowedPaths allowed_;
};

class EnvVarConfigProvider final : public ConfigProvider {
 public:
  explicit EnvVarConfigProvider(std::optional<std::regex> pattern) : pattern_(std::move(pattern)) {}

  Found Get(std::string_view path, std::string_view key) override {
    if (!path.empty()) return absl::InvalidArgumentError("the environment has no paths, allowed: ${NAME:VARIABLE}");
    const std::string name(key);
    if (name.empty() || (pattern_.has_value() && !std::regex_match(name, *pattern_))) return std::nullopt;
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  }

 private:
  const std::optional<std::regex> pattern_;
};

absl::StatusOr<std::unique_ptr<ConfigProvider>> MakeEnvironment(const std::string& pattern) {
  if (pattern.empty()) return std::make_unique<EnvVarConfigProvider>(std::nullopt);
  try {
    return std::make_unique<EnvVarConfigProvider>(std::regex(pattern));
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        fmt::format("allowlist.pattern = \"{}\" is no regular expression: {}", pattern, error.what()));
  }
}

template <class Provider>
absl::StatusOr<std::unique_ptr<ConfigProvider>> MakeWithPaths(const std::string& allowed_paths) {
  absl::StatusOr<AllowedPaths> allowed = AllowedPaths::Parse(allowed_paths);
  if (!allowed.ok()) return allowed.status();
  return std::make_unique<Provider>(*std::move(allowed));
}

class PosixConfigProviders final : public ConfigProviderFactory {
 public:
  absl::StatusOr<std::unique_ptr<ConfigProvider>> Make(std::string_view class_name,
                                                       const Parameters& parameters) override {
    constexpr std::string_view kPackage = "org.apache.kafka.common.config.provider.";
    std::string_view name = class_name;
    if (name.starts_with(kPackage)) name.remove_prefix(kPackage.size());
    const bool environment = name == "EnvVarConfigProvider";
    const std::string known = environment ? "allowlist.pattern" : "allowed.paths";
    std::string value;
    if (environment || name == "FileConfigProvider" || name == "DirectoryConfigProvider") {
      for (const auto& [key, text] : parameters) {
        if (key != known)
          return absl::InvalidArgumentError(fmt::format("{} has no parameter {}, allowed: {}", name, key, known));
        value = text;
      }
    }
    if (environment) return MakeEnvironment(value);
    if (name == "FileConfigProvider") return MakeWithPaths<FileConfigProvider>(value);
    if (name == "DirectoryConfigProvider") return MakeWithPaths<DirectoryConfigProvider>(value);
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is not allowed: {}FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider",
                    class_name, kPackage));
  }
};

}  // namespace

std::unique_ptr<ConfigProviderFactory> MakePosixConfigProviders() { return std::make_unique<PosixConfigProviders>(); }

}  // namespace ktrial
