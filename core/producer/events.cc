#include "core/producer/events.h"

#include <fmt/format.h>

#include <utility>

#include "core/producer/text.h"
#include "core/wire/status.h"

namespace ktrial {
namespace {

constexpr std::string_view kWaitsForVersions =
    "it has not said yet which versions it speaks; a broker of Kafka 0.9 never does (api.version.request=false)";

}  // namespace

ProducerEvents::ProducerEvents(MetricsRecorder& metrics, Logger log, const Clock& clock, Threads& threads,
                               ProducerObserver& next)
    : metrics_(metrics), log_(std::move(log)), clock_(clock), next_(next), mutex_(threads, Site("events.mutex")) {}

std::string ProducerEvents::NameOf(NodeId node, const NodeState& state) {
  return state.address.empty() ? NodeName(node) : fmt::format("{} ({})", NodeName(node), state.address);
}

std::string ProducerEvents::NameOf(NodeId node) const {
  MutexLock lock(mutex_);
  const auto known = nodes_.find(node);
  return NameOf(node, known == nodes_.end() ? NodeState() : known->second);
}

std::string ProducerEvents::Trouble() const {
  MutexLock lock(mutex_);
  std::string text;
  for (const auto& [node, state] : nodes_) {
    if (state.trouble.empty() && !state.asked_versions) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", NameOf(node, state),
                        state.trouble.empty() ? kWaitsForVersions : state.trouble);
  }
  return text;
}

// Under the lock of a queue: nothing is done here.
void ProducerEvents::OnBatchCreated(const BatchView& batch) { next_.OnBatchCreated(batch); }

void ProducerEvents::OnBatchDrained(const BatchView& batch, NodeId node) {
  const Instant now = clock_.Now();
  metrics_.BatchDrained({.topic = batch.topic,
                         .records = batch.record_count,
                         .bytes = batch.bytes,
                         .plain_bytes = batch.plain_bytes,
                         .queued = now - batch.created},
                        now);
  next_.OnBatchDrained(batch, node);
}

void ProducerEvents::OnBatchRetried(const BatchView& batch, wire::ErrorCode code) {
  metrics_.RecordsRetried(batch.topic, batch.record_count, clock_.Now());
  if (log_.Writes(LogLevel::kWarning)) {
    log_.Write(LogLevel::kWarning,
               fmt::format("{}-{}: {} records will be sent again after attempt {}: {}", batch.topic,
                           batch.partition.value(), batch.record_count, batch.attempts, wire::ErrorCodeName(code)));
  }
  next_.OnBatchRetried(batch, code);
}

void ProducerEvents::OnBatchSplit(const BatchView& batch, std::int32_t parts) {
  metrics_.BatchSplit(clock_.Now());
  if (log_.Writes(LogLevel::kWarning)) {
    log_.Write(LogLevel::kWarning,
               fmt::format("{}-{}: a batch of {} bytes is too large for the broker; {} smaller ones follow",
                           batch.topic, batch.partition.value(), batch.bytes, parts));
  }
  next_.OnBatchSplit(batch, parts);
}

void ProducerEvents::OnBatchDone(const BatchView& batch, const absl::Status& status, Offset base_offset) {
  if (!status.ok()) {
    metrics_.RecordsFailed(batch.topic, batch.record_count, clock_.Now());
    if (log_.Writes(LogLevel::kWarning)) {
      // What ended without a broker has no code: the text says why.
      const std::string why = wire::HasKafkaCode(status) ? std::string(wire::ErrorCodeName(wire::KafkaCode(status)))
                                                         : std::string(status.message());
      log_.Write(LogLevel::kWarning, fmt::format("{}-{}: {} records failed: {}", batch.topic, batch.partition.value(),
                                                 batch.record_count, why));
    }
  }
  next_.OnBatchDone(batch, status, base_offset);
}

void ProducerEvents::OnBufferPool(std::int64_t used_bytes, std::int32_t waiters) {
  if (waiters > 0 && on_memory_wait_ != nullptr) on_memory_wait_();
  next_.OnBufferPool(used_bytes, waiters);
}

void ProducerEvents::OnConnecting(NodeId node, const Address& address) {
  {
    MutexLock lock(mutex_);
    nodes_[node].address = AddressText(address);
  }
  if (log_.Writes(LogLevel::kDebug)) log_.Write(LogLevel::kDebug, NameOf(node) + ": connecting");
  next_.OnConnecting(node, address);
}

void ProducerEvents::OnConnected(NodeId node) {
  metrics_.Connected(node, clock_.Now());
  bool was_in_trouble = false;
  {
    MutexLock lock(mutex_);
    NodeState& state = nodes_[node];
    was_in_trouble = !state.trouble.empty();
    state.connected = true;
    state.trouble.clear();
  }
  const LogLevel level = was_in_trouble ? LogLevel::kInfo : LogLevel::kDebug;
  if (log_.Writes(level)) log_.Write(level, NameOf(node) + ": connected");
  next_.OnConnected(node);
}

void ProducerEvents::OnDisconnected(NodeId node, std::string_view why) {
  bool was_connected = false;
  bool is_news = false;
  {
    MutexLock lock(mutex_);
    NodeState& state = nodes_[node];
    was_connected = std::exchange(state.connected, false);
    state.asked_versions = false;
    is_news = why != kIdleConnection && state.trouble != why;
    if (why != kIdleConnection) state.trouble = std::string(why);
  }
  if (was_connected) metrics_.ConnectionClosed(clock_.Now());
  // A broker that is down is tried about once a second: one line is enough.
  const LogLevel level = is_news ? LogLevel::kWarning : LogLevel::kDebug;
  if (log_.Writes(level)) log_.Write(level, fmt::format("{}: {}", NameOf(node), why));
  next_.OnDisconnected(node, why);
}

void ProducerEvents::OnRequestSent(NodeId node, wire::ApiKey api, std::int16_t version, std::int32_t correlation_id,
                                   std::int64_t bytes) {
  metrics_.RequestSent(node, bytes, clock_.Now());
  if (api == wire::ApiKey::kApiVersions) {
    MutexLock lock(mutex_);
    nodes_[node].asked_versions = true;
  }
  next_.OnRequestSent(node, api, version, correlation_id, bytes);
}

void ProducerEvents::OnResponse(NodeId node, wire::ApiKey api, std::int32_t correlation_id, Duration latency) {
  metrics_.ResponseReceived(node, std::exchange(received_bytes_[node], 0), clock_.Now());
  if (api == wire::ApiKey::kApiVersions) {
    MutexLock lock(mutex_);
    nodes_[node].asked_versions = false;
  }
  next_.OnResponse(node, api, correlation_id, latency);
}

void ProducerEvents::OnRequestFailed(NodeId node, wire::ApiKey api, std::int32_t correlation_id, bool timed_out) {
  if (log_.Writes(LogLevel::kInfo)) {
    log_.Write(LogLevel::kInfo, fmt::format("{}: {} request {} {}", NameOf(node), wire::ApiKeyName(api), correlation_id,
                                            timed_out ? "has no answer in time" : "was cut off"));
  }
  next_.OnRequestFailed(node, api, correlation_id, timed_out);
}

void ProducerEvents::OnThrottled(NodeId node, Duration throttle) {
  if (log_.Writes(LogLevel::kDebug)) {
    log_.Write(LogLevel::kDebug, fmt::format("{}: throttled for {} ms", NameOf(node), Millis(throttle)));
  }
  next_.OnThrottled(node, throttle);
}

void ProducerEvents::OnAuthenticated(NodeId node) {
  metrics_.Authenticated(clock_.Now());
  next_.OnAuthenticated(node);
}

void ProducerEvents::OnReauthenticated(NodeId node, Duration latency) {
  metrics_.Reauthenticated(latency, clock_.Now());
  if (log_.Writes(LogLevel::kDebug)) log_.Write(LogLevel::kDebug, NameOf(node) + ": session renewed");
  next_.OnReauthenticated(node, latency);
}

void ProducerEvents::OnAuthenticationFailed(NodeId node, bool again) {
  metrics_.AuthenticationFailed(again, clock_.Now());
  next_.OnAuthenticationFailed(node, again);
}

void ProducerEvents::OnBytesReceived(NodeId node, std::int64_t bytes) {
  metrics_.IoDone();
  received_bytes_[node] += bytes;
  next_.OnBytesReceived(node, bytes);
}

void ProducerEvents::OnBytesWritten(NodeId node, std::int64_t bytes) {
  metrics_.IoDone();
  next_.OnBytesWritten(node, bytes);
}

void ProducerEvents::OnWaited(Instant from, Instant to) {
  metrics_.Waited(from - last_wait_ended_.value_or(from), to - from);
  last_wait_ended_ = to;
  next_.OnWaited(from, to);
}

void ProducerEvents::OnMetadataRequest(NodeId node, RefreshReason reason, bool partial, std::int32_t topic_count) {
  if (log_.Writes(LogLevel::kDebug)) {
    log_.Write(LogLevel::kDebug, fmt::format("metadata: asking {} about {} topics, because of {}", NameOf(node),
                                             topic_count, RefreshReasonName(reason)));
  }
  next_.OnMetadataRequest(node, reason, partial, topic_count);
}

void ProducerEvents::OnMetadataUpdated(std::int64_t version) { next_.OnMetadataUpdated(version); }

void ProducerEvents::OnMetadataFailed(std::string_view why) {
  log_.Write(LogLevel::kInfo, fmt::format("metadata: no update: {}", why));
  next_.OnMetadataFailed(why);
}

void ProducerEvents::OnRebootstrap() {
  log_.Write(LogLevel::kWarning, "metadata: no known broker can be reached; starting over from bootstrap.servers");
  next_.OnRebootstrap();
}

void ProducerEvents::OnFailedForGood(const absl::Status& why) {
  log_.Write(LogLevel::kError, fmt::format("the producer has failed for good: {}", std::string(why.message())));
  next_.OnFailedForGood(why);
}

void ProducerEvents::OnLoopIteration() { next_.OnLoopIteration(); }

}  // namespace ktrial
