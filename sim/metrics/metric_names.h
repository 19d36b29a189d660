// The names of all metrics, which `[expect]`, `[[expect_that]]` and `--json` share, and by what each can be narrowed.
//
//   records.sent .acked .failed .retried      counts; `failed` alone is records.failed
//   lost duplicates reordered                 counts, over the logs at the end
//   errors.<NAME>                             failed records by Kafka's error name
//   delivery.<stat>                           ms from the scheduled arrival to the completion of acknowledged records
//   send.blocked.<stat>                       ms that Send took;  <stat>: min mean p50 p90 p95 p99 p999 max
//   requests.<Api>  requests  requests.failed requests.timed_out  bytes.sent
//   metadata.requests metadata.reason.<trigger> metadata.updates metadata.failures
//   batches batch.fill (bytes over capacity, 0 to 1) batch.records (mean) batches.retried
//   connects connects.failed disconnects      throttled
//   loop.iterations  recovery (ms from the healing to the first acknowledgement)
//   buffer.peak buffer.used (bytes)           log.records
#ifndef SIM_METRICS_METRIC_NAMES_H_
#define SIM_METRICS_METRIC_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace ktrial::sim {

enum class MetricFilter : std::uint8_t { kPartition, kTopic, kBroker, kWorkload, kProducer, kError };
std::optional<MetricFilter> MetricFilterFromName(std::string_view name);

// OK, or INVALID_ARGUMENT that says so; `CloseMetricName` helps with the message.
absl::Status CheckMetricName(std::string_view name);
// INVALID_ARGUMENT if the metric is not counted by that.
absl::Status CheckMetricFilter(std::string_view metric, MetricFilter filter);
// Every name that stands for itself (for suggestions and for docs); the open families with their members.
std::vector<std::string> AllMetricNames();
// Is it a duration, to be printed in milliseconds?
bool MetricIsDuration(std::string_view name);

}  // namespace ktrial::sim

#endif  // SIM_METRICS_METRIC_NAMES_H_
