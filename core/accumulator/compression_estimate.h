// CompressionEstimate guesses how much smaller the records of a topic become, from how it went before (AC-04). It decides
// when a batch whose records are not compressed yet counts as full. Careful by design: a worse batch counts at once, a
// better one little by little, since a batch that turns out too large for the broker has to be sent again in parts.
//
// Ratios are in millionths, 1'000'000 for no gain. Thread safety: ratio() from any thread, the rest from the sender.
#ifndef CORE_ACCUMULATOR_COMPRESSION_ESTIMATE_H_
#define CORE_ACCUMULATOR_COMPRESSION_ESTIMATE_H_

#include <algorithm>
#include <cstdint>

#include "core/env/sync.h"
#include "core/env/threads.h"

namespace ktrial {

class CompressionEstimate {
 public:
  static constexpr std::int64_t kNoGain = 1'000'000;

  explicit CompressionEstimate(Threads& threads) : ratio_(threads, Site("accumulator.compression_ratio"), kNoGain) {}

  std::int64_t ratio() const { return ratio_.LoadRelaxed(); }
  // What so many bytes of records may take when compressed, with a margin of 5 %.
  static std::int64_t Compressed(std::int64_t bytes, std::int64_t ratio) { return bytes * ratio / kNoGain * 21 / 20; }

  // A batch became this.
  void Observe(std::int64_t observed) {
    const std::int64_t now = ratio();
    ratio_.StoreRelaxed(std::max(observed, observed > now ? now + kWorsen : now - kImprove));
  }
  // A batch of this ratio was too large for the broker: the next ones are filled as if nothing were gained (AC-29).
  void GiveUp(std::int64_t observed) { ratio_.StoreRelaxed(std::max(kNoGain, observed)); }

 private:
  static constexpr std::int64_t kWorsen = 50'000;
  static constexpr std::int64_t kImprove = 5'000;

  Atomic<std::int64_t> ratio_;
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_COMPRESSION_ESTIMATE_H_
