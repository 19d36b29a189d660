// ProducerEvents is the observer that a producer has of its own: it turns events into metrics and log lines, remembers what is
// wrong with which broker, so that a timeout can name its cause, and passes every event on to the observer of the application.
//
// Thread safety: as ProducerObserver says, and Trouble may be called from any thread.
#ifndef CORE_PRODUCER_EVENTS_H_
#define CORE_PRODUCER_EVENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/observer.h"
#include "core/producer/log.h"
#include "core/producer/metrics_recorder.h"

namespace ktrial {

class ProducerEvents final : public ProducerObserver {
 public:
  // The references outlive this.
  ProducerEvents(MetricsRecorder& metrics, Logger log, const Clock& clock, Threads& threads, ProducerObserver& next);

  // Called when a thread is about to wait for memory, and at other changes of the pool while one waits; without a lock of the
  // producer. Set before there is a second thread.
  void set_on_memory_wait(absl::AnyInvocable<void()> function) { on_memory_wait_ = std::move(function); }

  // What is wrong with the connections now: "broker 2 (10.0.0.2:9092): refused; bootstrap server 1: h.example does not resolve".
  // Waiting for the answer to the first question is a part of it, since some brokers never give one. Empty: nothing is
  // known to be wrong.
  std::string Trouble() const;

  void OnBatchCreated(const BatchView& batch) override;
  void OnBatchDrained(const BatchView& batch, NodeId node) override;
  void OnBatchRetried(const BatchView& batch, wire::ErrorCode code) override;
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
  void OnThrottled(NodeId node, Duration throttle) override;
  void OnAuthenticated(NodeId node) override;
  void OnReauthenticated(NodeId node, Duration latency) override;
  void OnAuthenticationFailed(NodeId node, bool again) override;
  void OnBytesReceived(NodeId node, std::int64_t bytes) override;
  void OnBytesWritten(NodeId node, std::int64_t bytes) override;
  void OnWaited(Instant from, Instant to) override;
  void OnMetadataRequest(NodeId node, RefreshReason reason, bool partial, std::int32_t topic_count) override;
  void OnMetadataUpdated(std::int64_t version) override;
  void OnMetadataFailed(std::string_view why) override;
  void OnRebootstrap() override;
  void OnFailedForGood(const absl::Status& why) override;
  void OnLoopIteration() override;

 private:
  // Set in the constructor, never changed.
  MetricsRecorder& metrics_;
  const Logger log_;
  const Clock& clock_;
  ProducerObserver& next_;
  absl::AnyInvocable<void()> on_memory_wait_;

  mutable Mutex mutex_;
  struct NodeState {
    bool connected = false;
    std::string address;          // Of the last attempt to connect; empty before.
    std::string trouble;          // Why the last connection ended or failed; empty once there is a new one.
    bool asked_versions = false;  // The question has not been answered yet.
  };
  std::map<NodeId, NodeState> nodes_ ABSL_GUARDED_BY(mutex_);
  // What a person calls the node: those of bootstrap.servers have no id yet, and are counted from 1.
  static std::string NameOf(NodeId node, const NodeState& state);
  std::string NameOf(NodeId node) const;

  // Only the sender thread.
  std::map<NodeId, std::int64_t> received_bytes_;  // Since the last answer of the node.
  std::optional<Instant> last_wait_ended_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_EVENTS_H_
