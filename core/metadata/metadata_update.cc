// What Metadata makes of the answers of brokers.
#include <algorithm>
#include <set>
#include <utility>

#include "core/check.h"
#include "core/metadata/metadata.h"

namespace ktrial {
namespace {

// Leader epochs below this version of the response may be those of another leader (MD-39).
constexpr std::int16_t kReliableEpochsVersion = 9;

NodeId LeaderFromWire(std::int32_t id) { return id < 0 ? kNoNode : NodeId(id); }

std::vector<NodeId> NodeIds(const std::vector<std::int32_t>& ids) {
  std::vector<NodeId> nodes;
  nodes.reserve(ids.size());
  for (const std::int32_t id : ids) nodes.emplace_back(id);
  return nodes;
}

// A negative id belongs to the bootstrap list, a port has 16 bits, and 0 is none.
bool CanBeReached(std::int32_t id, std::int32_t port) { return id >= 0 && port > 0 && port <= 65535; }

// The brokers that can be one. Of two with one id the last counts.
std::vector<Node> UsableNodes(const std::vector<wire::MetadataBroker>& brokers) {
  std::map<NodeId, Node> nodes;
  for (const wire::MetadataBroker& broker : brokers) {
    if (!CanBeReached(broker.node_id, broker.port)) continue;
    const NodeId id(broker.node_id);
    nodes[id] = {.id = id, .host = broker.host, .port = static_cast<std::uint16_t>(broker.port), .rack = broker.rack};
  }
  std::vector<Node> list;
  for (auto& [id, node] : nodes) list.push_back(std::move(node));
  return list;
}

bool IsErrorOfItsOwn(wire::ErrorCode error) {
  return error == wire::ErrorCode::kInvalidTopicException || error == wire::ErrorCode::kTopicAuthorizationFailed;
}

}  // namespace

UpdateResult Metadata::Update(const MetadataQuery& query, const wire::MetadataResponse& response,
                              std::int16_t response_version, Instant now) {
  std::shared_ptr<const Cluster> cluster;
  {
    MutexLock lock(mutex_);
    if (closed_) return UpdateResult::kClosed;
    if (response.error == wire::ErrorCode::kRebootstrapRequired) {
      schedule_.Failed(now, entropy_);
      return UpdateResult::kRebootstrap;
    }
    std::vector<Node> nodes = UsableNodes(response.brokers);
    if (nodes.empty()) {
      schedule_.Failed(now, entropy_);
      return UpdateResult::kNoBrokers;
    }
    const bool topics_came_meanwhile = query.request_version < request_version_ && topics_.HasNew();
    schedule_.Answered(now, query.partial, topics_came_meanwhile);
    Digest digest = DigestResponse(query, response, response_version >= kReliableEpochsVersion, now);
    schedule_.Examined(digest.taught_something, entropy_);
    digest.parts.nodes = std::move(nodes);
    digest.parts.generation = cluster_->generation() + 1;
    Swap(std::make_shared<const Cluster>(std::move(digest.parts)));
    ++version_;
    cluster = cluster_;
    changed_.NotifyAll();
  }
  TellListeners(*cluster);
  return UpdateResult::kUpdated;
}

Metadata::Digest Metadata::DigestResponse(const MetadataQuery& query, const wire::MetadataResponse& response,
                                          bool reliable_epochs, Instant now) {
  Digest digest;
  digest.parts.controller = LeaderFromWire(response.controller_id);
  digest.parts.cluster_id = response.cluster_id;
  std::map<std::string, std::shared_ptr<const TopicInfo>> topics;  // Of two with one name the last counts.
  for (const wire::MetadataTopic& topic : response.topics) {
    if (!topic.name.has_value() || !Retain(*topic.name, now)) continue;
    topics.erase(*topic.name);
    digest.parts.topic_errors.erase(*topic.name);
    untaken_errors_.erase(*topic.name);
    if (topic.error == wire::ErrorCode::kNone) {
      topics[*topic.name] = DigestTopic(topic, reliable_epochs, digest.taught_something);
      continue;
    }
    digest.parts.topic_errors[*topic.name] = topic.error;
    if (IsErrorOfItsOwn(topic.error)) untaken_errors_[*topic.name] = topic.error;
    if (wire::IsInvalidMetadata(topic.error)) schedule_.RequestFull(RefreshReason::kMetadataError);
  }
  for (auto& [name, topic] : topics) digest.parts.topics.push_back(std::move(topic));
  if (query.partial) CarryOver(response, now, digest.parts);
  for (const wire::MetadataTopic& topic : response.topics) {
    if (topic.name.has_value()) topics_.Answered(*topic.name);
  }
  epochs_.KeepOnly([&](std::string_view topic) {
    mutex_.AssertHeld();
    return Retain(topic, now);
  });
  return digest;
}

std::shared_ptr<const TopicInfo> Metadata::DigestTopic(const wire::MetadataTopic& topic, bool reliable_epochs,
                                                       bool& taught_something) {
  auto info = std::make_shared<TopicInfo>();
  info->name = *topic.name;
  info->id = topic.topic_id;
  info->internal = topic.is_internal;
  const TopicInfo* known = cluster_->FindTopic(info->name);
  const TopicId known_id = known == nullptr ? TopicId{} : known->id;
  std::map<PartitionIndex, PartitionInfo> partitions;
  for (const wire::MetadataPartition& partition : topic.partitions) {
    if (partition.index < 0 || partition.index >= kPartitionsPerTopicMax) continue;
    // The entry counts even if it has an error: its epoch must be learnt (MD-17).
    if (wire::IsInvalidMetadata(partition.error)) schedule_.RequestFull(RefreshReason::kMetadataError);
    const PartitionIndex index(partition.index);
    const LeaderEpoch epoch(partition.leader_epoch);
    const LeaderEpochs::Verdict verdict =
        epochs_.Judge(info->name, index, epoch, reliable_epochs, topic.topic_id, known_id);
    if (verdict == LeaderEpochs::Verdict::kStale) {
      const PartitionInfo* cached = known == nullptr ? nullptr : known->Find(index);
      if (cached != nullptr) partitions[index] = *cached;
      continue;
    }
    taught_something = taught_something || verdict != LeaderEpochs::Verdict::kKnown;
    partitions[index] = {
        .index = index,
        .leader = kNoNode,  // The Cluster works it out.
        .reported_leader = LeaderFromWire(partition.leader_id),
        .leader_epoch = verdict == LeaderEpochs::Verdict::kWithoutEpoch ? kUnknownEpoch : epoch,
        .replicas = NodeIds(partition.replicas),
        .in_sync_replicas = NodeIds(partition.in_sync_replicas),
        .offline_replicas = NodeIds(partition.offline_replicas),
    };
  }
  for (auto& [index, partition] : partitions) info->partitions.push_back(std::move(partition));
  return info;
}

// A partial answer says nothing about the topics that it does not name: they stay as they were, if they still matter
// (MD-18).
void Metadata::CarryOver(const wire::MetadataResponse& response, Instant now, Cluster::Parts& parts) {
  std::set<std::string_view> named;
  for (const wire::MetadataTopic& topic : response.topics) {
    if (topic.name.has_value()) named.insert(*topic.name);
  }
  for (const std::shared_ptr<const TopicInfo>& topic : cluster_->topics()) {
    if (!named.contains(topic->name) && Retain(topic->name, now)) parts.topics.push_back(topic);
  }
  for (const auto& [name, error] : cluster_->parts().topic_errors) {
    if (!named.contains(name) && Retain(name, now)) parts.topic_errors.emplace(name, error);
  }
}

bool Metadata::Retain(std::string_view topic, Instant now) { return config_.all_topics || topics_.Retain(topic, now); }

std::vector<TopicPartition> Metadata::MergeLeaders(std::span<const LeaderHint> hints, std::span<const Node> nodes) {
  std::vector<TopicPartition> merged;
  std::shared_ptr<const Cluster> cluster;
  {
    MutexLock lock(mutex_);
    Cluster::Parts parts = cluster_->parts();
    std::map<NodeId, Node> known;
    for (const Node& node : parts.nodes) known[node.id] = node;
    for (const Node& node : nodes) {
      if (CanBeReached(node.id.value(), node.port)) known[node.id] = node;
    }
    parts.nodes.clear();
    for (auto& [id, node] : known) parts.nodes.push_back(node);
    for (const LeaderHint& hint : hints) {
      if (hint.leader < NodeId(0) || hint.epoch < LeaderEpoch(0) || !known.contains(hint.leader)) continue;
      const auto topic = std::ranges::lower_bound(parts.topics, hint.topic, {},
                                                  [](const auto& info) -> const std::string& { return info->name; });
      if (topic == parts.topics.end() || (*topic)->name != hint.topic) continue;
      const PartitionInfo* present = (*topic)->Find(hint.partition);
      if (present == nullptr) continue;
      const LeaderEpoch last = epochs_.Find(hint.topic, hint.partition).value_or(present->leader_epoch);
      if (hint.epoch <= last) continue;
      auto changed = std::make_shared<TopicInfo>(**topic);
      PartitionInfo& partition = changed->partitions[static_cast<std::size_t>(present - (*topic)->partitions.data())];
      partition.reported_leader = hint.leader;
      partition.leader_epoch = hint.epoch;
      *topic = std::move(changed);
      epochs_.Set(hint.topic, hint.partition, hint.epoch);
      merged.push_back({hint.topic, hint.partition});
    }
    if (merged.empty()) return merged;
    parts.generation = cluster_->generation() + 1;
    Swap(std::make_shared<const Cluster>(std::move(parts)));
    cluster = cluster_;
  }
  TellListeners(*cluster);
  return merged;
}

}  // namespace ktrial
