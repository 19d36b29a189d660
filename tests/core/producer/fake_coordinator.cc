#include "tests/core/producer/fake_coordinator.h"

#include <fmt/format.h>

#include <chrono>

#include "core/check.h"
#include "core/wire/messages.h"

namespace ktrial::testing {

namespace {

template <class Message>
Message Read(const wire::RequestParts& request) {
  const auto message = wire::Decode<Message>(request.body, request.header.version);
  KT_CHECK(message.ok());
  return *message;
}

}  // namespace

std::vector<wire::ApiVersion> FakeCoordinator::apis() const {
  if (!knows_transactions) return {{.api_key = 10, .min_version = 0, .max_version = 0}};
  const auto to = [this](std::int16_t version_1, std::int16_t version_2_max) {
    return version_2 ? version_2_max : version_1;
  };
  return {{.api_key = 10, .min_version = 0, .max_version = to(4, 6)},
          {.api_key = 22, .min_version = 0, .max_version = raises_epochs ? to(4, 5) : std::int16_t{1}},
          {.api_key = 24, .min_version = 0, .max_version = to(3, 5)},
          {.api_key = 25, .min_version = 0, .max_version = to(3, 4)},
          {.api_key = 26, .min_version = 0, .max_version = to(3, 5)},
          {.api_key = 28, .min_version = 0, .max_version = raises_epochs ? to(4, 5) : std::int16_t{2}}};
}

wire::ErrorCode FakeCoordinator::NextError(wire::ApiKey api) {
  std::deque<wire::ErrorCode>& planned = errors[api];
  if (planned.empty()) return wire::ErrorCode::kNone;
  const wire::ErrorCode code = planned.front();
  planned.pop_front();
  return code;
}

wire::ErrorCode FakeCoordinator::ErrorOf(wire::ErrorCode whole, const std::string& topic,
                                         std::int32_t partition) const {
  const auto found = partition_errors.find(fmt::format("{}-{}", topic, partition));
  if (found != partition_errors.end()) return found->second;
  return partition_errors.empty() ? whole : wire::ErrorCode::kOperationNotAttempted;
}

template <class Response>
std::string FakeCoordinator::Frame(const Response& response, const wire::RequestHeader& header) {
  std::string frame;
  wire::EncodeResponseFrame(response, header.version, header.correlation_id, frame);
  return frame;
}

std::optional<std::string> FakeCoordinator::Answer(std::int32_t asked, const wire::RequestParts& request) {
  times.push_back(clock_.Now());
  versions.push_back(request.header.version);
  brokers.push_back(asked);
  std::string answer;
  switch (request.header.api) {
    case wire::ApiKey::kFindCoordinator:
      answer = FindCoordinator(request);
      break;
    case wire::ApiKey::kInitProducerId:
      answer = InitProducerId(request);
      break;
    case wire::ApiKey::kAddPartitionsToTxn:
      answer = AddPartitions(request);
      break;
    case wire::ApiKey::kAddOffsetsToTxn:
      answer = AddOffsets(request);
      break;
    case wire::ApiKey::kTxnOffsetCommit:
      answer = CommitOffsets(request);
      break;
    case wire::ApiKey::kEndTxn:
      answer = End(request);
      break;
    default:
      CheckFailed("a request that coordinators know", __FILE__, __LINE__);
  }
  if (!mute.contains(request.header.api)) return answer;
  unanswered_ = answer;
  return std::nullopt;
}

std::string FakeCoordinator::AnswerMuted() { return unanswered_; }

std::string FakeCoordinator::FindCoordinator(const wire::RequestParts& request) {
  const auto asked = Read<wire::FindCoordinatorRequest>(request);
  const bool several = request.header.version >= 4;
  const std::string key = several ? asked.coordinator_keys.at(0) : asked.key;
  requests.push_back(fmt::format("FindCoordinator {} {}", asked.key_type == 1 ? "transaction" : "group", key));
  const wire::ErrorCode error = NextError(wire::ApiKey::kFindCoordinator);
  const wire::Coordinator found{
      .key = key, .node_id = broker, .host = fmt::format("10.0.0.{}", broker), .port = 9092, .error = error};
  wire::FindCoordinatorResponse response{
      .throttle_time_ms = static_cast<std::int32_t>(find_throttle / std::chrono::milliseconds(1)),
      .error = error,
      .node_id = found.node_id,
      .host = found.host,
      .port = found.port};
  if (several) response.coordinators = {found};
  return Frame(response, request.header);
}

std::string FakeCoordinator::InitProducerId(const wire::RequestParts& request) {
  const auto asked = Read<wire::InitProducerIdRequest>(request);
  requests.push_back(fmt::format("InitProducerId {}/{}", asked.producer_id, asked.producer_epoch));
  const wire::ErrorCode error = NextError(wire::ApiKey::kInitProducerId);
  if (error == wire::ErrorCode::kNone) ++epoch_;
  return Frame(wire::InitProducerIdResponse{.error = error, .producer_id = producer_id_, .producer_epoch = epoch_},
               request.header);
}

std::string FakeCoordinator::AddPartitions(const wire::RequestParts& request) {
  const auto asked = Read<wire::AddPartitionsToTxnRequest>(request);
  std::string text = "AddPartitionsToTxn";
  wire::AddPartitionsToTxnResponse response;
  const wire::ErrorCode error = NextError(wire::ApiKey::kAddPartitionsToTxn);
  for (const wire::AddPartitionsToTxnTopic& topic : asked.topics) {
    response.topics.push_back({.name = topic.name});
    for (const std::int32_t partition : topic.partitions) {
      text += fmt::format(" {}-{}", topic.name, partition);
      response.topics.back().partitions.push_back({.index = partition, .error = ErrorOf(error, topic.name, partition)});
    }
  }
  requests.push_back(text);
  return Frame(response, request.header);
}

std::string FakeCoordinator::AddOffsets(const wire::RequestParts& request) {
  const auto asked = Read<wire::AddOffsetsToTxnRequest>(request);
  requests.push_back(fmt::format("AddOffsetsToTxn {}", asked.group_id));
  return Frame(wire::AddOffsetsToTxnResponse{.error = NextError(wire::ApiKey::kAddOffsetsToTxn)}, request.header);
}

std::string FakeCoordinator::CommitOffsets(const wire::RequestParts& request) {
  const auto asked = Read<wire::TxnOffsetCommitRequest>(request);
  offsets.push_back(asked);
  std::string text = fmt::format("TxnOffsetCommit {}", asked.group_id);
  wire::TxnOffsetCommitResponse response;
  const wire::ErrorCode error = NextError(wire::ApiKey::kTxnOffsetCommit);
  for (const wire::TxnOffsetCommitTopic& topic : asked.topics) {
    response.topics.push_back({.name = topic.name});
    for (const wire::TxnOffsetCommitPartition& partition : topic.partitions) {
      text += fmt::format(" {}-{}@{}", topic.name, partition.index, partition.committed_offset);
      const auto own = partition_errors.find(fmt::format("{}-{}", topic.name, partition.index));
      response.topics.back().partitions.push_back(
          {.index = partition.index, .error = own == partition_errors.end() ? error : own->second});
    }
  }
  requests.push_back(text);
  return Frame(response, request.header);
}

std::string FakeCoordinator::End(const wire::RequestParts& request) {
  const auto asked = Read<wire::EndTxnRequest>(request);
  requests.push_back(
      fmt::format("EndTxn {} {}/{}", asked.committed ? "commit" : "abort", asked.producer_id, asked.producer_epoch));
  wire::EndTxnResponse response{.error = NextError(wire::ApiKey::kEndTxn)};
  if (response.error == wire::ErrorCode::kNone && request.header.version >= 5) {
    response.producer_id = producer_id_;
    response.producer_epoch = ++epoch_;
  }
  return Frame(response, request.header);
}

}  // namespace ktrial::testing
