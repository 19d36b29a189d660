// MetricsRecorder counts what a producer does and turns it into a MetricsSnapshot. It is told of batches, requests and waits, so a lock
// of its own is cheap enough. Of single records it is told no more than their size, and of the turns of the sender only sums: both
// without the lock, and taken over by the next event that has it.
//
// Thread safety: every function may be called from any thread, except as marked. No function calls out.
#ifndef CORE_PRODUCER_METRICS_RECORDER_H_
#define CORE_PRODUCER_METRICS_RECORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/producer/metrics.h"
#include "core/producer/windowed_stat.h"
#include "core/types.h"

namespace ktrial {

// What is read off other parts when a snapshot is taken.
struct MetricsGauges {
  std::int64_t requests_in_flight = 0;
  double metadata_age_seconds = 0;  // NaN before the first full update.
  std::int64_t buffer_total_bytes = 0;
  std::int64_t buffer_available_bytes = 0;
  std::int64_t waiting_threads = 0;
};

class MetricsRecorder {
 public:
  // `started`: of the producer, for app-info.
  MetricsRecorder(Threads& threads, StatWindows windows, std::string client_id, WallTime started);

  // A batch goes into a request, for the first time or again (PR-24: retries count again).
  struct DrainedBatch {
    std::string_view topic;
    std::int64_t records = 0;
    std::int64_t bytes = 0;
    std::int64_t plain_bytes = 0;  // Without compression; as many as `bytes` at least, and not 0.
    Duration queued{};             // Since the batch was created.
  };
  void BatchDrained(const DrainedBatch& batch, Instant now);
  // The size of a record as estimated before encoding (WP-19). On the path of the record, so the largest since the last drain stands for
  // all of them; of two threads that come at the same moment, the larger one may be lost to the other.
  void NoteRecordSize(std::int64_t bytes) {
    if (bytes > largest_record_.LoadRelaxed()) largest_record_.StoreRelaxed(bytes);
  }
  void ProduceRequestMade(std::int64_t records, Instant now);
  void RecordsRetried(std::string_view topic, std::int64_t records, Instant now);
  // Also for records that were refused, which have no topic yet.
  void RecordsFailed(std::string_view topic, std::int64_t records, Instant now);
  void BatchSplit(Instant now);
  // The buffer pool's sums since the start; what is new since the last call counts as of this moment.
  void BufferPoolSeen(Duration wait_time, std::int64_t exhausted, Instant now);
  void Flushed(Duration took);
  // How long a call about transactions took, whatever came of it.
  enum class TransactionCall : std::uint8_t { kInit, kBegin, kSendOffsets, kCommit, kAbort };
  static constexpr std::size_t kTransactionCallCount = 5;
  void TransactionCalled(TransactionCall call, Duration took);
  void MetadataWaited(Duration took);

  void Connected(NodeId node, Instant now);
  void ConnectionClosed(Instant now);
  void Authenticated(Instant now);
  void Reauthenticated(Duration latency, Instant now);
  // `again`: when a session was to be renewed.
  void AuthenticationFailed(bool again, Instant now);
  void RequestSent(NodeId node, std::int64_t bytes, Instant now);
  // `bytes`: what came from the node since its last answer, this one's end included.
  void ResponseReceived(NodeId node, std::int64_t bytes, Instant now);
  // Of a produce request, from its making to its answer, and the throttle time that came with it, mostly zero.
  void ProduceAnswered(NodeId node, Duration latency, Duration throttle, Instant now);

  // Of the sender thread alone: it has waited for events, after so much work since the wait before.
  void Waited(Duration worked, Duration waited) {
    waits_.AddRelaxed(1);
    worked_ns_.AddRelaxed(worked.count());
    waited_ns_.AddRelaxed(waited.count());
  }
  // Of the sender thread alone: one read or write that moved bytes.
  void IoDone() { io_operations_.AddRelaxed(1); }

  MetricsSnapshot Snapshot(const MetricsGauges& gauges, Instant now);

 private:
  struct TopicStats {
    explicit TopicStats(StatWindows windows)
        : records(windows), bytes(windows), compression(windows), retries(windows), errors(windows) {}
    WindowedStat records, bytes, compression, retries, errors;
  };
  struct NodeStats {
    explicit NodeStats(StatWindows windows) : request_bytes(windows), response_bytes(windows), latency_ms(windows) {}
    WindowedStat request_bytes, response_bytes, latency_ms;  // One value a request, an answer, a produce answer.
  };
  class Writer;

  NodeStats& NodeLocked(NodeId node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeTurnsLocked(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteBatches(Writer& writer) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteConnections(Writer& writer) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteAuthentications(Writer& writer) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteTopicsAndNodes(Writer& writer, Instant now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteAppInfo(Writer& writer) const;
  static void WriteRequests(Writer& writer, const NodeStats& stats);

  // Set in the constructor, never changed.
  const StatWindows windows_;
  const std::string client_id_;
  const WallTime started_;

  // Written without the lock.
  Atomic<std::int64_t> largest_record_;
  // Sums since the start, of the sender thread.
  Atomic<std::int64_t> waits_;
  Atomic<std::int64_t> worked_ns_;
  Atomic<std::int64_t> waited_ns_;
  Atomic<std::int64_t> io_operations_;

  mutable Mutex mutex_;
  // Batches.
  WindowedStat batch_bytes_ ABSL_GUARDED_BY(mutex_);
  WindowedStat compression_ ABSL_GUARDED_BY(mutex_);  // Bytes over plain bytes, one value a batch.
  WindowedStat queue_time_ms_ ABSL_GUARDED_BY(mutex_);
  WindowedStat record_bytes_ ABSL_GUARDED_BY(mutex_);
  WindowedStat records_sent_ ABSL_GUARDED_BY(mutex_);
  WindowedStat records_per_request_ ABSL_GUARDED_BY(mutex_);
  WindowedStat records_retried_ ABSL_GUARDED_BY(mutex_);
  WindowedStat records_failed_ ABSL_GUARDED_BY(mutex_);
  WindowedStat batches_split_ ABSL_GUARDED_BY(mutex_);
  WindowedStat buffer_exhausted_ ABSL_GUARDED_BY(mutex_);
  WindowedStat buffer_wait_ns_ ABSL_GUARDED_BY(mutex_);
  Duration buffer_wait_seen_ ABSL_GUARDED_BY(mutex_){};
  std::int64_t buffer_exhausted_seen_ ABSL_GUARDED_BY(mutex_) = 0;
  std::int64_t flush_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::array<std::int64_t, kTransactionCallCount> transaction_ns_ ABSL_GUARDED_BY(mutex_) = {};
  std::int64_t metadata_wait_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  // Connections.
  std::int64_t connection_count_ ABSL_GUARDED_BY(mutex_) = 0;
  WindowedStat connections_made_ ABSL_GUARDED_BY(mutex_);
  WindowedStat connections_closed_ ABSL_GUARDED_BY(mutex_);
  WindowedStat authentications_ ABSL_GUARDED_BY(mutex_);
  WindowedStat authentications_failed_ ABSL_GUARDED_BY(mutex_);
  WindowedStat reauthentications_ms_ ABSL_GUARDED_BY(mutex_);  // One value each.
  WindowedStat reauthentications_failed_ ABSL_GUARDED_BY(mutex_);
  WindowedStat throttle_ms_ ABSL_GUARDED_BY(mutex_);
  NodeStats all_nodes_ ABSL_GUARDED_BY(mutex_);
  // Turns of the sender: what was taken over from the sums above.
  WindowedStat turns_ ABSL_GUARDED_BY(mutex_);
  WindowedStat io_ns_ ABSL_GUARDED_BY(mutex_);
  WindowedStat io_wait_ns_ ABSL_GUARDED_BY(mutex_);
  WindowedStat network_io_ ABSL_GUARDED_BY(mutex_);
  // Ordered, because a snapshot lists them.
  std::map<std::string, TopicStats, std::less<>> topics_ ABSL_GUARDED_BY(mutex_);
  std::map<NodeId, NodeStats> nodes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_METRICS_RECORDER_H_
