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

constexpr std::int16_t kZstdSince = 7;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Which batch an entry of the answer is about. Answers come in the order of the request as a rule, so the search starts where the
// last one ended.
std::size_t FindBatch(std::span<BatchRef> batches, std::string_view topic, std::int32_t partition, std::size_t start) {
  for (std::size_t step = 0; step < batches.size(); ++step) {
    const std::size_t index = (start + step) % batches.size();
    if (batches[index]->partition().value() == partition && batches[index]->topic() == topic) return index;
  }
  return kNone;
}

}  // namespace

ProduceCall::ProduceCall(const Settings& settings, std::vector<BatchRef> batches, Owner& owner)
    : settings_(settings), owner_(owner), batches_(std::move(batches)) {
  KT_CHECK(!batches_.empty());
  // Drains start in turn at every partition of a broker; a request has each topic once.
  std::sort(batches_.begin(), batches_.end(), [](const BatchRef& left, const BatchRef& right) {
    return std::tuple(left->topic(), left->partition()) < std::tuple(right->topic(), right->partition());
  });
}

wire::VersionRange ProduceCall::versions() const {
  wire::VersionRange range = *wire::ClientVersionRange(wire::ApiKey::kProduce);
  if (settings_.zstd) range.min = std::max(range.min, kZstdSince);
  return range;
}

void ProduceCall::Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
                         wire::GatherBytes& frame) {
  wire::ProduceRequest request{
      .acks = settings_.acks,
      .timeout_ms = static_cast<std::int32_t>(settings_.timeout / std::chrono::milliseconds(1))};
  for (const BatchRef& batch : batches_) {
    if (request.topics.empty() || request.topics.back().name != batch->topic()) {
      request.topics.push_back({.name = batch->topic()});
    }
    request.topics.back().partitions.push_back({.index = batch->partition().value(), .records = batch->bytes()});
  }
  wire::EncodeRequestFrame(request, version, correlation_id, client_id, frame);
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
      const std::size_t index = FindBatch(batches_, topic.name, partition.index, next);
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
