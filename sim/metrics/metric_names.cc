#include "sim/metrics/metric_names.h"

#include <algorithm>
#include <array>

#include "core/observer.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"

namespace ktrial::sim {
namespace {

constexpr std::array<std::string_view, 6> kFilterNames = {"partition", "topic",    "broker",
                                                          "workload",  "producer", "error"};

// The codes of a Status, as absl::StatusCodeToString has them.
constexpr std::array<std::string_view, 17> kStatusNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// By which filters a group of metrics can be narrowed.
enum Filters : unsigned {
  kNone = 0,
  kOfPartition = 1U << static_cast<unsigned>(MetricFilter::kPartition),
  kOfTopic = 1U << static_cast<unsigned>(MetricFilter::kTopic),
  kOfBroker = 1U << static_cast<unsigned>(MetricFilter::kBroker),
  kOfWorkload = 1U << static_cast<unsigned>(MetricFilter::kWorkload),
  kOfProducer = 1U << static_cast<unsigned>(MetricFilter::kProducer),
  kOfError = 1U << static_cast<unsigned>(MetricFilter::kError),
  kOfRecord = kOfPartition | kOfTopic | kOfWorkload | kOfProducer,
  kOfBatch = kOfPartition | kOfTopic | kOfBroker | kOfProducer,
  kOfRequest = kOfBroker | kOfProducer,
};

struct NamedMetric {
  std::string_view name;
  unsigned filters;
};

constexpr NamedMetric kMetrics[] = {
    {"batch.fill", kOfBatch},
    {"batch.records", kOfPartition | kOfTopic | kOfProducer},
    {"batches", kOfBatch},
    {"batches.retried", kOfPartition | kOfTopic | kOfProducer | kOfError},
    {"buffer.peak", kOfProducer},
    {"buffer.used", kOfProducer},
    {"bytes.sent", kOfRequest},
    {"connections", kOfRequest},
    {"connects", kOfRequest},
    {"disconnects", kOfRequest},
    {"duplicates", kOfRecord},
    {"failed", kOfRecord | kOfError},
    {"log.records", kNone},
    {"loop.iterations", kOfProducer},
    {"lost", kOfRecord},
    {"metadata.failures", kOfProducer},
    {"metadata.requests", kOfRequest},
    {"metadata.updates", kOfProducer},
    {"offsets.committed", kNone},
    {"records.acked", kOfRecord},
    {"records.failed", kOfRecord | kOfError},
    {"records.retried", kOfPartition | kOfTopic | kOfProducer | kOfError},
    {"records.sent", kOfRecord},
    {"recovery", kNone},
    {"reordered", kOfRecord},
    {"requests", kOfRequest},
    {"requests.failed", kOfRequest},
    {"requests.timed_out", kOfRequest},
    {"throttled", kOfRequest},
    {"transactions.aborted", kOfProducer},
    {"transactions.begun", kOfProducer},
    {"transactions.committed", kOfProducer},
};

constexpr std::array<std::string_view, 8> kStats = {"min", "mean", "p50", "p90", "p95", "p99", "p999", "max"};

bool IsStat(std::string_view name) { return std::find(kStats.begin(), kStats.end(), name) != kStats.end(); }

bool IsReason(std::string_view name) {
  for (int i = 0; i < kRefreshReasonCount; ++i) {
    if (RefreshReasonName(static_cast<RefreshReason>(i)) == name) return true;
  }
  return false;
}

// The rest of `name` after `prefix`; nothing if it does not begin so.
std::optional<std::string_view> After(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

// The filters of a metric; nothing if there is none of that name.
std::optional<unsigned> FiltersOf(std::string_view name) {
  for (const NamedMetric& metric : kMetrics) {
    if (metric.name == name) return metric.filters;
  }
  if (const auto stat = After(name, "delivery."); stat && IsStat(*stat)) return kOfRecord;
  if (const auto stat = After(name, "send.blocked."); stat && IsStat(*stat)) return kOfRecord;
  if (const auto error = After(name, "errors."); error && ErrorFromMetricName(*error)) return kOfRecord;
  if (const auto reason = After(name, "metadata.reason."); reason && IsReason(*reason)) return kOfRequest;
  if (const auto api = After(name, "requests."); api && wire::ApiKeyFromName(*api)) return kOfRequest;
  return std::nullopt;
}

}  // namespace

std::string_view MetricFilterName(MetricFilter filter) { return kFilterNames[static_cast<std::size_t>(filter)]; }

std::optional<MetricFilter> MetricFilterFromName(std::string_view name) {
  for (std::size_t i = 0; i < kFilterNames.size(); ++i) {
    if (kFilterNames[i] == name) return static_cast<MetricFilter>(i);
  }
  return std::nullopt;
}

bool IsMetricName(std::string_view name) { return FiltersOf(name).has_value(); }

bool MetricHasFilter(std::string_view name, MetricFilter filter) {
  return (FiltersOf(name).value_or(kNone) >> static_cast<unsigned>(filter) & 1U) != 0;
}

bool MetricIsDuration(std::string_view name) {
  return name == "recovery" || name.starts_with("delivery.") || name.starts_with("send.blocked.");
}

bool MetricIsStatistic(std::string_view name) {
  return MetricIsDuration(name) || name == "batch.fill" || name == "batch.records";
}

bool MetricHasWindow(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOfWholeRun = {"duplicates",        "log.records", "lost",
                                                           "offsets.committed", "recovery",    "reordered"};
  return std::find(kOfWholeRun.begin(), kOfWholeRun.end(), name) == kOfWholeRun.end();
}

std::vector<std::string> AllMetricNames() {
  std::vector<std::string> names;
  for (const NamedMetric& metric : kMetrics) names.emplace_back(metric.name);
  for (const std::string_view stat : kStats) {
    names.push_back("delivery." + std::string(stat));
    names.push_back("send.blocked." + std::string(stat));
  }
  for (int i = 0; i < kRefreshReasonCount; ++i) {
    names.push_back("metadata.reason." + std::string(RefreshReasonName(static_cast<RefreshReason>(i))));
  }
  for (auto api = std::int16_t{0}; api <= static_cast<std::int16_t>(wire::kLastApiKey); ++api) {
    const auto key = static_cast<wire::ApiKey>(api);
    if (wire::IsKnownApi(key)) names.push_back("requests." + std::string(wire::ApiKeyName(key)));
  }
  for (auto code = static_cast<std::int16_t>(wire::kFirstErrorCode);
       code <= static_cast<std::int16_t>(wire::kLastErrorCode); ++code) {
    if (code != 0) names.push_back("errors." + ErrorMetricName(code));
  }
  for (std::size_t code = 1; code < kStatusNames.size(); ++code)
    names.push_back("errors." + std::string(kStatusNames[code]));
  std::sort(names.begin(), names.end());
  return names;
}

std::string ErrorMetricName(std::int16_t error) {
  const std::int16_t status = static_cast<std::int16_t>(error - kStatusErrorBase);
  if (status > 0 && static_cast<std::size_t>(status) < kStatusNames.size()) {
    return std::string(kStatusNames[static_cast<std::size_t>(status)]);
  }
  return std::string(wire::ErrorCodeName(static_cast<wire::ErrorCode>(error)));
}

std::optional<std::int16_t> ErrorFromMetricName(std::string_view name) {
  if (const auto code = wire::ErrorCodeFromName(name)) {
    if (*code == wire::ErrorCode::kNone) return std::nullopt;
    return static_cast<std::int16_t>(*code);
  }
  for (std::size_t i = 1; i < kStatusNames.size(); ++i) {
    if (kStatusNames[i] == name) return static_cast<std::int16_t>(kStatusErrorBase + static_cast<std::int16_t>(i));
  }
  return std::nullopt;
}

}  // namespace ktrial::sim
