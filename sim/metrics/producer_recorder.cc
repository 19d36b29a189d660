#include "sim/metrics/producer_recorder.h"

#include <algorithm>

#include "core/wire/status.h"
#include "sim/kernel/unchecked_section.h"

namespace ktrial::sim {

ProducerRecorder::ProducerRecorder(Options options, const Clock& clock, EventLog& events, Trace& trace)
    : options_(std::move(options)),
      clock_(clock),
      events_(events),
      trace_(trace),
      subject_(trace.AddSubject(options_.name)) {}

EventRow ProducerRecorder::Row(EventKind kind) const {
  return {.at_nanos = clock_.Now().nanos(), .producer = options_.producer, .kind = kind};
}

EventRow ProducerRecorder::RowOf(EventKind kind, const BatchView& batch) {
  EventRow row = Row(kind);
  row.topic = events_.TopicIndex(batch.topic);
  row.partition = batch.partition.value();
  row.value = batch.record_count;
  return row;
}

EventRow ProducerRecorder::RowOf(EventKind kind, NodeId node) const {
  EventRow row = Row(kind);
  const auto entry = static_cast<std::size_t>(-1 - node.value());  // Of a bootstrap node: 0, 1, ...
  const bool known = node.value() < 0 && entry < options_.bootstrap.size() && options_.bootstrap[entry] != kNoNode;
  row.broker = known ? options_.bootstrap[entry].value() : node.value();
  return row;
}

void ProducerRecorder::Note(std::string_view what, std::uint64_t a, std::uint64_t b) {
  trace_.NoteText(TraceKind::kClient, subject_, a ^ (b << 32), what);
}

void ProducerRecorder::OnBatchCreated(const BatchView& batch) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kBatchCreated, batch);
  row.value = batch.capacity;
  events_.Add(row);
  if (options_.next != nullptr) options_.next->OnBatchCreated(batch);
}

void ProducerRecorder::OnBatchDrained(const BatchView& batch, NodeId node) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kBatchDrained, batch);
  row.broker = node.value();
  row.value = static_cast<std::int64_t>(batch.id);
  row.detail = static_cast<std::uint8_t>(std::min(batch.attempts, 255));
  events_.Add(row);
  if (sent_batches_.insert(batch.id).second) {
    row.kind = EventKind::kBatchFilled;
    row.value = std::int64_t{batch.bytes} << 32 | std::int64_t{batch.capacity};
    row.detail = 0;
    events_.Add(row);
  }
  Note("batch drained", batch.id, static_cast<std::uint64_t>(batch.record_count));
  if (options_.next != nullptr) options_.next->OnBatchDrained(batch, node);
}

void ProducerRecorder::OnBatchRetried(const BatchView& batch, wire::ErrorCode error) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kBatchRetried, batch);
  row.error = static_cast<std::int16_t>(error);
  events_.Add(row);
  Note("batch retried", batch.id, static_cast<std::uint64_t>(row.error));
  if (options_.next != nullptr) options_.next->OnBatchRetried(batch, error);
}

void ProducerRecorder::OnBatchSplit(const BatchView& batch, std::int32_t parts) {
  const UncheckedSection unchecked;
  sent_batches_.erase(batch.id);
  Note("batch split", batch.id, static_cast<std::uint64_t>(parts));
  if (options_.next != nullptr) options_.next->OnBatchSplit(batch, parts);
}

void ProducerRecorder::OnBatchDone(const BatchView& batch, const absl::Status& status, Offset base_offset) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kBatchDone, batch);
  row.error = static_cast<std::int16_t>(wire::KafkaCode(status));
  events_.Add(row);
  current_batch_was_sent_ = sent_batches_.erase(batch.id) > 0;
  Note("batch done", batch.id, static_cast<std::uint64_t>(base_offset.value()));
  if (options_.next != nullptr) options_.next->OnBatchDone(batch, status, base_offset);
}

void ProducerRecorder::OnBufferPool(std::int64_t used_bytes, std::int32_t waiters) {
  const UncheckedSection unchecked;
  buffer_used_ = used_bytes;
  buffer_waiters_ = waiters;
  EventRow row = Row(EventKind::kBufferUsed);
  row.value = used_bytes;
  events_.Add(row);
  if (options_.next != nullptr) options_.next->OnBufferPool(used_bytes, waiters);
}

void ProducerRecorder::OnConnecting(NodeId node, const Address& address) {
  const UncheckedSection unchecked;
  events_.Add(RowOf(EventKind::kConnecting, node));
  opened_.insert(node);
  Note("connecting", static_cast<std::uint64_t>(node.value()), 0);
  if (options_.next != nullptr) options_.next->OnConnecting(node, address);
}

void ProducerRecorder::OnConnected(NodeId node) {
  const UncheckedSection unchecked;
  events_.Add(RowOf(EventKind::kConnected, node));
  Note("connected", static_cast<std::uint64_t>(node.value()), 0);
  if (options_.next != nullptr) options_.next->OnConnected(node);
}

void ProducerRecorder::OnDisconnected(NodeId node, std::string_view why) {
  const UncheckedSection unchecked;
  // A name that has no address ends an attempt before there is anything to disconnect.
  if (opened_.erase(node) > 0) events_.Add(RowOf(EventKind::kDisconnected, node));
  Note("disconnected", static_cast<std::uint64_t>(node.value()), 0);
  if (options_.next != nullptr) options_.next->OnDisconnected(node, why);
}

void ProducerRecorder::OnRequestSent(NodeId node, wire::ApiKey api, std::int16_t version, std::int32_t correlation_id,
                                     std::int64_t bytes) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kRequestSent, node);
  row.value = bytes;
  row.detail = static_cast<std::uint8_t>(api);
  events_.Add(row);
  if (options_.next != nullptr) options_.next->OnRequestSent(node, api, version, correlation_id, bytes);
}

void ProducerRecorder::OnResponse(NodeId node, wire::ApiKey api, std::int32_t correlation_id, Duration latency) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kResponse, node);
  row.value = latency.count();
  row.detail = static_cast<std::uint8_t>(api);
  events_.Add(row);
  if (options_.next != nullptr) options_.next->OnResponse(node, api, correlation_id, latency);
}

void ProducerRecorder::OnRequestFailed(NodeId node, wire::ApiKey api, std::int32_t correlation_id, bool timed_out) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kRequestFailed, node);
  row.value = timed_out ? 1 : 0;
  row.detail = static_cast<std::uint8_t>(api);
  events_.Add(row);
  Note(timed_out ? "request timed out" : "request failed", static_cast<std::uint64_t>(node.value()),
       static_cast<std::uint64_t>(correlation_id));
  if (options_.next != nullptr) options_.next->OnRequestFailed(node, api, correlation_id, timed_out);
}

void ProducerRecorder::OnThrottled(NodeId node, Duration length) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kThrottled, node);
  row.value = length.count();
  events_.Add(row);
  if (options_.next != nullptr) options_.next->OnThrottled(node, length);
}

void ProducerRecorder::OnMetadataRequest(NodeId node, RefreshReason reason, bool partial, std::int32_t topic_count) {
  const UncheckedSection unchecked;
  EventRow row = RowOf(EventKind::kMetadataRequest, node);
  row.value = topic_count;
  row.detail = static_cast<std::uint8_t>(reason);
  events_.Add(row);
  Note(RefreshReasonName(reason), static_cast<std::uint64_t>(node.value()), partial ? 1 : 0);
  if (options_.next != nullptr) options_.next->OnMetadataRequest(node, reason, partial, topic_count);
}

void ProducerRecorder::OnMetadataUpdated(std::int64_t version) {
  const UncheckedSection unchecked;
  events_.Add(Row(EventKind::kMetadataUpdated));
  Note("metadata updated", static_cast<std::uint64_t>(version), 0);
  if (options_.next != nullptr) options_.next->OnMetadataUpdated(version);
}

void ProducerRecorder::OnMetadataFailed(std::string_view why) {
  const UncheckedSection unchecked;
  events_.Add(Row(EventKind::kMetadataFailed));
  Note("metadata failed", 0, 0);
  if (options_.next != nullptr) options_.next->OnMetadataFailed(why);
}

void ProducerRecorder::OnRebootstrap() {
  const UncheckedSection unchecked;
  Note("rebootstrap", 0, 0);
  if (options_.next != nullptr) options_.next->OnRebootstrap();
}

void ProducerRecorder::OnFailedForGood(const absl::Status& why) {
  const UncheckedSection unchecked;
  failure_ = {.at = clock_.Now(), .why = why};
  if (options_.next != nullptr) options_.next->OnFailedForGood(why);
}

void ProducerRecorder::OnLoopIteration() {
  const UncheckedSection unchecked;
  events_.Add(Row(EventKind::kLoopIteration));
  if (options_.next != nullptr) options_.next->OnLoopIteration();
}

}  // namespace ktrial::sim
