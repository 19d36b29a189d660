// What TransactionManager does with the answers of coordinators.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/producer/text.h"
#include "core/producer/transaction_manager.h"
#include "core/wire/messages.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

using wire::ErrorCode;
using enum TransactionState;

constexpr std::int16_t kRaisesEpochSince = 3;  // InitProducerId (KIP-360)

// Of the codes that one answer has for several partitions, which one decides: what is final before what may go away, and
// last what was not looked at because of the others.
int Weight(TransactionRequest request, ErrorCode code) {
  if (code == ErrorCode::kNone) return 0;
  if (code == ErrorCode::kOperationNotAttempted) return 1;
  switch (Judge(request, code)) {
    case TransactionVerdict::kDone:
      return 0;
    case TransactionVerdict::kRetry:
      return 2;
    case TransactionVerdict::kLookUp:
      return 3;
    case TransactionVerdict::kAbortable:
    case TransactionVerdict::kNewSession:
      return 4;
    case TransactionVerdict::kFenced:
    case TransactionVerdict::kFatal:
      return 5;
  }
  CheckFailed("known verdict", __FILE__, __LINE__);
}

void Weigh(TransactionRequest request, ErrorCode code, ErrorCode& heaviest) {
  if (Weight(request, code) > Weight(request, heaviest)) heaviest = code;
}

// What a coordinator answers that has written down what it was asked for, but not everywhere where it has to be. Of
// the other errors it is certain that it has not.
bool MayHaveBeenDone(ErrorCode code) {
  return code == ErrorCode::kRequestTimedOut || code == ErrorCode::kUnknownServerError ||
         Judge(TransactionRequest::kAddOffsets, code) == TransactionVerdict::kLookUp;
}

// From version 4 on there is one for each key that was asked for.
wire::Coordinator CoordinatorIn(const wire::FindCoordinatorResponse& answer, std::int16_t version) {
  constexpr std::int16_t kSeveralSince = 4;
  wire::Coordinator found{.node_id = answer.node_id,
                          .host = answer.host,
                          .port = answer.port,
                          .error = answer.error,
                          .error_message = answer.error_message};
  if (version >= kSeveralSince) {
    found = answer.coordinators.empty() ? wire::Coordinator{.error = ErrorCode::kCoordinatorNotAvailable}
                                        : answer.coordinators.front();
  }
  const bool usable = found.node_id >= 0 && found.port >= 1 && found.port <= std::numeric_limits<std::uint16_t>::max();
  if (found.error == ErrorCode::kNone && !usable) found.error = ErrorCode::kCoordinatorNotAvailable;
  return found;
}

}  // namespace

bool TransactionManager::Answered(Coordinator* of, const RequestOutcome& outcome) {
  asking_ = false;
  if (calls_.state() == kFatalError) return false;
  switch (outcome.kind) {
    case RequestOutcome::Kind::kAnswered:
      return true;
    case RequestOutcome::Kind::kUnsupportedVersion:
      FailForGood(wire::KafkaError(ErrorCode::kUnsupportedVersion,
                                   fmt::format("{} does not support what this transaction needs: transactions came "
                                               "with Kafka 0.11, the members of a group with 2.5",
                                               NodeName(outcome.node))));
      return false;
    case RequestOutcome::Kind::kWritten:
    case RequestOutcome::Kind::kDisconnected:
    case RequestOutcome::Kind::kTimedOut:
      if (of != nullptr) of->node.reset();
      AskAgainLater(outcome);
      return false;
  }
  CheckFailed("known outcome", __FILE__, __LINE__);
}

void TransactionManager::AskAgainLater(const RequestOutcome& outcome) {
  ask_again_at_ = outcome.ended + retry_backoff_.Delay(failures_++, entropy_, DrawPurpose::kRetryBackoff);
}

bool TransactionManager::Settle(TransactionRequest request, ErrorCode code, std::string_view message,
                                const RequestOutcome& outcome) {
  switch (Judge(request, code)) {
    case TransactionVerdict::kDone:
      // That a coordinator was found says nothing about what it will answer.
      if (request != TransactionRequest::kFindCoordinator) failures_ = 0;
      return true;
    case TransactionVerdict::kLookUp:
      (request == TransactionRequest::kCommitOffsets ? group_ : transaction_coordinator_).node.reset();
      AskAgainLater(outcome);
      return false;
    case TransactionVerdict::kRetry:
      AskAgainLater(outcome);
      return false;
    case TransactionVerdict::kAbortable:
      FailAbortable(wire::KafkaError(code, message), /*needs_new_epoch=*/false);
      return false;
    case TransactionVerdict::kNewSession:
      transaction_.is_forgotten = true;
      FailAbortable(wire::KafkaError(code, message), /*needs_new_epoch=*/true);
      return false;
    case TransactionVerdict::kFenced:
      FailForGood(wire::KafkaError(ErrorCode::kProducerFenced, WhyFenced(outcome.ended)));
      return false;
    case TransactionVerdict::kFatal:
      FailForGood(wire::KafkaError(code, message));
      return false;
  }
  CheckFailed("known verdict", __FILE__, __LINE__);
}

std::string TransactionManager::WhyFenced(Instant now) const {
  const std::string taken =
      fmt::format("another producer has taken over transactional.id {}", config_.transactional_id);
  const TransactionState state = calls_.state();
  const bool open = state == kInTransaction || state == kCommitting || state == kAborting || state == kAbortableError;
  const Duration lasted = now - transaction_noticed_;
  if (!open || lasted < config_.timeout) return taken;
  return fmt::format(
      "{}, or its coordinator has aborted the transaction, which has lasted {} ms, for transaction.timeout.ms = {}",
      taken, Millis(lasted), Millis(config_.timeout));
}

void TransactionManager::FailAbortable(const absl::Status& why, bool needs_new_epoch) {
  if (transaction_.is_forgotten && !can_raise_epoch_) return FailForGood(why);
  // An abort would succeed, and say of what may be committed that it is not.
  if (calls_.MayBeCommitted()) {
    return FailForGood(
        wire::KafkaError(wire::KafkaCode(why),
                         fmt::format("{}; whether the transaction was committed is not known, as an earlier answer "
                                     "was lost",
                                     std::string(why.message()))));
  }
  transaction_.needs_new_epoch |= needs_new_epoch;
  calls_.FailAbortable(why);
}

void TransactionManager::FailForGood(const absl::Status& why) {
  transaction_ = {};
  if (calls_.FailForGood(why)) observer_.OnFailedForGood(why);
}

void TransactionManager::Become(const ProducerIdAndEpoch& producer) {
  if (producer == producer_) {
    if (accumulator_.HasTrouble()) {
      FailForGood(wire::KafkaError(ErrorCode::kUnknownServerError, "the coordinator has not raised the epoch"));
    }
    return;
  }
  producer_ = producer;
  accumulator_.SetProducer(producer);
  accumulator_.RestartSequences();
  log_.Write(LogLevel::kDebug, fmt::format("producer id {}, epoch {}", producer.id.value(), producer.epoch.value()));
}

void TransactionManager::On(const wire::FindCoordinatorResponse& answer, const RequestOutcome& outcome) {
  const wire::Coordinator found = CoordinatorIn(answer, outcome.version);
  Coordinator& wanted = *std::exchange(looking_for_, nullptr);
  if (!Settle(TransactionRequest::kFindCoordinator, found.error, found.error_message.value_or(""), outcome)) return;
  wanted.node = Node{.id = NodeId(found.node_id),
                     .host = found.host,
                     .port = static_cast<std::uint16_t>(found.port),
                     .rack = std::nullopt};
  log_.Write(LogLevel::kDebug, fmt::format("broker {} coordinates {}", found.node_id, wanted.key));
}

void TransactionManager::On(const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome) {
  if (!Settle(TransactionRequest::kInitProducerId, answer.error, "", outcome)) return;
  can_raise_epoch_ = outcome.version >= kRaisesEpochSince;
  transaction_ = {};
  Become({.id = ProducerId(answer.producer_id), .epoch = ProducerEpoch(answer.producer_epoch)});
  if (calls_.state() == kInitializing) calls_.Finish(kReady);
}

void TransactionManager::On(const wire::AddPartitionsToTxnResponse& answer, const RequestOutcome& outcome) {
  constexpr TransactionRequest kRequest = TransactionRequest::kAddPartitions;
  ErrorCode code = ErrorCode::kNone;
  std::string where;
  std::size_t answered = 0;
  for (const wire::AddPartitionsToTxnTopicResult& topic : answer.topics) {
    for (const wire::AddPartitionsToTxnPartitionResult& partition : topic.partitions) {
      ++answered;
      if (Weight(kRequest, partition.error) <= Weight(kRequest, code)) continue;
      code = partition.error;
      where = fmt::format("{}-{} cannot be added to the transaction: {}", topic.name, partition.index,
                          wire::DefaultMessage(code));
    }
  }
  if (answered != transaction_.adding.size()) Weigh(kRequest, ErrorCode::kUnknownServerError, code);
  SettleAdding(code);
  const bool added = Settle(kRequest, code, where, outcome);
  if (!accumulator_.any_admitted()) Hurry(code, outcome);
  if (added) accumulator_.AdmitToTransaction(transaction_.adding);
  // All or none of them are added; after an error that stays, none is.
  const TransactionVerdict verdict = Judge(kRequest, code);
  if (verdict != TransactionVerdict::kRetry && verdict != TransactionVerdict::kLookUp) transaction_.adding.clear();
}

void TransactionManager::On(const wire::AddOffsetsToTxnResponse& answer, const RequestOutcome& outcome) {
  SettleAdding(answer.error);
  const bool added = Settle(TransactionRequest::kAddOffsets, answer.error, "", outcome);
  if (!accumulator_.any_admitted()) Hurry(answer.error, outcome);
  transaction_.group_added |= added;
}

void TransactionManager::SettleAdding(ErrorCode code) {
  if (code == ErrorCode::kNone) {
    transaction_.started = true;
    transaction_.unsettled = 0;
  } else if (!MayHaveBeenDone(code)) {
    --transaction_.unsettled;
  }
}

void TransactionManager::Hurry(ErrorCode code, const RequestOutcome& outcome) {
  if (code != ErrorCode::kConcurrentTransactions) return;
  ask_again_at_ = std::min(ask_again_at_, outcome.ended + kConcurrentTransactionsBackoff);
}

void TransactionManager::On(const wire::TxnOffsetCommitResponse& answer, const RequestOutcome& outcome) {
  if (!transaction_.offsets.has_value()) return;  // The transaction has failed meanwhile.
  std::vector<OffsetToCommit>& left = transaction_.offsets->offsets;
  ErrorCode code = ErrorCode::kNone;
  for (const wire::TxnOffsetCommitTopicResponse& topic : answer.topics) {
    for (const wire::TxnOffsetCommitPartitionResponse& partition : topic.partitions) {
      Weigh(TransactionRequest::kCommitOffsets, partition.error, code);
      if (partition.error != ErrorCode::kNone) continue;
      std::erase_if(left, [&](const OffsetToCommit& one) {
        return one.topic == topic.name && one.partition.value() == partition.index;
      });
    }
  }
  if (code == ErrorCode::kNone && !left.empty()) code = ErrorCode::kUnknownServerError;
  const bool done = Settle(TransactionRequest::kCommitOffsets, code, "", outcome);
  Hurry(code, outcome);
  if (!done) return;
  transaction_.offsets.reset();
  calls_.OffsetsDone();
}

void TransactionManager::On(const wire::EndTxnResponse& answer, const RequestOutcome& outcome) {
  // While its markers are written the end has come, and is only not told.
  const bool ending = answer.error == ErrorCode::kConcurrentTransactions;
  if (answer.error != ErrorCode::kNone && !MayHaveBeenDone(answer.error) && !ending) --transaction_.ends_unsettled;
  calls_.SetMayBeCommitted(calls_.state() == kCommitting && transaction_.ends_unsettled > 0);
  // What cannot be aborted here is aborted by its coordinator when the producer begins a new session. Under version 2 that
  // is so, too, while the transaction before still gets its markers and nothing of this one has reached a leader.
  // And where nobody has said that anything was added, there was nothing to abort.
  const bool misfit = answer.error == ErrorCode::kInvalidTxnState && (transaction_.v2 || !transaction_.started);
  const bool abortable = Judge(TransactionRequest::kEnd, answer.error) == TransactionVerdict::kAbortable;
  if (calls_.state() == kAborting && can_raise_epoch_ && (misfit || abortable)) {
    transaction_.is_forgotten = true;
    return;
  }
  if (calls_.state() == kAborting && misfit && !transaction_.v2) return EndTransaction();
  if (!Settle(TransactionRequest::kEnd, answer.error, "", outcome)) return;
  if (!transaction_.v2) return EndTransaction();
  if (answer.producer_id < 0 || answer.producer_epoch < 0) {
    return FailForGood(wire::KafkaError(ErrorCode::kUnknownServerError,
                                        "the coordinator has ended the transaction without naming the next epoch"));
  }
  Become({.id = ProducerId(answer.producer_id), .epoch = ProducerEpoch(answer.producer_epoch)});
  transaction_.needs_new_epoch = false;
  if (calls_.state() != kFatalError) EndTransaction();
}

void TransactionManager::EndTransaction() {
  const bool unsettled = transaction_.unsettled > 0 && can_raise_epoch_;
  const bool lost = transaction_.needs_new_epoch || transaction_.is_forgotten || unsettled || !producer_.is_valid() ||
                    accumulator_.HasTrouble();
  const bool can_rewind = !transaction_.is_forgotten && !transaction_.number_refused;
  accumulator_.LeaveTransaction();
  transaction_ = {};
  if (!lost || closing_) return calls_.Finish(kReady);
  if (can_raise_epoch_ || !producer_.is_valid()) {
    // It may be refused to us, and has to be asked for again then.
    transaction_.needs_new_epoch = true;
    return calls_.MoveTo(kInitializing);
  }
  if (can_rewind && accumulator_.RewindSequences()) return calls_.Finish(kReady);
  FailForGood(wire::KafkaError(
      ErrorCode::kOutOfOrderSequenceNumber,
      "records of the aborted transaction, or of the topic, are missing, and brokers before Kafka 2.5 cannot raise the "
      "epoch: close this producer and make another one"));
}

}  // namespace ktrial
