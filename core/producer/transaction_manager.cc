#include "core/producer/transaction_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/check.h"
#include "core/network/message_call.h"
#include "core/producer/disposition.h"
#include "core/producer/init_producer_id_call.h"
#include "core/wire/messages.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

using wire::ErrorCode;
using enum TransactionState;

constexpr std::string_view kTransactionVersion = "transaction.version";
constexpr std::int16_t kVersion2 = 2;

// From these versions on brokers follow transaction.version 2; to the ones before them version 1 is spoken (SN-38).
constexpr std::int16_t kProduceV2Since = 12;
constexpr std::int16_t kProduceSince = 3;
constexpr std::int16_t kOffsetsV2Since = 5;
constexpr std::int16_t kEndV2Since = 5;
constexpr std::int16_t kMembersSince = 3;       // TxnOffsetCommit: who of the group speaks.
constexpr std::int16_t kTransactionsSince = 1;  // FindCoordinator: of transactions.

wire::VersionRange Split(bool v2, std::int16_t since) {
  return v2 ? wire::VersionRange{.min = since, .max = kAnyVersion.max}
            : wire::VersionRange{.min = 0, .max = static_cast<std::int16_t>(since - 1)};
}

bool NamesMember(const ConsumerGroupMetadata& group) {
  return group.generation_id >= 0 || !group.member_id.empty() || group.group_instance_id.has_value();
}

}  // namespace

TransactionManager::TransactionManager(TransactionConfig config, const Parts& parts, Logger log)
    : config_(std::move(config)),
      retry_backoff_(config_.retry_backoff, config_.retry_backoff_max),
      client_(parts.client),
      accumulator_(parts.accumulator),
      entropy_(parts.entropy),
      calls_(parts.calls),
      observer_(parts.observer),
      log_(std::move(log)),
      transaction_coordinator_{.key_type = wire::kTransactionCoordinator, .key = config_.transactional_id, .node = {}},
      group_{.key_type = wire::kGroupCoordinator, .key = {}, .node = {}} {}

Instant TransactionManager::Prepare(Instant now, bool produce_in_flight) {
  const TransactionState state = calls_.state();
  if (state == kFatalError) {
    accumulator_.AbortIncomplete(calls_.error());
    return Instant::Never();
  }
  NoticeTransaction(now);
  if (state != kInitializing) {
    rejections_noticed_ = client_.rejections().count;
  } else if (!MayInitialize()) {
    return now;
  }
  if (state == kAbortableError || state == kAborting) AbortWork(state);
  if (state == kInTransaction || (state == kCommitting && !transaction_.end_asked)) NoticeWork();
  if (state == kReady && accepts_no_more_) {
    accumulator_.AbortWaiting(absl::AbortedError("the producer was closed before a transaction could take the record"),
                              /*spare_sent=*/false);
  }
  accumulator_.SetHurry(state == kCommitting || state == kAborting);
  if (asking_) return Instant::Never();
  const Next next = WhatIsNext(state, produce_in_flight);
  if (next == Next::kNothing) return Instant::Never();
  if (next == Next::kEndWithoutAsking) {
    EndTransaction();
    return now;
  }
  return now < ask_again_at_ ? ask_again_at_ : Ask(next, now);
}

void TransactionManager::NoticeTransaction(Instant now) {
  const std::uint64_t number = calls_.transaction();
  if (number == transaction_number_) return;
  transaction_number_ = number;
  transaction_noticed_ = now;
  transaction_.v2 = client_.FinalizedLevel(kTransactionVersion) >= kVersion2;
}

bool TransactionManager::MayInitialize() {
  const Rejections& rejections = client_.rejections();
  if (rejections.for_good) {
    FailForGood(rejections.last);
    return false;
  }
  if (rejections.count == rejections_noticed_) return true;
  FailAbortable(rejections.last, /*needs_new_epoch=*/true);
  return false;
}

bool TransactionManager::IsOpen() const {
  const TransactionState state = calls_.state();
  return !transaction_.end_asked &&
         (state == kInTransaction || state == kCommitting || state == kAborting || state == kAbortableError);
}

// Offsets, and of records what was never sent and what waits to be sent again.
void TransactionManager::AbortWork(TransactionState state) {
  transaction_.offsets.reset();
  if (!asking_) transaction_.adding.clear();
  if (!accumulator_.HasIncomplete()) return;
  const absl::Status why =
      state == kAbortableError ? calls_.error() : absl::AbortedError("the transaction of the record was aborted");
  accumulator_.AbortWaiting(why, /*spare_sent=*/!can_raise_epoch_);
  transaction_.to_add.clear();
}

void TransactionManager::NoticeWork() {
  std::vector<TopicPartition> outsiders = accumulator_.TakeOutsiders();
  if (transaction_.v2 && !outsiders.empty()) {
    accumulator_.AdmitToTransaction(outsiders);
    transaction_.started = true;
  } else {
    std::ranges::move(outsiders, std::back_inserter(transaction_.to_add));
  }
  if (transaction_.offsets.has_value()) return;
  transaction_.offsets = calls_.TakeOffsets();
  if (!transaction_.offsets.has_value()) return;
  transaction_.group_added = false;
  if (transaction_.offsets->group.group_id != group_.key) {
    group_.key = transaction_.offsets->group.group_id;
    group_.node.reset();
  }
}

TransactionManager::Next TransactionManager::WhatIsNext(TransactionState state, bool produce_in_flight) const {
  if (state == kInitializing) return Next::kInit;
  const bool ending = state == kCommitting || state == kAborting;
  if (!ending && state != kInTransaction) return Next::kNothing;
  // What a Send has left since waits for the next transaction.
  if (transaction_.end_asked && !transaction_.is_forgotten) return Next::kEnd;
  if (state != kAborting) {
    if (!transaction_.adding.empty() || !transaction_.to_add.empty()) return Next::kAddPartitions;
    if (transaction_.offsets.has_value()) {
      return transaction_.v2 || transaction_.group_added ? Next::kCommitOffsets : Next::kAddOffsets;
    }
  }
  if (!ending || accumulator_.HasIncomplete() || produce_in_flight) return Next::kNothing;
  const bool begun = transaction_.started || transaction_.unsettled > 0;
  return begun && !transaction_.is_forgotten ? Next::kEnd : Next::kEndWithoutAsking;
}

Instant TransactionManager::Ask(Next next, Instant now) {
  Coordinator& coordinator = CoordinatorFor(next);
  if (!coordinator.node.has_value()) return FindCoordinator(coordinator, now);
  const Node node = *coordinator.node;
  if (client_.Ready(node, now)) {
    SendTo(node, next, now);
    return Instant::Never();
  }
  // It may have moved away from a node that cannot be reached.
  if (client_.ConnectionFailed(node.id)) {
    coordinator.node.reset();
    return ask_again_at_ = now + retry_backoff_.Delay(failures_++, entropy_, DrawPurpose::kRetryBackoff);
  }
  return client_.LookAgainAt(node.id, now);
}

void TransactionManager::SendTo(const Node& node, Next next, Instant now) {
  switch (next) {
    case Next::kInit:
      return SendInit(node, now);
    case Next::kAddPartitions:
      return SendAddPartitions(node, now);
    case Next::kAddOffsets:
      return SendAddOffsets(node, now);
    case Next::kCommitOffsets:
      return SendCommitOffsets(node, now);
    case Next::kEnd:
      return SendEnd(node, now);
    case Next::kNothing:
    case Next::kEndWithoutAsking:
      break;
  }
  CheckFailed("something to ask", __FILE__, __LINE__);
}

template <class Call, class Request>
void TransactionManager::Send(const Node& node, Request request, wire::VersionRange versions, Coordinator* of,
                              Instant now) {
  asking_ = true;
  client_.Send(node.id,
               std::make_unique<Call>(std::move(request), versions,
                                      [this, of](const auto& answer, const RequestOutcome& outcome) {
                                        if (Answered(of, outcome)) On(answer, outcome);
                                      }),
               now);
}

Instant TransactionManager::FindCoordinator(Coordinator& wanted, Instant now) {
  const LeastLoaded best = client_.FindLeastLoaded(now);
  // Without a node to ask, what brings one is an event of the client. Drawn once, not at each look (D-4).
  if (best.node == nullptr) {
    return ask_again_at_ = now + retry_backoff_.Delay(0, entropy_, DrawPurpose::kRetryBackoff);
  }
  if (!client_.Ready(*best.node, now)) return client_.LookAgainAt(best.node->id, now);
  looking_for_ = &wanted;
  const bool transaction = wanted.key_type == wire::kTransactionCoordinator;
  Send<ReportedCall<wire::FindCoordinatorRequest, wire::FindCoordinatorResponse>>(
      *best.node,
      wire::FindCoordinatorRequest{.key = wanted.key, .key_type = wanted.key_type, .coordinator_keys = {wanted.key}},
      {.min = transaction ? kTransactionsSince : std::int16_t{0}, .max = kAnyVersion.max}, nullptr, now);
  return Instant::Never();
}

void TransactionManager::SendInit(const Node& node, Instant now) {
  wire::InitProducerIdRequest request{
      .transactional_id = config_.transactional_id,
      .transaction_timeout_ms = static_cast<std::int32_t>(config_.timeout / std::chrono::milliseconds(1))};
  if (producer_.is_valid()) {
    request.producer_id = producer_.id.value();
    request.producer_epoch = producer_.epoch.value();
  }
  Send<InitProducerIdCall>(node, std::move(request), kAnyVersion, &transaction_coordinator_, now);
}

void TransactionManager::SendAddPartitions(const Node& node, Instant now) {
  std::ranges::move(std::exchange(transaction_.to_add, {}), std::back_inserter(transaction_.adding));
  std::ranges::sort(transaction_.adding);
  wire::AddPartitionsToTxnRequest request{.transactional_id = config_.transactional_id,
                                          .producer_id = producer_.id.value(),
                                          .producer_epoch = producer_.epoch.value()};
  for (const TopicPartition& one : transaction_.adding) {
    if (request.topics.empty() || request.topics.back().name != one.topic)
      request.topics.push_back({.name = one.topic});
    request.topics.back().partitions.push_back(one.partition.value());
  }
  ++transaction_.unsettled;
  Send<ReportedCall<wire::AddPartitionsToTxnRequest, wire::AddPartitionsToTxnResponse>>(
      node, std::move(request), kAnyVersion, &transaction_coordinator_, now);
}

void TransactionManager::SendAddOffsets(const Node& node, Instant now) {
  ++transaction_.unsettled;
  Send<ReportedCall<wire::AddOffsetsToTxnRequest, wire::AddOffsetsToTxnResponse>>(
      node,
      wire::AddOffsetsToTxnRequest{.transactional_id = config_.transactional_id,
                                   .producer_id = producer_.id.value(),
                                   .producer_epoch = producer_.epoch.value(),
                                   .group_id = group_.key},
      kAnyVersion, &transaction_coordinator_, now);
}

void TransactionManager::SendCommitOffsets(const Node& node, Instant now) {
  const OffsetsOfGroup& wanted = *transaction_.offsets;
  wire::TxnOffsetCommitRequest request{.transactional_id = config_.transactional_id,
                                       .group_id = wanted.group.group_id,
                                       .producer_id = producer_.id.value(),
                                       .producer_epoch = producer_.epoch.value(),
                                       .generation_id = wanted.group.generation_id,
                                       .member_id = wanted.group.member_id,
                                       .group_instance_id = wanted.group.group_instance_id};
  for (const OffsetToCommit& one : wanted.offsets) {
    if (request.topics.empty() || request.topics.back().name != one.topic)
      request.topics.push_back({.name = one.topic});
    request.topics.back().partitions.push_back({.index = one.partition.value(),
                                                .committed_offset = one.offset.value(),
                                                .committed_leader_epoch = one.leader_epoch.value(),
                                                .committed_metadata = one.metadata});
  }
  wire::VersionRange versions = Split(transaction_.v2, kOffsetsV2Since);
  if (NamesMember(wanted.group)) versions.min = std::max(versions.min, kMembersSince);
  // Sent is enough: the answer may be lost.
  transaction_.started = true;
  Send<ReportedCall<wire::TxnOffsetCommitRequest, wire::TxnOffsetCommitResponse>>(node, std::move(request), versions,
                                                                                  &group_, now);
}

void TransactionManager::SendEnd(const Node& node, Instant now) {
  // A record that is accepted from now on belongs to the next transaction.
  accumulator_.LeaveTransaction();
  transaction_.end_asked = true;
  ++transaction_.ends_unsettled;
  calls_.SetMayBeCommitted(calls_.state() == kCommitting);
  Send<ReportedCall<wire::EndTxnRequest, wire::EndTxnResponse>>(
      node,
      wire::EndTxnRequest{.transactional_id = config_.transactional_id,
                          .producer_id = producer_.id.value(),
                          .producer_epoch = producer_.epoch.value(),
                          .committed = calls_.state() == kCommitting},
      Split(transaction_.v2, kEndV2Since), &transaction_coordinator_, now);
}

bool TransactionManager::MayRetry(const ProducerBatch& batch, ErrorCode error, std::int64_t log_start_offset) {
  switch (error) {
    case ErrorCode::kOutOfOrderSequenceNumber:
      return accumulator_.WaitsForOthers(batch);
    case ErrorCode::kUnknownProducerId:
      // A broker that does not say where its log starts does not know it yet.
      return log_start_offset < 0;
    default:
      return false;
  }
}

void TransactionManager::BatchFails(const ProducerBatch& batch, ErrorCode error, const absl::Status& status) {
  switch (error) {
    case ErrorCode::kProducerFenced:
    case ErrorCode::kClusterAuthorizationFailed:
    case ErrorCode::kTransactionalIdAuthorizationFailed:
    case ErrorCode::kUnsupportedVersion:
      FailForGood(status);
      break;
    case ErrorCode::kOutOfOrderSequenceNumber:
    case ErrorCode::kUnknownProducerId:
      transaction_.number_refused |= accumulator_.ContinuesTheLog(batch);
      [[fallthrough]];
    default:
      FailAbortable(status, /*needs_new_epoch=*/true);
      break;
  }
  // A broker before Kafka 2.5 that refuses a batch for the second time may have appended it at the first, and there is no other
  // epoch under which that would not matter.
  const bool unsure = !can_raise_epoch_ && batch.attempts() > 0;
  if (!MayHaveBeenAppended(error) && !unsure) accumulator_.ConcludeAbsent(batch);
}

void TransactionManager::BatchExpires(const absl::Status& status) {
  // What came too late for its transaction, and is in none yet, spoils none.
  if (IsOpen()) FailAbortable(status, /*needs_new_epoch=*/true);
}

wire::VersionRange TransactionManager::produce_versions() const {
  wire::VersionRange versions = Split(transaction_.v2, kProduceV2Since);
  versions.min = std::max(versions.min, kProduceSince);
  versions.max = std::min(versions.max, wire::ClientVersionRange(wire::ApiKey::kProduce)->max);
  return versions;
}

bool TransactionManager::IsBusy() const {
  const TransactionState state = calls_.state();
  if (state == kFatalError) return false;
  return asking_ || transaction_.offsets.has_value() || state == kInitializing || state == kCommitting ||
         state == kAborting;
}

bool TransactionManager::StartClose() {
  closing_ = true;
  if (!calls_.StartAbort()) return false;
  log_.Write(LogLevel::kInfo, "the producer closes with an open transaction, which is aborted");
  return true;
}

}  // namespace ktrial
