#include "tests/core/producer/fake_cluster.h"

#include <charconv>
#include <utility>

#include "core/check.h"
#include "core/compression/decompressor.h"
#include "core/wire/api_key.h"
#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"

namespace ktrial::testing {

namespace {

bool IsForCoordinator(wire::ApiKey api) {
  switch (api) {
    case wire::ApiKey::kFindCoordinator:
    case wire::ApiKey::kInitProducerId:
    case wire::ApiKey::kAddPartitionsToTxn:
    case wire::ApiKey::kAddOffsetsToTxn:
    case wire::ApiKey::kTxnOffsetCommit:
    case wire::ApiKey::kEndTxn:
      return true;
    default:
      return false;
  }
}

}  // namespace

FakeCluster::FakeCluster(FakeTransport& transport, const Clock& clock, std::int32_t broker_count)
    : transport_(transport), broker_count_(broker_count), clock_(clock) {
  for (std::int32_t broker = 1; broker <= broker_count; ++broker) {
    const std::string ip = "10.0.0." + std::to_string(broker);
    transport_.hosts[ip] = {ip};
  }
  transport_.on_open = [this](ConnectionId id) { OnOpen(id); };
  transport_.on_sent = [this](ConnectionId id) { OnSent(id); };
}

std::int32_t FakeCluster::BrokerOf(ConnectionId id) {
  const std::string& ip = transport_.stream(id).address.ip;
  std::int32_t broker = 0;
  std::from_chars(ip.data() + ip.rfind('.') + 1, ip.data() + ip.size(), broker);
  return broker;
}

void FakeCluster::OnOpen(ConnectionId id) {
  if (refusing.contains(BrokerOf(id))) {
    transport_.EndConnection(id, EndReason::kRefused);
  } else if (distrusting.contains(BrokerOf(id))) {
    transport_.EndConnection(id, EndReason::kHandshake);
  } else {
    transport_.Accept(id);
  }
}

void FakeCluster::OnSent(ConnectionId id) {
  const std::int32_t broker = BrokerOf(id);
  std::size_t& parsed = parsed_bytes_[id];
  while (true) {
    const std::string sent = transport_.stream(id).sent;
    if (sent.size() < parsed + 4) return;
    const auto length = static_cast<std::size_t>(wire::LoadBigEndian<std::int32_t>(sent.data() + parsed));
    if (sent.size() < parsed + 4 + length) return;
    parsed += 4 + length;
    if (!silent.contains(broker)) OnFrame(id, broker, std::string_view(sent).substr(parsed - length, length));
  }
}

void FakeCluster::OnFrame(ConnectionId id, std::int32_t broker, std::string_view frame) {
  const absl::StatusOr<wire::RequestParts> request = wire::DecodeRequestHeader(frame);
  KT_CHECK(request.ok());
  const wire::RequestHeader& header = request->header;
  std::string answer;
  if (coordinator.has_value() && IsForCoordinator(header.api)) {
    coordinated_ = id;
    if (const auto said = coordinator->Answer(broker, *request)) transport_.Deliver(id, *said);
    // The test is to see it before the sender waits for what follows.
    transport_.WakeUp();
    return;
  }
  switch (header.api) {
    case wire::ApiKey::kApiVersions: {
      wire::ApiVersionsResponse versions{
          .api_keys = {{.api_key = 0, .min_version = produce_version_min, .max_version = produce_version_max},
                       {.api_key = 3, .min_version = 0, .max_version = 12},
                       {.api_key = 18, .min_version = 0, .max_version = 4}}};
      if (coordinator.has_value()) {
        for (const wire::ApiVersion& api : coordinator->apis()) versions.api_keys.push_back(api);
        if (coordinator->version_2) {
          versions.finalized_features_epoch = 1;
          versions.finalized_features = {
              {.name = "transaction.version", .max_version_level = 2, .min_version_level = 2}};
        }
      } else if (gives_producer_ids)
        versions.api_keys.push_back({.api_key = 22, .min_version = 0, .max_version = 4});
      wire::EncodeResponseFrame(versions, header.version, header.correlation_id, answer);
      transport_.Deliver(id, answer);
      return;
    }
    case wire::ApiKey::kMetadata: {
      const auto metadata = wire::Decode<wire::MetadataRequest>(request->body, header.version);
      KT_CHECK(metadata.ok());
      metadata_requests.push_back(broker);
      wire::EncodeResponseFrame(Metadata(*metadata), header.version, header.correlation_id, answer);
      if (holds_metadata) {
        held_metadata_.emplace_back(id, std::move(answer));
      } else {
        transport_.Deliver(id, answer);
      }
      return;
    }
    case wire::ApiKey::kInitProducerId:
      transport_.Deliver(id, ProducerId(header));
      return;
    case wire::ApiKey::kProduce:
      return OnProduce(id, broker, *request);
    default:
      CheckFailed("a request that the fake cluster knows", __FILE__, __LINE__);
  }
}

void FakeCluster::OnProduce(ConnectionId id, std::int32_t broker, const wire::RequestParts& request) {
  const auto produce = wire::Decode<wire::ProduceRequest>(request.body, request.header.version);
  KT_CHECK(produce.ok());
  ReceivedProduce received{.broker = broker,
                           .connection = id,
                           .version = request.header.version,
                           .correlation_id = request.header.correlation_id,
                           .transactional_id = {},
                           .acks = produce->acks,
                           .timeout_ms = produce->timeout_ms};
  if (produce->transactional_id) received.transactional_id = std::string(*produce->transactional_id);
  for (const wire::TopicProduceData& topic : produce->topics) {
    const bool by_id = request.header.version >= 13;
    const std::string name = by_id ? topics_by_id_.at(topic.topic_id) : std::string(topic.name);
    if (by_id) received.topic_ids[name] = topic.topic_id;
    for (const wire::PartitionProduceData& partition : topic.partitions) {
      std::vector<std::string>& values = received.values[{name, partition.index}];
      KT_CHECK(values.empty());
      received.magic = wire::PeekMagic(partition.records.value()).value();
      ReadRecords(*partition.records, received.magic, values);
      if (received.magic < 2) continue;
      const wire::RecordBatchView batch = *wire::RecordBatchView::Parse(*partition.records);
      received.producers[{name, partition.index}] = {.id = batch.producer_id(),
                                                     .epoch = batch.producer_epoch(),
                                                     .base_sequence = batch.base_sequence(),
                                                     .transactional = batch.is_transactional()};
    }
  }
  produces.push_back(std::move(received));
  // The test is to answer before the sender waits for it.
  transport_.WakeUp();
}

void FakeCluster::ReadRecords(std::string_view records, std::int8_t magic, std::vector<std::string>& values) {
  Decompressor decompressor;
  constexpr std::size_t kBytesMax = 1 << 20;
  if (magic < 2) {
    wire::MessageSetReader reader(records, decompressor, kBytesMax);
    while (const wire::MessageView* message = reader.Next()) values.emplace_back(message->value.value_or("(null)"));
    KT_CHECK(reader.status().ok());
    return;
  }
  const auto batch = wire::RecordBatchView::Parse(records);
  KT_CHECK(batch.ok());
  std::string buffer;
  const auto plain = batch->PlainRecords(decompressor, kBytesMax, buffer);
  KT_CHECK(plain.ok());
  wire::RecordReader reader(*batch, *plain);
  while (const wire::RecordView* record = reader.Next()) values.emplace_back(record->value.value_or("(null)"));
  KT_CHECK(reader.status().ok());
}

std::string FakeCluster::ProducerId(const wire::RequestHeader& header) {
  producer_id_requests.push_back(clock_.Now());
  wire::InitProducerIdResponse response;
  if (producer_id_errors.empty()) {
    response.producer_id = next_producer_id_++;
    response.producer_epoch = first_producer_epoch;
  } else {
    response.error = producer_id_errors.front();
    producer_id_errors.pop_front();
  }
  std::string answer;
  wire::EncodeResponseFrame(response, header.version, header.correlation_id, answer);
  return answer;
}

wire::MetadataResponse FakeCluster::Metadata(const wire::MetadataRequest& request) {
  wire::MetadataResponse response{.controller_id = 1};
  for (std::int32_t broker = 1; broker <= broker_count_; ++broker) {
    response.brokers.push_back({.node_id = broker, .host = "10.0.0." + std::to_string(broker), .port = 9092});
  }
  if (!request.topics) return response;
  for (const wire::MetadataRequestTopic& asked : *request.topics) {
    wire::MetadataTopic topic{.name = asked.name};
    const auto found = topics.find(*asked.name);
    const auto error = topic_errors.find(*asked.name);
    if (const auto id = topic_ids.find(*asked.name); id != topic_ids.end()) {
      topic.topic_id = id->second;
      topics_by_id_[id->second] = *asked.name;
    }
    if (error != topic_errors.end()) {
      topic.error = error->second;
    } else if (found == topics.end()) {
      topic.error = wire::ErrorCode::kUnknownTopicOrPartition;
    } else {
      for (std::size_t i = 0; i < found->second.size(); ++i) {
        const Leader& leader = found->second[i];
        topic.partitions.push_back(
            {.error = leader.broker < 0 ? wire::ErrorCode::kLeaderNotAvailable : wire::ErrorCode::kNone,
             .index = static_cast<std::int32_t>(i),
             .leader_id = leader.broker,
             .leader_epoch = leader.epoch});
      }
    }
    response.topics.push_back(std::move(topic));
  }
  return response;
}

wire::ProduceResponse FakeCluster::ResponseTo(const ReceivedProduce& request, wire::ErrorCode code,
                                              std::int64_t base_offset) {
  wire::ProduceResponse response;
  for (const auto& [partition, values] : request.values) {
    if (response.topics.empty() || response.topics.back().name != partition.first) {
      response.topics.push_back({.name = partition.first});
      const auto id = request.topic_ids.find(partition.first);
      if (id != request.topic_ids.end()) response.topics.back().topic_id = id->second;
    }
    response.topics.back().partitions.push_back(
        {.index = partition.second, .error = code, .base_offset = code == wire::ErrorCode::kNone ? base_offset : -1});
  }
  return response;
}

void FakeCluster::Answer(const ReceivedProduce& request, wire::ErrorCode code, std::int64_t base_offset) {
  Answer(request, ResponseTo(request, code, base_offset));
}

void FakeCluster::Answer(const ReceivedProduce& request, const wire::ProduceResponse& response) {
  std::string answer;
  wire::EncodeResponseFrame(response, request.version, request.correlation_id, answer);
  transport_.Deliver(request.connection, answer);
}

void FakeCluster::AnswerCoordinated() { transport_.Deliver(coordinated_, coordinator->AnswerMuted()); }

void FakeCluster::ReleaseMetadata() {
  holds_metadata = false;
  for (const auto& [id, answer] : held_metadata_) transport_.Deliver(id, answer);
  held_metadata_.clear();
}

void FakeCluster::Drop(std::int32_t broker, EndReason reason) {
  for (const ConnectionId id : transport_.opens()) {
    if (BrokerOf(id) == broker) transport_.EndConnection(id, reason);
  }
}

}  // namespace ktrial::testing
