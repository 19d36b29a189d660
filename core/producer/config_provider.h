// Values of a configuration that stand elsewhere: ${NAME:PATH:KEY} in a value, or ${NAME:KEY}, is replaced by what the provider
// NAME has there (config.providers, KIP-297).
//
//   config.providers = files
//   config.providers.files.class = org.apache.kafka.common.config.provider.FileConfigProvider
//   config.providers.files.param.allowed.paths = /etc/secrets
//   client.id = ${files:/etc/secrets/orders.properties:client.id}
//
// The core reads neither files nor the environment: a program hands ProducerConfig::Parse a ConfigProviderFactory. Kafka's three
// providers are in core/env/posix/config_providers.h. What was looked up is never shown in an error, and not looked at again for
// further variables. Java leaves a variable as it is whose provider has no such value; here that is an error, as it would be a
// password that is none. A variable of a name that is not in config.providers stays, in both.
//
// Thread safety: none; Parse calls them one after the other.
#ifndef CORE_PRODUCER_CONFIG_PROVIDER_H_
#define CORE_PRODUCER_CONFIG_PROVIDER_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/producer/config.h"

namespace ktrial {

class ConfigProvider {
 public:
  virtual ~ConfigProvider() = default;
  // Nullopt: there is no such value, or it may not be read. An error says what is wrong, without any value. `path` is empty where
  // the variable has none.
  virtual absl::StatusOr<std::optional<std::string>> Get(std::string_view path, std::string_view key) = 0;
};

class ConfigProviderFactory {
 public:
  virtual ~ConfigProviderFactory() = default;
  // By the name of a class, with its parameters (config.providers.NAME.param.*). An error says what is wrong, and what is allowed;
  // INVALID_ARGUMENT. Null is none.
  virtual absl::StatusOr<std::unique_ptr<ConfigProvider>> Make(
      std::string_view class_name, const std::map<std::string, std::string>& parameters) = 0;
};

// A configuration without variables, and without the keys that say where they are looked up.
struct LookedUpValues {
  std::map<std::string, std::string> values;
  std::set<std::string> secret;  // The keys of those in which something was replaced.
  std::vector<ConfigProblem> problems;
};
// `factory` may be null; then config.providers has to be empty.
LookedUpValues LookUpVariables(const std::map<std::string, std::string>& values, ConfigProviderFactory* factory);

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_PROVIDER_H_
