#include "sim/broker/producer_state.h"

#include <algorithm>

#include "core/sequence.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

// As many as a client may have in flight.
constexpr std::size_t kRememberedMax = 5;

bool Precedes(Sequence last, Sequence next, ProducerRules rules) {
  if (rules == ProducerRules::kOneBatch && next.value() == 0) return false;
  return AdvanceSequence(last, 1) == next;
}

ErrorCode JudgeFirst(Sequence first, ProducerRules rules) {
  if (first.value() == 0) return ErrorCode::kNone;
  switch (rules) {
    case ProducerRules::kNone:
    case ProducerRules::kOneBatch:
      return ErrorCode::kOutOfOrderSequenceNumber;
    case ProducerRules::kFiveBatches:
      return ErrorCode::kUnknownProducerId;
    case ProducerRules::kAnyFirstSequence:
      break;
  }
  return ErrorCode::kNone;
}

}  // namespace

ProducerState::Verdict ProducerState::Judge(const LogBatch& batch, ProducerRules rules) const {
  const Sequence first = batch.base_sequence;
  const Producer* known = Find(batch.producer_id);
  if (known == nullptr) return {.code = JudgeFirst(first, rules), .duplicate = std::nullopt};
  if (batch.producer_epoch < known->epoch) {
    return {.code = ErrorCode::kInvalidProducerEpoch, .duplicate = std::nullopt};
  }
  const bool strays = known->transaction.has_value() && !batch.transactional;
  const auto in_order = [strays](bool good) {
    const ErrorCode code = strays ? ErrorCode::kInvalidTxnState : ErrorCode::kNone;
    return Verdict{.code = good ? code : ErrorCode::kOutOfOrderSequenceNumber, .duplicate = std::nullopt};
  };
  if (batch.producer_epoch > known->epoch) return in_order(first.value() == 0);
  if (known->batches.empty()) return in_order(first.value() == 0);
  const auto oldest = rules == ProducerRules::kOneBatch ? std::prev(known->batches.end()) : known->batches.begin();
  const Sequence last = LastSequence(first, batch.record_count);
  const auto same = std::find_if(oldest, known->batches.end(), [first, last](const Remembered& remembered) {
    return remembered.first == first && remembered.last == last;
  });
  if (same != known->batches.end()) return {.code = ErrorCode::kNone, .duplicate = *same};
  return in_order(Precedes(known->batches.back().last, first, rules));
}

void ProducerState::Note(const LogBatch& batch) {
  if (batch.producer_id == kNoProducerId) return;
  Producer& producer = producers_[batch.producer_id];
  if (producer.epoch != batch.producer_epoch) {
    producer.epoch = batch.producer_epoch;
    producer.batches.clear();
  }
  producer.last_append = batch.appended;
  if (batch.kind == BatchKind::kAbortMarker || batch.kind == BatchKind::kCommitMarker) {
    producer.transaction.reset();
    return;
  }
  if (batch.transactional && !producer.transaction.has_value()) producer.transaction = batch.base_offset;
  if (batch.kind == BatchKind::kOffsets) return;  // without a sequence
  if (producer.batches.size() == kRememberedMax) producer.batches.erase(producer.batches.begin());
  producer.batches.push_back({.first = batch.base_sequence,
                              .last = LastSequence(batch.base_sequence, batch.record_count),
                              .base_offset = batch.base_offset,
                              .last_offset = Offset(batch.base_offset.value() + batch.record_count - 1),
                              .timestamp_ms = batch.max_timestamp_ms});
}

void ProducerState::Rebuild(const PartitionLog& log) {
  producers_.clear();
  for (const LogBatch& batch : log.batches()) {
    if (batch.base_offset >= log.start_offset()) Note(batch);
  }
}

void ProducerState::ForgetIfIdle(ProducerId id, Instant now, Duration age) {
  const auto found = producers_.find(id);
  if (found == producers_.end() || found->second.transaction.has_value()) return;
  if (now - found->second.last_append >= age) producers_.erase(found);
}

void ProducerState::ForgetBefore(Offset start) {
  std::erase_if(producers_, [start](const auto& entry) {
    const Producer& producer = entry.second;
    return producer.batches.empty() || producer.batches.back().last_offset < start;
  });
}

const ProducerState::Producer* ProducerState::Find(ProducerId id) const {
  const auto found = producers_.find(id);
  return found == producers_.end() ? nullptr : &found->second;
}

}  // namespace ktrial::sim
