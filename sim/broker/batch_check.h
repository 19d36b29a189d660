// What a leader looks at before it appends a batch from a client, in the order in which a real one does. Errors carry
// the Kafka code that the answer will say, and for people what was wrong and at which byte.
#ifndef SIM_BROKER_BATCH_CHECK_H_
#define SIM_BROKER_BATCH_CHECK_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/wire/record_batch.h"
#include "sim/broker/record_identity.h"

namespace ktrial::sim {

// Whether the records of one partition are one whole batch of format v2, as far as its first bytes tell (WP-10). What
// every broker checks, whether it leads or not.
absl::Status CheckShape(std::optional<std::string_view> records, std::int16_t produce_version);

struct BatchLimits {
  std::int32_t bytes_max = 0;
  bool transactional = false;  // the request has a transactional id
  IdentityRule identity = IdentityRule::kValuePrefix;
};

// CRC, header and every record; replaces `identities` by those of the records. A compressed batch is believed as to how
// many records it holds, and their identities are made up.
absl::StatusOr<wire::RecordBatchView> CheckBatch(std::string_view records, const BatchLimits& limits,
                                                 std::vector<RecordIdentity>& identities);

}  // namespace ktrial::sim

#endif  // SIM_BROKER_BATCH_CHECK_H_
