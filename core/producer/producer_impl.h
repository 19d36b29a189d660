// Producer::Impl: everything that a producer is made of, and the part of it that runs on the threads of the application. For the
// files of Producer only.
#ifndef CORE_PRODUCER_PRODUCER_IMPL_H_
#define CORE_PRODUCER_PRODUCER_IMPL_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/accumulator/record_accumulator.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/env.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/env/transport.h"
#include "core/metadata/metadata.h"
#include "core/network/network_client.h"
#include "core/producer/events.h"
#include "core/producer/identity.h"
#include "core/producer/interceptor_chain.h"
#include "core/producer/log.h"
#include "core/producer/metrics_recorder.h"
#include "core/producer/producer.h"
#include "core/producer/sender.h"
#include "core/producer/topic_wait.h"
#include "core/producer/transaction_calls.h"

namespace ktrial {

// PR-02: what can be said of a topic's name without a broker.
absl::Status CheckTopic(std::string_view name);

class Producer::Impl {
 public:
  // Starts the sender thread. The transport is the one that the configuration wants.
  Impl(ProducerConfig config, Env& env, std::unique_ptr<Transport> transport, ProducerObserver& observer,
       BatchCallback on_batch);
  ~Impl();

  Future Send(const Record& record, RecordCallback callback) {
    return interceptors_.empty() ? Enqueue(record, callback) : SendIntercepted(record, callback);
  }
  absl::Status Flush(Duration timeout);
  absl::StatusOr<std::vector<PartitionInfo>> PartitionsFor(std::string_view topic);
  absl::Status BeginTransaction();
  // Init, SendOffsets, Commit or Abort: started or joined, and waited for up to max.block.ms.
  absl::Status Transact(TransactionCalls::Kind kind, OffsetsOfGroup offsets = {});
  absl::Status SendOffsets(std::vector<OffsetToCommit> offsets, ConsumerGroupMetadata group);
  TransactionState transaction_state() const;
  bool MayBeCommitted() const;
  MetricsSnapshot Metrics();
  absl::Status Close(Duration timeout);
  const ProducerConfig& config() const { return config_; }

 private:
  // What a record is on its way into a batch.
  struct Placement {
    TopicQueues* topic = nullptr;
    PartitionIndex partition = kUnknownPartition;
    WallTime timestamp;
    Duration max_block{};  // What is left of it.
  };

  // Not OK without a transactional.id, and after Close.
  absl::Status CheckTransactional() const;
  bool OnSenderThread() const { return threads_.Current() == sender_thread_id_; }

  Future SendIntercepted(const Record& record, RecordCallback callback);
  // With interceptors the callback is one of theirs.
  Future Enqueue(const Record& record, RecordCallback callback);
  absl::Status Place(const Record& record, Placement& placement);
  absl::StatusOr<AppendResult> Append(TopicQueues& topic, NewRecord& entry);
  absl::Status ChoosePartition(const Record& record, std::int32_t partition_count, Placement& placement) const;
  PartitionIndex NextInTurn(TopicQueues& topic) const;
  absl::Status CheckSize(const Record& record);
  // Reports a record that was not accepted (PR-04, PR-05).
  Future Refuse(const Record& record, PartitionIndex partition, RecordCallback callback, absl::Status status);
  Future FutureOf(BatchResultRef result, const Record& record, const Placement& placement, std::int32_t index) const;

  absl::Status AwaitSenderEnd(Duration timeout);

  // Set in the constructor, never changed.
  const ProducerConfig config_;
  Threads& threads_;
  Clock& clock_;
  const Logger log_;
  InterceptorChain interceptors_;  // Closed by the sender thread.

  // The parts, in the order in which they stand on each other.
  const std::unique_ptr<Entropy> entropy_;
  const std::unique_ptr<Transport> transport_;
  MetricsRecorder metrics_;
  ProducerEvents events_;
  Metadata metadata_;
  // Requests hold batches, so the client, which holds requests, goes before the accumulator.
  RecordAccumulator accumulator_;
  NetworkClient client_;
  const std::unique_ptr<TransactionCalls> transaction_calls_;  // Null: no transactional.id.
  const std::unique_ptr<ProducerIdentity> identity_;           // Null: no idempotence.
  Sender sender_;
  TopicWait topic_wait_;

  Mutex close_mutex_;
  CondVar sender_ended_changed_;
  bool sender_ended_ ABSL_GUARDED_BY(close_mutex_) = false;
  absl::Status interceptors_closed_ ABSL_GUARDED_BY(close_mutex_);
  bool gave_up_ ABSL_GUARDED_BY(close_mutex_) = false;  // Some records were ended by force.

  // Set at the end of the constructor; the thread is joined in the destructor.
  std::unique_ptr<Thread> sender_thread_;
  ThreadId sender_thread_id_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_PRODUCER_IMPL_H_
