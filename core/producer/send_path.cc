// The path of a record from Send into its batch: checks, metadata, partition, size, timestamp, append (PR-01). On it nothing is
// allocated, no lock is taken but that of the partition's queue, and no clock is read but the coarse one, until something has to be
// waited for or a batch begins.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/accumulator/batch_result.h"
#include "core/producer/partitioner.h"
#include "core/producer/producer_impl.h"
#include "core/wire/limits.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

std::int32_t SizeOf(const std::optional<std::string_view>& bytes) {
  return bytes ? static_cast<std::int32_t>(bytes->size()) : -1;
}

}  // namespace

absl::Status CheckTopic(std::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("a record needs a topic");
  // Brokers say what else a name must be (MD-31), but this one they could not read, nor anything that stands beside it.
  if (name.size() <= wire::kStringBytesMax) return absl::OkStatus();
  return wire::KafkaError(
      wire::ErrorCode::kInvalidTopicException,
      fmt::format("the topic's name has {} bytes, and may have {}", name.size(), wire::kStringBytesMax));
}

namespace {

// PR-02.
absl::Status CheckFields(const Record& record) {
  absl::Status topic = CheckTopic(record.topic);
  if (!topic.ok()) return topic;
  if (record.partition < kUnknownPartition) {
    return absl::InvalidArgumentError(fmt::format("partition {} is negative", record.partition.value()));
  }
  if (record.timestamp && record.timestamp->millis() < 0) {
    return absl::InvalidArgumentError(fmt::format("timestamp {} is negative", record.timestamp->millis()));
  }
  return absl::OkStatus();
}

}  // namespace

// PR-13
Future Producer::Impl::SendIntercepted(const Record& record, RecordCallback callback) {
  InterceptedRecord intercepted(record);
  interceptors_.OnSend(intercepted);
  return Enqueue(intercepted.record, interceptors_.Wrap(callback));
}

Future Producer::Impl::Enqueue(const Record& record, RecordCallback callback) {
  Placement placement{.partition = record.partition};
  absl::Status status = Place(record, placement);
  if (!status.ok()) return Refuse(record, placement.partition, callback, std::move(status));
  NewRecord entry{.partition = placement.partition,
                  .timestamp = placement.timestamp,
                  .key = record.key,
                  .value = record.value,
                  .headers = record.headers,
                  .callback = callback,
                  .may_block = false,
                  .max_block = placement.max_block};
  absl::StatusOr<AppendResult> appended = Append(*placement.topic, entry);
  // The producer may have started over from its bootstrap addresses since the metadata was there: the record waits for it again.
  while (!appended.ok() && wire::KafkaCode(appended.status()) == wire::ErrorCode::kUnknownTopicOrPartition) {
    const absl::StatusOr<std::int32_t> awaited =
        topic_wait_.PartitionCount(*placement.topic, record.partition, placement.max_block);
    if (!awaited.ok()) return Refuse(record, placement.partition, callback, awaited.status());
    entry.max_block = placement.max_block;
    appended = Append(*placement.topic, entry);
  }
  if (!appended.ok()) return Refuse(record, placement.partition, callback, std::move(appended).status());
  if (appended->new_batch || appended->batch_full) {
    // The idle time of the topic starts anew once a batch, not once a record: a topic that is in use makes batches (MD-36).
    if (appended->new_batch) metadata_.Add(record.topic, clock_.Now());
    sender_.WakeUp();
  }
  placement.partition = appended->partition;
  return FutureOf(std::move(appended->result), record, placement, appended->index);
}

absl::StatusOr<AppendResult> Producer::Impl::Append(TopicQueues& topic, NewRecord& entry) {
  absl::StatusOr<AppendResult> appended = accumulator_.Append(topic, entry);
  // Who this thread is matters only when it would have to wait.
  if (appended.ok() || !absl::IsFailedPrecondition(appended.status()) || OnSenderThread()) return appended;
  entry.may_block = true;
  return accumulator_.Append(topic, entry);
}

absl::Status Producer::Impl::Place(const Record& record, Placement& placement) {
  if (topic_wait_.closing()) return absl::FailedPreconditionError("the producer is closed");
  absl::Status status = transaction_calls_ == nullptr ? absl::OkStatus() : transaction_calls_->MaySend();
  if (!status.ok()) return status;
  status = CheckFields(record);
  if (!status.ok()) return status;
  placement.topic = &accumulator_.Topic(record.topic);
  placement.max_block = config_.max_block;
  std::int32_t partition_count = topic_wait_.KnownPartitionCount(*placement.topic);
  if (partition_count <= std::max(record.partition.value(), 0)) {
    const absl::StatusOr<std::int32_t> awaited =
        topic_wait_.PartitionCount(*placement.topic, record.partition, placement.max_block);
    if (!awaited.ok()) return awaited.status();
    partition_count = *awaited;
  }
  status = ChoosePartition(record, partition_count, placement);
  if (!status.ok()) return status;
  status = CheckSize(record);
  if (!status.ok()) return status;
  placement.timestamp = record.timestamp ? *record.timestamp : clock_.WallNow();
  return absl::OkStatus();
}

absl::Status Producer::Impl::ChoosePartition(const Record& record, std::int32_t partition_count,
                                             Placement& placement) const {
  if (record.partition != kUnknownPartition) return absl::OkStatus();  // PT-01
  if (config_.partitioner != nullptr) {
    const PartitionIndex chosen = config_.partitioner(record.topic, record.key, record.value, partition_count);
    if (chosen < kUnknownPartition || chosen.value() >= partition_count) {
      return absl::InvalidArgumentError(fmt::format("the partitioner chose partition {} of {}, which has {} (PT-15)",
                                                    chosen.value(), record.topic, partition_count));
    }
    placement.partition = chosen;
  } else if (config_.partitioner_kind == PartitionerKind::kRoundRobin) {
    placement.partition = NextInTurn(*placement.topic);
  } else {
    const bool ignore = config_.partitioner_kind == PartitionerKind::kBuiltIn && config_.partitioner_ignore_keys;
    if (!ignore) placement.partition = PartitionByName(config_.partitioner_kind, record.key, partition_count);
  }
  return absl::OkStatus();
}

// PT-05. Kafka's own asks twice around new batches and skips a partition each time; this one does not.
PartitionIndex Producer::Impl::NextInTurn(TopicQueues& topic) const {
  const std::uint64_t turn = topic.NextTurn(*entropy_);
  const std::shared_ptr<const Cluster> cluster = metadata_.Fetch();
  const TopicInfo* info = cluster->FindTopic(topic.name());
  // It was there a moment ago. If it has gone meanwhile, the accumulator finds out.
  if (info == nullptr || info->partitions.empty()) return kUnknownPartition;
  if (!info->available.empty()) return info->available[turn % info->available.size()];
  return info->partitions[turn % info->partitions.size()].index;
}

// PR-09.
absl::Status Producer::Impl::CheckSize(const Record& record) {
  const auto size = static_cast<std::int64_t>(wire::RecordBatchUpperBound(record.key, record.value, record.headers));
  if (size <= config_.max_request_size && size <= config_.buffer_memory) {
    metrics_.NoteRecordSize(size);
    return absl::OkStatus();
  }
  const bool request = size > config_.max_request_size;
  return wire::KafkaError(wire::ErrorCode::kMessageTooLarge,
                          fmt::format("the record may take {} bytes, more than {} = {}", size,
                                      request ? "max.request.size" : "buffer.memory",
                                      request ? config_.max_request_size : config_.buffer_memory));
}

Future Producer::Impl::Refuse(const Record& record, PartitionIndex partition, RecordCallback callback,
                              absl::Status status) {
  // PR-07: mistakes of the caller are not errors of the producer.
  if (wire::HasKafkaCode(status) || absl::IsCancelled(status)) metrics_.RecordsFailed(record.topic, 1, clock_.Now());
  // SN-31: what is refused for what Kafka has a number for would be missing from the transaction.
  if (transaction_calls_ != nullptr && wire::HasKafkaCode(status)) {
    transaction_calls_->SendFailed(status);
    sender_.WakeUp();
  }
  BatchResult& result = BatchResult::New(threads_);
  result.Close({.status = status});
  result.Release(BatchResult::kStake - 1);
  Future future = FutureOf(BatchResultRef::Adopt(result), record, {.partition = partition}, 0);
  const RecordMetadata at{.topic = record.topic, .partition = partition};
  if (!interceptors_.empty()) {
    interceptors_.Refused(callback, at, status);
  } else if (callback.function != nullptr) {
    callback.function(callback.context, at, status);
  }
  return future;
}

Future Producer::Impl::FutureOf(BatchResultRef result, const Record& record, const Placement& placement,
                                std::int32_t index) const {
  Future future;
  future.parts_.result = std::move(result).Disown();
  future.parts_.threads = &threads_;
  future.parts_.clock = &clock_;
  future.parts_.sender_thread = sender_thread_id_;
  future.parts_.index = index;
  future.parts_.partition = placement.partition;
  future.parts_.timestamp = placement.timestamp;
  future.parts_.key_bytes = SizeOf(record.key);
  future.parts_.value_bytes = SizeOf(record.value);
  return future;
}

}  // namespace ktrial
