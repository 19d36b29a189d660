// What an application that uses transactions has to name: how far its transaction is, and the offsets that become part
// of it. The calls themselves are Producer's.
#ifndef CORE_PRODUCER_TRANSACTION_H_
#define CORE_PRODUCER_TRANSACTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace ktrial {

// How far a transactional producer is (SN-31).
//
//   state            next               when
//   kUninitialized   kInitializing      InitTransactions
//   kInitializing    kReady             the coordinator has named the producer id and epoch
//                    kAbortableError    it refuses to, for a reason that may go away
//   kReady           kInTransaction     BeginTransaction
//   kInTransaction   kCommitting        CommitTransaction
//                    kAborting          AbortTransaction, or Close
//                    kAbortableError    a record, a partition or offsets could not be made part of it
//   kCommitting      kReady             the coordinator has decided to commit: that stands
//                    kAbortableError    some record could not be sent
//   kAbortableError  kAborting          AbortTransaction, or Close
//   kAborting        kReady             the coordinator has decided to abort
//                    kInitializing      and the producer needs another epoch, as numbers of records were lost
//   all              kFatalError        another producer has taken over, a transaction took longer than its timeout, or this one may not
//                                     write: make a new one
//   kFatalError      -                  final
enum class TransactionState : std::uint8_t {
  kUninitialized,
  kInitializing,
  kReady,
  kInTransaction,
  kCommitting,
  kAborting,
  kAbortableError,
  kFatalError,
};
inline constexpr int kTransactionStateCount = 8;

constexpr bool CanMove(TransactionState from, TransactionState to) {
  using enum TransactionState;
  switch (to) {
    case kUninitialized:
      return false;
    case kInitializing:
      return from == kUninitialized || from == kAborting;
    case kReady:
      return from == kInitializing || from == kCommitting || from == kAborting;
    case kInTransaction:
      return from == kReady;
    case kCommitting:
      return from == kInTransaction;
    case kAborting:
      return from == kInTransaction || from == kAbortableError;
    case kAbortableError:
      return from == kInTransaction || from == kCommitting || from == kInitializing;
    case kFatalError:
      return from != kFatalError;
  }
  return false;
}

// "ready", "in a transaction", ...
std::string_view TransactionStateName(TransactionState state);

// How far a group of consumers has come with a partition: the offset of the next record that it wants to read.
struct OffsetToCommit {
  std::string topic = {};
  PartitionIndex partition = PartitionIndex(0);
  Offset offset = Offset(0);
  LeaderEpoch leader_epoch = kUnknownEpoch;  // Of the last record that was read.
  std::string metadata = {};                 // Whatever the application likes to keep beside it.
  friend bool operator==(const OffsetToCommit&, const OffsetToCommit&) = default;
};

// Which group, and which of its members speaks, so that one that was thrown out is refused. The name alone will do where
// nobody else commits for the group.
struct ConsumerGroupMetadata {
  std::string group_id = {};
  std::int32_t generation_id = -1;
  std::string member_id = {};
  std::optional<std::string> group_instance_id = {};
  friend bool operator==(const ConsumerGroupMetadata&, const ConsumerGroupMetadata&) = default;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_TRANSACTION_H_
