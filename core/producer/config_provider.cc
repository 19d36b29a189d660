#include "core/producer/config_provider.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "core/producer/text.h"

namespace ktrial {

namespace {

using Values = std::map<std::string, std::string>;

constexpr std::string_view kList = "config.providers";
constexpr std::string_view kPrefix = "config.providers.";
constexpr std::string_view kClass = ".class";
constexpr std::string_view kParameter = ".param.";

// NAME:PATH:KEY or NAME:KEY. The key may have colons.
struct Variable {
  std::string_view provider;
  std::string_view path;
  std::string_view key;
};

std::optional<Variable> ParseVariable(std::string_view inside) {
  const std::size_t first = inside.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  Variable variable{.provider = inside.substr(0, first), .path = {}, .key = inside.substr(first + 1)};
  const std::size_t second = variable.key.find(':');
  if (second != std::string_view::npos) {
    variable.path = variable.key.substr(0, second);
    variable.key = variable.key.substr(second + 1);
  }
  return variable;
}

// One LookUpVariables.
class LookUp {
 public:
  LookUp(const Values& values, ConfigProviderFactory* factory) : values_(values), factory_(factory) {}

  LookedUpValues Run() {
    MakeProviders();
    for (const auto& [key, value] : values_) {
      if (key.starts_with(kPrefix)) {
        CheckProviderKey(key);
      } else if (key != kList) {
        result_.values[key] = Replaced(key, value);
      }
    }
    return std::move(result_);
  }

 private:
  void Problem(std::string key, std::string text, bool unsupported = false) {
    result_.problems.push_back({.key = std::move(key), .text = std::move(text), .unsupported = unsupported});
  }

  void MakeProviders() {
    const auto listed = values_.find(std::string(kList));
    if (listed == values_.end()) return;
    const std::vector<std::string_view> names = SplitAtCommas(listed->second);
    if (factory_ == nullptr && !names.empty()) {
      return Problem(listed->first,
                     fmt::format("config.providers = \"{}\" is not supported by this program, which looks nothing up: "
                                 "only nothing",
                                 listed->second),
                     /*unsupported=*/true);
    }
    for (const std::string_view name : names) MakeProvider(name);
  }

  void MakeProvider(std::string_view name) {
    // Known from here on, whatever is wrong with it: one mistake is one error.
    std::unique_ptr<ConfigProvider>& provider = providers_[std::string(name)];
    const std::string class_key = fmt::format("{}{}{}", kPrefix, name, kClass);
    const auto class_name = values_.find(class_key);
    if (class_name == values_.end()) {
      return Problem(class_key, fmt::format("{} is required, as config.providers has {}", class_key, name));
    }
    const std::string parameter_prefix = fmt::format("{}{}{}", kPrefix, name, kParameter);
    std::map<std::string, std::string> parameters;
    for (const auto& [key, value] : values_) {
      if (key.starts_with(parameter_prefix)) parameters[key.substr(parameter_prefix.size())] = Trimmed(value);
    }
    const std::string_view java_class = Trimmed(class_name->second);
    absl::StatusOr<std::unique_ptr<ConfigProvider>> made = factory_->Make(java_class, parameters);
    if (!made.ok()) {
      const std::optional<std::string> wrong = ParameterAtFault(java_class, parameters);
      const std::string key = wrong ? parameter_prefix + *wrong : class_key;
      return Problem(key, fmt::format("{}: {}", key, std::string(made.status().message())));
    }
    provider = *std::move(made);
  }

  // The one without which the provider can be made.
  std::optional<std::string> ParameterAtFault(std::string_view java_class, const Values& parameters) {
    for (const auto& [key, value] : parameters) {
      Values others = parameters;
      others.erase(key);
      if (factory_->Make(java_class, others).ok()) return key;
    }
    return std::nullopt;
  }

  void CheckProviderKey(const std::string& key) {
    std::string_view rest = std::string_view(key).substr(kPrefix.size());
    for (const auto& [name, provider] : providers_) {
      if (!rest.starts_with(name)) continue;
      const std::string_view end = rest.substr(name.size());
      if (end == kClass || (end.starts_with(kParameter) && end.size() > kParameter.size())) return;
    }
    if (factory_ == nullptr && !result_.problems.empty())
      return;  // That there is any provider is wrong; one mistake, one error.
    Problem(key, fmt::format("{} belongs to no provider, allowed: {}NAME{} and {}NAME{}KEY for each NAME of {}", key,
                             kPrefix, kClass, kPrefix, kParameter, kList));
  }

  std::string Replaced(const std::string& key, std::string_view value) {
    std::string out;
    while (true) {
      const std::size_t start = value.find("${");
      const std::size_t end = start == std::string_view::npos ? start : value.find('}', start);
      if (end == std::string_view::npos) return out.append(value);
      out += value.substr(0, start);
      const std::string_view whole = value.substr(start, end + 1 - start);
      const std::optional<Variable> variable = ParseVariable(whole.substr(2, whole.size() - 3));
      const auto provider = variable ? providers_.find(variable->provider) : providers_.end();
      if (provider == providers_.end()) {
        out += whole;
      } else if (provider->second != nullptr) {
        out += LookedUp(key, whole, *variable, *provider->second);
      }
      value.remove_prefix(end + 1);
    }
  }

  std::string LookedUp(const std::string& key, std::string_view whole, const Variable& variable,
                       ConfigProvider& provider) {
    absl::StatusOr<std::optional<std::string>> found = provider.Get(variable.path, variable.key);
    if (!found.ok()) {
      Problem(key, fmt::format("{}: {}: {}", key, whole, std::string(found.status().message())));
    } else if (!found->has_value()) {
      Problem(key, fmt::format("{}: {} has no value there, or it may not be read", key, whole));
    } else {
      result_.secret.insert(key);
      return **std::move(found);
    }
    return {};
  }

  const Values& values_;
  ConfigProviderFactory* const factory_;
  std::map<std::string, std::unique_ptr<ConfigProvider>, std::less<>> providers_;  // Null: it could not be made.
  LookedUpValues result_;
};

}  // namespace

LookedUpValues LookUpVariables(const Values& values, ConfigProviderFactory* factory) {
  return LookUp(values, factory).Run();
}

}  // namespace ktrial
