#include "sim/fault/resolve.h"

#include <algorithm>

#include "sim/broker/cluster.h"

namespace ktrial::sim {
namespace {

void AddFollower(const BrokerTerm& term, const Cluster& cluster, Stream& draws, std::vector<NodeId>& out) {
  const Partition* const partition = cluster.FindPartition(term.topic, term.partition);
  if (partition == nullptr) return;
  std::vector<NodeId> followers;
  for (const NodeId replica : partition->state().replicas) {
    if (replica != partition->state().leader) followers.push_back(replica);
  }
  if (!followers.empty()) out.push_back(followers[draws.Below(followers.size())]);
}

void AddTerm(const BrokerTerm& term, const Cluster& cluster, Stream& draws, std::vector<NodeId>& out) {
  NodeId found = kNoNode;
  switch (term.kind) {
    case BrokerTerm::Kind::kId:
      found = cluster.FindBroker(term.id) == nullptr ? kNoNode : term.id;
      break;
    case BrokerTerm::Kind::kAll:
      for (const auto& [id, broker] : cluster.brokers()) out.push_back(id);
      return;
    case BrokerTerm::Kind::kAny:
      found = std::next(cluster.brokers().begin(), static_cast<std::ptrdiff_t>(draws.Below(cluster.brokers().size())))
                  ->first;
      break;
    case BrokerTerm::Kind::kLeader:
      found = cluster.LeaderOf(term.topic, term.partition);
      break;
    case BrokerTerm::Kind::kFollower:
      AddFollower(term, cluster, draws, out);
      return;
    case BrokerTerm::Kind::kController:
      found = cluster.controller();
      break;
  }
  if (found != kNoNode) out.push_back(found);
}

std::vector<const Topic*> ResolveTopics(const TopicSelector& selector, const Cluster& cluster, Stream& draws) {
  std::vector<const Topic*> topics;
  for (const std::string& term : selector.terms) {
    if (term == "*") {
      for (const auto& [name, topic] : cluster.topics()) topics.push_back(topic.get());
    } else if (term == "any") {
      if (cluster.topics().empty()) continue;
      const auto drawn = static_cast<std::ptrdiff_t>(draws.Below(cluster.topics().size()));
      topics.push_back(std::next(cluster.topics().begin(), drawn)->second.get());
    } else if (const Topic* const topic = cluster.FindTopic(term)) {
      topics.push_back(topic);
    }
  }
  return topics;
}

}  // namespace

std::vector<NodeId> ResolveBrokers(const BrokerSelector& selector, const Cluster& cluster, Stream& draws) {
  std::vector<NodeId> brokers;
  for (const BrokerTerm& term : selector.terms) AddTerm(term, cluster, draws, brokers);
  std::sort(brokers.begin(), brokers.end());
  brokers.erase(std::unique(brokers.begin(), brokers.end()), brokers.end());
  return brokers;
}

bool Selects(const BrokerSelector& selector, NodeId broker, const Cluster& cluster, Stream& draws) {
  if (selector == BrokerSelector::All()) return true;
  const std::vector<NodeId> brokers = ResolveBrokers(selector, cluster, draws);
  return std::binary_search(brokers.begin(), brokers.end(), broker);
}

std::vector<TopicPartition> ResolvePartitions(const TopicSelector& topics, const PartitionSelector& partitions,
                                              const Cluster& cluster, Stream& draws) {
  std::vector<TopicPartition> found;
  for (const Topic* const topic : ResolveTopics(topics, cluster, draws)) {
    const auto count = static_cast<std::int32_t>(topic->partitions.size());
    switch (partitions.kind) {
      case PartitionSelector::Kind::kAll:
        for (std::int32_t p = 0; p < count; ++p) found.push_back({topic->name, PartitionIndex(p)});
        break;
      case PartitionSelector::Kind::kAny: {
        const auto drawn = static_cast<std::int32_t>(draws.Below(static_cast<std::uint64_t>(count)));
        found.push_back({topic->name, PartitionIndex(drawn)});
        break;
      }
      case PartitionSelector::Kind::kList:
        for (const PartitionIndex p : partitions.list) {
          if (p.value() < count) found.push_back({topic->name, p});
        }
        break;
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace ktrial::sim
