#include "core/producer/transaction_calls.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/check.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

using enum TransactionState;

absl::Status WithPrefix(std::string_view prefix, const absl::Status& status) {
  const std::string text = fmt::format("{}{}", prefix, std::string(status.message()));
  if (wire::HasKafkaCode(status)) return wire::KafkaError(wire::KafkaCode(status), text);
  return absl::Status(status.code(), text);
}

}  // namespace

// The fields change with the lock of its TransactionCalls held.
struct TransactionCalls::Call {
  Kind kind = Kind::kInit;
  OffsetsOfGroup offsets;
  int waiters = 0;  // Threads between Start and the end of Await.
  bool done = false;
  absl::Status result;
};

std::string_view TransactionStateName(TransactionState state) {
  switch (state) {
    case kUninitialized:
      return "not initialized";
    case kInitializing:
      return "initializing";
    case kReady:
      return "ready";
    case kInTransaction:
      return "in a transaction";
    case kCommitting:
      return "committing";
    case kAborting:
      return "aborting";
    case kAbortableError:
      return "in a transaction that can only be aborted";
    case kFatalError:
      return "failed for good";
  }
  CheckFailed("known transaction state", __FILE__, __LINE__);
}

std::string_view TransactionCalls::NameOf(Kind kind) {
  switch (kind) {
    case Kind::kInit:
      return "InitTransactions";
    case Kind::kSendOffsets:
      return "SendOffsetsToTransaction";
    case Kind::kCommit:
      return "CommitTransaction";
    case Kind::kAbort:
      return "AbortTransaction";
  }
  CheckFailed("known call", __FILE__, __LINE__);
}

TransactionCalls::TransactionCalls(Threads& threads)
    : mutex_(threads, Site("transaction.mutex")),
      ended_(threads),
      state_(threads, Site("transaction.state"), kUninitialized) {}

void TransactionCalls::Move(TransactionState next) {
  KT_CHECK(CanMove(state_.Load(), next));
  state_.Store(next);
  if (next == kAborting) offsets_.reset();
}

void TransactionCalls::End(const absl::Status& result) {
  if (call_ == nullptr || call_->done) return;
  call_->done = true;
  call_->result = result;
  ended_.NotifyAll();
}

absl::Status TransactionCalls::Error() const {
  return WithPrefix(
      state_.Load() == kFatalError ? "the producer has failed for good: " : "the transaction can only be aborted: ",
      error_);
}

absl::Status TransactionCalls::CheckNoOtherCall(std::string_view name) const {
  if (closed_) return absl::FailedPreconditionError("the producer is closed");
  if (call_ == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("{} is not allowed: {} is not over; if its time ran out, it has to be called again first", name,
                  NameOf(call_->kind)));
}

bool TransactionCalls::GivesWayTo(Kind kind) const {
  const bool ends = kind == Kind::kCommit || kind == Kind::kAbort;
  return ends && call_ != nullptr && call_->kind == Kind::kSendOffsets && call_->waiters == 0;
}

absl::Status TransactionCalls::CheckMove(std::string_view name, TransactionState wanted) const {
  const TransactionState state = state_.Load();
  if (CanMove(state, wanted)) return absl::OkStatus();
  if (state == kAbortableError || state == kFatalError) return Error();
  return absl::FailedPreconditionError(
      fmt::format("{} is not allowed while the producer is {}", name, TransactionStateName(state)));
}

absl::Status TransactionCalls::BeginCall(Kind kind) {
  const TransactionState state = state_.Load();
  switch (kind) {
    case Kind::kInit: {
      // After an abort the producer may go there again, but by itself.
      const absl::Status status = state == kUninitialized ? absl::OkStatus() : CheckMove(NameOf(kind), kUninitialized);
      if (status.ok()) Move(kInitializing);
      return status;
    }
    case Kind::kSendOffsets:
      return state == kInTransaction ? absl::OkStatus() : CheckMove(NameOf(kind), kUninitialized);
    case Kind::kCommit:
    case Kind::kAbort: {
      const TransactionState next = kind == Kind::kCommit ? kCommitting : kAborting;
      const absl::Status status = CheckMove(NameOf(kind), next);
      if (status.ok()) Move(next);
      return status;
    }
  }
  CheckFailed("known call", __FILE__, __LINE__);
}

absl::Status TransactionCalls::MaySend() const {
  if (state_.Load() == kInTransaction) return absl::OkStatus();
  MutexLock lock(mutex_);
  const TransactionState state = state_.Load();
  if (state == kInTransaction) return absl::OkStatus();
  if (state == kAbortableError || state == kFatalError) return Error();
  return absl::FailedPreconditionError(
      fmt::format("Send needs a transaction (BeginTransaction); the producer is {}", TransactionStateName(state)));
}

absl::Status TransactionCalls::Begin() {
  MutexLock lock(mutex_);
  if (absl::Status status = CheckNoOtherCall("BeginTransaction"); !status.ok()) return status;
  if (absl::Status status = CheckMove("BeginTransaction", kInTransaction); !status.ok()) return status;
  ++transaction_;
  Move(kInTransaction);
  return absl::OkStatus();
}

absl::StatusOr<TransactionCalls::CallRef> TransactionCalls::Start(Kind kind, OffsetsOfGroup offsets) {
  MutexLock lock(mutex_);
  const bool joins = !closed_ && call_ != nullptr && call_->kind == kind && call_->offsets == offsets;
  if (!joins) {
    absl::Status status = !closed_ && GivesWayTo(kind) ? absl::OkStatus() : CheckNoOtherCall(NameOf(kind));
    if (status.ok()) status = BeginCall(kind);
    if (!status.ok()) return status;
    call_ = std::make_shared<Call>();
    call_->kind = kind;
    call_->offsets = std::move(offsets);
    if (kind == Kind::kSendOffsets) offsets_ = call_->offsets;
  }
  ++call_->waiters;
  return call_;
}

absl::Status TransactionCalls::Await(const CallRef& call, Instant deadline) {
  MutexLock lock(mutex_);
  const auto done = [&call] { return call->done; };
  const bool ended = ended_.Wait(mutex_, deadline, done, Site("transaction.await"));
  --call->waiters;
  if (!ended) {
    return wire::KafkaError(
        wire::ErrorCode::kRequestTimedOut,
        fmt::format("{} has not ended within max.block.ms; it goes on: call it again to wait for its end",
                    NameOf(call->kind)));
  }
  if (call_ == call) call_ = nullptr;
  return call->result;
}

bool TransactionCalls::IsDone(const CallRef& call) const {
  MutexLock lock(mutex_);
  return call->done;
}

bool TransactionCalls::MayBeCommitted() const {
  MutexLock lock(mutex_);
  return may_be_committed_;
}

void TransactionCalls::SetMayBeCommitted(bool may_be) {
  MutexLock lock(mutex_);
  may_be_committed_ = may_be;
}

void TransactionCalls::SendFailed(const absl::Status& why) {
  MutexLock lock(mutex_);
  if (state_.Load() != kInTransaction) return;
  error_ = why;
  Move(kAbortableError);
  End(why);
}

std::uint64_t TransactionCalls::transaction() const {
  MutexLock lock(mutex_);
  return transaction_;
}

absl::Status TransactionCalls::error() const {
  MutexLock lock(mutex_);
  return error_;
}

std::optional<OffsetsOfGroup> TransactionCalls::TakeOffsets() {
  MutexLock lock(mutex_);
  return std::exchange(offsets_, std::nullopt);
}

void TransactionCalls::OffsetsDone() {
  MutexLock lock(mutex_);
  // A commit that has taken the place of their call is not over with them.
  if (call_ != nullptr && call_->kind == Kind::kSendOffsets) End(absl::OkStatus());
}

void TransactionCalls::Finish(TransactionState next) {
  MutexLock lock(mutex_);
  Move(next);
  may_be_committed_ = false;
  End(absl::OkStatus());
}

void TransactionCalls::MoveTo(TransactionState next) {
  MutexLock lock(mutex_);
  Move(next);
}

void TransactionCalls::FailAbortable(const absl::Status& why) {
  MutexLock lock(mutex_);
  // What an abort finds out on its way changes nothing about it; and the first error is the one that explains the others.
  if (!CanMove(state_.Load(), kAbortableError)) return;
  error_ = why;
  Move(kAbortableError);
  End(why);
}

bool TransactionCalls::FailForGood(const absl::Status& why) {
  MutexLock lock(mutex_);
  if (state_.Load() == kFatalError) return false;
  error_ = why;
  Move(kFatalError);
  End(why);
  return true;
}

bool TransactionCalls::StartAbort() {
  MutexLock lock(mutex_);
  if (!CanMove(state_.Load(), kAborting)) return false;
  Move(kAborting);
  return true;
}

void TransactionCalls::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  End(absl::CancelledError("the producer was closed"));
}

}  // namespace ktrial
