// The table of all configuration keys of Kafka's producer, one row each: what it is called, what it may be, what it
// does here. ProducerConfig::Parse works through it, and a listing of the keys prints it.
#ifndef CORE_PRODUCER_CONFIG_KEYS_H_
#define CORE_PRODUCER_CONFIG_KEYS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ktrial {

struct ConfigProfile;
struct ProducerConfig;

// kClass: the name of a Java class. kPassword: its value is never shown.
enum class ConfigType : std::uint8_t { kBoolean, kShort, kInt, kLong, kDouble, kString, kList, kClass, kPassword };
// "boolean", "int", ...
std::string_view ConfigTypeName(ConfigType type);

enum class ConfigSupport : std::uint8_t {
  kSupported,
  kNotYet,   // An error that says so, unless the value is `harmless`.
  kIgnored,  // Only another client needs it: a warning.
};

// "supported", "not yet", "without effect".
std::string_view ConfigSupportName(ConfigSupport support);

struct ConfigKey {
  std::string_view name;
  ConfigType type = ConfigType::kString;
  ConfigSupport support = ConfigSupport::kSupported;
  std::string_view default_value;  // As text; empty where there is none.
  std::string_view allowed;        // For people: "all, -1, 0 or 1". Empty for numbers: their range says it.
  std::string_view rule;           // Id in the catalogue of rules; empty where a key just is a number.
  std::string_view doc;            // One line.
  // Numbers: the range, both ends inclusive.
  std::int64_t min = 0;
  std::int64_t max = 0;
  // Stores a value that has the right type and range; false if it is not one of the names that are allowed. Numbers and
  // booleans come as `number`, all else as `text`. Null where nothing is stored.
  bool (*store)(ProducerConfig& config, std::int64_t number, std::string_view text) = nullptr;
  // Of numbers and booleans: what is stored, as a number of this key.
  std::int64_t (*load)(const ProducerConfig& config) = nullptr;
  std::string_view harmless;  // For kNotYet: the value that asks for nothing. Compared without regard to case.
};

// Sorted by name.
std::span<const ConfigKey> ProducerConfigKeys();
// What a value of the key may be, for people: "0 ... 2147483647", "true or false", "all, -1, 0 or 1".
std::string AllowedValues(const ConfigKey& key);
// Null if Kafka's producer has no such key.
const ConfigKey* FindConfigKey(std::string_view name);
// The known key that `name` was probably meant to be, among the names of `profile` too if there is one; empty if none
// is close.
std::string_view ClosestConfigKey(std::string_view name, const ConfigProfile* profile = nullptr);

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_KEYS_H_
