// Numbers of the requests of a client, over all its nodes, so that an answer shows which request it is for (NC-20). Those of the SASL
// exchange are others than all the rest.
#ifndef CORE_NETWORK_CORRELATION_IDS_H_
#define CORE_NETWORK_CORRELATION_IDS_H_

#include <cstdint>
#include <limits>

namespace ktrial {

// The largest ones of all.
inline constexpr std::int32_t kSaslCorrelationIds = 8;
inline constexpr std::int32_t kFirstSaslCorrelationId =
    std::numeric_limits<std::int32_t>::max() - kSaslCorrelationIds + 1;

// Thread safety: none; one thread.
class CorrelationIds {
 public:
  explicit constexpr CorrelationIds(std::int32_t first = 0) : next_(first) {}

  // Counts up. Behind the last one that is not SASL's comes the smallest number of all.
  constexpr std::int32_t Next() {
    if (next_ >= kFirstSaslCorrelationId) next_ = std::numeric_limits<std::int32_t>::min();
    return next_++;
  }

 private:
  std::int32_t next_;
};

// Those of the SASL exchange, in turn. Thread safety: as CorrelationIds.
class SaslCorrelationIds {
 public:
  constexpr std::int32_t Next() {
    const std::int32_t id = kFirstSaslCorrelationId + next_;
    next_ = (next_ + 1) % kSaslCorrelationIds;
    return id;
  }

 private:
  std::int32_t next_ = 0;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_CORRELATION_IDS_H_
