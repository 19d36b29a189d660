// One codec's stream is not the same in all of Kafka's formats.
#ifndef CORE_COMPRESSION_FRAMING_H_
#define CORE_COMPRESSION_FRAMING_H_

#include <cstdint>

namespace ktrial {

// Only lz4 differs. In message sets of format v0 the checksum of its frame's header is computed over too many bytes, a
// mistake of the first client that had to stay: writers repeat it, and readers do not look at it (WP-15).
enum class Framing : std::uint8_t { kStandard, kMessageSetV0 };

}  // namespace ktrial

#endif  // CORE_COMPRESSION_FRAMING_H_
