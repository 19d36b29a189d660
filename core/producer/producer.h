// Producer sends records to Apache Kafka. This is the face that applications see.
//
//   absl::StatusOr<ProducerConfig> config = ProducerConfig::Parse({{"bootstrap.servers", "127.0.0.1:9092"}});
//   absl::StatusOr<std::unique_ptr<Producer>> producer = Producer::Create(*config, env);
//   (*producer)->Send({.topic = "orders", .key = "42", .value = "paid"},
//                     [](const RecordMetadata& at, const absl::Status& status) { ... });
//   (*producer)->Close(std::chrono::seconds(30));
//
// A record is copied into a batch of its partition before Send returns; one thread of the producer's own, the *sender
// thread*, sends batches, sends them again while that may help, and reports.
//
// Completion. Each record is completed exactly once: its Future becomes done, and its callback runs before that.
//   - Callbacks of accepted records run on the sender thread, in the order of the batch, never under a lock. They may call
//     the producer, but not wait there: on the sender thread a Send that would have to wait, Flush, PartitionsFor of an
//     unknown topic and Future::Get fail at once with FAILED_PRECONDITION. What a callback throws is caught and logged
//     (SN-16).
//   - A record that Send refuses gives a Future that is done, and its callback runs on the calling thread before Send
//     returns (PR-04). What that callback throws goes to the caller of Send (PR-06).
// Interceptors (core/producer/interceptor.h) see a record before all that, and its end before its callback does; where Send
// refuses it, after.
// There are no exceptions otherwise.
//
// Errors are Status. Those that Kafka has a number for carry it as their payload (wire::KafkaCode), whether a broker or
// the producer itself found them:
//   REQUEST_TIMED_OUT      max.block.ms passed while Send waited for metadata or memory, or delivery.timeout.ms for the
//                          batch
//   MESSAGE_TOO_LARGE      the record exceeds max.request.size or buffer.memory, or, alone in its batch, the broker's
//                          limit
//   TOPIC_AUTHORIZATION_FAILED, INVALID_TOPIC_EXCEPTION, ...   as brokers say
// Those of the caller carry no number, and are given the same way:
//   INVALID_ARGUMENT       empty topic, negative partition or timestamp, a result of the application's partitioner out of
//                          range
//   FAILED_PRECONDITION    Send and PartitionsFor after Close; what would have to wait on the sender thread
//   CANCELLED              Close came while Send waited, or ended the record by force
//
// fork: the child has the producer's memory but none of its threads: nothing that waits there, the destructor included, ever
// ends, and the sockets are those of the parent. Such a child calls _exit or exec only. One that shall send is forked before
// the parent has an Env, and makes its own.
//
// Thread safety: everything may be called from any thread at any time, but the destructor, which comes last.
#ifndef CORE_PRODUCER_PRODUCER_H_
#define CORE_PRODUCER_PRODUCER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/accumulator/record_callback.h"
#include "core/env/clock.h"
#include "core/env/env.h"
#include "core/metadata/cluster.h"
#include "core/observer.h"
#include "core/producer/config.h"
#include "core/producer/future.h"
#include "core/producer/metrics.h"
#include "core/producer/record.h"
#include "core/producer/transaction.h"

namespace ktrial {

class Producer {
 public:
  // What an application that does not want to keep contexts gives: any function object. Costs an allocation a record; a
  // RecordCallback costs none.
  using Callback = absl::AnyInvocable<void(const RecordMetadata& metadata, const absl::Status& status)>;

  // Starts the sender thread. Talks to nobody yet: a broker that cannot be reached, or a name that does not resolve,
  // shows when something is sent. `env` and `observer` outlive the producer; `observer` may be null. `on_batch`, if
  // given, is called once for each batch that ends, before the callbacks of its records and under the same rules.
  // Errors: INVALID_ARGUMENT for a configuration that Parse would not have given (no bootstrap server); the interceptors
  // in it are closed then.
  static absl::StatusOr<std::unique_ptr<Producer>> Create(ProducerConfig config, Env& env,
                                                          ProducerObserver* observer = nullptr,
                                                          BatchCallback on_batch = {});
  // Close(0) if that was not done: what was not sent is lost. On the sender thread this is a KT_CHECK.
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Accepts a record for sending. Waits up to max.block.ms, in all, for the metadata of a topic that it does not know
  // yet and for memory; mostly for neither. Does not allocate, and reads no clock but the coarse one, unless the record
  // starts a batch.
  Future Send(const Record& record) { return Send(record, RecordCallback()); }
  Future Send(const Record& record, RecordCallback callback);
  Future Send(const Record& record, Callback callback);

  // --- Transactions (SN-31 to SN-38): with a transactional.id ---
  //
  //   InitTransactions();                       once: whoever had the transactional.id before is fenced off
  //   while (work) {
  //     BeginTransaction();
  //     Send(...); Send(...);                   all partitions, all topics
  //     SendOffsetsToTransaction(offsets, group);   what was read to make these records, if it comes from Kafka
  //     if (good) CommitTransaction(); else AbortTransaction();
  //   }
  //
  // Readers with isolation.level=read_committed see all records of a committed transaction, and none of another one.
  // CommitTransaction sends what lingers, and succeeds only if every record of the transaction was acknowledged; no Flush
  // is needed, nor a look at the futures. A Send that runs beside CommitTransaction belongs to this transaction or to
  // the next one.
  //
  // What becomes of a record that comes late (SN-31); CommitTransaction does not fail for any of these but the third:
  //   Send while there is no transaction, or it ends   FAILED_PRECONDITION, at once
  //   Send in kAbortableError, kFatalError             what has failed, at once
  //   Send fails with one of Kafka's errors            that; the transaction can only be aborted
  //   Send began in time, and its record came in when  the next transaction takes it. REQUEST_TIMED_OUT if none does
  //     the end was asked for: it had waited for        within delivery.timeout.ms; ABORTED if the producer closes first
  //     metadata or memory
  //   the transaction is aborted before it was sent    ABORTED; if an error made it kAbortableError, that error
  //   the same while it is in flight                   as its broker answers: OK, too, though no reader will see it
  //
  // The calls but BeginTransaction wait for brokers, for max.block.ms at most, and may not be made by callbacks. Errors:
  //   FAILED_PRECONDITION  no transactional.id; the producer is closed; the call does not fit transaction_state(); another
  //                        call is not over: a thread waits for it, or its time ran out and it has to be repeated first.
  //                        Nothing has changed.
  //   UNAUTHENTICATED      of InitTransactions, and of an abort that has to take another epoch: a broker refuses who we
  //                        are. AbortTransaction asks again.
  //   REQUEST_TIMED_OUT    the time ran out and the call goes on: made again, it waits for the same end (SN-33). Until
  //                        then nobody knows the outcome: what CommitTransaction has begun may be committed
  //   in kAbortableError   what has failed: only AbortTransaction helps, after which everything may be tried again
  //   in kFatalError       what has failed, for good: PRODUCER_FENCED, for instance. Close this producer.
  // A Send that fails with an error that Kafka has a number for makes the transaction one that can only be aborted.
  absl::Status InitTransactions();
  absl::Status BeginTransaction();
  absl::Status CommitTransaction();
  absl::Status AbortTransaction();
  // INVALID_ARGUMENT for a group without a name, or an offset without topic or with a negative number. Without offsets
  // nothing happens. If its time ran out, it need not be repeated: CommitTransaction commits these offsets with the rest, or
  // fails, and AbortTransaction drops them. Only other offsets have to wait.
  absl::Status SendOffsetsToTransaction(std::vector<OffsetToCommit> offsets, ConsumerGroupMetadata group);
  // May change at any moment while records are under way. kUninitialized without a transactional.id.
  TransactionState transaction_state() const;
  // A request to commit was sent, and it was not answered, or not with what became of it: whether readers will see the
  // transaction is not known. After a CommitTransaction that failed this tells "unknown" (true) from "not committed"; while
  // the call goes on it may change, after Close it does not.
  bool MayBeCommitted() const;

  // Sends without lingering, and waits until every record whose Send has returned is completed, well or badly (PR-15).
  // DEADLINE_EXCEEDED if that takes longer; the records go on. FAILED_PRECONDITION on the sender thread.
  absl::Status Flush(Duration timeout = Duration::max());

  // The partitions of a topic, with their leaders and replicas as far as known. Waits for them up to max.block.ms
  // (PR-19).
  absl::StatusOr<std::vector<PartitionInfo>> PartitionsFor(std::string_view topic);

  MetricsSnapshot Metrics() const;

  // Accepts nothing more, sends what there is, and ends the sender thread. What is not completed after `timeout` fails
  // with CANCELLED. A transaction that is open is aborted, once its records are completed. Returns when no callback runs any more: by its timeout, except that it waits for callbacks that are
  // running (PR-16). OK if every record was completed, DEADLINE_EXCEEDED if some were given up, INTERNAL
  // if only an interceptor did not close well (PR-17). Repeatable; the
  // shortest timeout wins. On the sender thread: as with timeout 0, but returns at once, and OK; what follows follows when the
  // callback has returned. INVALID_ARGUMENT if `timeout` is negative.
  absl::Status Close(Duration timeout = Duration::max());

  // client.id, or the name that stands in for it.
  const std::string& client_id() const;
  // As Parse and Create have settled it.
  const ProducerConfig& config() const;

 private:
  class Impl;
  explicit Producer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_PRODUCER_H_
