// IdempotentIdentity is a producer with idempotence and without transactions: it gets a producer id, and moves to the next
// epoch when numbers can only go on under another one (SN-20 to SN-28).
//
//   no id      Prepare asks any broker (InitProducerId); nothing is drained (SN-21)
//   id, epoch  batches are numbered for it
//              a gap that stays -> epoch + 1, without asking anybody; after 32767 a new id (SN-25)
//   failed     for good: every record that is not acknowledged fails with the same error, also those of later Sends
//              (SN-28)
//
// Thread safety: none; the sender thread.
#ifndef CORE_PRODUCER_IDEMPOTENT_IDENTITY_H_
#define CORE_PRODUCER_IDEMPOTENT_IDENTITY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/accumulator/partition_sequences.h"
#include "core/accumulator/record_accumulator.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/exponential_backoff.h"
#include "core/network/network_client.h"
#include "core/observer.h"
#include "core/producer/identity.h"
#include "core/producer/log.h"
#include "core/wire/error_code.h"
#include "core/wire/messages.h"

namespace ktrial {

class IdempotentIdentity final : public ProducerIdentity {
 public:
  // The references outlive this; the accumulator was made for an idempotent producer.
  struct Parts {
    NetworkClient& client;
    RecordAccumulator& accumulator;
    Entropy& entropy;
    ProducerObserver& observer;
  };
  // `retry_backoff`: retry.backoff.ms and its maximum.
  IdempotentIdentity(ExponentialBackoff retry_backoff, const Parts& parts, Logger log);
  IdempotentIdentity(const IdempotentIdentity&) = delete;
  IdempotentIdentity& operator=(const IdempotentIdentity&) = delete;

  Instant Prepare(Instant now, bool produce_in_flight) override;
  bool MayRetry(const ProducerBatch& batch, wire::ErrorCode error, std::int64_t log_start_offset) override;
  void BatchFails(const ProducerBatch& batch, wire::ErrorCode error, const absl::Status& status) override;
  // Its numbers are held to be in the log, perhaps, until that is clear; nothing else follows (SN-27).
  void BatchExpires(const absl::Status& /*status*/) override {}
  wire::VersionRange produce_versions() const override;

  const ProducerIdAndEpoch& producer() const { return producer_; }
  // Not OK: the producer has failed for good.
  const absl::Status& failure() const { return failure_; }

 private:
  void OnProducerId(const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome);

  Instant AskForProducerId(Instant now);
  void Become(const ProducerIdAndEpoch& producer);
  void StartNewEpoch();
  void Fail(absl::Status failure);

  // Set in the constructor, never changed.
  const ExponentialBackoff retry_backoff_;
  NetworkClient& client_;
  RecordAccumulator& accumulator_;
  Entropy& entropy_;
  ProducerObserver& observer_;
  const Logger log_;

  ProducerIdAndEpoch producer_;
  bool asking_ = false;            // An InitProducerId is on its way.
  std::int64_t ask_failures_ = 0;  // In a row.
  Instant ask_again_at_;           // Not before.
  absl::Status failure_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_IDEMPOTENT_IDENTITY_H_
