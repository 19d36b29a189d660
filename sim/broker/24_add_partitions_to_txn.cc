// AddPartitionsToTxn, 0 to 5.
// Same as a real broker: all partitions or none; if one does not exist it says UNKNOWN_TOPIC_OR_PARTITION and the others
// OPERATION_NOT_ATTEMPTED; INVALID_PRODUCER_EPOCH before version 2 for what is PRODUCER_FENCED from then on.
// Simplified: versions 4 and 5, with which brokers ask each other, always add and never only verify.
#include <utility>

#include "core/wire/transaction_messages.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kSeveralSince = 4;

class AddPartitionsToTxn final : public RequestOf<wire::AddPartitionsToTxnRequest> {
 public:
  absl::Status Decode(std::string_view body) override {
    view.added = &request_;
    return RequestOf::Decode(body);
  }

  void Act(BrokerContext& context) override {
    if (view.version < kSeveralSince) {
      request_.transactions = {{.transactional_id = request_.transactional_id,
                                .producer_id = request_.producer_id,
                                .producer_epoch = request_.producer_epoch,
                                .topics = std::move(request_.topics)}};
    }
    for (const wire::AddPartitionsToTxnTransaction& one : request_.transactions) results_.push_back(Add(context, one));
  }

  Reply Answer(BrokerContext&, std::string& frame) override {
    wire::AddPartitionsToTxnResponse response;
    for (wire::AddPartitionsToTxnResult& result : results_) {
      for (wire::AddPartitionsToTxnTopicResult& topic : result.topics) {
        for (wire::AddPartitionsToTxnPartitionResult& partition : topic.partitions) {
          const ErrorCode asked = control.ErrorFor(topic.name, PartitionIndex(partition.index));
          if (asked != ErrorCode::kNone) partition.error = asked;
        }
      }
    }
    if (view.version < kSeveralSince) {
      response.topics = std::move(results_.front().topics);
    } else {
      response.transactions = std::move(results_);
    }
    wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  wire::AddPartitionsToTxnResult Add(BrokerContext& context, const wire::AddPartitionsToTxnTransaction& one) const {
    wire::AddPartitionsToTxnResult result{.transactional_id = one.transactional_id};
    std::vector<TopicPartition> partitions;
    bool all_known = true;
    for (const wire::AddPartitionsToTxnTopic& topic : one.topics) {
      wire::AddPartitionsToTxnTopicResult& answer = result.topics.emplace_back();
      answer.name = topic.name;
      for (const std::int32_t index : topic.partitions) {
        const bool known = context.cluster.FindPartition(topic.name, PartitionIndex(index)) != nullptr;
        all_known = all_known && known;
        answer.partitions.push_back(
            {.index = index, .error = known ? ErrorCode::kOperationNotAttempted : ErrorCode::kUnknownTopicOrPartition});
        partitions.push_back({.topic = topic.name, .partition = PartitionIndex(index)});
      }
    }
    if (!all_known || AnyIsFailed(partitions)) return result;
    const ProducerIdAndEpoch producer{ProducerId(one.producer_id), ProducerEpoch(one.producer_epoch)};
    const ErrorCode code = FencedAs(
        view.version, context.transactions.AddPartitions(view.broker, one.transactional_id, producer, partitions));
    for (wire::AddPartitionsToTxnTopicResult& topic : result.topics) {
      for (wire::AddPartitionsToTxnPartitionResult& partition : topic.partitions) partition.error = code;
    }
    return result;
  }

  // A hook wants an error for one of them: then none is added.
  bool AnyIsFailed(const std::vector<TopicPartition>& partitions) const {
    for (const TopicPartition& place : partitions) {
      if (control.ErrorFor(place.topic, place.partition) != ErrorCode::kNone) return true;
    }
    return false;
  }

  std::vector<wire::AddPartitionsToTxnResult> results_;  // by transaction
};

}  // namespace

std::unique_ptr<Request> NewAddPartitionsToTxn() { return std::make_unique<AddPartitionsToTxn>(); }

}  // namespace ktrial::sim
