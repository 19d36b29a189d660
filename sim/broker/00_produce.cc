// Produce, 0 to 13.
// Same as a real broker: the order of checks and their codes (batch_check.h); acks 0, 1 and all; NOT_LEADER_OR_FOLLOWER
// with the leader and its address since version 10; min.insync.replicas before and after the append; REQUEST_TIMED_OUT;
// acks=0 with an error ends the connection; log append time; a duplicate of an idempotent producer is answered with the
// offset that it has, its sequences are judged by the rules of the release (producer_state.h); INVALID_TOPIC_EXCEPTION for the topics of
// coordinators.
// Stricter: records that do not number themselves 0, 1, 2, ... and bytes after the batch are refused.
// Simplified: replication is one delay for each batch; of message.timestamp.*.max.ms there is the default of the release
// for what is ahead. Absent: quotas, the text beside error codes other than INVALID_TIMESTAMP.
#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/wire/codec.h"
#include "core/wire/status.h"
#include "fmt/format.h"
#include "sim/broker/batch_check.h"
#include "sim/broker/partition.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kAcksAll = -1;
constexpr std::string_view kAdminClient = "__admin_client";  // the one that may write to internal topics
constexpr std::int16_t kHintsSince = 10;
constexpr std::int16_t kAbortableSince = 11;  // TRANSACTION_ABORTABLE
constexpr std::int16_t kTopicIdsSince = 13;
constexpr std::int16_t kBatchesSince = 3;          // before it message sets were taken
constexpr std::int16_t kAddsPartitionsSince = 12;  // KIP-890: to a transaction, in place of AddPartitionsToTxn

// What has become of one partition of the request.
struct Part {
  std::string_view topic;
  PartitionIndex index;
  ErrorCode code = ErrorCode::kNone;
  Offset base_offset = kUnknownOffset;
  Offset log_start = kUnknownOffset;
  Offset needed = kUnknownOffset;
  std::int32_t record_count = 0;
  std::int64_t log_append_time_ms = -1;
  bool duplicate = false;
  std::vector<std::int32_t> late_records;  // of INVALID_TIMESTAMP
};

// Errors that are found with the log at hand; the others are answered from further up.
bool ErrorNamesLogStart(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidRecord:
    case ErrorCode::kInvalidTimestamp:
    case ErrorCode::kUnknownServerError:
    case ErrorCode::kOutOfOrderSequenceNumber:
    case ErrorCode::kInvalidProducerEpoch:
    case ErrorCode::kUnknownProducerId:
    case ErrorCode::kInvalidTxnState:
      return true;
    default:
      return false;
  }
}

// Format v2 came with version 3 of the request.
bool SpeaksBatches(const BrokerRelease& release) { return release.Range(wire::ApiKey::kProduce)->max >= kBatchesSince; }

class Produce final : public Request {
 public:
  absl::Status Decode(std::string_view body) override;
  void Resolve(BrokerContext& context) override;
  void Act(BrokerContext& context) override;
  void Await(BrokerContext& context, absl::AnyInvocable<void()> ready) override;
  Reply Answer(BrokerContext& context, std::string& frame) override;

 private:
  // Shared with those who wait for replication: the request may be gone when they are called.
  struct Waiting {
    std::vector<ErrorCode> codes;  // by part
    std::size_t left = 0;
    absl::AnyInvocable<void()> ready;
  };

  // As brokers before 2.4 see it, to whom a batch of the wrong shape is a request that cannot be read.
  bool HasGoodShape(BrokerContext& context);
  void ActOn(BrokerContext& context, const wire::PartitionProduceData& data, Part& part);
  // What the coordinator of the transaction says of a transactional batch.
  ErrorCode CheckTransaction(BrokerContext& context, const wire::RecordBatchView& batch, Part& part);
  ErrorCode CheckBroker(BrokerContext& context, const Topic& topic, const Partition& partition) const;
  // Check the records, and say in `entry` what they are; their identities are in the context's scratch.
  static void CheckTimestamps(BrokerContext& context, const wire::RecordBatchView& batch, Part& part);
  absl::Status ReadBatch(BrokerContext& context, std::string_view records, const BatchLimits& limits, Part& part,
                         LogBatch& entry);
  static absl::Status ReadMessageSet(BrokerContext& context, std::string_view records, const BatchLimits& limits,
                                     LogBatch& entry);
  void Append(BrokerContext& context, const Topic& topic, Partition& partition, std::string_view records,
              LogBatch entry, Part& part);
  // Whether the leader does not know the producer of a transaction whose numbers begin with 0 in each partition.
  bool LeavesOutABeginning(const BrokerContext& context, const Partition& partition, const LogBatch& entry) const;
  static void AnswerAsRemembered(const ProducerState::Verdict& verdict, Part& part);
  void Settle(BrokerContext& context);
  void AddHint(BrokerContext& context, const Part& part, wire::PartitionProduceResponse& entry,
               wire::ProduceResponse& response) const;
  ErrorCode Malformed(BrokerContext& context, const Part& part, const absl::Status& status) const;

  wire::ProduceRequest request_;
  bool unreadable_ = false;
  std::vector<Part> parts_;  // in the order of the request
  std::shared_ptr<Waiting> waiting_;
};

absl::Status Produce::Decode(std::string_view body) {
  absl::StatusOr<wire::ProduceRequest> request = wire::Decode<wire::ProduceRequest>(body, view.version);
  if (!request.ok()) return request.status();
  request_ = *std::move(request);
  view.produce = &request_;
  return absl::OkStatus();
}

void Produce::Resolve(BrokerContext& context) {
  if (view.version < kTopicIdsSince) return;
  for (wire::TopicProduceData& topic : request_.topics) {
    if (const Topic* found = context.cluster.FindTopicById(topic.topic_id)) topic.name = found->name;
  }
}

void Produce::Act(BrokerContext& context) {
  if (!context.broker.release->has_invalid_record && !HasGoodShape(context)) return;
  for (const wire::TopicProduceData& topic : request_.topics) {
    for (const wire::PartitionProduceData& data : topic.partitions) {
      Part part{.topic = topic.name, .index = PartitionIndex(data.index)};
      part.code = control.ErrorFor(part.topic, part.index);
      if (part.code == ErrorCode::kNone) ActOn(context, data, part);
      parts_.push_back(part);
    }
  }
}

bool Produce::HasGoodShape(BrokerContext& context) {
  for (const wire::TopicProduceData& topic : request_.topics) {
    for (const wire::PartitionProduceData& data : topic.partitions) {
      if (view.version < kBatchesSince && data.records.has_value()) continue;
      const absl::Status shape = CheckShape(data.records);
      if (shape.ok()) continue;
      Malformed(context, {.topic = topic.name, .index = PartitionIndex(data.index)}, shape);
      unreadable_ = true;
    }
  }
  return !unreadable_;
}

void Produce::ActOn(BrokerContext& context, const wire::PartitionProduceData& data, Part& part) {
  const Topic* topic = context.cluster.FindTopic(part.topic);
  Partition* partition = context.cluster.FindPartition(part.topic, part.index);
  if (partition == nullptr) {
    const bool by_id = view.version >= kTopicIdsSince && topic == nullptr;
    part.code = by_id ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
    return;
  }
  const bool is_set = view.version < kBatchesSince && IsMessageSet(data.records);
  absl::Status shape = is_set ? absl::OkStatus() : CheckShape(data.records);
  if (!is_set && shape.ok() && context.broker.release->knows_zstd()) shape = CheckCodec(*data.records, view.version);
  if (!shape.ok()) {
    part.code = Malformed(context, part, shape);
    return;
  }
  part.code = CheckBroker(context, *topic, *partition);
  if (part.code != ErrorCode::kNone) return;
  const BrokerRelease& release = *context.broker.release;
  const BatchLimits limits{.bytes_max = context.cluster.MaxMessageBytes(*topic),
                           .transactional = request_.transactional_id.has_value() || !release.has_invalid_record,
                           .codec_max = release.knows_zstd() ? Codec::kZstd : Codec::kLz4,
                           .identity = context.cluster.spec().identity};
  part.log_start = partition->log().start_offset();
  LogBatch entry{.bytes = static_cast<std::int32_t>(data.records->size()), .connection = view.connection};
  const absl::Status good = is_set ? ReadMessageSet(context, *data.records, limits, entry)
                                   : ReadBatch(context, *data.records, limits, part, entry);
  if (!good.ok()) {
    part.code = Malformed(context, part, good);
  } else if (part.code == ErrorCode::kNone && !context.scratch.empty()) {
    Append(context, *topic, *partition, *data.records, std::move(entry), part);
  }
}

absl::Status Produce::ReadBatch(BrokerContext& context, std::string_view records, const BatchLimits& limits, Part& part,
                                LogBatch& entry) {
  if (view.version < kBatchesSince && !SpeaksBatches(*context.broker.release)) {
    return wire::KafkaError(ErrorCode::kCorruptMessage, "format v2, which this release does not know");
  }
  const absl::StatusOr<wire::RecordBatchView> batch = CheckBatch(records, limits, context.plain, context.scratch);
  if (!batch.ok()) return batch.status();
  // Whatever is negative is no producer.
  entry.producer_id = std::max(batch->producer_id(), kNoProducerId);
  entry.producer_epoch = batch->producer_epoch();
  entry.base_sequence = batch->base_sequence();
  entry.max_timestamp_ms = batch->max_timestamp_ms();
  entry.transactional = batch->is_transactional();
  CheckTimestamps(context, *batch, part);
  if (part.code == ErrorCode::kNone) part.code = CheckTransaction(context, *batch, part);
  return absl::OkStatus();
}

void Produce::CheckTimestamps(BrokerContext& context, const wire::RecordBatchView& batch, Part& part) {
  const Duration ahead = context.broker.release->timestamp_ahead_max;
  if (ahead == Duration::max()) return;
  const std::int64_t latest =
      context.cluster.clock().WallNow().millis() + std::chrono::duration_cast<std::chrono::milliseconds>(ahead).count();
  if (batch.max_timestamp_ms() <= latest) return;
  // Where the records get the log's time, nobody looks at theirs.
  const Topic& topic = *context.cluster.FindTopic(part.topic);
  if (context.cluster.timestamp_type(topic) == TimestampType::kLogAppendTime) return;
  part.late_records = RecordsAfter(latest, batch, context.plain);
  if (!part.late_records.empty()) part.code = ErrorCode::kInvalidTimestamp;
}

absl::Status Produce::ReadMessageSet(BrokerContext& context, std::string_view records, const BatchLimits& limits,
                                     LogBatch& entry) {
  const absl::StatusOr<std::int64_t> latest = CheckMessageSet(records, limits, context.plain, context.scratch);
  if (latest.ok()) entry.max_timestamp_ms = *latest;
  return latest.status();
}

ErrorCode Produce::CheckTransaction(BrokerContext& context, const wire::RecordBatchView& batch, Part& part) {
  if (!batch.is_transactional() || !context.broker.release->verifies_transactions) return ErrorCode::kNone;
  const ProducerIdAndEpoch producer{batch.producer_id(), batch.producer_epoch()};
  const TopicPartition where{.topic = std::string(part.topic), .partition = part.index};
  const ErrorCode code = view.version >= kAddsPartitionsSince
                             ? context.transactions.AddImplicitly(*request_.transactional_id, producer, where)
                             : context.transactions.Verify(*request_.transactional_id, producer, where);
  // It has not come as far as the log.
  if (code != ErrorCode::kNone) part.log_start = kUnknownOffset;
  switch (code) {
    case ErrorCode::kInvalidTxnState:
      return view.version >= kAbortableSince ? ErrorCode::kTransactionAbortable : code;
    // Older clients take no code but this one for "a little later".
    case ErrorCode::kConcurrentTransactions:
      return view.version >= kAddsPartitionsSince ? code : ErrorCode::kNotEnoughReplicas;
    // The client may have a newer epoch to come with.
    case ErrorCode::kProducerFenced:
      return ErrorCode::kInvalidProducerEpoch;
    default:
      return code;
  }
}

ErrorCode Produce::CheckBroker(BrokerContext& context, const Topic& topic, const Partition& partition) const {
  if (request_.acks < kAcksAll || request_.acks > 1) return ErrorCode::kInvalidRequiredAcks;
  if (IsInternalTopic(topic.name) && view.client_id != kAdminClient) return ErrorCode::kInvalidTopicException;
  const PartitionState& state = partition.state();
  if (state.leader != view.broker) return ErrorCode::kNotLeaderOrFollower;
  if (request_.acks == kAcksAll && std::ssize(state.isr) < context.cluster.MinInsyncReplicas(topic)) {
    return ErrorCode::kNotEnoughReplicas;
  }
  return ErrorCode::kNone;
}

void Produce::Append(BrokerContext& context, const Topic& topic, Partition& partition, std::string_view records,
                     LogBatch entry, Part& part) {
  Cluster& cluster = context.cluster;
  entry.record_count = static_cast<std::int32_t>(context.scratch.size());
  part.record_count = entry.record_count;
  const bool append_time = cluster.timestamp_type(topic) == TimestampType::kLogAppendTime;
  if (append_time) entry.max_timestamp_ms = cluster.clock().WallNow().millis();
  const ProducerState::Verdict verdict = cluster.JudgeProducer(partition, entry);
  if (verdict.duplicate.has_value() || verdict.code != ErrorCode::kNone) {
    AnswerAsRemembered(verdict, part);
    return;
  }
  if (LeavesOutABeginning(context, partition, entry)) {
    part.code = ErrorCode::kOutOfOrderSequenceNumber;
    return;
  }
  if (append_time) part.log_append_time_ms = entry.max_timestamp_ms;
  if (cluster.spec().keep_raw_batches) entry.raw = records;
  const Cluster::AppendResult result = cluster.Append(partition, std::move(entry), context.scratch);
  part.base_offset = result.base_offset;
  part.needed = result.needed;
  context.observer.OnAppended(view, part.topic, part.index, result.base_offset, context.scratch);
}

bool Produce::LeavesOutABeginning(const BrokerContext& context, const Partition& partition,
                                  const LogBatch& entry) const {
  if (!context.broker.release->transactions_begin_with_zero) return false;
  if (!entry.transactional || view.version < kAddsPartitionsSince) return false;
  return entry.base_sequence != Sequence(0) && partition.producers().Find(entry.producer_id) == nullptr;
}

void Produce::AnswerAsRemembered(const ProducerState::Verdict& verdict, Part& part) {
  part.code = verdict.code;
  if (!verdict.duplicate.has_value()) return;
  part.duplicate = true;
  part.base_offset = verdict.duplicate->base_offset;
  part.needed = Offset(verdict.duplicate->last_offset.value() + 1);
  // The time of its records, whoever gave it to them: a real broker names it here whatever the topic is set to.
  part.log_append_time_ms = verdict.duplicate->timestamp_ms;
}

ErrorCode Produce::Malformed(BrokerContext& context, const Part& part, const absl::Status& status) const {
  ErrorCode code = wire::KafkaCode(status);
  if (code == ErrorCode::kInvalidRecord && !context.broker.release->has_invalid_record)
    code = ErrorCode::kCorruptMessage;
  // A batch may be too large for a topic and well formed; clients split it.
  if (code != ErrorCode::kMessageTooLarge) {
    const absl::string_view why = status.message();
    context.observer.OnMalformed(view.broker, view.connection,
                                 fmt::format("Produce v{} to {}/{}: {}", view.version, part.topic, part.index.value(),
                                             std::string_view(why.data(), why.size())));
  }
  return code;
}

void Produce::Await(BrokerContext& context, absl::AnyInvocable<void()> ready) {
  const auto must_wait = [](const Part& part) {
    return part.code == ErrorCode::kNone && part.needed != kUnknownOffset;
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(parts_, must_wait));
  if (request_.acks != kAcksAll || count == 0) {
    ready();
    return;
  }
  auto waiting = std::make_shared<Waiting>();
  waiting_ = waiting;
  waiting->codes.resize(parts_.size(), ErrorCode::kNone);
  waiting->left = count;
  waiting->ready = std::move(ready);
  const Instant deadline = context.cluster.clock().Now() + std::chrono::milliseconds(request_.timeout_ms);
  // Answering may follow from the last call below, and end this request.
  const std::vector<Part> parts = parts_;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!must_wait(parts[i])) continue;
    const auto done = [waiting, i](ErrorCode code) {
      waiting->codes[i] = code;
      if (--waiting->left == 0) waiting->ready();
    };
    Partition* partition = context.cluster.FindPartition(parts[i].topic, parts[i].index);
    if (partition == nullptr) {
      done(ErrorCode::kUnknownTopicOrPartition);  // deleted by a hook
    } else {
      context.cluster.AwaitReplication(*partition, parts[i].needed, deadline, done);
    }
  }
}

void Produce::Settle(BrokerContext& context) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (waiting_ != nullptr && part.code == ErrorCode::kNone) part.code = waiting_->codes[i];
    const ErrorCode asked = control.ErrorFor(part.topic, part.index);
    if (asked != ErrorCode::kNone) part.code = asked;
    context.observer.OnProduceResult(view, {.topic = part.topic,
                                            .partition = part.index,
                                            .code = part.code,
                                            .base_offset = part.base_offset,
                                            .record_count = part.record_count,
                                            .duplicate = part.duplicate});
  }
}

Request::Reply Produce::Answer(BrokerContext& context, std::string& frame) {
  if (unreadable_) return Reply::kClose;
  Settle(context);
  const bool failed = std::ranges::any_of(parts_, [](const Part& part) { return part.code != ErrorCode::kNone; });
  // The client does not listen; the end of the connection is the only way to tell it.
  if (request_.acks == 0) return failed ? Reply::kClose : Reply::kNone;
  wire::ProduceResponse response;
  auto part = parts_.begin();
  for (const wire::TopicProduceData& topic : request_.topics) {
    if (topic.partitions.empty()) continue;
    wire::TopicProduceResponse& answer = response.topics.emplace_back();
    answer.name = topic.name;
    answer.topic_id = topic.topic_id;
    for (std::size_t i = 0; i < topic.partitions.size(); ++i, ++part) {
      wire::PartitionProduceResponse& entry = answer.partitions.emplace_back();
      entry.index = part->index.value();
      entry.error = part->code;
      const bool good = part->code == ErrorCode::kNone;
      entry.base_offset = good ? part->base_offset.value() : -1;
      entry.log_append_time_ms = good ? part->log_append_time_ms : -1;
      entry.log_start_offset = good || ErrorNamesLogStart(part->code) ? part->log_start.value() : -1;
      if (entry.error == ErrorCode::kInvalidTimestamp && !part->late_records.empty()) {
        entry.error_message = "records have timestamps that are too far ahead";
        for (const std::int32_t record : part->late_records) {
          entry.record_errors.push_back({.batch_index = record, .message = "the timestamp is too far ahead"});
        }
      }
      AddHint(context, *part, entry, response);
    }
  }
  wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
  return Reply::kSend;
}

void Produce::AddHint(BrokerContext& context, const Part& part, wire::PartitionProduceResponse& entry,
                      wire::ProduceResponse& response) const {
  if (part.code != ErrorCode::kNotLeaderOrFollower || view.version < kHintsSince) return;
  const Partition* partition = context.cluster.FindPartition(part.topic, part.index);
  if (partition == nullptr || !partition->hint()) return;
  const PartitionState& state = partition->state();
  const Broker* leader = context.cluster.FindBroker(state.leader);
  if (leader == nullptr) return;
  entry.current_leader = {state.leader.value(), state.epoch.value()};
  if (std::ranges::find(response.node_endpoints, state.leader.value(), &wire::NodeEndpoint::node_id) ==
      response.node_endpoints.end()) {
    response.node_endpoints.push_back(
        {state.leader.value(), leader->advertised_host(), leader->spec.port, leader->spec.rack});
  }
}

}  // namespace

std::unique_ptr<Request> NewProduce() { return std::make_unique<Produce>(); }

}  // namespace ktrial::sim
