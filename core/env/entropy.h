// Entropy is where every random choice of core/ comes from: jitter of a backoff, the sticky partition, where a scan starts.
//
// Integers only. A draw is a function of (seed, entity, purpose, n): the streams of two purposes, and of two entities, do not
// shift each other, so a new draw in one place leaves all others as they were. Never draw inside an argument list (the order
// of evaluation differs between compilers), and draw once per decision: a deadline that is drawn again at each look flickers.
//
// Keys and nonces are made of Secret alone, which nobody may guess: draws are a hash of a seed of 64 bits.
#ifndef CORE_ENV_ENTROPY_H_
#define CORE_ENV_ENTROPY_H_

#include <cstdint>
#include <span>

namespace ktrial {

// What a draw is for; the value is part of the stream's key, so numbers are never reused.
enum class DrawPurpose : std::uint32_t {
  kReconnectBackoff = 1,
  kConnectionSetupTimeout = 2,
  kRetryBackoff = 3,
  kMetadataBackoff = 4,
  kLeastLoadedNode = 5,
  kStickyPartition = 6,
  kRoundRobinStart = 7,
  kResolvedAddress = 8,
  kReauthentication = 9,
};

// Owned by one producer; thread-safe.
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual std::uint64_t Next(DrawPurpose purpose) = 0;
  // Fills `bytes` for cryptography. Production asks the kernel, whatever the seed; in simulation it is a stream like others.
  virtual void Secret(std::span<char> bytes) = 0;
};

// A number in [0, bound), without bias worth speaking of (the high half of a 64 x 64 bit product). bound > 0.
inline std::uint64_t DrawBelow(Entropy& entropy, DrawPurpose purpose, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(entropy.Next(purpose)) * bound) >> 64);
}

}  // namespace ktrial

#endif  // CORE_ENV_ENTROPY_H_
