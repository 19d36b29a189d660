// What a leader looks at before it appends a batch from a client, in the order in which a real one does. Errors carry
// the Kafka code that the answer will say, and for people what was wrong and at which byte.
#ifndef SIM_BROKER_BATCH_CHECK_H_
#define SIM_BROKER_BATCH_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/compression/codec.h"
#include "core/compression/decompressor.h"
#include "core/wire/record_batch.h"
#include "sim/broker/record_identity.h"

namespace ktrial::sim {

// Whether the records of one partition are one whole batch of format v2, as far as its first bytes tell (WP-10). What
// every broker checks, whether it leads or not.
absl::Status CheckShape(std::optional<std::string_view> records);
// Whether a batch of this shape has a codec that belongs into this version of the request: zstd came with version 7, and
// with it this check.
absl::Status CheckCodec(std::string_view records, std::int16_t produce_version);

struct BatchLimits {
  std::int32_t bytes_max = 0;
  std::size_t plain_bytes_max = 64 << 20;  // of what was compressed; a peer must not fill our memory
  bool transactional = false;              // the request has a transactional id, or nobody asks for one
  Codec codec_max = Codec::kZstd;          // the last one that this release knows
  IdentityRule identity = IdentityRule::kValuePrefix;
};

// Memory in which compressed records are read. One does for a host.
struct PlainRecordsBuffer {
  Decompressor decompressor;
  std::string bytes;
};

// CRC, header and every record; replaces `identities` by those of the records.
absl::StatusOr<wire::RecordBatchView> CheckBatch(std::string_view records, const BatchLimits& limits,
                                                 PlainRecordsBuffer& buffer, std::vector<RecordIdentity>& identities);

// Which records of a batch have a later timestamp. `plain` is what CheckBatch, which found nothing wrong, read with.
std::vector<std::int32_t> RecordsAfter(std::int64_t latest_ms, const wire::RecordBatchView& batch,
                                       const PlainRecordsBuffer& plain);

// Whether the records of one partition are a message set, of the formats before 2 (WP-20).
bool IsMessageSet(std::optional<std::string_view> records);
// CRC and every message of a set; replaces `identities` by those of the records, in wrappers too. A message that is cut
// off at the end is nobody's, as with a real broker; so there may be no records at all. Returns the latest timestamp, -1
// for none.
absl::StatusOr<std::int64_t> CheckMessageSet(std::string_view records, const BatchLimits& limits,
                                             PlainRecordsBuffer& buffer, std::vector<RecordIdentity>& identities);

}  // namespace ktrial::sim

#endif  // SIM_BROKER_BATCH_CHECK_H_
