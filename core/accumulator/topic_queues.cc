#include "core/accumulator/topic_queues.h"

#include <bit>
#include <cstddef>
#include <utility>

#include "core/check.h"
#include "xxhash.h"

namespace ktrial {

TopicQueues::TopicQueues(std::string_view name, const StickyPartitionerConfig& sticky, Threads& threads,
                         Entropy& entropy)
    : name_(name),
      threads_(threads),
      sticky_(sticky, threads, entropy),
      compression_(threads),
      turn_(threads, Site("accumulator.topic_turn"), 0),
      caller_word_(threads, Site("accumulator.topic_caller_word"), 0),
      growth_mutex_(threads, Site("accumulator.topic_growth")) {}

std::uint64_t TopicQueues::NextTurn(Entropy& entropy) {
  std::uint64_t none = 0;
  if (turn_.Load() == none) {
    turn_.CompareExchange(none, 1 + DrawBelow(entropy, DrawPurpose::kRoundRobinStart, std::uint64_t{1} << 31));
  }
  return turn_.FetchAdd(1);
}

PartitionQueue& TopicQueues::AddQueue(PartitionIndex partition) {
  KT_CHECK(partition.value() >= 0);
  const auto index = static_cast<std::size_t>(partition.value());
  MutexLock lock(growth_mutex_);
  const Row* old = row_.Get();
  if (old == nullptr || index >= old->size()) {
    // Doubling keeps the rows that readers may still look at together no longer than the newest.
    const std::size_t size = std::bit_ceil(index + 1);
    while (queues_.size() < size)
      queues_.emplace_back(*this, PartitionIndex(static_cast<std::int32_t>(queues_.size())), threads_);
    auto row = std::make_unique<Row>();
    row->reserve(size);
    for (PartitionQueue& queue : queues_) row->push_back(&queue);
    row_.Publish(row.get());
    rows_.push_back(std::move(row));
  }
  return *(*row_.Get())[index];
}

TopicTable::TopicTable(StickyPartitionerConfig sticky, Threads& threads, Entropy& entropy)
    : sticky_(std::move(sticky)),
      threads_(threads),
      entropy_(entropy),
      growth_mutex_(threads, Site("accumulator.topic_table")) {}

TopicTable::~TopicTable() = default;

TopicQueues& TopicTable::Get(std::string_view name) {
  Published<TopicQueues>& bucket = buckets_[XXH3_64bits(name.data(), name.size()) % kBuckets];
  const auto find = [name](TopicQueues* topic) {
    while (topic != nullptr && topic->name_ != name) topic = topic->next_;
    return topic;
  };
  TopicQueues* first = bucket.Get();
  if (TopicQueues* found = find(first); found != nullptr) [[likely]]
    return *found;
  MutexLock lock(growth_mutex_);
  first = bucket.Get();
  if (TopicQueues* found = find(first); found != nullptr) return *found;
  auto topic = std::make_unique<TopicQueues>(name, sticky_, threads_, entropy_);
  topic->next_ = first;
  bucket.Publish(topic.get());
  topics_.push_back(std::move(topic));
  return *topics_.back();
}

}  // namespace ktrial
