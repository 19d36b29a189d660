#include "core/producer/metrics_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/version.h"

namespace ktrial {

namespace {

// Of averages and maxima of which nothing was measured.
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double Millis(Duration length) { return static_cast<double>(length.count()) / 1e6; }

}  // namespace

// Appends metrics of one group with one set of tags.
class MetricsRecorder::Writer {
 public:
  Writer(MetricsSnapshot& snapshot, Instant now) : snapshot_(snapshot), now_(now) {}

  void Start(std::string group, std::vector<std::pair<std::string, std::string>> tags) {
    group_ = std::move(group);
    tags_ = std::move(tags);
  }
  void Value(std::string name, double value) {
    snapshot_.metrics.push_back({.group = group_, .name = std::move(name), .tags = tags_, .value = value});
  }
  void Average(std::string_view name, const WindowedStat& stat) {
    Value(fmt::format("{}-avg", name), stat.Average(now_));
  }
  void AverageAndMax(std::string_view name, const WindowedStat& stat) {
    Average(name, stat);
    Value(fmt::format("{}-max", name), stat.Max(now_));
  }
  // The sum of what was recorded.
  void RateAndTotal(std::string_view name, const WindowedStat& stat) {
    Value(fmt::format("{}-rate", name), stat.RatePerSecond(now_));
    Value(fmt::format("{}-total", name), stat.total());
  }
  // How often something was recorded, whatever its value.
  void CountRateAndTotal(std::string_view name, const WindowedStat& stat) {
    Value(fmt::format("{}-rate", name), stat.CountPerSecond(now_));
    Value(fmt::format("{}-total", name), static_cast<double>(stat.total_count()));
  }
  // The part of the time, for what was recorded in nanoseconds.
  void Ratio(std::string name, const WindowedStat& nanos) { Value(std::move(name), nanos.RatePerSecond(now_) / 1e9); }
  void Text(std::string name, std::string text) {
    Value(std::move(name), kNothing);
    snapshot_.metrics.back().text = std::move(text);
  }
  // `count` says how often there was something to spend the nanoseconds on.
  void AverageOf(std::string name, const WindowedStat& nanos, const WindowedStat& count) {
    const double times = count.SumInWindows(now_);
    Value(std::move(name), times == 0 ? kNothing : nanos.SumInWindows(now_) / times);
  }

 private:
  MetricsSnapshot& snapshot_;
  const Instant now_;
  std::string group_;
  std::vector<std::pair<std::string, std::string>> tags_;
};

double MetricsSnapshot::Value(std::string_view name, std::string_view topic_or_node) const {
  for (const Metric& metric : metrics) {
    const bool of_whole = metric.tags.size() < 2;
    if (metric.name == name &&
        (topic_or_node.empty() ? of_whole : !of_whole && metric.tags[1].second == topic_or_node)) {
      return metric.value;
    }
  }
  return kNothing;
}

MetricsRecorder::MetricsRecorder(Threads& threads, StatWindows windows, std::string client_id, WallTime started)
    : windows_(windows),
      client_id_(std::move(client_id)),
      started_(started),
      largest_record_(threads, Site("metrics.largest_record"), 0),
      waits_(threads, Site("metrics.waits"), 0),
      worked_ns_(threads, Site("metrics.worked_ns"), 0),
      waited_ns_(threads, Site("metrics.waited_ns"), 0),
      io_operations_(threads, Site("metrics.io_operations"), 0),
      mutex_(threads, Site("metrics.mutex")),
      batch_bytes_(windows),
      compression_(windows),
      queue_time_ms_(windows),
      record_bytes_(windows),
      records_sent_(windows),
      records_per_request_(windows),
      records_retried_(windows),
      records_failed_(windows),
      batches_split_(windows),
      buffer_exhausted_(windows),
      buffer_wait_ns_(windows),
      connections_made_(windows),
      connections_closed_(windows),
      authentications_(windows),
      authentications_failed_(windows),
      reauthentications_ms_(windows),
      reauthentications_failed_(windows),
      throttle_ms_(windows),
      all_nodes_(windows),
      turns_(windows),
      io_ns_(windows),
      io_wait_ns_(windows),
      network_io_(windows) {}

void MetricsRecorder::BatchDrained(const DrainedBatch& batch, Instant now) {
  MutexLock lock(mutex_);
  batch_bytes_.Record(now, static_cast<double>(batch.bytes));
  const double compression = static_cast<double>(batch.bytes) / static_cast<double>(batch.plain_bytes);
  compression_.Record(now, compression);
  queue_time_ms_.Record(now, Millis(batch.queued));
  const std::int64_t largest = largest_record_.LoadRelaxed();
  if (largest > 0) {
    largest_record_.StoreRelaxed(0);
    record_bytes_.Record(now, static_cast<double>(largest));
  }
  records_sent_.Record(now, static_cast<double>(batch.records));
  auto topic = topics_.find(batch.topic);
  if (topic == topics_.end()) topic = topics_.emplace(std::string(batch.topic), TopicStats(windows_)).first;
  topic->second.records.Record(now, static_cast<double>(batch.records));
  topic->second.bytes.Record(now, static_cast<double>(batch.bytes));
  topic->second.compression.Record(now, compression);
}

void MetricsRecorder::ProduceRequestMade(std::int64_t records, Instant now) {
  MutexLock lock(mutex_);
  records_per_request_.Record(now, static_cast<double>(records));
}

void MetricsRecorder::RecordsRetried(std::string_view topic, std::int64_t records, Instant now) {
  MutexLock lock(mutex_);
  records_retried_.Record(now, static_cast<double>(records));
  const auto stats = topics_.find(topic);
  if (stats != topics_.end()) stats->second.retries.Record(now, static_cast<double>(records));
}

void MetricsRecorder::RecordsFailed(std::string_view topic, std::int64_t records, Instant now) {
  MutexLock lock(mutex_);
  records_failed_.Record(now, static_cast<double>(records));
  const auto stats = topics_.find(topic);
  if (stats != topics_.end()) stats->second.errors.Record(now, static_cast<double>(records));
}

void MetricsRecorder::BatchSplit(Instant now) {
  MutexLock lock(mutex_);
  batches_split_.Record(now, 1);
}

void MetricsRecorder::BufferPoolSeen(Duration wait_time, std::int64_t exhausted, Instant now) {
  MutexLock lock(mutex_);
  // Two readers may come in the wrong order; sums do not go back.
  if (wait_time > buffer_wait_seen_) {
    buffer_wait_ns_.Record(now, static_cast<double>((wait_time - std::exchange(buffer_wait_seen_, wait_time)).count()));
  }
  if (exhausted > buffer_exhausted_seen_) {
    buffer_exhausted_.Record(now, static_cast<double>(exhausted - std::exchange(buffer_exhausted_seen_, exhausted)));
  }
}

void MetricsRecorder::Flushed(Duration took) {
  MutexLock lock(mutex_);
  flush_ns_ += took.count();
}

void MetricsRecorder::TransactionCalled(TransactionCall call, Duration took) {
  MutexLock lock(mutex_);
  transaction_ns_[static_cast<std::size_t>(call)] += took.count();
}

void MetricsRecorder::MetadataWaited(Duration took) {
  MutexLock lock(mutex_);
  metadata_wait_ns_ += took.count();
}

MetricsRecorder::NodeStats& MetricsRecorder::NodeLocked(NodeId node) {
  return nodes_.try_emplace(node, windows_).first->second;
}

void MetricsRecorder::Connected(NodeId node, Instant now) {
  MutexLock lock(mutex_);
  ++connection_count_;
  connections_made_.Record(now, 1);
  NodeLocked(node);
}

void MetricsRecorder::ConnectionClosed(Instant now) {
  MutexLock lock(mutex_);
  --connection_count_;
  connections_closed_.Record(now, 1);
}

void MetricsRecorder::Authenticated(Instant now) {
  MutexLock lock(mutex_);
  authentications_.Record(now, 1);
}

void MetricsRecorder::Reauthenticated(Duration latency, Instant now) {
  MutexLock lock(mutex_);
  reauthentications_ms_.Record(now, Millis(latency));
}

void MetricsRecorder::AuthenticationFailed(bool again, Instant now) {
  MutexLock lock(mutex_);
  (again ? reauthentications_failed_ : authentications_failed_).Record(now, 1);
}

void MetricsRecorder::RequestSent(NodeId node, std::int64_t bytes, Instant now) {
  MutexLock lock(mutex_);
  TakeTurnsLocked(now);
  all_nodes_.request_bytes.Record(now, static_cast<double>(bytes));
  NodeLocked(node).request_bytes.Record(now, static_cast<double>(bytes));
}

void MetricsRecorder::ResponseReceived(NodeId node, std::int64_t bytes, Instant now) {
  MutexLock lock(mutex_);
  TakeTurnsLocked(now);
  all_nodes_.response_bytes.Record(now, static_cast<double>(bytes));
  NodeLocked(node).response_bytes.Record(now, static_cast<double>(bytes));
}

void MetricsRecorder::ProduceAnswered(NodeId node, Duration latency, Duration throttle, Instant now) {
  MutexLock lock(mutex_);
  throttle_ms_.Record(now, Millis(throttle));
  all_nodes_.latency_ms.Record(now, Millis(latency));
  NodeLocked(node).latency_ms.Record(now, Millis(latency));
}

void MetricsRecorder::TakeTurnsLocked(Instant now) {
  const auto take = [now](const Atomic<std::int64_t>& sum, WindowedStat& into) {
    into.Record(now, static_cast<double>(sum.LoadRelaxed()) - into.total());
  };
  take(waits_, turns_);
  take(worked_ns_, io_ns_);
  take(waited_ns_, io_wait_ns_);
  take(io_operations_, network_io_);
}

void MetricsRecorder::WriteBatches(Writer& writer) const {
  writer.AverageAndMax("batch-size", batch_bytes_);
  writer.Average("compression-rate", compression_);
  writer.AverageAndMax("record-queue-time", queue_time_ms_);
  writer.AverageAndMax("record-size", record_bytes_);
  writer.RateAndTotal("record-send", records_sent_);
  writer.Average("records-per-request", records_per_request_);
  writer.RateAndTotal("record-retry", records_retried_);
  writer.RateAndTotal("record-error", records_failed_);
  writer.RateAndTotal("batch-split", batches_split_);
  writer.RateAndTotal("buffer-exhausted", buffer_exhausted_);
  writer.Ratio("bufferpool-wait-ratio", buffer_wait_ns_);
  writer.Value("bufferpool-wait-time-ns-total", buffer_wait_ns_.total());
  writer.Value("flush-time-ns-total", static_cast<double>(flush_ns_));
  writer.Value("metadata-wait-time-ns-total", static_cast<double>(metadata_wait_ns_));
  constexpr std::array<std::string_view, kTransactionCallCount> kCalls = {"init", "begin", "send-offsets", "commit",
                                                                          "abort"};
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    writer.Value(fmt::format("txn-{}-time-ns-total", kCalls[i]), static_cast<double>(transaction_ns_[i]));
  }
}

void MetricsRecorder::WriteConnections(Writer& writer) const {
  writer.Value("connection-count", static_cast<double>(connection_count_));
  writer.RateAndTotal("connection-creation", connections_made_);
  writer.RateAndTotal("connection-close", connections_closed_);
  WriteAuthentications(writer);
  writer.AverageAndMax("produce-throttle-time", throttle_ms_);
  WriteRequests(writer, all_nodes_);
  writer.RateAndTotal("network-io", network_io_);
  writer.RateAndTotal("select", turns_);
  writer.AverageOf("io-time-ns-avg", io_ns_, turns_);
  writer.AverageOf("io-wait-time-ns-avg", io_wait_ns_, turns_);
  writer.Value("io-time-ns-total", io_ns_.total());
  writer.Value("io-wait-time-ns-total", io_wait_ns_.total());
  writer.Ratio("io-ratio", io_ns_);
  writer.Ratio("io-wait-ratio", io_wait_ns_);
}

void MetricsRecorder::WriteAuthentications(Writer& writer) const {
  writer.RateAndTotal("successful-authentication", authentications_);
  // Of clients that cannot renew their session, which only a broker can know: in a client Kafka counts all of them.
  writer.Value("successful-authentication-no-reauth-total", authentications_.total());
  writer.RateAndTotal("failed-authentication", authentications_failed_);
  writer.CountRateAndTotal("successful-reauthentication", reauthentications_ms_);
  writer.AverageAndMax("reauthentication-latency", reauthentications_ms_);
  writer.RateAndTotal("failed-reauthentication", reauthentications_failed_);
}

void MetricsRecorder::WriteRequests(Writer& writer, const NodeStats& stats) {
  writer.RateAndTotal("outgoing-byte", stats.request_bytes);
  writer.RateAndTotal("incoming-byte", stats.response_bytes);
  writer.CountRateAndTotal("request", stats.request_bytes);
  writer.CountRateAndTotal("response", stats.response_bytes);
  writer.AverageAndMax("request-size", stats.request_bytes);
  writer.AverageAndMax("request-latency", stats.latency_ms);
}

void MetricsRecorder::WriteTopicsAndNodes(Writer& writer, Instant now) const {
  for (const auto& [topic, stats] : topics_) {
    writer.Start("producer-topic-metrics", {{"client-id", client_id_}, {"topic", topic}});
    writer.RateAndTotal("record-send", stats.records);
    writer.RateAndTotal("byte", stats.bytes);
    writer.Value("compression-rate", stats.compression.Average(now));
    writer.RateAndTotal("record-retry", stats.retries);
    writer.RateAndTotal("record-error", stats.errors);
  }
  for (const auto& [node, stats] : nodes_) {
    writer.Start("producer-node-metrics",
                 {{"client-id", client_id_}, {"node-id", fmt::format("node-{}", node.value())}});
    WriteRequests(writer, stats);
  }
}

void MetricsRecorder::WriteAppInfo(Writer& writer) const {
  writer.Start("app-info", {{"client-id", client_id_}});
  writer.Text("version", kSoftwareVersion);
  writer.Text("commit-id", kCommitId);
  writer.Value("start-time-ms", static_cast<double>(started_.millis()));
}

MetricsSnapshot MetricsRecorder::Snapshot(const MetricsGauges& gauges, Instant now) {
  MetricsSnapshot snapshot;
  Writer writer(snapshot, now);
  {
    MutexLock lock(mutex_);
    TakeTurnsLocked(now);
    writer.Start("producer-metrics", {{"client-id", client_id_}});
    WriteBatches(writer);
    WriteConnections(writer);
    writer.Value("requests-in-flight", static_cast<double>(gauges.requests_in_flight));
    writer.Value("metadata-age", gauges.metadata_age_seconds);
    writer.Value("buffer-total-bytes", static_cast<double>(gauges.buffer_total_bytes));
    writer.Value("buffer-available-bytes", static_cast<double>(gauges.buffer_available_bytes));
    writer.Value("waiting-threads", static_cast<double>(gauges.waiting_threads));
    WriteTopicsAndNodes(writer, now);
  }
  WriteAppInfo(writer);
  std::sort(snapshot.metrics.begin(), snapshot.metrics.end(), [](const Metric& left, const Metric& right) {
    return std::tie(left.group, left.tags, left.name) < std::tie(right.group, right.tags, right.name);
  });
  return snapshot;
}

}  // namespace ktrial
