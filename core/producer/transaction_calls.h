// TransactionCalls is where the threads of an application and the sender thread meet about transactions: what state the
// producer is in, and the one call that waits for an answer of the brokers (SN-31, SN-33).
//
//   threads of the application                        the sender thread (TransactionManager)
//   call = Start(kCommit); wake the sender            state() == kCommitting: sends what it takes
//   Await(call, deadline) -> the result               Finish(kReady), FailAbortable(error) or FailForGood(error)
//
// A call whose time ran out goes on. Until its result was fetched, by the same call made again, no other call is taken:
// else nobody could tell which of the two the result belongs to. Offsets for which nobody waits any more are no such call
// for the end of their transaction: a commit includes them or fails, an abort drops them.
//
// Errors that callers get:
//   FAILED_PRECONDITION  the state does not allow the call; or another call is not over. Nothing has changed.
//   REQUEST_TIMED_OUT    the time ran out
//   CANCELLED            the producer was closed
//   what has failed      in kAbortableError all but an abort, in kFatalError everything
//
// Thread safety: by the sections below.
#ifndef CORE_PRODUCER_TRANSACTION_CALLS_H_
#define CORE_PRODUCER_TRANSACTION_CALLS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/producer/transaction.h"

namespace ktrial {

struct OffsetsOfGroup {
  std::vector<OffsetToCommit> offsets;
  ConsumerGroupMetadata group;
  friend bool operator==(const OffsetsOfGroup&, const OffsetsOfGroup&) = default;
};

class TransactionCalls {
 public:
  enum class Kind : std::uint8_t { kInit, kSendOffsets, kCommit, kAbort };

  // One call that has to be waited for.
  struct Call;
  using CallRef = std::shared_ptr<Call>;

  explicit TransactionCalls(Threads& threads);
  TransactionCalls(const TransactionCalls&) = delete;
  TransactionCalls& operator=(const TransactionCalls&) = delete;

  // --- Any thread ---

  TransactionState state() const { return state_.Load(); }
  // OK: a record may be sent. Takes no lock then.
  absl::Status MaySend() const;
  absl::Status Begin();
  // The call goes to the sender thread, or, if it is under way already, is joined. Wake the sender after this. `offsets`
  // are those of kSendOffsets.
  absl::StatusOr<CallRef> Start(Kind kind, OffsetsOfGroup offsets = {});
  // What became of it. At the deadline it goes on without this thread.
  absl::Status Await(const CallRef& call, Instant deadline);  // Once for each Start.
  bool IsDone(const CallRef& call) const;
  // A request to commit was sent, and nobody knows what became of it.
  bool MayBeCommitted() const;
  // A record could not be accepted, for a reason that Kafka has a number for: the transaction would lack it.
  void SendFailed(const absl::Status& why);

  // --- The sender thread ---

  // Counts them; another number: another transaction.
  std::uint64_t transaction() const;
  // What has led to kAbortableError or kFatalError.
  absl::Status error() const;
  // The offsets of kSendOffsets, once.
  std::optional<OffsetsOfGroup> TakeOffsets();
  void OffsetsDone();
  // The call is over, if there is one, and well.
  void Finish(TransactionState next);
  // It is not over yet, but something else is needed.
  void MoveTo(TransactionState next);
  // Until Finish, or this is taken back.
  void SetMayBeCommitted(bool may_be);
  // From any state that can move there.
  void FailAbortable(const absl::Status& why);
  bool FailForGood(const absl::Status& why);  // False: it had failed before, and that stays the reason.
  // The producer is closing: an open transaction is to be aborted. False if there is none.
  bool StartAbort();
  // The sender thread ends: nobody is to wait for it any more.
  void Close();

 private:
  static std::string_view NameOf(Kind kind);
  void Move(TransactionState next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const absl::Status& result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckNoOtherCall(std::string_view name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Nobody waits for what is under way, and `kind` settles it.
  bool GivesWayTo(Kind kind) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Not OK in the two states of error, and where `wanted` cannot be reached.
  absl::Status CheckMove(std::string_view name, TransactionState wanted) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status BeginCall(Kind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Error() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  CondVar ended_;
  Atomic<TransactionState> state_;  // Changed with the lock held.
  std::uint64_t transaction_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  std::optional<OffsetsOfGroup> offsets_ ABSL_GUARDED_BY(mutex_);  // Of kSendOffsets, until they are taken.
  CallRef call_ ABSL_GUARDED_BY(mutex_);                           // Null: none whose result is not fetched.
  bool may_be_committed_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_TRANSACTION_CALLS_H_
