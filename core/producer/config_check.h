// CheckConfig is what Producer::Create asks before it builds upon a configuration.
#ifndef CORE_PRODUCER_CONFIG_CHECK_H_
#define CORE_PRODUCER_CONFIG_CHECK_H_

#include "absl/status/status.h"
#include "core/producer/config.h"

namespace ktrial {

// A ProducerConfig may be filled in by hand, past ProducerConfig::Parse. INVALID_ARGUMENT names the first field, by its key, with
// a value that Parse would not have stored, alone or together with others (PR-20 to PR-23).
absl::Status CheckConfig(const ProducerConfig& config);

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_CHECK_H_
