#include "sim/workload/app_world.h"

#include <string>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/wire/status.h"
#include "sim/broker/group_offset.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/metrics/metric_names.h"

namespace ktrial::sim {

std::int32_t AppWorld::PartitionsOf(std::string_view topic) const {
  const auto found = partitions.find(topic);
  KT_CHECK_MSG(found != partitions.end(), "a workload for a topic that the cluster does not have");
  return found->second;
}

void AppWorld::AddCall(CallOutcome outcome) {
  const UncheckedSection unchecked;
  calls.push_back(std::move(outcome));
}

void AppWorld::NoteCall(ClientProducer& client, std::string_view call, const absl::Status& status) {
  if (status.ok()) return;
  const UncheckedSection unchecked;
  const std::string error = ErrorMetricName(ErrorNumber(status));
  for (FailedCalls& failed : client.failed_calls) {
    if (failed.call != call || failed.error != error) continue;
    ++failed.count;
    return;
  }
  client.failed_calls.push_back({.call = std::string(call),
                                 .producer = client.name,
                                 .error = error,
                                 .text = std::string(status.message()),
                                 .first = Now() - start,
                                 .count = 1});
}

absl::Status AppWorld::Flush(ClientProducer& client, Duration timeout) {
  const absl::Status status = client.producer->Flush(timeout);
  NoteCall(client, "flush", status);
  return status;
}

absl::Status AppWorld::PartitionsFor(ClientProducer& client, std::string_view topic) {
  const absl::Status status = client.producer->PartitionsFor(topic).status();
  NoteCall(client, "partitions_for", status);
  return status;
}

absl::Status AppWorld::BeginTransaction(ClientProducer& client) {
  const TransactionState state = client.producer->transaction_state();
  if (state == TransactionState::kUninitialized || state == TransactionState::kInitializing || client.init_goes_on) {
    const absl::Status status = client.producer->InitTransactions();
    NoteCall(client, "init", status);
    client.init_goes_on = wire::HasKafkaCode(status) && wire::KafkaCode(status) == wire::ErrorCode::kRequestTimedOut;
    if (!status.ok()) return status;
  }
  const absl::Status status = client.producer->BeginTransaction();
  NoteCall(client, "begin", status);
  if (status.ok()) client.transaction = history.TransactionBegun(client.index, Now());
  return status;
}

absl::Status AppWorld::EndTransaction(ClientProducer& client, bool commit) {
  if (client.transaction) history.TransactionEnding(*client.transaction);
  const absl::Status status = commit ? client.producer->CommitTransaction() : client.producer->AbortTransaction();
  NoteCall(client, commit ? "commit" : "abort", status);
  if (!client.transaction) return status;
  const TransactionOutcome ended = commit ? TransactionOutcome::kCommitted : TransactionOutcome::kAborted;
  // What the state did not allow was not begun, and says nothing. With a code of Kafka a broker may have done it.
  if (status.ok() || wire::HasKafkaCode(status) || !absl::IsFailedPrecondition(status)) {
    // A commit that was not asked for, or was refused, has not come.
    const bool goes_on = client.producer->transaction_state() == TransactionState::kCommitting;
    const TransactionOutcome otherwise =
        goes_on || client.producer->MayBeCommitted() ? TransactionOutcome::kUncertain : TransactionOutcome::kOpen;
    history.TransactionEnded(*client.transaction, status.ok() ? ended : otherwise, Now());
  }
  if (status.ok()) client.transaction.reset();
  return status;
}

absl::Status AppWorld::SendOffsets(ClientProducer& client, const ConsumedSpec& consumed, Offset offset) {
  std::vector<OffsetToCommit> offsets;
  std::vector<GroupOffset> noted;
  {
    const UncheckedSection unchecked;
    const std::string metadata = "transaction " + std::to_string(client.transaction.value_or(0));
    for (std::int32_t i = 0; i < PartitionsOf(consumed.topic); ++i) {
      const PartitionIndex partition(i);
      offsets.push_back({.topic = consumed.topic, .partition = partition, .offset = offset, .metadata = metadata});
      noted.push_back({.group = consumed.group,
                       .partition = {.topic = consumed.topic, .partition = partition},
                       .offset = offset,
                       .metadata = metadata});
    }
  }
  const absl::Status status =
      client.producer->SendOffsetsToTransaction(std::move(offsets), {.group_id = consumed.group});
  NoteCall(client, "send_offsets", status);
  // What the state did not allow is part of nothing.
  const bool refused = absl::IsFailedPrecondition(status) && !wire::HasKafkaCode(status);
  if (client.transaction && !refused) history.TransactionOffsets(*client.transaction, std::move(noted));
  return status;
}

absl::Status AppWorld::CloseProducer(ClientProducer& client, Duration timeout) {
  client.closing = true;
  const absl::Status status = client.producer->Close(timeout);
  NoteCall(client, "close", status);
  history.ProducerClosed(client.index);
  return status;
}

std::int16_t ErrorNumber(const absl::Status& status) {
  if (status.ok()) return 0;
  if (wire::HasKafkaCode(status)) return static_cast<std::int16_t>(wire::KafkaCode(status));
  return static_cast<std::int16_t>(kStatusErrorBase + static_cast<std::int16_t>(status.code()));
}

}  // namespace ktrial::sim
