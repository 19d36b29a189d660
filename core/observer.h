// ProducerObserver is told what a producer does, batch by batch and request by request, never record by record. Logs and
// metrics stand on it in production, trace and checkers in simulation. Every function does nothing by default.
//
// Calls come from the thread that does the thing: almost all from the sender thread, OnBatchCreated from the thread that sends and
// OnBufferPool from whoever takes memory or gives it back. No lock of the producer is held, except that OnBatchCreated is called
// under the lock of its partition's queue. An observer must not call the producer, must not block and must not throw. Strings are views that live for the call.
#ifndef CORE_OBSERVER_H_
#define CORE_OBSERVER_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"

namespace ktrial {

// Why a refresh of the metadata was asked for (NC-30, MD-07, MD-27). A request is made for the first reason that
// was given since the last one.
enum class RefreshReason : std::uint8_t {
  kInitial,                 // after (re-)bootstrap, MD-21
  kPeriodic,                // metadata.max.age.ms
  kNewTopic,                // a topic is tracked for the first time, MD-07
  kMetadataWait,            // a Send or PartitionsFor waits for a topic or a partition, MD-27, MD-29
  kConnectFailed,           // an open failed, NC-29
  kConnectionLost,          // a connection ended, NC-24
  kRequestTimeout,          // NC-22
  kConnectionSetupTimeout,  // NC-07
  kUnknownLeader,           // a queued batch has no leader, SN-01
  kProduceError,            // an invalid-metadata error in a produce response, SN-08
  kMetadataError,           // an invalid-metadata error inside a metadata response, MD-16, MD-17
  kNewerEpoch,              // an out-of-band epoch hint, MD-42
  kRebootstrap,             // MD-22, MD-23
};
inline constexpr int kRefreshReasonCount = 13;
// As in metrics: "initial", "periodic", "new_topic", ...
std::string_view RefreshReasonName(RefreshReason reason);

// One batch, as it is at the time of the call. `id` is unique within a producer and never reused.
struct BatchView {
  std::uint64_t id = 0;
  std::string_view topic;
  PartitionIndex partition;
  std::int32_t record_count = 0;
  std::int32_t bytes = 0;        // encoded size so far; compressed from the first drain on
  std::int32_t plain_bytes = 0;  // the same without compression
  std::int32_t capacity = 0;     // size of its buffer
  std::int32_t attempts = 0;     // re-enqueues so far
  Instant created;
};

// The `why` of OnDisconnected for a connection that we closed because nobody used it (connections.max.idle.ms): no sign of trouble.
inline constexpr std::string_view kIdleConnection = "idle for too long";

class ProducerObserver {
 public:
  virtual ~ProducerObserver() = default;

  virtual void OnBatchCreated(const BatchView&) {}
  // The batch was closed and goes into a request to `node`. Called again at each retry.
  virtual void OnBatchDrained(const BatchView&, NodeId /*node*/) {}
  virtual void OnBatchRetried(const BatchView&, wire::ErrorCode) {}
  // The broker found it too large: its records wait in `parts` new batches, each announced by OnBatchCreated before. Final too,
  // in place of OnBatchDone.
  virtual void OnBatchSplit(const BatchView&, std::int32_t /*parts*/) {}
  // Final: OK for success (base_offset may be unknown), else what its records are told, or the first of them if some are at fault
  // and the others not. Before the callbacks.
  virtual void OnBatchDone(const BatchView&, const absl::Status&, Offset /*base_offset*/) {}

  // The buffer pool's books after a change: bytes in use and threads waiting.
  virtual void OnBufferPool(std::int64_t /*used_bytes*/, std::int32_t /*waiters*/) {}

  virtual void OnConnecting(NodeId, const Address&) {}
  virtual void OnConnected(NodeId) {}  // ready for requests (ApiVersions done)
  virtual void OnDisconnected(NodeId, std::string_view /*why*/) {}
  virtual void OnRequestSent(NodeId, wire::ApiKey, std::int16_t /*version*/, std::int32_t /*correlation_id*/,
                             std::int64_t /*bytes*/) {}
  virtual void OnResponse(NodeId, wire::ApiKey, std::int32_t /*correlation_id*/, Duration /*latency*/) {}
  virtual void OnRequestFailed(NodeId, wire::ApiKey, std::int32_t /*correlation_id*/, bool /*timed_out*/) {}
  virtual void OnThrottled(NodeId, Duration) {}
  // The node knows who we are, or we who it is: by SASL, without that by the handshake of TLS, with neither never.
  virtual void OnAuthenticated(NodeId) {}
  // It has agreed again, before the session ended (KIP-368); `latency`: from the first message to the last answer.
  virtual void OnReauthenticated(NodeId, Duration /*latency*/) {}
  // The peer, or what guards its connections, refused who we are (NC-44); `again`: after OnAuthenticated, when the session
  // was to be renewed. OnDisconnected follows.
  virtual void OnAuthenticationFailed(NodeId, bool /*again*/) {}
  // One read that brought bytes, one write that took some.
  virtual void OnBytesReceived(NodeId, std::int64_t /*bytes*/) {}
  virtual void OnBytesWritten(NodeId, std::int64_t /*bytes*/) {}
  // The sender thread has waited for events, if only for an instant.
  virtual void OnWaited(Instant /*from*/, Instant /*to*/) {}

  virtual void OnMetadataRequest(NodeId, RefreshReason, bool /*partial*/, std::int32_t /*topic_count*/) {}
  virtual void OnMetadataUpdated(std::int64_t /*version*/) {}
  virtual void OnMetadataFailed(std::string_view /*why*/) {}
  virtual void OnRebootstrap() {}

  // From now on every record fails with `why`, and with a transactional.id every call but Close: PRODUCER_FENCED, for instance.
  // Once at most.
  virtual void OnFailedForGood(const absl::Status& /*why*/) {}

  // Once per turn of the sender's loop.
  virtual void OnLoopIteration() {}
};

// Says nothing to anybody; what components use when they are given no observer.
ProducerObserver& NoObserver();

}  // namespace ktrial

#endif  // CORE_OBSERVER_H_
