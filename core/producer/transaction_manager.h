// TransactionManager is a producer with a transactional id, as the brokers see it: it asks them what a transaction needs,
// one request at a time, and decides what their answers mean (SN-31, SN-32, SN-38). The state machine is
// TransactionState's table (transaction.h), what error codes mean is Judge's (transaction_verdict.h).
//
// What is asked next is a function of what is known, so a request that failed is simply asked again, of another
// coordinator if need be. The first line that applies:
//
//   state                        and                                  request
//   kInitializing                                                     InitProducerId
//   kCommitting, kAborting       EndTxn was sent                      EndTxn, until it is answered
//   in or ending a transaction   partitions have batches, outside     AddPartitionsToTxn
//                                offsets; the group is outside        AddOffsetsToTxn
//                                offsets                              TxnOffsetCommit
//   kCommitting, kAborting       no record is incomplete, nothing     EndTxn; without one if nothing was added
//                                is on the wire
//   before each of them          its coordinator is not known         FindCoordinator, of the least loaded node
//
// Versions of the protocol. Where the cluster has transaction.version 2 (KIP-890), the leaders of partitions and the
// group's coordinator add to the transaction by themselves, and every EndTxn gives another epoch; else clients add, with
// the first two requests above, and the epoch stays unless numbers of records are lost. Which of the two a transaction
// follows is settled when it begins.
//
// Chosen on purpose where other clients leave it open or are wrong:
//   - EndTxn also waits for requests on the wire whose batches have expired: under transaction.version 1 a broker could
//     append one behind the marker, and it would be part of the next transaction.
//   - A coordinator that was asked to add something, and has not said that it did not, may have begun the transaction: an
//     abort ends it there, and takes another epoch, in which what arrives late is refused. That there is nothing to end
//     (INVALID_TXN_STATE) is as good.
//   - What would be abortable is fatal once a commit was asked for without an answer: an abort would say of what may be
//     committed that it is not.
//   - What an abort finds waiting to be sent again is ended, not sent: nobody will see it. Only where no other epoch can be had
//     (before Kafka 2.5) it is sent, as its numbers have to be settled.
//   - A record that a thread sends beside the end of a transaction and that comes in behind EndTxn waits for the next one:
//     it is not added, nor can it spoil the one before. If it expires first, no transaction lacks it.
//   - An error of InitProducerId that may go away leaves a transaction to abort, and the abort asks again. So does a node
//     that refuses who we are while InitTransactions waits: else only the end of max.block.ms would tell, without a reason.
//
// Thread safety: none; the sender thread. Application threads go through TransactionCalls.
#ifndef CORE_PRODUCER_TRANSACTION_MANAGER_H_
#define CORE_PRODUCER_TRANSACTION_MANAGER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/accumulator/record_accumulator.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/exponential_backoff.h"
#include "core/metadata/cluster.h"
#include "core/network/network_client.h"
#include "core/observer.h"
#include "core/producer/identity.h"
#include "core/producer/log.h"
#include "core/producer/transaction_calls.h"
#include "core/producer/transaction_verdict.h"
#include "core/wire/transaction_messages.h"

namespace ktrial {

struct TransactionConfig {
  std::string transactional_id;                                  // transactional.id
  Duration timeout = std::chrono::seconds(60);                   // transaction.timeout.ms
  Duration retry_backoff = std::chrono::milliseconds(100);       // retry.backoff.ms
  Duration retry_backoff_max = std::chrono::milliseconds(1000);  // retry.backoff.max.ms
};

class TransactionManager final : public ProducerIdentity {
 public:
  // The references outlive this; the accumulator was made for a transactional producer.
  struct Parts {
    NetworkClient& client;
    RecordAccumulator& accumulator;
    Entropy& entropy;
    TransactionCalls& calls;
    ProducerObserver& observer;
  };
  TransactionManager(TransactionConfig config, const Parts& parts, Logger log);
  TransactionManager(const TransactionManager&) = delete;
  TransactionManager& operator=(const TransactionManager&) = delete;

  Instant Prepare(Instant now, bool produce_in_flight) override;
  bool MayRetry(const ProducerBatch& batch, wire::ErrorCode error, std::int64_t log_start_offset) override;
  void BatchFails(const ProducerBatch& batch, wire::ErrorCode error, const absl::Status& status) override;
  void BatchExpires(const absl::Status& status) override;
  wire::VersionRange produce_versions() const override;
  const std::string* transactional_id() const override { return &config_.transactional_id; }
  bool IsBusy() const override;
  void AcceptsNoMore() override { accepts_no_more_ = true; }
  bool StartClose() override;
  void Close() override { calls_.Close(); }

  const ProducerIdAndEpoch& producer() const { return producer_; }

 private:
  enum class Next : std::uint8_t {
    kNothing,
    kEndWithoutAsking,
    kInit,
    kAddPartitions,
    kAddOffsets,
    kCommitOffsets,
    kEnd
  };
  // A coordinator that may be known, and what is coordinated.
  struct Coordinator {
    std::int8_t key_type;
    std::string key;
    std::optional<Node> node;
  };
  // What belongs to one transaction, and is forgotten with it.
  struct Transaction {
    bool v2 = false;
    bool started = false;  // A coordinator has something to end, or a leader or a group may have had it begun.
    int unsettled = 0;     // How often a coordinator was asked to add, and nobody knows whether it has.
    std::vector<TopicPartition> to_add;
    std::vector<TopicPartition> adding;  // Asked for; ascending.
    std::optional<OffsetsOfGroup> offsets;
    bool group_added = false;
    bool needs_new_epoch = false;  // Numbers are lost. Outlives the transaction until there is one.
    bool is_forgotten = false;     // By its coordinator: there is nothing to end.
    bool number_refused = false;   // By a leader, though all before it is acknowledged: giving it again would not help.
    bool end_asked = false;        // It has all that it will ever have.
    int ends_unsettled = 0;        // How often the end was asked for, and nobody knows whether it came.
  };

  // Asking: transaction_manager.cc.
  // What is incomplete is part of a transaction.
  bool IsOpen() const;
  void NoticeTransaction(Instant now);
  // Fails the initialization if no answer can be expected any more. False if so.
  bool MayInitialize();
  void AbortWork(TransactionState state);
  void NoticeWork();
  Next WhatIsNext(TransactionState state, bool produce_in_flight) const;
  // Sends the next request if it can be; else says when to look again.
  Instant Ask(Next next, Instant now);
  void SendTo(const Node& node, Next next, Instant now);
  Instant FindCoordinator(Coordinator& wanted, Instant now);
  void SendInit(const Node& node, Instant now);
  void SendAddPartitions(const Node& node, Instant now);
  void SendAddOffsets(const Node& node, Instant now);
  void SendCommitOffsets(const Node& node, Instant now);
  void SendEnd(const Node& node, Instant now);
  Coordinator& CoordinatorFor(Next next) { return next == Next::kCommitOffsets ? group_ : transaction_coordinator_; }
  template <class Call, class Request>
  void Send(const Node& node, Request request, wire::VersionRange versions, Coordinator* of, Instant now);

  // Answers: transaction_answers.cc.
  void On(const wire::FindCoordinatorResponse& answer, const RequestOutcome& outcome);
  void On(const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome);
  void On(const wire::AddPartitionsToTxnResponse& answer, const RequestOutcome& outcome);
  void On(const wire::AddOffsetsToTxnResponse& answer, const RequestOutcome& outcome);
  void On(const wire::TxnOffsetCommitResponse& answer, const RequestOutcome& outcome);
  void On(const wire::EndTxnResponse& answer, const RequestOutcome& outcome);
  // Books the end of a request. False: it was not answered, and that is dealt with.
  bool Answered(Coordinator* of, const RequestOutcome& outcome);
  // After an answer to a request that adds to the transaction.
  void SettleAdding(wire::ErrorCode code);
  // The transaction before is still ending as a rule, which takes a moment only: asks again sooner than usual (SN-32).
  void Hurry(wire::ErrorCode code, const RequestOutcome& outcome);
  // Does what follows from an error; true if it was none.
  bool Settle(TransactionRequest request, wire::ErrorCode code, std::string_view message,
              const RequestOutcome& outcome);
  // A coordinator aborts what takes too long by raising the epoch, which a successor would do, too.
  std::string WhyFenced(Instant now) const;
  void AskAgainLater(const RequestOutcome& outcome);
  void EndTransaction();
  void Become(const ProducerIdAndEpoch& producer);
  void FailAbortable(const absl::Status& why, bool needs_new_epoch);
  void FailForGood(const absl::Status& why);

  // Set in the constructor, never changed.
  const TransactionConfig config_;
  const ExponentialBackoff retry_backoff_;
  NetworkClient& client_;
  RecordAccumulator& accumulator_;
  Entropy& entropy_;
  TransactionCalls& calls_;
  ProducerObserver& observer_;
  const Logger log_;

  ProducerIdAndEpoch producer_;
  bool can_raise_epoch_ = false;  // Its coordinator does that for one who names its epoch (Kafka 2.5, KIP-360).
  std::uint64_t transaction_number_ = 0;
  std::uint64_t rejections_noticed_ = 0;  // Before the initialization that goes on.
  Instant transaction_noticed_;           // When it was new.
  Transaction transaction_;
  Coordinator transaction_coordinator_;
  Coordinator group_;
  bool asking_ = false;        // A request is on its way: there is one at a time.
  std::int64_t failures_ = 0;  // In a row.
  Instant ask_again_at_;       // Not before.
  Coordinator* looking_for_ = nullptr;
  bool accepts_no_more_ = false;
  bool closing_ = false;  // And nothing is incomplete.
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_TRANSACTION_MANAGER_H_
