#include "core/accumulator/sticky_partitioner.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "core/check.h"

namespace ktrial {

void PartitionLoads::Clear() {
  partitions.clear();
  queue_lengths.clear();
  in_rack.clear();
  partition_count = 0;
}

StickyPartitioner::StickyPartitioner(StickyPartitionerConfig config, Threads& threads, Entropy& entropy)
    : config_(std::move(config)),
      entropy_(entropy),
      word_(threads, Site("accumulator.sticky_choice"), Pack(Choice())),
      loads_mutex_(threads, Site("accumulator.sticky_loads")) {
  KT_CHECK(config_.bytes > 0);
}

std::uint64_t StickyPartitioner::Pack(Choice choice) {
  return std::uint64_t{choice.turn} << 32 | static_cast<std::uint32_t>(choice.partition.value());
}

StickyPartitioner::Choice StickyPartitioner::Unpack(std::uint64_t word) {
  return {.partition = PartitionIndex(static_cast<std::int32_t>(word & 0xffffffff)),
          .turn = static_cast<std::uint32_t>(word >> 32)};
}

void StickyPartitioner::Weights::Clear() {
  sums.clear();
  partitions.clear();
}

void StickyPartitioner::Weights::Add(PartitionIndex partition, std::int64_t weight) {
  sums.push_back(weight + (sums.empty() ? 0 : sums.back()));
  partitions.push_back(partition);
}

PartitionIndex StickyPartitioner::Weights::Draw(Entropy& entropy) const {
  const auto total = static_cast<std::uint64_t>(sums.back());
  const auto drawn = static_cast<std::int64_t>(DrawBelow(entropy, DrawPurpose::kStickyPartition, total));
  const auto found = std::upper_bound(sums.begin(), sums.end(), drawn);
  return partitions[static_cast<std::size_t>(found - sums.begin())];
}

std::vector<PartitionIndex> StickyPartitioner::AvailableInRack(const Cluster& cluster, const TopicInfo& topic) const {
  std::vector<PartitionIndex> near;
  if (config_.rack.empty()) return near;
  for (const PartitionIndex partition : topic.available) {
    const Node* leader = cluster.FindNode(topic.Find(partition)->leader);
    if (leader != nullptr && leader->rack == config_.rack) near.push_back(partition);
  }
  return near;
}

PartitionIndex StickyPartitioner::Draw(const Cluster& cluster, const TopicInfo& topic) {
  if (!rack_weights_.sums.empty()) return rack_weights_.Draw(entropy_);
  if (!weights_.sums.empty()) return weights_.Draw(entropy_);
  if (topic.available.empty()) {
    return topic.partitions[DrawBelow(entropy_, DrawPurpose::kStickyPartition, topic.partitions.size())].index;
  }
  const std::vector<PartitionIndex> near = AvailableInRack(cluster, topic);
  const std::vector<PartitionIndex>& from = near.empty() ? topic.available : near;
  return from[DrawBelow(entropy_, DrawPurpose::kStickyPartition, from.size())];
}

StickyPartitioner::Choice StickyPartitioner::Start(const Cluster& cluster, std::string_view topic) {
  MutexLock lock(loads_mutex_);
  const Choice current = Unpack(word_.Load());
  if (current.partition != kUnknownPartition) return current;
  const TopicInfo* info = cluster.FindTopic(topic);
  if (info == nullptr || info->partitions.empty()) return current;
  const Choice first{.partition = Draw(cluster, *info), .turn = current.turn + 1};
  word_.Store(Pack(first));
  return first;
}

bool StickyPartitioner::Produced(std::int64_t bytes, bool may_switch) {
  produced_bytes_ += bytes;
  return produced_bytes_ >= (may_switch ? config_.bytes : 2 * config_.bytes);
}

void StickyPartitioner::Switch(const Cluster& cluster, std::string_view topic) {
  produced_bytes_ = 0;
  const TopicInfo* info = cluster.FindTopic(topic);
  if (info == nullptr || info->partitions.empty()) return;
  MutexLock lock(loads_mutex_);
  const Choice last = Current();
  const PartitionIndex next = Draw(cluster, *info);
  word_.Store(Pack({.partition = next, .turn = last.turn + 1}));
}

void StickyPartitioner::UpdateLoads(const PartitionLoads& loads) {
  const std::vector<std::int32_t>& lengths = loads.queue_lengths;
  KT_CHECK(lengths.size() == loads.partitions.size());
  KT_CHECK(loads.in_rack.empty() || loads.in_rack.size() == lengths.size());
  const bool complete = lengths.size() == static_cast<std::size_t>(loads.partition_count);
  const bool equal = std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
  if (lengths.empty() || loads.partition_count < 2 || (equal && complete)) {
    ForgetLoads();
    return;
  }
  const std::int64_t above = std::int64_t{*std::max_element(lengths.begin(), lengths.end())} + 1;
  MutexLock lock(loads_mutex_);
  weights_.Clear();
  rack_weights_.Clear();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    weights_.Add(loads.partitions[i], above - lengths[i]);
    if (!loads.in_rack.empty() && loads.in_rack[i]) rack_weights_.Add(loads.partitions[i], above - lengths[i]);
  }
}

void StickyPartitioner::ForgetLoads() {
  MutexLock lock(loads_mutex_);
  weights_.Clear();
  rack_weights_.Clear();
}

}  // namespace ktrial
