#include "sim/metrics/count_records.h"

#include <algorithm>

#include "sim/metrics/histogram.h"
#include "sim/metrics/metric_names.h"

namespace ktrial::sim {
namespace {

constexpr double kNanosPerMilli = 1e6;

void PutStats(const Histogram& histogram, const std::string& name, std::int64_t nanos_per_unit,
              std::map<std::string, double>& metrics) {
  if (histogram.count() == 0) return;
  const auto put = [&](const char* stat, std::int64_t value) {
    metrics[name + "." + stat] = static_cast<double>(value * nanos_per_unit) / kNanosPerMilli;
  };
  put("min", histogram.min());
  put("mean", histogram.mean());
  put("p50", histogram.Percentile(500'000));
  put("p90", histogram.Percentile(900'000));
  put("p95", histogram.Percentile(950'000));
  put("p99", histogram.Percentile(990'000));
  put("p999", histogram.Percentile(999'000));
  put("max", histogram.max());
}

// The scope's members in the numbers that entries have.
class RecordFilter {
 public:
  RecordFilter(const RunRecord& record, const MetricScope& scope) : record_(record), scope_(scope) {
    if (scope.topic) topic_ = record.history.FindTopic(*scope.topic).value_or(UINT16_MAX);
  }
  bool Takes(const RecordStream& stream) const {
    if (scope_.workload && stream.info().workload != *scope_.workload) return false;
    return !scope_.producer || record_.producers[static_cast<std::size_t>(stream.info().producer)] == *scope_.producer;
  }
  bool Takes(const RecordEntry& entry) const {
    if (topic_ && entry.topic != *topic_) return false;
    if (scope_.partition && (entry.partition == RecordEntry::kNoPartition || entry.partition != *scope_.partition))
      return false;
    return !scope_.error || entry.error == *scope_.error;
  }

 private:
  const RunRecord& record_;
  const MetricScope& scope_;
  std::optional<std::uint16_t> topic_;
};

struct RecordCounts {
  std::int64_t sent = 0;
  std::int64_t acked = 0;
  std::int64_t failed = 0;
  std::int64_t lost = 0;
  std::int64_t duplicates = 0;
  std::map<std::int16_t, std::int64_t> errors;
  Histogram delivery;  // ns
  Histogram blocked;   // us
};

void CountEntry(const RecordEntry& entry, RecordPlace place, const MetricScope& scope, RecordCounts& counts) {
  if (entry.returned_nanos != 0 && scope.Contains(entry.returned_nanos)) {
    ++counts.sent;
    counts.blocked.Add(entry.blocked_micros);
    counts.duplicates += std::max(0, place.most_copies() - 1);
  }
  if (entry.completions == 0 || !scope.Contains(entry.completed_nanos)) return;
  if (entry.state == RecordState::kAcked) {
    ++counts.acked;
    counts.delivery.Add(entry.completed_nanos - entry.scheduled_nanos);
    if (!place.is_anywhere()) ++counts.lost;
  } else {
    ++counts.failed;
    ++counts.errors[entry.error];
  }
}

// For each heal whether a record was outstanding then, and when the next acknowledgement came.
std::optional<std::int64_t> LongestRecovery(const RunRecord& record) {
  const std::vector<Instant>& heals = record.heals;
  const auto after = [&](std::int64_t nanos) {  // The first heal later than that.
    return std::upper_bound(heals.begin(), heals.end(), Instant::FromNanos(nanos)) - heals.begin();
  };
  std::vector<std::int64_t> waiting(heals.size() + 1);
  std::vector<std::int64_t> first_ack(heals.size() + 1, INT64_MAX);  // After the heal before it.
  for (const auto& stream : record.history.streams()) {
    for (std::int64_t i = 0; i < stream->size(); ++i) {
      const RecordEntry& entry = stream->at(i);
      const std::int64_t end = entry.completions == 0 ? INT64_MAX : entry.completed_nanos;
      ++waiting[static_cast<std::size_t>(after(entry.scheduled_nanos - 1))];
      const auto next = static_cast<std::size_t>(after(end - 1));
      --waiting[next];
      if (entry.state == RecordState::kAcked) {
        const auto upto = static_cast<std::size_t>(after(entry.completed_nanos));
        first_ack[upto] = std::min(first_ack[upto], entry.completed_nanos);
      }
    }
  }
  std::optional<std::int64_t> longest;
  std::int64_t ack = first_ack[heals.size()];
  std::vector<std::int64_t> ack_after(heals.size());
  for (std::size_t i = heals.size(); i-- > 0;) {
    ack_after[i] = ack;
    ack = std::min(ack, first_ack[i]);
  }
  std::int64_t outstanding = 0;
  for (std::size_t i = 0; i < heals.size(); ++i) {
    outstanding += waiting[i];
    if (outstanding > 0 && ack_after[i] != INT64_MAX) {
      longest = std::max(longest.value_or(0), ack_after[i] - heals[i].nanos());
    }
  }
  return longest;
}

}  // namespace

void CountRecords(const RunRecord& record, const MetricScope& scope, std::map<std::string, double>& metrics) {
  const RecordFilter filter(record, scope);
  RecordCounts counts;
  for (const auto& stream : record.history.streams()) {
    if (!filter.Takes(*stream)) continue;
    for (std::int64_t i = 0; i < stream->size(); ++i) {
      const RecordEntry& entry = stream->at(i);
      if (filter.Takes(entry)) CountEntry(entry, record.index->at(*stream, i), scope, counts);
    }
  }
  const std::int64_t reordered = record.index->ReorderedPairs([&](const RecordEntry& entry) {
    return scope.Contains(entry.returned_nanos) && filter.Takes(entry) && filter.Takes(History::StreamOf(entry));
  });
  for (const TransactionEntry& transaction : record.history.transactions()) {
    if (scope.producer && record.producers[static_cast<std::size_t>(transaction.producer)] != *scope.producer) continue;
    if (scope.Contains(transaction.begun.nanos())) ++metrics["transactions.begun"];
    if (!scope.Contains(transaction.ended.nanos())) continue;
    if (transaction.outcome == TransactionOutcome::kCommitted) ++metrics["transactions.committed"];
    if (transaction.outcome == TransactionOutcome::kAborted) ++metrics["transactions.aborted"];
  }
  metrics["records.sent"] = static_cast<double>(counts.sent);
  metrics["records.acked"] = static_cast<double>(counts.acked);
  metrics["records.failed"] = static_cast<double>(counts.failed);
  metrics["failed"] = static_cast<double>(counts.failed);
  metrics["lost"] = static_cast<double>(counts.lost);
  metrics["duplicates"] = static_cast<double>(counts.duplicates);
  metrics["reordered"] = static_cast<double>(reordered);
  metrics["log.records"] = static_cast<double>(record.index->log_records());
  metrics["offsets.committed"] = static_cast<double>(record.group_offsets.size());
  for (const auto& [error, count] : counts.errors)
    metrics["errors." + ErrorMetricName(error)] = static_cast<double>(count);
  PutStats(counts.delivery, "delivery", 1, metrics);
  PutStats(counts.blocked, "send.blocked", 1000, metrics);
  if (const auto recovery = LongestRecovery(record))
    metrics["recovery"] = static_cast<double>(*recovery) / kNanosPerMilli;
}

}  // namespace ktrial::sim
