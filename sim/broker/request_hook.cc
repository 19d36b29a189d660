#include "sim/broker/request_hook.h"

#include <algorithm>
#include <ranges>

#include "core/wire/messages.h"
#include "core/wire/transaction_messages.h"

namespace ktrial::sim {
namespace {

bool IsIn(const wire::AddPartitionsToTxnRequest& request, std::string_view topic, PartitionIndex partition) {
  const auto fits = [&](const wire::AddPartitionsToTxnTopic& entry) {
    return entry.name == topic &&
           (partition == kUnknownPartition || std::ranges::count(entry.partitions, partition.value()) > 0);
  };
  return std::ranges::any_of(request.topics, fits) ||
         std::ranges::any_of(request.transactions, [&fits](const wire::AddPartitionsToTxnTransaction& one) {
           return std::ranges::any_of(one.topics, fits);
         });
}

bool IsIn(const wire::TxnOffsetCommitRequest& request, std::string_view topic, PartitionIndex partition) {
  return std::ranges::any_of(request.topics, [&](const wire::TxnOffsetCommitTopic& entry) {
    if (entry.name != topic) return false;
    return partition == kUnknownPartition ||
           std::ranges::count(entry.partitions, partition.value(), &wire::TxnOffsetCommitPartition::index) > 0;
  });
}

}  // namespace

bool NamesTopics(wire::ApiKey api) {
  return api == wire::ApiKey::kProduce || api == wire::ApiKey::kMetadata || api == wire::ApiKey::kAddPartitionsToTxn ||
         api == wire::ApiKey::kTxnOffsetCommit;
}

bool RequestView::Names(std::string_view topic, PartitionIndex partition) const {
  if (produce != nullptr) {
    return std::ranges::any_of(produce->topics, [&](const wire::TopicProduceData& entry) {
      if (entry.name != topic) return false;
      return partition == kUnknownPartition ||
             std::ranges::find(entry.partitions, partition.value(), &wire::PartitionProduceData::index) !=
                 entry.partitions.end();
    });
  }
  if (metadata != nullptr && metadata->topics.has_value()) {
    return std::ranges::any_of(*metadata->topics,
                               [&](const wire::MetadataRequestTopic& entry) { return entry.name == topic; });
  }
  if (added != nullptr) return IsIn(*added, topic, partition);
  if (offsets != nullptr) return IsIn(*offsets, topic, partition);
  return false;
}

void RequestControl::Fail(wire::ErrorCode code, std::string_view topic, PartitionIndex partition) {
  failures_.push_back({.code = code, .topic = std::string(topic), .partition = partition});
}

wire::ErrorCode RequestControl::ErrorFor(std::string_view topic, PartitionIndex partition) const {
  for (const Failure& failure : failures_ | std::views::reverse) {
    const bool fits =
        failure.topic.empty() ||
        (failure.topic == topic && (failure.partition == kUnknownPartition || failure.partition == partition));
    if (fits) return failure.code;
  }
  return wire::ErrorCode::kNone;
}

}  // namespace ktrial::sim
