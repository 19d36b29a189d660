// ProducerRecorder listens to one producer and writes what it does into the event log and the trace. It also keeps what
// only the sequence of calls tells: whether the batch whose records are completing now was ever in a request.
#ifndef SIM_METRICS_PRODUCER_RECORDER_H_
#define SIM_METRICS_PRODUCER_RECORDER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/observer.h"
#include "sim/metrics/event_log.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

class ProducerRecorder final : public ProducerObserver {
 public:
  struct Options {
    std::string_view name;
    std::int16_t producer = 0;
    // Which broker each entry of bootstrap.servers is, so that what is done to node -1 counts for it; kNoNode: none of
    // ours.
    std::vector<NodeId> bootstrap;
    ProducerObserver* next = nullptr;  // Told everything too.
  };
  // All arguments outlive the recorder.
  ProducerRecorder(Options options, const Clock& clock, EventLog& events, Trace& trace);

  // During the callbacks of a batch: it was in a request at least once.
  bool current_batch_was_sent() const { return current_batch_was_sent_; }
  std::int64_t buffer_used() const { return buffer_used_; }
  std::int32_t buffer_waiters() const { return buffer_waiters_; }
  // That the producer has failed for good; nothing: it has not.
  struct Failure {
    Instant at;
    absl::Status why;
  };
  const std::optional<Failure>& failure() const { return failure_; }

  void OnBatchCreated(const BatchView& batch) override;
  void OnBatchDrained(const BatchView& batch, NodeId node) override;
  void OnBatchRetried(const BatchView& batch, wire::ErrorCode error) override;
  void OnBatchSplit(const BatchView& batch, std::int32_t parts) override;
  void OnBatchDone(const BatchView& batch, const absl::Status& status, Offset base_offset) override;
  void OnBufferPool(std::int64_t used_bytes, std::int32_t waiters) override;
  void OnConnecting(NodeId node, const Address& address) override;
  void OnConnected(NodeId node) override;
  void OnDisconnected(NodeId node, std::string_view why) override;
  void OnRequestSent(NodeId node, wire::ApiKey api, std::int16_t version, std::int32_t correlation_id,
                     std::int64_t bytes) override;
  void OnResponse(NodeId node, wire::ApiKey api, std::int32_t correlation_id, Duration latency) override;
  void OnRequestFailed(NodeId node, wire::ApiKey api, std::int32_t correlation_id, bool timed_out) override;
  void OnThrottled(NodeId node, Duration length) override;
  void OnMetadataRequest(NodeId node, RefreshReason reason, bool partial, std::int32_t topic_count) override;
  void OnMetadataUpdated(std::int64_t version) override;
  void OnMetadataFailed(std::string_view why) override;
  void OnRebootstrap() override;
  void OnFailedForGood(const absl::Status& why) override;
  void OnLoopIteration() override;

 private:
  EventRow Row(EventKind kind) const;
  EventRow RowOf(EventKind kind, const BatchView& batch);
  EventRow RowOf(EventKind kind, NodeId node) const;
  // Into the trace, where somebody reads it; the hash is told by numbers.
  void Note(std::string_view what, std::uint64_t a, std::uint64_t b);

  const Options options_;
  const Clock& clock_;
  EventLog& events_;
  Trace& trace_;
  const Subject subject_;
  std::set<std::uint64_t> sent_batches_;  // In a request at least once, and not done.
  std::set<NodeId> opened_;               // Their connections are being opened, or are open.
  bool current_batch_was_sent_ = false;
  std::int64_t buffer_used_ = 0;
  std::int32_t buffer_waiters_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace ktrial::sim

#endif  // SIM_METRICS_PRODUCER_RECORDER_H_
