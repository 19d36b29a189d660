// Transactions is what the coordinators of a cluster know of each transactional id: who writes under it, in which epoch,
// and how far its present transaction is. A state machine without time or I/O of its own; transaction_coordinator.h
// writes the markers that it asks for.
//
//   kEmpty           -> kOngoing                           AddPartitions
//   kOngoing         -> kPrepareCommit, kPrepareAbort      End; kPrepareAbort also by Init and by the timeout, which
//                                                          raise the epoch and so fence the producer
//   kPrepareCommit   -> kCompleteCommit                    the last marker is written
//   kPrepareAbort    -> kCompleteAbort                     likewise
//   kComplete*       -> kOngoing                           AddPartitions
//   kEmpty, kComplete* -> kEmpty                           Init: another producer, or the same after an error
//   kEmpty, kComplete* -> kPrepareAbort                    End of version 2, which may abort what was never begun
//
// There is one table for the cluster and not one for each coordinator: what a coordinator has answered is in its log, and
// whoever leads that log next knows it (FIDELITY.md says what that leaves out). Not thread-safe.
#ifndef SIM_BROKER_TRANSACTIONS_H_
#define SIM_BROKER_TRANSACTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/env/clock.h"
#include "core/sequence.h"
#include "core/types.h"
#include "core/wire/error_code.h"

namespace ktrial::sim {

enum class TransactionStatus : std::uint8_t {
  kEmpty,
  kOngoing,
  kPrepareCommit,
  kPrepareAbort,
  kCompleteCommit,
  kCompleteAbort,
};

struct Transaction {
  TransactionStatus status = TransactionStatus::kEmpty;
  ProducerIdAndEpoch producer;
  // The identity before it, which a client may still name when it has not heard of the present one.
  ProducerIdAndEpoch previous;
  // While ending: the id with which the client goes on, where no epoch is left of the present one.
  ProducerId next_id = kNoProducerId;
  Duration timeout{0};
  Instant begun;                        // kOngoing
  std::set<TopicPartition> partitions;  // written to; while ending, those that still wait for their marker

  bool ending() const {
    return status == TransactionStatus::kPrepareCommit || status == TransactionStatus::kPrepareAbort;
  }
};

// Which rules a client's EndTxn follows.
enum class EndRules : std::uint8_t {
  kSameEpoch,   // the producer goes on with its epoch
  kRaiseEpoch,  // KIP-890: every end raises it, so that nothing of the old transaction is taken for the new one
};

class Transactions {
 public:
  using NewProducerId = absl::FunctionRef<ProducerId()>;

  struct InitResult {
    // CONCURRENT_TRANSACTIONS: the client asks again. PRODUCER_FENCED: another producer has taken over.
    wire::ErrorCode code = wire::ErrorCode::kNone;
    ProducerIdAndEpoch producer;
    bool write_markers = false;  // an ongoing transaction is being aborted
  };
  // InitProducerId. `expected` is what the client names to have its epoch raised.
  InitResult Init(std::string_view id, Duration timeout, std::optional<ProducerIdAndEpoch> expected,
                  NewProducerId new_producer_id);

  // AddPartitionsToTxn: INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS.
  wire::ErrorCode AddPartitions(std::string_view id, ProducerIdAndEpoch producer,
                                std::span<const TopicPartition> partitions, Instant now);

  struct EndResult {
    // As above, and INVALID_TXN_STATE for an end that does not fit.
    wire::ErrorCode code = wire::ErrorCode::kNone;
    ProducerIdAndEpoch producer;  // with which the client goes on
    bool write_markers = false;
  };
  // EndTxn.
  EndResult End(std::string_view id, ProducerIdAndEpoch producer, bool commit, EndRules rules,
                NewProducerId new_producer_id);

  // A partition has its marker; the last one completes the transaction.
  void MarkerWritten(std::string_view id, const TopicPartition& partition);
  // Aborts what has been ongoing for its timeout or longer, and raises the epoch. Returns the ids that want markers now.
  std::vector<std::string> AbortTimedOut(Instant now);
  // When the next one times out; Never() if none is ongoing.
  Instant NextTimeout() const;

  // Null if nobody has used the id.
  const Transaction* Find(std::string_view id) const;
  // A partition takes batches of this producer now.
  bool IsOngoing(std::string_view id, ProducerIdAndEpoch producer, const TopicPartition& partition) const;
  // By id.
  const std::map<std::string, Transaction, std::less<>>& all() const { return all_; }

 private:
  // KT_CHECKs that the table above has the way.
  static void MoveTo(Transaction& transaction, TransactionStatus next);
  static void Complete(Transaction& transaction);
  // Fences the producer and begins to abort.
  static void Fence(Transaction& transaction);
  wire::ErrorCode CheckProducer(const Transaction* transaction, ProducerIdAndEpoch producer) const;

  std::map<std::string, Transaction, std::less<>> all_;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_TRANSACTIONS_H_
