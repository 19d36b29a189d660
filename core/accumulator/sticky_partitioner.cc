#include "core/accumulator/sticky_partitioner.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "core/check.h"

namespace ktrial {

StickyPartitioner::StickyPartitioner(std::int64_t sticky_bytes, Threads& threads, Entropy& entropy)
    : sticky_bytes_(sticky_bytes),
      entropy_(entropy),
      word_(threads, Site("accumulator.sticky_choice"), Pack(Choice())),
      loads_mutex_(threads, Site("accumulator.sticky_loads")) {
  KT_CHECK(sticky_bytes > 0);
}

std::uint64_t StickyPartitioner::Pack(Choice choice) {
  return std::uint64_t{choice.turn} << 32 | static_cast<std::uint32_t>(choice.partition.value());
}

StickyPartitioner::Choice StickyPartitioner::Unpack(std::uint64_t word) {
  return {.partition = PartitionIndex(static_cast<std::int32_t>(word & 0xffffffff)),
          .turn = static_cast<std::uint32_t>(word >> 32)};
}

PartitionIndex StickyPartitioner::Draw(const TopicInfo& topic) {
  if (!weight_sums_.empty()) {
    const auto total = static_cast<std::uint64_t>(weight_sums_.back());
    const auto drawn = static_cast<std::int64_t>(DrawBelow(entropy_, DrawPurpose::kStickyPartition, total));
    const auto found = std::upper_bound(weight_sums_.begin(), weight_sums_.end(), drawn);
    return weighted_partitions_[static_cast<std::size_t>(found - weight_sums_.begin())];
  }
  if (!topic.available.empty()) {
    return topic.available[DrawBelow(entropy_, DrawPurpose::kStickyPartition, topic.available.size())];
  }
  return topic.partitions[DrawBelow(entropy_, DrawPurpose::kStickyPartition, topic.partitions.size())].index;
}

StickyPartitioner::Choice StickyPartitioner::Start(const Cluster& cluster, std::string_view topic) {
  MutexLock lock(loads_mutex_);
  const Choice current = Unpack(word_.Load());
  if (current.partition != kUnknownPartition) return current;
  const TopicInfo* info = cluster.FindTopic(topic);
  if (info == nullptr || info->partitions.empty()) return current;
  const Choice first{.partition = Draw(*info), .turn = current.turn + 1};
  word_.Store(Pack(first));
  return first;
}

bool StickyPartitioner::Produced(std::int64_t bytes, bool may_switch) {
  produced_bytes_ += bytes;
  return produced_bytes_ >= (may_switch ? sticky_bytes_ : 2 * sticky_bytes_);
}

void StickyPartitioner::Switch(const Cluster& cluster, std::string_view topic) {
  produced_bytes_ = 0;
  const TopicInfo* info = cluster.FindTopic(topic);
  if (info == nullptr || info->partitions.empty()) return;
  MutexLock lock(loads_mutex_);
  const Choice last = Current();
  const PartitionIndex next = Draw(*info);
  word_.Store(Pack({.partition = next, .turn = last.turn + 1}));
}

void StickyPartitioner::UpdateLoads(const PartitionLoads& loads) {
  const std::vector<std::int32_t>& lengths = loads.queue_lengths;
  KT_CHECK(lengths.size() == loads.partitions.size());
  const bool complete = lengths.size() == static_cast<std::size_t>(loads.partition_count);
  const bool equal = std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
  if (lengths.empty() || loads.partition_count < 2 || (equal && complete)) {
    ForgetLoads();
    return;
  }
  const std::int64_t above = std::int64_t{*std::max_element(lengths.begin(), lengths.end())} + 1;
  MutexLock lock(loads_mutex_);
  weighted_partitions_ = loads.partitions;
  weight_sums_.clear();
  std::int64_t sum = 0;
  for (const std::int32_t length : lengths) weight_sums_.push_back(sum += above - length);
}

void StickyPartitioner::ForgetLoads() {
  MutexLock lock(loads_mutex_);
  weight_sums_.clear();
  weighted_partitions_.clear();
}

}  // namespace ktrial
