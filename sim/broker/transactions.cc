#include "sim/broker/transactions.h"

#include <algorithm>
#include <limits>

#include "core/check.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;
using Status = TransactionStatus;

// The last epoch that a client gets: one more must be left to fence it.
bool IsExhausted(ProducerEpoch epoch) { return epoch.value() >= std::numeric_limits<std::int16_t>::max() - 1; }

ProducerEpoch Next(ProducerEpoch epoch) { return ProducerEpoch(static_cast<std::int16_t>(epoch.value() + 1)); }

bool IsComplete(Status status) { return status == Status::kCompleteCommit || status == Status::kCompleteAbort; }

bool CanMove(Status from, Status to) {
  const bool done = from == Status::kEmpty || IsComplete(from);
  switch (to) {
    case Status::kEmpty:
      return done;
    case Status::kOngoing:
      return done || from == Status::kOngoing;
    case Status::kPrepareCommit:
      return from == Status::kOngoing;
    case Status::kPrepareAbort:
      return from == Status::kOngoing || done;
    case Status::kCompleteCommit:
      return from == Status::kPrepareCommit;
    case Status::kCompleteAbort:
      return from == Status::kPrepareAbort;
  }
  return false;
}

// The client may name an identity that is not the present one where it cannot have heard of that.
bool MayBeTheSame(const Transaction& transaction, ProducerIdAndEpoch expected) {
  return transaction.producer.epoch == kNoProducerEpoch || expected.id == transaction.producer.id ||
         (expected.id == transaction.previous.id && IsExhausted(expected.epoch));
}

// What an end means in this status. kNone with `begins`: it starts now. kNone without: it is done, and said again.
struct EndMeaning {
  ErrorCode code = ErrorCode::kNone;
  bool begins = false;
};

EndMeaning MeaningOf(Status status, bool commit, EndRules rules, bool again) {
  const EndMeaning misfit{.code = ErrorCode::kInvalidTxnState};
  const EndMeaning begins{.begins = true};
  const bool raises = rules == EndRules::kRaiseEpoch;
  switch (status) {
    case Status::kOngoing:
      return begins;
    case Status::kPrepareCommit:
    case Status::kPrepareAbort:
      if (commit != (status == Status::kPrepareCommit)) return misfit;
      return {.code = ErrorCode::kConcurrentTransactions};
    case Status::kCompleteCommit:
    case Status::kCompleteAbort:
      if (!raises || again) return commit == (status == Status::kCompleteCommit) ? EndMeaning{} : misfit;
      return commit ? misfit : begins;
    case Status::kEmpty:
      return raises && !commit ? begins : misfit;
  }
  return misfit;
}

}  // namespace

void Transactions::MoveTo(Transaction& transaction, Status next) {
  KT_CHECK(CanMove(transaction.status, next));
  transaction.status = next;
}

Transactions::InitResult Transactions::Init(std::string_view id, Duration timeout,
                                            std::optional<ProducerIdAndEpoch> expected, NewProducerId new_producer_id) {
  const auto [found, fresh] = all_.try_emplace(std::string(id));
  Transaction& transaction = found->second;
  if (fresh) transaction.producer.id = new_producer_id();
  if (expected.has_value() && !MayBeTheSame(transaction, *expected)) return {.code = ErrorCode::kProducerFenced};
  if (transaction.ending()) return {.code = ErrorCode::kConcurrentTransactions};
  if (transaction.status == Status::kOngoing) {
    Fence(transaction);
    return {.code = ErrorCode::kConcurrentTransactions, .write_markers = true};
  }
  ProducerIdAndEpoch& producer = transaction.producer;
  const bool names_present = !expected.has_value() || expected->epoch == producer.epoch;
  if (IsExhausted(producer.epoch) && names_present) {
    transaction.previous = expected.has_value() ? producer : ProducerIdAndEpoch{.id = producer.id};
    producer = {.id = new_producer_id(), .epoch = ProducerEpoch(0)};
  } else if (names_present || producer.epoch == kNoProducerEpoch) {
    // Without a name it is another producer: whoever named an earlier epoch is fenced from now on.
    transaction.previous = expected.has_value() ? producer : ProducerIdAndEpoch{};
    producer.epoch = Next(producer.epoch);
  } else if (expected->epoch != transaction.previous.epoch) {
    return {.code = ErrorCode::kProducerFenced};
  }  // Else it has asked before and not heard the answer.
  transaction.timeout = timeout;
  MoveTo(transaction, Status::kEmpty);
  return {.producer = producer};
}

void Transactions::Fence(Transaction& transaction) {
  transaction.producer.epoch = Next(transaction.producer.epoch);
  transaction.previous = {};
  MoveTo(transaction, Status::kPrepareAbort);
}

ErrorCode Transactions::CheckProducer(const Transaction* transaction, ProducerIdAndEpoch producer) const {
  if (transaction == nullptr || transaction->producer.id != producer.id) return ErrorCode::kInvalidProducerIdMapping;
  return transaction->producer.epoch == producer.epoch ? ErrorCode::kNone : ErrorCode::kProducerFenced;
}

ErrorCode Transactions::AddPartitions(std::string_view id, ProducerIdAndEpoch producer,
                                      std::span<const TopicPartition> partitions, Instant now) {
  const auto found = all_.find(id);
  const ErrorCode code = CheckProducer(found == all_.end() ? nullptr : &found->second, producer);
  if (code != ErrorCode::kNone) return code;
  Transaction& transaction = found->second;
  if (transaction.ending()) return ErrorCode::kConcurrentTransactions;
  if (transaction.status != Status::kOngoing) transaction.begun = now;
  MoveTo(transaction, Status::kOngoing);
  transaction.partitions.insert(partitions.begin(), partitions.end());
  return ErrorCode::kNone;
}

Transactions::EndResult Transactions::End(std::string_view id, ProducerIdAndEpoch producer, bool commit, EndRules rules,
                                          NewProducerId new_producer_id) {
  const auto found = all_.find(id);
  Transaction* transaction = found == all_.end() ? nullptr : &found->second;
  // With every end another identity: a client that has not heard of it names the one before.
  const bool again = transaction != nullptr && rules == EndRules::kRaiseEpoch && producer == transaction->previous &&
                     (transaction->ending() || IsComplete(transaction->status));
  if (const ErrorCode code = CheckProducer(transaction, producer); code != ErrorCode::kNone && !again) {
    return {.code = code};
  }
  const EndMeaning meaning = MeaningOf(transaction->status, commit, rules, again);
  if (meaning.code != ErrorCode::kNone) return {.code = meaning.code};
  if (!meaning.begins) return {.producer = transaction->producer};
  MoveTo(*transaction, commit ? Status::kPrepareCommit : Status::kPrepareAbort);
  if (rules == EndRules::kRaiseEpoch) {
    transaction->previous = transaction->producer;
    transaction->producer.epoch = Next(transaction->producer.epoch);
    // The markers carry the epoch that is left over; the client goes on under another id.
    if (IsExhausted(transaction->previous.epoch)) transaction->next_id = new_producer_id();
  }
  EndResult result{.producer = transaction->producer, .write_markers = !transaction->partitions.empty()};
  if (transaction->next_id != kNoProducerId) result.producer = {transaction->next_id, ProducerEpoch(0)};
  if (!result.write_markers) Complete(*transaction);
  return result;
}

void Transactions::MarkerWritten(std::string_view id, const TopicPartition& partition) {
  const auto found = all_.find(id);
  KT_CHECK(found != all_.end() && found->second.ending());
  found->second.partitions.erase(partition);
  if (found->second.partitions.empty()) Complete(found->second);
}

void Transactions::Complete(Transaction& transaction) {
  MoveTo(transaction, transaction.status == Status::kPrepareCommit ? Status::kCompleteCommit : Status::kCompleteAbort);
  if (transaction.next_id == kNoProducerId) return;
  transaction.producer = {transaction.next_id, ProducerEpoch(0)};
  transaction.next_id = kNoProducerId;
}

std::vector<std::string> Transactions::AbortTimedOut(Instant now) {
  std::vector<std::string> aborted;
  for (auto& [id, transaction] : all_) {
    if (transaction.status != Status::kOngoing || now - transaction.begun < transaction.timeout) continue;
    Fence(transaction);
    aborted.push_back(id);
  }
  return aborted;
}

Instant Transactions::NextTimeout() const {
  Instant next = Instant::Never();
  for (const auto& [id, transaction] : all_) {
    if (transaction.status == Status::kOngoing) next = std::min(next, transaction.begun + transaction.timeout);
  }
  return next;
}

const Transaction* Transactions::Find(std::string_view id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

bool Transactions::IsOngoing(std::string_view id, ProducerIdAndEpoch producer, const TopicPartition& partition) const {
  const Transaction* transaction = Find(id);
  return transaction != nullptr && transaction->status == Status::kOngoing && transaction->producer == producer &&
         transaction->partitions.contains(partition);
}

}  // namespace ktrial::sim
