// Batches for brokers that store the formats v0 and v1 (before Kafka 0.11). The accumulator always gathers format v2; what goes
// to such a broker is rewritten when its request is made (SN-30).
#ifndef CORE_PRODUCER_DOWN_CONVERSION_H_
#define CORE_PRODUCER_DOWN_CONVERSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/compression/codec.h"
#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"

namespace ktrial {

// The format that a version of Produce carries (WP-10): 0 in v0 and v1, 1 in v2, 2 from v3 on.
std::int8_t MagicOf(std::int16_t produce_version);

// Thread safety: none; the sender thread.
class DownConverter {
 public:
  // What batches are compressed with; kZstd, which those formats do not have, is the caller's to keep away.
  DownConverter(Codec codec, int level) : codec_(codec), level_(level) {}

  // `batch` is a whole batch of format v2 that this producer made, none of whose records has headers: the same records as a
  // message set, compressed again if the batch was. `magic` is 0, which forgets timestamps, or 1.
  std::string Convert(std::string_view batch, std::int8_t magic);
  // Whether some record of the batch has headers, which those formats cannot carry.
  bool HasHeaders(std::string_view batch);

 private:
  const Codec codec_;
  const int level_;
  std::optional<Compressor> compressor_;  // Made for the first batch that needs it.
  Decompressor decompressor_;
  std::string plain_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_DOWN_CONVERSION_H_
