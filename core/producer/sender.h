// Sender is the thread of a producer: it moves batches from the accumulator to brokers and what becomes of them back.
//
// One turn (SN-01): which brokers have something to send; topics without a leader ask for metadata; drain the brokers that are ready
// into one request each; expire what is too old; then wait in the network client for whatever comes first: an answer, the end of a
// linger, backoff or delivery timeout, or a wake-up (SN-02). Answers are handled inside that wait, by OnProduceDone.
//
// What is special:
//   - Expiry goes before the wait, so a batch whose delivery timeout and answer come in one turn has expired (D-9).
//   - A batch that expires in flight is reported at once; its request goes on, and the answer is ignored (SN-18). In strict order
//     (max.in.flight = 1) its partition stays muted until that answer or the end of the connection (SN-17).
//   - Code here does not throw; callbacks that do are caught in the accumulator, and the loop logs it (SN-16).
//
// Thread safety: Run and RunOnce on one thread. WakeUp, StartClose, ForceClose and requests_in_flight from any.
#ifndef CORE_PRODUCER_SENDER_H_
#define CORE_PRODUCER_SENDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "core/accumulator/record_accumulator.h"
#include "core/compression/codec.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/metadata/cluster.h"
#include "core/metadata/metadata.h"
#include "core/network/network_client.h"
#include "core/producer/down_conversion.h"
#include "core/producer/events.h"
#include "core/producer/identity.h"
#include "core/producer/log.h"
#include "core/producer/metrics_recorder.h"
#include "core/producer/produce_call.h"
#include "core/types.h"
#include "core/wire/error_code.h"

namespace ktrial {

struct SenderConfig {
  std::int16_t acks = -1;
  Duration request_timeout =
      std::chrono::seconds(30);  // request.timeout.ms: how long a broker may wait for its replicas
  Duration delivery_timeout = std::chrono::seconds(120);  // delivery.timeout.ms
  std::int32_t retries = 2147483647;
  std::int32_t max_request_size = 1048576;
  Codec codec = Codec::kNone;  // What batches are compressed with.
  int compression_level = 0;
  bool strict_order = false;  // One batch a partition under way (SN-17).
};

class Sender final : private ProduceCall::Owner {
 public:
  // The references outlive this. The network client and the sender's end of the accumulator and the metadata are its own from now on.
  struct Parts {
    Metadata& metadata;
    NetworkClient& client;
    RecordAccumulator& accumulator;
    const Clock& clock;
    Threads& threads;
    MetricsRecorder& metrics;
    ProducerEvents& events;
    ProducerIdentity* identity = nullptr;  // Null: no idempotence.
  };
  Sender(const SenderConfig& config, const Parts& parts, Logger log);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Turns until the end: until StartClose, then until every record is completed and an open transaction aborted (SN-34); or until ForceClose, then ends what is left
  // as CANCELLED (SN-35). Closes the network client and the metadata last. False if records were given up.
  bool Run();
  // One turn.
  void RunOnce();

  // There may be something new to send, to ask or to end. The sender looks again: at once if it waits, else before it waits (SN-36).
  void WakeUp();
  // The accumulator accepts nothing any more (its Close comes first, or records could be left behind).
  void StartClose();
  void ForceClose();

  std::int64_t requests_in_flight() const { return requests_in_flight_.LoadRelaxed(); }

 private:
  // Whether the thread waits, and whether somebody has called. Only WakeUp and RunOnce change it:
  //   kAwake     the thread looks for work; it has seen all that was called for
  //   kSleeping  the thread waits in the network client
  //   kCalled    somebody called since the thread began to look: it must look again before it waits
  enum class Attention : std::uint8_t { kAwake, kSleeping, kCalled };
  enum class Phase : std::uint8_t { kRunning, kClosing, kForced };

  // Returns until when there is nothing to do; not after `now` if there may be more at once.
  Instant SendWhatIsReady(Instant now);
  // The nodes that can take a request. `look_again` becomes the moment at which the first of the others might.
  std::vector<NodeId> KeepNodesThatCanSend(const ReadyNodes& ready, Instant now, Instant& look_again);
  void AskForLeaders(const ReadyNodes& ready, Instant now);
  void FailExpired(ExpiredBatches& expired, Instant now);
  void SendRequest(NodeBatches batches, Instant now);
  // Takes out and fails what the node's format cannot carry.
  void FailWhatIsTooNew(NodeBatches& batches);
  // Some record is not completed, or may yet turn up.
  bool HasWork();
  void LogThrowingCallbacks();
  wire::VersionRange ProduceVersions() const;

  void OnProduceDone(ProduceCall& call, const RequestOutcome& outcome) override;
  // Decides about one batch (SN-04 to SN-14).
  void CompleteBatch(ProducerBatch& batch, const wire::PartitionProduceResponse& answer, Instant now);
  bool ShouldRetry(const ProducerBatch& batch, const wire::PartitionProduceResponse& answer, Instant now);
  void FailBatch(ProducerBatch& batch, const wire::PartitionProduceResponse& answer);
  bool CanRetry(const ProducerBatch& batch, Instant now) const;
  void MergeLeaderHints(ProduceCall& call);

  // Set in the constructor, never changed. Not owned.
  const SenderConfig config_;
  Metadata& metadata_;
  NetworkClient& client_;
  RecordAccumulator& accumulator_;
  const Clock& clock_;
  MetricsRecorder& metrics_;
  ProducerEvents& events_;
  ProducerIdentity* const identity_;  // Null: no idempotence.
  const Logger log_;

  Atomic<Attention> attention_;
  Atomic<Phase> phase_;
  Atomic<std::int64_t> requests_in_flight_;

  // Only the sender thread.
  std::shared_ptr<const Cluster> cluster_;
  DownConverter down_converter_;
  std::int64_t callbacks_thrown_logged_ = 0;
  std::int64_t produces_in_flight_ = 0;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_SENDER_H_
