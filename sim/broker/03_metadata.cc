// Metadata, 0 to 13.
// Same as a real broker: answers from what this broker has heard, which may be old; only brokers that the controller
// has not given up are listed; LEADER_NOT_AVAILABLE for a partition without a leader; topics made on first use
// (LEADER_NOT_AVAILABLE for that request where ZooKeeper coordinates, else UNKNOWN_TOPIC_OR_PARTITION); topics by id
// since version 12, and before it INVALID_REQUEST for whoever tries; the operations that everybody may do, if asked for,
// as without an authorizer.
// Simplified: the list of brokers is never old; the controller named is the listed broker with the lowest id. Absent:
// internal topics.
#include <algorithm>
#include <map>
#include <utility>

#include "core/wire/codec.h"
#include "sim/broker/request.h"
#include "sim/broker/settings.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::int16_t kTopicIdsSince = 12;
constexpr std::int16_t kTopicIdFieldSince = 10;
// A bit for each number of an operation.
constexpr std::int32_t kTopicOperations = 3576;    // read, write, create, delete, alter, describe, both of configs
constexpr std::int32_t kClusterOperations = 8096;  // create, alter, describe, cluster action, both of configs, ...
constexpr std::int16_t kAutoCreateFlagSince = 4;

std::vector<std::int32_t> Numbers(const std::vector<NodeId>& ids) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(ids.size());
  for (const NodeId id : ids) numbers.push_back(id.value());
  return numbers;
}

class Metadata final : public Request {
 public:
  absl::Status Decode(std::string_view body) override {
    absl::StatusOr<wire::MetadataRequest> request = wire::Decode<wire::MetadataRequest>(body, view.version);
    if (!request.ok()) return request.status();
    request_ = *std::move(request);
    view.metadata = &request_;
    return absl::OkStatus();
  }

  void Act(BrokerContext& context) override {
    if (!request_.topics.has_value() || Refusal() != ErrorCode::kNone) return;
    const bool may_create = view.version < kAutoCreateFlagSince || request_.allow_auto_topic_creation;
    for (const wire::MetadataRequestTopic& topic : *request_.topics) {
      if (AsksById(topic) || context.cluster.SeenTopic(view.broker, *topic.name) != nullptr) continue;
      if (control.ErrorFor(*topic.name) != ErrorCode::kNone) continue;
      absent_[*topic.name] = may_create ? Create(context, *topic.name) : Missing(context, *topic.name);
    }
  }

  Reply Answer(BrokerContext& context, std::string& frame) override {
    wire::MetadataResponse response;
    if (const ErrorCode refusal = Refusal(); refusal != ErrorCode::kNone) {
      Refuse(refusal, response);
      wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
      return Reply::kSend;
    }
    const Cluster& cluster = context.cluster;
    for (const auto& [id, broker] : cluster.brokers()) {
      if (!broker.listed()) continue;
      response.brokers.push_back({id.value(), broker.advertised_host(), broker.spec.port, broker.spec.rack});
    }
    response.cluster_id = cluster.spec().cluster_id;
    const NodeId controller = cluster.controller();
    response.controller_id = controller == kNoNode ? -1 : controller.value();
    response.error = control.ErrorFor();
    if (request_.include_cluster_authorized_operations) response.authorized_operations = kClusterOperations;
    if (request_.topics.has_value()) {
      for (const wire::MetadataRequestTopic& topic : *request_.topics) response.topics.push_back(Asked(context, topic));
    } else {
      for (const Topic* topic : cluster.SeenTopics(view.broker)) response.topics.push_back(Describe(context, *topic));
    }
    wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  // Whoever names both asks by the id.
  bool AsksById(const wire::MetadataRequestTopic& topic) const {
    return !topic.name.has_value() || (view.version >= kTopicIdsSince && topic.topic_id != TopicId{});
  }

  // What a request gets as a whole that does not name its topics as its version does.
  ErrorCode Refusal() const {
    if (!request_.topics.has_value() || view.version < kTopicIdFieldSince) return ErrorCode::kNone;
    for (const wire::MetadataRequestTopic& topic : *request_.topics) {
      const bool has_id = topic.topic_id != TopicId{};
      if (view.version < kTopicIdsSince && (has_id || !topic.name.has_value())) return ErrorCode::kInvalidRequest;
      if (!has_id && !topic.name.has_value()) return ErrorCode::kUnknownServerError;
    }
    return ErrorCode::kNone;
  }
  void Refuse(ErrorCode code, wire::MetadataResponse& response) const {
    response.error = code;
    for (const wire::MetadataRequestTopic& topic : *request_.topics) {
      response.topics.push_back({.error = code, .name = topic.name.value_or(""), .topic_id = topic.topic_id});
    }
  }

  // Releases that have INVALID_RECORD, which is from 2.4 on, look at the name even where they may not make the topic.
  static ErrorCode Missing(BrokerContext& context, std::string_view name) {
    const bool legal = IsLegalTopicName(name) || !context.broker.release->has_invalid_record;
    return legal ? ErrorCode::kUnknownTopicOrPartition : ErrorCode::kInvalidTopicException;
  }
  static ErrorCode Create(BrokerContext& context, const std::string& name) {
    const ErrorCode code = context.cluster.AutoCreateTopic(name);
    // It may be there already, and this broker not have heard of it.
    if (code != ErrorCode::kNone && code != ErrorCode::kTopicAlreadyExists) return code;
    // It is there now, but the answer was as good as written when it was not.
    return context.broker.release->zookeeper ? ErrorCode::kLeaderNotAvailable : ErrorCode::kUnknownTopicOrPartition;
  }

  wire::MetadataTopic Asked(BrokerContext& context, const wire::MetadataRequestTopic& asked) const {
    const Cluster& cluster = context.cluster;
    if (!AsksById(asked)) {
      const auto absent = absent_.find(*asked.name);
      const Topic* topic = cluster.SeenTopic(view.broker, *asked.name);
      if (absent == absent_.end() && topic != nullptr) return Describe(context, *topic);
      ErrorCode code = control.ErrorFor(*asked.name);
      if (code == ErrorCode::kNone) {
        code = absent != absent_.end() ? absent->second : ErrorCode::kUnknownTopicOrPartition;
      }
      wire::MetadataTopic answer{.error = code, .name = asked.name};
      if (request_.include_topic_authorized_operations) answer.authorized_operations = kTopicOperations;
      return answer;
    }
    const Topic* found = cluster.SeenTopicById(view.broker, asked.topic_id);
    if (found != nullptr) return Describe(context, *found);
    return {.error = ErrorCode::kUnknownTopicId, .name = std::nullopt, .topic_id = asked.topic_id};
  }

  wire::MetadataTopic Describe(BrokerContext& context, const Topic& topic) const {
    wire::MetadataTopic answer{.error = control.ErrorFor(topic.name), .name = topic.name, .topic_id = topic.id};
    answer.is_internal = IsInternalTopic(topic.name);
    if (request_.include_topic_authorized_operations) answer.authorized_operations = kTopicOperations;
    if (answer.error != ErrorCode::kNone) return answer;
    for (const std::unique_ptr<Partition>& partition : topic.partitions) {
      const PartitionState& state = context.cluster.SeenBy(view.broker, *partition);
      const Broker* leader = context.cluster.FindBroker(state.leader);
      const bool led = leader != nullptr && leader->listed();
      wire::MetadataPartition entry{.error = led ? ErrorCode::kNone : ErrorCode::kLeaderNotAvailable,
                                    .index = partition->index().value(),
                                    .leader_id = led ? state.leader.value() : -1,
                                    .leader_epoch = state.epoch.value(),
                                    .replicas = Numbers(state.replicas),
                                    .in_sync_replicas = Numbers(state.isr)};
      for (const NodeId replica : state.replicas) {
        if (!context.cluster.FindBroker(replica)->listed()) entry.offline_replicas.push_back(replica.value());
      }
      const ErrorCode asked = control.ErrorFor(topic.name, partition->index());
      if (asked != ErrorCode::kNone) entry.error = asked;
      answer.partitions.push_back(std::move(entry));
    }
    return answer;
  }

  wire::MetadataRequest request_;
  std::map<std::string, ErrorCode, std::less<>> absent_;  // what was not there when the request came
};

}  // namespace

std::unique_ptr<Request> NewMetadata() { return std::make_unique<Metadata>(); }

}  // namespace ktrial::sim
