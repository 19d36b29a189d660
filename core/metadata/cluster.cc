#include "core/metadata/cluster.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

// Sets leader and `available` of one topic, given the nodes. Returns the same object if it is right already: snapshots
// share what did not change, so a partial update of one topic among thousands copies pointers only.
template <class IsNode>
std::shared_ptr<const TopicInfo> WithLeaders(std::shared_ptr<const TopicInfo> topic, IsNode is_node) {
  std::vector<PartitionIndex> available;
  bool right = true;
  for (const PartitionInfo& partition : topic->partitions) {
    const NodeId leader = is_node(partition.reported_leader) ? partition.reported_leader : kNoNode;
    right = right && leader == partition.leader;
    if (leader != kNoNode) available.push_back(partition.index);
  }
  if (right && available == topic->available) return topic;
  auto changed = std::make_shared<TopicInfo>(*topic);
  for (PartitionInfo& partition : changed->partitions) {
    partition.leader = is_node(partition.reported_leader) ? partition.reported_leader : kNoNode;
  }
  changed->available = std::move(available);
  return changed;
}

}  // namespace

const PartitionInfo* TopicInfo::Find(PartitionIndex index) const {
  // Almost always there are no gaps, and the index is the position.
  const auto position = static_cast<std::size_t>(index.value());
  if (index.value() >= 0 && position < partitions.size() && partitions[position].index == index) {
    return &partitions[position];
  }
  const auto found = std::ranges::lower_bound(partitions, index, {}, &PartitionInfo::index);
  return found != partitions.end() && found->index == index ? &*found : nullptr;
}

Cluster::Cluster(Parts parts) : parts_(std::move(parts)) {
  std::ranges::sort(parts_.nodes, {}, &Node::id);
  std::ranges::sort(parts_.topics, {}, [](const auto& topic) -> const std::string& { return topic->name; });
  for (std::size_t i = 1; i < parts_.nodes.size(); ++i) KT_CHECK(parts_.nodes[i - 1].id < parts_.nodes[i].id);
  for (std::size_t i = 1; i < parts_.topics.size(); ++i) KT_CHECK(parts_.topics[i - 1]->name < parts_.topics[i]->name);
  ResolveLeaders();
  BuildTopicIndex();
}

void Cluster::ResolveLeaders() {
  for (std::shared_ptr<const TopicInfo>& topic : parts_.topics) {
    KT_CHECK(std::ranges::is_sorted(topic->partitions, {}, &PartitionInfo::index));
    topic = WithLeaders(std::move(topic), [this](NodeId id) { return FindNode(id) != nullptr; });
  }
}

void Cluster::BuildTopicIndex() {
  topic_slots_.assign(std::bit_ceil(parts_.topics.size() * 2 + 1), 0);
  const std::size_t mask = topic_slots_.size() - 1;
  for (std::size_t i = 0; i < parts_.topics.size(); ++i) {
    std::size_t slot = std::hash<std::string_view>()(parts_.topics[i]->name) & mask;  // tidy: lookup-only
    while (topic_slots_[slot] != 0) slot = (slot + 1) & mask;
    topic_slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

const Node* Cluster::FindNode(NodeId id) const {
  const auto found = std::ranges::lower_bound(parts_.nodes, id, {}, &Node::id);
  return found != parts_.nodes.end() && found->id == id ? &*found : nullptr;
}

const TopicInfo* Cluster::FindTopic(std::string_view name) const {
  const std::size_t mask = topic_slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(name) & mask;  // tidy: lookup-only
  for (; topic_slots_[slot] != 0; slot = (slot + 1) & mask) {
    const TopicInfo& topic = *parts_.topics[topic_slots_[slot] - 1];
    if (topic.name == name) return &topic;
  }
  return nullptr;
}

const PartitionInfo* Cluster::FindPartition(std::string_view topic, PartitionIndex index) const {
  const TopicInfo* info = FindTopic(topic);
  return info == nullptr ? nullptr : info->Find(index);
}

const Node* Cluster::LeaderOf(std::string_view topic, PartitionIndex index) const {
  const PartitionInfo* partition = FindPartition(topic, index);
  return partition == nullptr ? nullptr : FindNode(partition->leader);
}

wire::ErrorCode Cluster::TopicError(std::string_view name) const {
  const auto found = parts_.topic_errors.find(name);
  return found == parts_.topic_errors.end() ? wire::ErrorCode::kNone : found->second;
}

}  // namespace ktrial
