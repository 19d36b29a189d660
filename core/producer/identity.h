// ProducerIdentity is who a producer is for the brokers, as far as that goes beyond single batches: the producer id and
// epoch that batches are numbered for, which refusals of numbered batches may be sent again, and what else has to be
// asked of brokers before batches may go. The sender asks it; the numbers themselves are PartitionSequences' business.
//
//   IdempotentIdentity   idempotence alone (SN-20 to SN-28)
//   TransactionManager   transactions (SN-31 to SN-38)
//
// Thread safety: none; the sender thread.
#ifndef CORE_PRODUCER_IDENTITY_H_
#define CORE_PRODUCER_IDENTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/accumulator/producer_batch.h"
#include "core/env/clock.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"

namespace ktrial {

class ProducerIdentity {
 public:
  virtual ~ProducerIdentity() = default;

  // What a turn of the sender begins with, before it looks at what is ready. `produce_in_flight`: some Produce is not
  // answered yet. Returns when to do so again if nothing happens before; not after `now` if at once.
  virtual Instant Prepare(Instant now, bool produce_in_flight) = 0;

  // A batch was refused with an error that is final without idempotence: whether it may be sent again all the same
  // (SN-20). If so, it has to be, while its time and retries last.
  virtual bool MayRetry(const ProducerBatch& batch, wire::ErrorCode error, std::int64_t log_start_offset) = 0;
  // Before a batch is finished with the error that a broker gave it, or that stands for no answer: what follows for those
  // behind it, and for the producer. `status` is what its records are told.
  virtual void BatchFails(const ProducerBatch& batch, wire::ErrorCode error, const absl::Status& status) = 0;
  // Before a batch is finished because its time is up.
  virtual void BatchExpires(const absl::Status& status) = 0;

  // Of those that carry such batches, the versions of Produce that will do.
  virtual wire::VersionRange produce_versions() const = 0;
  virtual const std::string* transactional_id() const { return nullptr; }

  // Something has to be asked or answered before the producer may close.
  virtual bool IsBusy() const { return false; }
  // The producer closes: no record is accepted, and no transaction begun, from now on.
  virtual void AcceptsNoMore() {}
  // The producer closes, and nothing is incomplete: what is open is to be ended. True: there is something.
  virtual bool StartClose() { return false; }
  // The sender thread ends.
  virtual void Close() {}
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_IDENTITY_H_
