#include "core/producer/produce_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "core/wire/codec.h"
#include "core/wire/gather_bytes.h"

namespace ktrial {

namespace {

constexpr std::int16_t kTopicIdsSince = 13;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

ProduceCall::ProduceCall(const Settings& settings, std::vector<BatchRef> batches, const Cluster& cluster,
                         DownConverter& down_converter, Owner& owner)
    : settings_(settings), down_converter_(down_converter), owner_(owner), batches_(std::move(batches)) {
  KT_CHECK(!batches_.empty());
  // Drains start in turn at every partition of a broker; a request has each topic once.
  std::sort(batches_.begin(), batches_.end(), [](const BatchRef& left, const BatchRef& right) {
    return std::tuple(left->topic(), left->partition()) < std::tuple(right->topic(), right->partition());
  });
  for (const BatchRef& batch : batches_) {
    const TopicInfo* topic = cluster.FindTopic(batch->topic());
    topic_ids_.push_back(topic != nullptr ? topic->id : TopicId());
  }
}

wire::VersionRange ProduceCall::versions() const {
  wire::VersionRange range = settings_.versions;
  const bool all_ids = std::ranges::none_of(topic_ids_, [](const TopicId& id) { return id == TopicId(); });
  if (!all_ids) range.max = std::min<std::int16_t>(range.max, kTopicIdsSince - 1);
  return range;
}

void ProduceCall::Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
                         wire::GatherBytes& frame) {
  wire::ProduceRequest request{
      .acks = settings_.acks,
      .timeout_ms = static_cast<std::int32_t>(settings_.timeout / std::chrono::milliseconds(1))};
  if (settings_.transactional_id != nullptr) request.transactional_id = *settings_.transactional_id;
  const std::int8_t magic = MagicOf(version);
  if (magic < 2) {
    for (const BatchRef& batch : batches_) converted_.push_back(down_converter_.Convert(batch->bytes(), magic));
  }
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const ProducerBatch& batch = *batches_[i];
    if (request.topics.empty() || request.topics.back().name != batch.topic()) {
      request.topics.push_back({.name = batch.topic(), .topic_id = topic_ids_[i]});
    }
    request.topics.back().partitions.push_back(
        {.index = batch.partition().value(), .records = magic < 2 ? std::string_view(converted_[i]) : batch.bytes()});
  }
  wire::EncodeRequestFrame(request, version, correlation_id, client_id, frame);
}

// Answers come in the order of the request as a rule, so the search starts where the last one ended.
std::size_t ProduceCall::FindBatch(const wire::TopicProduceResponse& topic, std::int32_t partition, std::size_t start,
                                   bool by_id) const {
  for (std::size_t step = 0; step < batches_.size(); ++step) {
    const std::size_t index = (start + step) % batches_.size();
    const ProducerBatch& batch = *batches_[index];
    if (batch.partition().value() != partition) continue;
    if (by_id ? topic_ids_[index] == topic.topic_id : batch.topic() == topic.name) return index;
  }
  return kNone;
}

absl::StatusOr<Duration> ProduceCall::ParseResponse(std::int16_t version, std::string_view body) {
  absl::StatusOr<wire::ProduceResponse> response = wire::Decode<wire::ProduceResponse>(body, version);
  if (!response.ok()) return response.status();
  std::vector<wire::PartitionProduceResponse> answers(batches_.size());
  std::vector<bool> answered(batches_.size());
  std::size_t next = 0;
  std::size_t count = 0;
  for (wire::TopicProduceResponse& topic : response->topics) {
    for (wire::PartitionProduceResponse& partition : topic.partitions) {
      const std::size_t index = FindBatch(topic, partition.index, next, version >= kTopicIdsSince);
      if (index == kNone || answered[index]) {
        return absl::DataLossError(fmt::format("produce response: {}-{} was not asked for, or is answered twice",
                                               topic.name, partition.index));
      }
      answered[index] = true;
      answers[index] = std::move(partition);
      next = index + 1;
      ++count;
    }
  }
  if (count != batches_.size()) {
    return absl::DataLossError(fmt::format("produce response: answers {} of {} partitions", count, batches_.size()));
  }
  answers_ = std::move(answers);
  node_endpoints_ = std::move(response->node_endpoints);
  throttle_ = std::chrono::milliseconds(response->throttle_time_ms);
  return throttle_;
}

}  // namespace ktrial
