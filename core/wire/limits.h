// Limits of Kafka's protocol that reach as far as what users give.
#ifndef CORE_WIRE_LIMITS_H_
#define CORE_WIRE_LIMITS_H_

#include <cstddef>

namespace ktrial::wire {

// The longest name of a topic, a client, a group and the like: its length is a signed number of 16 bits in the older versions of
// most messages, and brokers hold to it in the newer ones too.
inline constexpr std::size_t kStringBytesMax = 32767;

}  // namespace ktrial::wire

#endif  // CORE_WIRE_LIMITS_H_
