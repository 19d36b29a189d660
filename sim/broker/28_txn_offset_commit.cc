// TxnOffsetCommit, 0 to 6.
// Same as a real broker: the group's coordinator keeps the offsets until the marker of the transaction comes;
// UNKNOWN_TOPIC_OR_PARTITION for those that do not exist, the others are taken; since version 5 the group becomes part of
// the transaction by this alone (KIP-890).
// Absent: membership of the group (member and generation are not looked at, as groups have no members here).
#include <utility>

#include "core/wire/transaction_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kAddsGroupSince = 5;
constexpr std::int16_t kTopicIdsSince = 6;

class TxnOffsetCommit final : public RequestOf<wire::TxnOffsetCommitRequest> {
 public:
  absl::Status Decode(std::string_view body) override {
    view.offsets = &request_;
    return RequestOf::Decode(body);
  }

  void Resolve(BrokerContext& context) override {
    if (view.version < kTopicIdsSince) return;
    for (wire::TxnOffsetCommitTopic& topic : request_.topics) {
      if (const Topic* found = context.cluster.FindTopicById(topic.topic_id)) topic.name = found->name;
    }
  }

  void Act(BrokerContext& context) override {
    std::vector<TransactionCoordinator::CommittedOffset> offsets;
    for (const wire::TxnOffsetCommitTopic& topic : request_.topics) {
      wire::TxnOffsetCommitTopicResponse& answer = response_.topics.emplace_back();
      answer.name = topic.name;
      answer.topic_id = topic.topic_id;
      for (const wire::TxnOffsetCommitPartition& partition : topic.partitions) {
        const PartitionIndex index(partition.index);
        const ErrorCode code = CodeFor(context, topic.name, index);
        answer.partitions.push_back({.index = partition.index, .error = code});
        if (code != ErrorCode::kNone) continue;
        offsets.push_back({.partition = {.topic = topic.name, .partition = index},
                           .offset = Offset(partition.committed_offset),
                           .metadata = partition.committed_metadata.value_or("")});
      }
    }
    const ErrorCode code = Commit(context, std::move(offsets));
    for (wire::TxnOffsetCommitTopicResponse& topic : response_.topics) {
      for (wire::TxnOffsetCommitPartitionResponse& partition : topic.partitions) {
        if (partition.error == ErrorCode::kNone) partition.error = code;
      }
    }
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    for (wire::TxnOffsetCommitTopicResponse& topic : response_.topics) {
      for (wire::TxnOffsetCommitPartitionResponse& partition : topic.partitions) {
        const ErrorCode asked = control.ErrorFor(topic.name, PartitionIndex(partition.index));
        if (asked != ErrorCode::kNone) partition.error = asked;
      }
    }
    wire::EncodeResponseFrame(response_, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  ErrorCode CodeFor(BrokerContext& context, const std::string& topic, PartitionIndex index) const {
    if (const ErrorCode asked = control.ErrorFor(topic, index); asked != ErrorCode::kNone) return asked;
    const bool known = context.cluster.FindPartition(topic, index) != nullptr;
    if (known) return ErrorCode::kNone;
    return view.version >= kTopicIdsSince ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
  }

  ErrorCode Commit(BrokerContext& context, std::vector<TransactionCoordinator::CommittedOffset> offsets) const {
    if (offsets.empty()) return ErrorCode::kNone;
    const ProducerIdAndEpoch producer{ProducerId(request_.producer_id), ProducerEpoch(request_.producer_epoch)};
    if (view.version >= kAddsGroupSince) {
      const NodeId coordinator =
          context.transactions.Find(TransactionCoordinator::KeyKind::kTransaction, request_.transactional_id);
      const ErrorCode code =
          context.transactions.AddOffsets(coordinator, request_.transactional_id, producer, request_.group_id);
      if (code != ErrorCode::kNone) return code == ErrorCode::kProducerFenced ? ErrorCode::kInvalidProducerEpoch : code;
    }
    return context.transactions.CommitOffsets(view.broker, request_.group_id, producer, std::move(offsets));
  }

  wire::TxnOffsetCommitResponse response_;
};

}  // namespace

std::unique_ptr<Request> NewTxnOffsetCommit() { return std::make_unique<TxnOffsetCommit>(); }

}  // namespace ktrial::sim
