// RecordAccumulator collects records into batches by partition, and tells the sender what to send, when, and what has
// expired.
//
//   threads that send                              the sender thread
//   Append(topic, record)                          Ready(cluster, now)            which nodes have something to send
//     -> the last batch of the queue, or           Drain(cluster, nodes, ...)     at most one batch a partition, for requests
//     -> a new batch, memory from the pool         Finish / Reenqueue / Split     what became of them
//   BeginFlush().Await(deadline)                   Expire(now)                    who has waited too long
//
// Rules AC-01 to AC-36, BP-14, BP-15, PT-07 to PT-14 and SN-14, SN-15, in their current form. Chosen on purpose where
// other clients leave it open or are wrong:
//   - Queues are examined in the order of topic name and partition, batches expire in that of creation; never by hash (D-5).
//   - The jitter of a retry is drawn when it is re-enqueued and kept as a moment, so Ready and Drain agree (D-4).
//   - Expiry is found from one list in order of creation: every batch that is not final is on it, in a queue or in flight, so
//     the next expiry is exact and looking for it costs nothing (AC-27).
//   - A node's drain resumes at a partition, not at a number, so a change of the metadata does not shift it (AC-17).
//   - Splitting halves a batch that is within batch.size already, so it ends (AC-30).
//
// Locks, in this order: the queue of a partition; then one of the registry (incomplete batches), the pool, a topic's
// loads. Append to a batch that has room takes the queue's lock and nothing else, allocates nothing and reads no clock.
// No lock is held while callbacks run or while waiting for memory.
//
// Thread safety: as marked. All that is marked [sender] must come from one thread at a time.
#ifndef CORE_ACCUMULATOR_RECORD_ACCUMULATOR_H_
#define CORE_ACCUMULATOR_RECORD_ACCUMULATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/accumulator/batch_registry.h"
#include "core/accumulator/batch_result.h"
#include "core/accumulator/buffer_pool.h"
#include "core/accumulator/partition_sequences.h"
#include "core/accumulator/producer_batch.h"
#include "core/accumulator/record_callback.h"
#include "core/accumulator/topic_queues.h"
#include "core/compression/compressor.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/exponential_backoff.h"
#include "core/metadata/cluster.h"
#include "core/observer.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "core/wire/header_view.h"

namespace ktrial {

struct AccumulatorConfig {
  std::int32_t batch_size = 16 * 1024;            // batch.size; 0: one record a batch (AC-06)
  std::int64_t buffer_memory = 32 * 1024 * 1024;  // buffer.memory
  // buffer.memory.allocation.strategy: batches begin small and take larger buffers as records come.
  bool incremental_allocation = false;
  Duration linger = std::chrono::milliseconds(5);                // linger.ms
  Duration delivery_timeout = std::chrono::minutes(2);           // delivery.timeout.ms
  Duration retry_backoff = std::chrono::milliseconds(100);       // retry.backoff.ms
  Duration retry_backoff_max = std::chrono::milliseconds(1000);  // retry.backoff.max.ms
  bool adaptive_partitioning = true;                             // partitioner.adaptive.partitioning.enable
  std::string rack;                                              // client.rack with partitioner.rack.aware
  Duration partition_availability_timeout{};                     // partitioner.availability.timeout.ms; 0: off (PT-14)
  Codec codec = Codec::kNone;                                    // compression.type
  int compression_level = 0;                                     // One that LevelRangeOf(codec) allows.
  // Batches are numbered, and none is drained before SetProducer has said for whom (AC-21, AC-22). At most so many of a
  // partition are in flight then (SN-23).
  bool idempotent = false;
  // Batches are marked as part of a transaction, and none is drained while its partition is not. Needs idempotence.
  bool transactional = false;
  std::int32_t max_in_flight_per_partition = 5;
  BatchCallback on_batch;                   // Called for each batch that ends, but not for one that is split.
  BufferPool::HeapFunction heap = nullptr;  // As in BufferPool::Options.
};

// A record that is to be appended. Views live for the call.
struct NewRecord {
  PartitionIndex partition = kUnknownPartition;  // Unknown: chosen here (PT-07).
  WallTime timestamp;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const wire::HeaderView> headers;
  RecordCallback callback;
  bool want_result = true;  // False leaves AppendResult::result null, and saves its counting.
  bool may_block = true;    // False on the sender thread: rather fail than wait (PR-14).
  Duration max_block{};     // How long to wait for memory at most; no clock is read unless it must wait.
};

struct AppendResult {
  BatchResultRef result;
  std::int32_t index = 0;    // Of the record in its batch.
  PartitionIndex partition;  // Where it went.
  // The caller wakes the sender if either is set, and for no other reason (AC-05). Each is set by the append that made it so and not by
  // those that follow: where others wake for every record while a full batch waits, a sender that cannot send it yet would turn
  // for nothing each time.
  bool batch_full = false;  // This append filled its batch, or left a full one behind.
  bool new_batch = false;
};

struct ReadyNodes {
  std::vector<NodeId> nodes;              // Ascending.
  Instant next_ready = Instant::Never();  // When the first of the partitions that are not ready will be (AC-09).
  std::vector<std::string> topics_without_leader;  // Ascending; they have records that wait for a leader (AC-10).
};

struct NodeBatches {
  NodeId node;
  std::vector<BatchRef> batches;  // Closed and encoded: bytes(). At most one a partition.
  // Some partition of the node that is not muted has more, so the node is worth another look at once.
  bool left_some = false;
};

// Batches whose delivery timeout has come: all are incomplete still, and wait for the caller to Finish them. Each list
// in order of creation. The queued ones are in no queue any more.
struct ExpiredBatches {
  std::vector<BatchRef> in_flight;
  std::vector<BatchRef> queued;
  Instant next_expiry = Instant::Never();  // Of the oldest batch that has not expired (AC-27).
};

class RecordAccumulator final : private BatchRecycler {
 public:
  // Gives the current snapshot, never null. Any thread; called under the lock of a queue, so it may only take locks of
  // its own.
  using ClusterSource = absl::AnyInvocable<std::shared_ptr<const Cluster>() const>;

  // The references outlive this.
  RecordAccumulator(const AccumulatorConfig& config, Threads& threads, const Clock& clock, Entropy& entropy,
                    ClusterSource cluster_source, ProducerObserver& observer);
  // All BatchRefs are gone by then; futures may live on.
  ~RecordAccumulator();
  RecordAccumulator(const RecordAccumulator&) = delete;
  RecordAccumulator& operator=(const RecordAccumulator&) = delete;

  // --- Any thread ---

  // Look-up without a lock; the reference stays good, so callers may keep it.
  TopicQueues& Topic(std::string_view name) { return topics_.Get(name); }

  // Copies the record into a batch of its partition. May wait for memory, up to max_block. The record is accepted iff
  // the status is OK: then its callback runs exactly once, later. Errors:
  //   kCancelled             closed, before or while waiting (AC-07)
  //   kFailedPrecondition    would wait, but may not block
  //   REQUEST_TIMED_OUT, kInvalidArgument, kResourceExhausted as BufferPool::Allocate
  //   UNKNOWN_TOPIC_OR_PARTITION  a partition is to be chosen, and the metadata has none
  absl::StatusOr<AppendResult> Append(TopicQueues& topic, const NewRecord& record);

  // While a Flush lives, linger does not hold batches back (AC-32). Flushes nest. Wake the sender after BeginFlush.
  class Flush {
   public:
    explicit Flush(RecordAccumulator& accumulator);
    ~Flush();
    Flush(const Flush&) = delete;
    Flush& operator=(const Flush&) = delete;
    // Waits until every record whose Append returned before this call has ended, however often its batch is retried or
    // split (AC-33, PR-15): true; false at the deadline.
    bool Await(Instant deadline);

   private:
    RecordAccumulator& accumulator_;
  };
  [[nodiscard]] Flush BeginFlush() { return Flush(*this); }

  // No append is accepted from now on; all that wait for memory fail; batches no longer linger. Idempotent.
  void Close();
  bool HasIncomplete() const;  // AC-36
  BufferPoolStats buffer_pool_stats() const { return pool_.stats(); }

  // --- [sender] Sending: functions of the state and `now` ---

  // AC-08 to AC-15. Also brings the choice of partitions up to date (PT-12 to PT-14).
  ReadyNodes Ready(const std::shared_ptr<const Cluster>& cluster, Instant now);
  // Takes, for each node, at most one batch of each partition that it leads, up to `max_request_bytes`, and closes them
  // (AC-16 to AC-20). Nodes without batches are left out.
  std::vector<NodeBatches> Drain(const std::shared_ptr<const Cluster>& cluster, std::span<const NodeId> nodes,
                                 std::int64_t max_request_bytes, Instant now);
  // Whether this batch's partition may send: for strict order, until the answer for its last batch came (AC-11, SN-17).
  void Mute(const ProducerBatch& batch);
  void Unmute(const ProducerBatch& batch);
  // A node has batches; `can_send` says whether its connection takes them. Without an availability timeout this does
  // nothing (PT-14).
  void UpdateNodeLatency(NodeId node, Instant now, bool can_send);
  // True while any batch waits in a queue, or could yet be put there (AC-36).
  bool HasUndrained();

  // --- [sender] Endings ---

  // Takes the batches that have expired at `now` out of their queues (AC-25).
  ExpiredBatches Expire(Instant now);
  // Back to the head of its queue, to be sent again after a backoff (AC-14, AC-23, SN-07), a shorter one while the transaction
  // before is still ending (SN-32). The batch is in flight.
  void Reenqueue(ProducerBatch& batch, wire::ErrorCode why, Instant now);
  // Puts the records of a batch that the broker found too large into smaller ones, at the head of the queue, and ends
  // it. Returns how many there are now. The batch is in flight and has more than one record (AC-28 to AC-30).
  int Split(ProducerBatch& batch);
  // Ends a batch: its result is set, callbacks run, then waiters go on (SN-15). False, and nothing happens, if it had
  // failed before (SN-14). A batch that was taken out of its queue by Expire, or is in flight.
  bool Finish(ProducerBatch& batch, BatchOutcome outcome);
  // Ends with this error the batches that were never drained (AC-35), or all (AC-34). After Close no new one comes; before, those
  // that come later need another call.
  void AbortUndrained(const absl::Status& reason);
  void AbortIncomplete(const absl::Status& reason);

  // --- [sender] Idempotence: PartitionSequences has the rules ---

  // Whom new batches are numbered for; without a valid id they wait. What is in flight keeps its numbers (SN-25).
  void SetProducer(const ProducerIdAndEpoch& producer) { producer_ = producer; }
  // Some broker would not know an older batch than the latest again: while set, no more than one of a partition is in
  // flight, whatever max_in_flight_per_partition says.
  void SetOneInFlight(bool one) { one_in_flight_ = one; }
  // An answer to this batch, which is in flight: refused, as one in front of it is missing. Re-enqueue it after this.
  void RefuseForGap(const ProducerBatch& batch);
  // Before Finish with an error: this batch is certainly not in the log. Without it, a batch that fails after it was sent
  // is held to be there, perhaps.
  void ConcludeAbsent(const ProducerBatch& batch);
  // Some partition can only go on with numbers of another epoch than that of SetProducer.
  bool NeedsNewEpoch();
  // This batch, which was refused for a gap, waits for others in flight in front of it that may fill the gap.
  bool WaitsForOthers(const ProducerBatch& batch) const;
  // Nothing is missing in front of this batch, which is in flight: a leader that refuses its number does not know what it
  // has acknowledged.
  bool ContinuesTheLog(const ProducerBatch& batch) const;
  // Some partition is not sure that all its numbers that were given away are in the log.
  bool HasTrouble();
  // Ends that trouble without another epoch; false if it cannot be (PartitionSequences::Rewind).
  bool RewindSequences();
  // Those partitions go on, numbered from 0 for whom SetProducer named, which has to be somebody new for them.
  void RestartSequences();

  // --- [sender] Transactions (SN-32) ---

  // The partitions that have batches and are outside of the transaction, in order. Each is named once: until it is
  // admitted, or the transaction is left.
  std::vector<TopicPartition> TakeOutsiders();
  // Their batches may be drained. `partitions` ascends.
  void AdmitToTransaction(std::span<const TopicPartition> partitions);
  // All partitions are outside again.
  void LeaveTransaction();
  bool any_admitted() const { return any_admitted_; }
  // While set, linger does not hold batches back: somebody waits for all of them.
  void SetHurry(bool hurry) { hurry_ = hurry; }
  // Ends what is not on the wire with this error. What may be in the log already, as it was sent before, is spared if
  // `spare_sent`.
  void AbortWaiting(const absl::Status& reason, bool spare_sent);

  // Callbacks that threw, since the start (SN-16).
  std::int64_t callbacks_thrown() const { return callbacks_thrown_; }

 private:
  // When a node last had batches, and when it last could be sent some (PT-14).
  struct NodeLatency {
    Instant had_data;
    Instant could_send;
  };
  // What the front of a queue looked like.
  struct Front {
    std::int32_t length = 0;
    bool full = false;
    bool held = false;  // By the order of sequences.
    bool backing_off = false;
    Instant retry_at;
    Instant linger_ends;
  };
  // A queue together with its front, of a queue that is not empty.
  struct Examined {
    PartitionQueue* queue = nullptr;
    Front front;
  };
  struct Take {
    enum class Kind : std::uint8_t { kEmpty, kHeldBack, kDoesNotFit, kTaken };
    Kind kind = Kind::kEmpty;
    bool left_some = false;  // As in NodeBatches.
  };

  // Appending: record_accumulator.cc.
  bool AppendToLast(PartitionQueue& queue, const NewRecord& record, AppendResult& result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  bool Grow(ProducerBatch& batch, const NewRecord& record);  // Under the lock of the batch's queue.
  bool AppendToNew(PartitionQueue& queue, const NewRecord& record, PoolBuffer& buffer, AppendResult& result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  void Describe(PartitionQueue& queue, ProducerBatch& batch, const NewRecord& record, AppendResult& result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  void AppendInSteps(TopicQueues& topic, const NewRecord& record, absl::StatusOr<AppendResult>& result);
  absl::StatusOr<PoolBuffer> AllocateFor(TopicQueues& topic, const NewRecord& record);
  std::int64_t GatheringBytes(TopicQueues& topic) const;
  StickyPartitioner::Choice Choose(TopicQueues& topic);
  bool ChoiceHolds(TopicQueues& topic, PartitionQueue& queue, StickyPartitioner::Choice choice)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  void CountProduced(TopicQueues& topic, PartitionQueue& queue, std::int64_t bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);

  // Sending: record_accumulator_sending.cc.
  void TakeActivated();
  void LearnLeaders(const std::shared_ptr<const Cluster>& cluster);
  std::optional<Front> Examine(PartitionQueue& queue, Instant now);
  void JudgeTopic(const Cluster& cluster, std::span<const Examined> queues, bool hurry, Instant now, ReadyNodes& ready);
  void UpdateLoads(const Cluster& cluster, std::span<const Examined> queues);
  void ForgetStaleLoads();
  void ForgetLoadsOfDrained();
  void ForgetLoadsIf(absl::FunctionRef<bool(const TopicQueues&)> stale);
  bool IsUnavailable(NodeId node) const;
  NodeBatches DrainNode(NodeId node, std::span<PartitionQueue* const> queues, std::int64_t max_request_bytes,
                        Instant now);
  void Encode(ProducerBatch& batch);
  Take TakeFront(PartitionQueue& queue, std::int64_t room, bool first, Instant now, ProducerBatch*& taken);

  // Idempotence: record_accumulator_idempotence.cc.
  bool IsHeld(const PartitionQueue& queue, const ProducerBatch& front) const;
  // The topic was deleted and made again, and what is in flight was meant for the one before. If that is refused and comes
  // again, nothing may be before it in the new one, whose leaders take any number to begin with (KIP-360).
  static bool MeansAnotherTopic(const PartitionQueue& queue);
  void Number(PartitionQueue& queue, ProducerBatch& batch);
  void ForgetNumbers(ProducerBatch& batch, BatchState end);
  void InsertInOrder(PartitionQueue& queue, ProducerBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.mutex);
  void NoteTrouble(PartitionQueue& queue);

  // Transactions: record_accumulator_transactions.cc.
  bool IsOutside(const PartitionQueue& queue) const {
    return config_.transactional && queue.membership != Membership::kInside;
  }

  // Endings: record_accumulator_ending.cc.
  void End(ProducerBatch& batch, BatchState state, BatchOutcome outcome);
  void TakeOutOfQueue(ProducerBatch& batch);
  void Abort(ProducerBatch& batch, const absl::Status& reason);
  ProducerBatch& StartPart(ProducerBatch& whole, std::int64_t limit, std::int64_t first_record_bound);
  std::vector<ProducerBatch*> MoveIntoParts(ProducerBatch& whole);
  void Recycle(ProducerBatch& batch) override;

  // Set in the constructor, never changed.
  const AccumulatorConfig config_;
  Threads& threads_;
  const Clock& clock_;
  Entropy& entropy_;
  const ClusterSource cluster_source_;
  ProducerObserver& observer_;
  const ExponentialBackoff retry_backoff_;

  // Each with a lock of its own.
  BufferPool pool_;
  BatchRegistry registry_;
  TopicTable topics_;
  Atomic<std::int32_t> flushes_;  // How many are alive.
  Atomic<bool> closed_;           // What decides is the registry; this spares a look at it.

  // Only the sender thread.
  std::vector<Examined> examined_;          // Of one look; kept for its memory.
  PartitionLoads loads_;                    // Of one topic in it; likewise.
  std::vector<PartitionQueue*> active_;     // Those that may have batches, by topic name and partition.
  std::shared_ptr<const Cluster> cluster_;  // The last one that was given, so that equal pointers mean equal clusters.
  std::uint64_t cluster_number_ = 0;        // Grows with each other cluster; compare PartitionQueue::leader_generation.
  std::map<NodeId, const PartitionQueue*> drain_from_;  // Where the next drain of a node starts (AC-17).
  std::map<NodeId, NodeLatency> latencies_;
  std::vector<TopicQueues*> topics_with_loads_;
  std::uint64_t ready_pass_ = 0;
  std::optional<Compressor> compressor_;  // Null: no compression.
  ProducerIdAndEpoch producer_;
  bool one_in_flight_ = false;
  std::vector<PartitionQueue*> troubled_;  // Those with has_trouble, in no order that matters.
  std::vector<PartitionQueue*> members_;   // Those that are not outside, in no order that matters.
  bool any_admitted_ = false;
  bool hurry_ = false;
  std::int64_t callbacks_thrown_ = 0;
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_RECORD_ACCUMULATOR_H_
