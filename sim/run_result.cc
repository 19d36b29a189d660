#include "sim/run_result.h"

#include <algorithm>
#include <charconv>

#include "fmt/format.h"
#include "sim/metrics/run_record.h"

namespace ktrial::sim {
namespace {

std::string WithText(const std::string& text) { return text.empty() ? "" : ": " + text; }

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

absl::StatusOr<std::int32_t> ParseNumber(MetricFilter filter, const std::string& text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return absl::InvalidArgumentError(fmt::format("{} = \"{}\": not a number", MetricFilterName(filter), text));
}

absl::Status Narrow(MetricFilter filter, const std::string& value, MetricScope& scope) {
  switch (filter) {
    case MetricFilter::kTopic:
      scope.topic = value;
      return absl::OkStatus();
    case MetricFilter::kWorkload:
      scope.workload = value;
      return absl::OkStatus();
    case MetricFilter::kProducer:
      scope.producer = value;
      return absl::OkStatus();
    case MetricFilter::kError:
      scope.error = ErrorFromMetricName(value);
      if (scope.error) return absl::OkStatus();
      return absl::InvalidArgumentError(fmt::format("error = \"{}\": no such error", value));
    case MetricFilter::kPartition:
    case MetricFilter::kBroker:
      break;
  }
  const absl::StatusOr<std::int32_t> number = ParseNumber(filter, value);
  if (!number.ok()) return number.status();
  (filter == MetricFilter::kBroker ? scope.broker : scope.partition) = *number;
  return absl::OkStatus();
}

absl::StatusOr<double> ValueOf(const std::map<std::string, double>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found != metrics.end()) return found->second;
  if (MetricIsStatistic(name)) return absl::NotFoundError("there was nothing to measure");
  return 0;
}

}  // namespace

std::string Describe(const FailedCalls& failed) {
  const std::string when = failed.count == 1 ? "once, at" : fmt::format("{} times, first at", failed.count);
  return fmt::format("{} of {}: {} {} {:.3f} s{}", failed.call, failed.producer, failed.error, when,
                     Seconds(failed.first), WithText(failed.text));
}

std::string Describe(const FailedProducer& failed) {
  return fmt::format("{} failed for good at {:.3f} s: {}{}", failed.producer, Seconds(failed.at), failed.error,
                     WithText(failed.text));
}

absl::StatusOr<double> RunResult::Metric(const std::string& name) const {
  if (!IsMetricName(name)) return absl::InvalidArgumentError(fmt::format("there is no metric \"{}\"", name));
  return ValueOf(metrics, name);
}

absl::StatusOr<double> RunResult::Query(const MetricQuery& query) const {
  if (!IsMetricName(query.metric)) {
    return absl::InvalidArgumentError(fmt::format("there is no metric \"{}\"", query.metric));
  }
  const bool has_window = query.from != Duration(0) || query.to != Duration::max();
  if (has_window && !MetricHasWindow(query.metric)) {
    return absl::InvalidArgumentError(fmt::format("{} is of the whole run and has no window", query.metric));
  }
  MetricScope scope{.from = record->start + query.from, .to = record->start + query.to};
  if (has_window && scope.from >= record->end) {
    return absl::NotFoundError(
        fmt::format("the run had ended before that, at {:.3f} s", Seconds(record->end - record->start)));
  }
  for (const auto& [filter, value] : query.where) {
    if (!MetricHasFilter(query.metric, filter)) {
      return absl::InvalidArgumentError(fmt::format("{} is not counted by {}", query.metric, MetricFilterName(filter)));
    }
    if (const absl::Status status = Narrow(filter, value, scope); !status.ok()) return status;
  }
  return ValueOf(CountMetrics(*record, scope), query.metric);
}

bool RunResult::HasViolation(std::string_view checker) const {
  return std::any_of(violations.begin(), violations.end(),
                     [&](const Violation& violation) { return violation.checker == checker; });
}

bool RunResult::Passed() const {
  return violations.empty() && std::all_of(faults.begin(), faults.end(), [](const FaultOutcome& fault) {
           return fault.fired > 0 || fault.may_not_fire;
         });
}

}  // namespace ktrial::sim
