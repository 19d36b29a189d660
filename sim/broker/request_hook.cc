#include "sim/broker/request_hook.h"

#include <algorithm>
#include <ranges>

#include "core/wire/messages.h"

namespace ktrial::sim {

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
