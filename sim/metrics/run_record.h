// RunRecord is everything that a finished run has left to be counted: what was sent, what producers did, what stands in
// the logs. It owns all of it and outlives the world.
#ifndef SIM_METRICS_RUN_RECORD_H_
#define SIM_METRICS_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "sim/broker/group_offset.h"
#include "sim/checker/checker.h"
#include "sim/checker/history.h"
#include "sim/checker/log_index.h"
#include "sim/metrics/event_log.h"

namespace ktrial::sim {

struct RunRecord {
  History history;
  EventLog events;
  std::vector<std::string> producers;  // Names, by index.
  std::vector<PartitionEvidence> partitions;
  std::vector<GroupOffset> group_offsets;  // Those that were committed, in order.
  std::optional<LogIndex> index;
  Instant start;
  Instant end;
  std::vector<Instant> heals;       // When episodes of faults ended, in order of time; the last is the end of all.
  std::shared_ptr<void> log_owner;  // What keeps the logs of `partitions` alive.
};

// What to count. Absent members do not restrict.
struct MetricScope {
  Instant from = Instant::FromNanos(INT64_MIN);
  Instant to = Instant::Never();
  std::optional<std::int32_t> partition;
  std::optional<std::string> topic;
  std::optional<std::int32_t> broker;
  std::optional<std::string> workload;
  std::optional<std::string> producer;
  std::optional<std::int16_t> error;

  bool Contains(std::int64_t at_nanos) const { return at_nanos >= from.nanos() && at_nanos < to.nanos(); }
};

// All metrics within a scope (metric_names.h). What cannot be narrowed by a member of the scope is counted without it.
std::map<std::string, double> CountMetrics(const RunRecord& record, const MetricScope& scope);

}  // namespace ktrial::sim

#endif  // SIM_METRICS_RUN_RECORD_H_
