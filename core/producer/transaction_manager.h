// TransactionManager is who the producer is for the brokers: it gets a producer id, moves to the next epoch when numbers
// can only go on under another one, and decides which refusals of numbered batches may be sent again (SN-20 to SN-28).
// The numbers themselves are PartitionSequences' business.
//
//   no id      Prepare asks any broker (InitProducerId); nothing is drained (SN-21)
//   id, epoch  batches are numbered for it
//              a gap that stays -> epoch + 1, without asking anybody; after 32767 a new id (SN-25)
//   failed     for good: every record that is not acknowledged fails with the same error, also those of later Sends
//              (SN-28)
//
// Thread safety: none; the sender thread.
#ifndef CORE_PRODUCER_TRANSACTION_MANAGER_H_
#define CORE_PRODUCER_TRANSACTION_MANAGER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/accumulator/partition_sequences.h"
#include "core/accumulator/record_accumulator.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/exponential_backoff.h"
#include "core/network/network_client.h"
#include "core/producer/init_producer_id_call.h"
#include "core/producer/log.h"
#include "core/wire/error_code.h"

namespace ktrial {

class TransactionManager final : private InitProducerIdCall::Owner {
 public:
  // The references outlive this; the accumulator was made for an idempotent producer.
  struct Parts {
    NetworkClient& client;
    RecordAccumulator& accumulator;
    Entropy& entropy;
  };
  // `retry_backoff`: retry.backoff.ms and its maximum.
  TransactionManager(ExponentialBackoff retry_backoff, const Parts& parts, Logger log);
  TransactionManager(const TransactionManager&) = delete;
  TransactionManager& operator=(const TransactionManager&) = delete;

  // What a turn of the sender begins with, before it looks at what is ready. Returns when to do so again if nothing
  // happens before.
  Instant Prepare(Instant now);

  // A batch was refused with an error that is final without idempotence: whether it may be sent again all the same
  // (SN-20). If so, it has to be, while its time and retries last.
  bool MayRetry(const ProducerBatch& batch, wire::ErrorCode error, std::int64_t log_start_offset);
  // Before a batch is finished with the error that a broker gave it, or that stands for no answer: what follows for those
  // behind it, and for the producer. `status` is what its records are told.
  void BatchFails(const ProducerBatch& batch, wire::ErrorCode error, const absl::Status& status);

  const ProducerIdAndEpoch& producer() const { return producer_; }
  // Not OK: the producer has failed for good.
  const absl::Status& failure() const { return failure_; }

 private:
  void OnProducerId(const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome) override;

  Instant AskForProducerId(Instant now);
  void Become(const ProducerIdAndEpoch& producer);
  void StartNewEpoch();
  void Fail(absl::Status failure);

  // Set in the constructor, never changed.
  const ExponentialBackoff retry_backoff_;
  NetworkClient& client_;
  RecordAccumulator& accumulator_;
  Entropy& entropy_;
  const Logger log_;

  ProducerIdAndEpoch producer_;
  bool asking_ = false;            // An InitProducerId is on its way.
  std::int64_t ask_failures_ = 0;  // In a row.
  Instant ask_again_at_;           // Not before.
  absl::Status failure_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_TRANSACTION_MANAGER_H_
