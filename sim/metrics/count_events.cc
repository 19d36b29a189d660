#include <algorithm>
#include <array>
#include <vector>

#include "core/observer.h"
#include "core/wire/api_key.h"
#include "sim/metrics/count_records.h"

namespace ktrial::sim {
namespace {

struct EventCounts {
  std::array<std::int64_t, 256> requests{};  // By ApiKey.
  std::array<std::int64_t, kRefreshReasonCount> metadata{};
  std::array<std::int64_t, 32> events{};  // By EventKind.
  std::int64_t requests_timed_out = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t records_retried = 0;
  std::int64_t records_done = 0;
  std::int64_t fill_ppm = 0;  // Summed over batches.

  std::int64_t of(EventKind kind) const { return events[static_cast<std::size_t>(kind)]; }
};

// Pools of several producers are told one by one; `used` is their sum.
struct BufferCounts {
  std::vector<std::int64_t> used_by_producer;
  std::int64_t used = 0;
  std::int64_t peak = 0;
  bool peak_started = false;
};

class EventFilter {
 public:
  EventFilter(const RunRecord& record, const MetricScope& scope) : scope_(scope) {
    if (scope.topic) topic_ = IndexOf(record.events.topics(), *scope.topic);
    if (scope.producer) producer_ = IndexOf(record.producers, *scope.producer);
  }
  bool Takes(const EventRow& row) const {
    if (topic_ && row.topic != *topic_) return false;
    if (producer_ && row.producer != *producer_) return false;
    if (scope_.partition && row.partition != *scope_.partition) return false;
    if (scope_.broker && row.broker != *scope_.broker) return false;
    return !scope_.error || row.error == *scope_.error;
  }

 private:
  // -2 if it is not there: no row has that.
  static std::int16_t IndexOf(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::int16_t{-2} : static_cast<std::int16_t>(found - names.begin());
  }
  const MetricScope& scope_;
  std::optional<std::int16_t> topic_;
  std::optional<std::int16_t> producer_;
};

void CountRow(const EventRow& row, EventCounts& counts) {
  ++counts.events[static_cast<std::size_t>(row.kind)];
  switch (row.kind) {
    case EventKind::kBatchFilled: {
      const std::int64_t capacity = row.value & UINT32_MAX;
      if (capacity > 0) counts.fill_ppm += (row.value >> 32) * 1'000'000 / capacity;
      break;
    }
    case EventKind::kBatchRetried:
      counts.records_retried += row.value;
      break;
    case EventKind::kBatchDone:
      counts.records_done += row.value;
      break;
    case EventKind::kRequestSent:
      ++counts.requests[row.detail];
      counts.bytes_sent += row.value;
      break;
    case EventKind::kRequestFailed:
      counts.requests_timed_out += row.value;
      break;
    case EventKind::kMetadataRequest:
      ++counts.metadata[row.detail];
      break;
    default:
      break;
  }
}

// The pool counts from before the window on: what was in use when the window began was in use in it.
void CountBuffer(const EventRow& row, const MetricScope& scope, BufferCounts& buffer) {
  if (row.at_nanos >= scope.to.nanos()) return;
  if (!buffer.peak_started && row.at_nanos >= scope.from.nanos()) {
    buffer.peak = buffer.used;
    buffer.peak_started = true;
  }
  std::int64_t& used = buffer.used_by_producer[static_cast<std::size_t>(row.producer)];
  buffer.used += row.value - used;
  used = row.value;
  if (buffer.peak_started) buffer.peak = std::max(buffer.peak, buffer.used);
}

}  // namespace

void CountEvents(const RunRecord& record, const MetricScope& scope, std::map<std::string, double>& metrics) {
  const EventFilter filter(record, scope);
  EventCounts counts;
  BufferCounts buffer;
  buffer.used_by_producer.resize(record.producers.size());
  for (const EventRow& row : record.events.rows()) {
    if (!filter.Takes(row)) continue;
    if (row.kind == EventKind::kBufferUsed) {
      CountBuffer(row, scope, buffer);
    } else if (scope.Contains(row.at_nanos)) {
      CountRow(row, counts);
    }
  }
  const auto put = [&](const std::string& name, std::int64_t count) { metrics[name] = static_cast<double>(count); };
  std::int64_t requests = 0;
  for (std::size_t api = 0; api < counts.requests.size(); ++api) {
    requests += counts.requests[api];
    if (counts.requests[api] == 0) continue;
    put("requests." + std::string(wire::ApiKeyName(static_cast<wire::ApiKey>(api))), counts.requests[api]);
  }
  for (std::size_t i = 0; i < counts.metadata.size(); ++i) {
    if (counts.metadata[i] == 0) continue;
    put("metadata.reason." + std::string(RefreshReasonName(static_cast<RefreshReason>(i))), counts.metadata[i]);
  }
  put("requests", requests);
  put("requests.failed", counts.of(EventKind::kRequestFailed));
  put("requests.timed_out", counts.requests_timed_out);
  put("bytes.sent", counts.bytes_sent);
  put("metadata.requests", counts.of(EventKind::kMetadataRequest));
  put("metadata.updates", counts.of(EventKind::kMetadataUpdated));
  put("metadata.failures", counts.of(EventKind::kMetadataFailed));
  put("batches", counts.of(EventKind::kBatchFilled));
  put("batches.retried", counts.of(EventKind::kBatchRetried));
  put("records.retried", counts.records_retried);
  put("connects", counts.of(EventKind::kConnecting));
  put("connections", counts.of(EventKind::kConnected));
  put("disconnects", counts.of(EventKind::kDisconnected));
  put("throttled", counts.of(EventKind::kThrottled));
  put("loop.iterations", counts.of(EventKind::kLoopIteration));
  put("buffer.peak", buffer.peak_started ? buffer.peak : buffer.used);
  put("buffer.used", buffer.used);
  if (const std::int64_t batches = counts.of(EventKind::kBatchFilled); batches > 0) {
    metrics["batch.fill"] = static_cast<double>(counts.fill_ppm / batches) / 1e6;
  }
  if (const std::int64_t done = counts.of(EventKind::kBatchDone); done > 0) {
    metrics["batch.records"] = static_cast<double>(counts.records_done * 1000 / done) / 1000;
  }
}

std::map<std::string, double> CountMetrics(const RunRecord& record, const MetricScope& scope) {
  std::map<std::string, double> metrics;
  CountRecords(record, scope, metrics);
  CountEvents(record, scope, metrics);
  return metrics;
}

}  // namespace ktrial::sim
