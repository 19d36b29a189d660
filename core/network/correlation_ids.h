// CorrelationIds numbers the requests of a client, over all its nodes, so that an answer shows which request it is for (NC-20).
#ifndef CORE_NETWORK_CORRELATION_IDS_H_
#define CORE_NETWORK_CORRELATION_IDS_H_

#include <cstdint>
#include <limits>

namespace ktrial {

// Thread safety: none; one thread.
class CorrelationIds {
 public:
  // From here on they belong to the SASL exchange.
  static constexpr std::int32_t kFirstReserved = std::numeric_limits<std::int32_t>::max() - 7;

  explicit constexpr CorrelationIds(std::int32_t first = 0) : next_(first) {}

  // Counts up. Behind the last one that is not reserved comes the smallest number of all.
  constexpr std::int32_t Next() {
    if (next_ >= kFirstReserved) next_ = std::numeric_limits<std::int32_t>::min();
    return next_++;
  }

 private:
  std::int32_t next_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_CORRELATION_IDS_H_
