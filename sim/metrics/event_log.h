// EventLog keeps what producers did, batch by batch and request by request, each with its moment, so that every counter
// can be asked for any window and for a part (one broker, one topic, ...). Records are not here: they are in the
// History.
//
// A row is 32 bytes; a run of ten virtual minutes at a thousand records a second has about a million.
//
// Thread safety: none; one simulated world is one OS thread.
#ifndef SIM_METRICS_EVENT_LOG_H_
#define SIM_METRICS_EVENT_LOG_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"

namespace ktrial::sim {

enum class EventKind : std::uint8_t {
  kBatchCreated,     // value: capacity; topic, partition
  kBatchDrained,     // value: the batch's id; detail: how often it was sent before, up to 255; broker, topic, partition
  kBatchFilled,      // with its first drain; value: bytes * 2^32 + capacity; broker, topic, partition
  kBatchRetried,     // value: records; error, topic, partition
  kBatchDone,        // value: records; error, topic, partition
  kRequestSent,      // value: bytes; detail: ApiKey; broker
  kRequestFailed,    // detail: ApiKey; broker; value: 1 if it timed out
  kResponse,         // detail: ApiKey; broker; value: latency in ns
  kConnecting,       // broker
  kConnected,        // broker
  kDisconnected,     // broker
  kThrottled,        // broker; value: ns
  kMetadataRequest,  // detail: RefreshReason; broker
  kMetadataUpdated,
  kMetadataFailed,
  kLoopIteration,
  kBufferUsed,  // value: bytes
};

struct EventRow {
  std::int64_t at_nanos = 0;
  std::int64_t value = 0;
  std::int32_t partition = -1;
  std::int32_t broker = kNoBroker;
  std::int16_t error = 0;
  std::int16_t topic = -1;  // Index into topics().
  std::int16_t producer = 0;
  EventKind kind = EventKind::kLoopIteration;
  std::uint8_t detail = 0;

  static constexpr std::int32_t kNoBroker = INT32_MIN;
};
static_assert(sizeof(EventRow) == 32);

class EventLog {
 public:
  void Add(const EventRow& row) { rows_.push_back(row); }
  const std::deque<EventRow>& rows() const { return rows_; }  // In the order of time.

  // The index of a topic's name, given out on first use.
  std::int16_t TopicIndex(std::string_view topic);
  const std::vector<std::string>& topics() const { return topics_; }

 private:
  std::deque<EventRow> rows_;  // Not moved while it grows to tens of megabytes.
  std::vector<std::string> topics_;
  std::map<std::string, std::int16_t, std::less<>> topic_indices_;
};

}  // namespace ktrial::sim

#endif  // SIM_METRICS_EVENT_LOG_H_
