// What is wrong with the values of a configuration, alone or together: Parse asks for those that were given, and Producer::Create
// for all.
#ifndef CORE_PRODUCER_CONFIG_CHECK_H_
#define CORE_PRODUCER_CONFIG_CHECK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/producer/config.h"

namespace ktrial {

// Of values that do not go together, the one that has to change.
struct ConfigConflict {
  std::string_view key;
  std::string value;
  std::string allowed;
  // As a default it is the one to stay, and what stands against it gives way.
  bool default_stays = false;
};
// What stands against idempotence (PR-21), if that is on.
std::vector<ConfigConflict> IdempotenceConflicts(const ProducerConfig& config);
// A batch needs its linger and one request (PR-22).
std::optional<ConfigConflict> DeliveryTimeoutConflict(const ProducerConfig& config);
// A batch that does not fit into the memory for all of them could never be had (BP-04).
std::optional<ConfigConflict> MemoryConflict(const ProducerConfig& config);

// A ProducerConfig may be filled in by hand, past ProducerConfig::Parse. INVALID_ARGUMENT names the first field, by its key, with
// a value that Parse would not have stored, alone or together with others (PR-20 to PR-23).
absl::Status CheckConfig(const ProducerConfig& config);

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_CHECK_H_
