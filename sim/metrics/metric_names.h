// The names of all metrics, which `[expect]`, `[[expect_that]]` and `--json` share, and by what each can be narrowed.
//
//   records.sent .acked .failed               counts of records; `failed` alone is records.failed
//   records.retried                           records in batches that were sent again, each time
//   lost duplicates reordered                 records, further copies, pairs of records; over the logs at the end, and
//                                             those of deleted topics
//   errors.<NAME>                             failed records by Kafka's error name
//   delivery.<stat>                           ms from the scheduled arrival to the acknowledgement
//   send.blocked.<stat>                       ms that Send took;  <stat>: min mean p50 p90 p95 p99 p999 max
//   requests requests.<Api>                   sent; requests.failed and requests.timed_out of these
//   bytes.sent                                of requests
//   metadata.requests metadata.reason.<trigger> metadata.updates metadata.failures
//   batches batches.retried                   batches that were sent, each once; times that one had to be sent again
//   batch.fill batch.records                  means: bytes over capacity (0 to 1), records
//   connects connections disconnects          opens begun; connections that became ready; what ended of both
//   throttled                                 answers that asked for a pause
//   transactions.begun .committed .aborted    as the application was told; what is neither was not ended, or nobody knows how
//   loop.iterations                           turns of the sender's loop
//   recovery                                  ms; the longest from the end of a fault to the next acknowledgement, where
//                                             records were waiting
//   buffer.peak buffer.used                   bytes of the buffer pool; at the most, at the end
//   log.records                               records in the logs at the end
//   offsets.committed                         offsets of groups that came to count, each time
//
// Statistics (delivery, send.blocked, batch.fill, batch.records, recovery) say something of what was measured: where
// nothing was, they are absent, and not 0. What stands in the logs at the end, and recovery, is of the whole run: no
// window narrows it.
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
std::string_view MetricFilterName(MetricFilter filter);  // "partition", ...
std::optional<MetricFilter> MetricFilterFromName(std::string_view name);

bool IsMetricName(std::string_view name);
// Whether the metric can be narrowed by that. False for names that do not exist.
bool MetricHasFilter(std::string_view name, MetricFilter filter);
// Is it a duration, in milliseconds?
bool MetricIsDuration(std::string_view name);
// Is it a statistic, which has no value where nothing was measured?
bool MetricIsStatistic(std::string_view name);
// Can it be asked for a window of the run?
bool MetricHasWindow(std::string_view name);
// Every name; of the open families every member.
std::vector<std::string> AllMetricNames();

// What a record failed with: Kafka's name of the error, or, of a Status without a Kafka code, its name ("CANCELLED").
std::string ErrorMetricName(std::int16_t error);
std::optional<std::int16_t> ErrorFromMetricName(std::string_view name);
// Errors of a Status without a Kafka code are kept as this plus the Status's code.
inline constexpr std::int16_t kStatusErrorBase = 1000;

}  // namespace ktrial::sim

#endif  // SIM_METRICS_METRIC_NAMES_H_
