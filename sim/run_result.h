// RunResult is what a world leaves: the pieces of a verdict, and everything that was measured. Whether the run is a
// success is for the one who asked: `violations` empty and every fault fired is the minimum.
//
// It is plain data and outlives its world. Durations in metrics are milliseconds.
#ifndef SIM_RUN_RESULT_H_
#define SIM_RUN_RESULT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "sim/checker/checker.h"
#include "sim/fault/fault_spec.h"
#include "sim/metrics/metric_names.h"

namespace ktrial::sim {

// One metric in a window [from, to), for a part. Moments count from the start of the run.
struct MetricQuery {
  std::string metric = {};
  std::map<MetricFilter, std::string> where = {};  // Filters are joined by "and".
  Duration from{0};
  Duration to = Duration::max();
};

// What a [[call]] got.
struct CallOutcome {
  std::string call;  // "flush", "send", "close", "partitions_for", "begin", "commit", "abort", "send_offsets"
  std::string thread;
  std::string producer;
  Duration at{0};  // When it was made, since the start of the run.
  Duration took{0};
  std::string result;  // "OK", or an error as in errors.<NAME>
};

// Calls of an application, in a [[call]] or of a workload, that failed alike: of one producer, with one error. Sends are those
// that were refused; what failed later is a failed record. Flush in a callback is refused by rule, and not counted.
struct FailedCalls {
  std::string call;      // As in CallOutcome, or "init": InitTransactions, which comes with the first begin.
  std::string producer;  // An instance, by its own name.
  std::string error;     // As in errors.<NAME>
  std::string text;      // What the first was told besides; may be empty.
  Duration first{0};     // When that was, since the start of the run.
  std::int64_t count = 0;
};

// A producer that has failed for good: nothing that it was given later came through.
struct FailedProducer {
  std::string producer;  // An instance, by its own name.
  std::string error;     // As in errors.<NAME>
  std::string text;      // May be empty.
  Duration at{0};        // Since the start of the run.
};

// "commit of orders-writer: PRODUCER_FENCED 3 times, first at 12.300 s: another producer has taken over"
std::string Describe(const FailedCalls& failed);
// "orders-writer failed for good at 12.300 s: PRODUCER_FENCED: another producer has taken over"
std::string Describe(const FailedProducer& failed);

struct RunRecord;  // History, event log and logs; sim/metrics/run_record.h

struct RunResult {
  std::uint64_t seed = 0;
  std::vector<Violation> violations;
  std::vector<FaultOutcome> faults;              // In the order of the spec.
  std::vector<CallOutcome> calls;                // In the order in which they returned.
  std::vector<FailedCalls> failed_calls;         // In the order of time; where that is the same, of names.
  std::vector<FailedProducer> failed_producers;  // In the order of time; where that is the same, of names.
  std::map<std::string, double>
      metrics;             // The whole run; counters that never counted are absent, but for the well-known ones.
  Instant start;           // Moments of violations are on the same clock.
  std::uint64_t hash = 0;  // Of the whole trace.
  Duration virtual_time{0};
  std::int64_t events = 0;  // What the kernel ran: timed events and switches of threads.
  std::vector<std::string>
      warnings;  // Of the producers' configurations, and of what brokers were asked and do not serve.
  std::shared_ptr<const RunRecord> record;

  // The value of a metric over the whole run: 0 for a counter that never counted. INVALID_ARGUMENT: there is no such
  // name. NOT_FOUND: a statistic of which nothing was measured.
  absl::StatusOr<double> Metric(const std::string& name) const;
  // The same in a window and for a part. INVALID_ARGUMENT: no such name, or not counted by that filter or in a window.
  // NOT_FOUND: as above, or the run had ended before the window began.
  absl::StatusOr<double> Query(const MetricQuery& query) const;

  bool HasViolation(std::string_view checker) const;
  // No violation, and no fault that had to fire and did not.
  bool Passed() const;
};

}  // namespace ktrial::sim

#endif  // SIM_RUN_RESULT_H_
