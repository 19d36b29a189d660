// TopicQueues is what an accumulator keeps of one topic: the queues of its partitions and the choice of partitions for
// records that come without one. TopicTable finds it by name. Neither look-up takes a lock, and nothing is removed
// before the accumulator ends, so callers may keep the reference and save the look-up.
#ifndef CORE_ACCUMULATOR_TOPIC_QUEUES_H_
#define CORE_ACCUMULATOR_TOPIC_QUEUES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/accumulator/compression_estimate.h"
#include "core/accumulator/partition_queue.h"
#include "core/accumulator/sticky_partitioner.h"
#include "core/env/entropy.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/types.h"

namespace ktrial {

class TopicQueues {
 public:
  TopicQueues(std::string_view name, const StickyPartitionerConfig& sticky, Threads& threads, Entropy& entropy);

  const std::string& name() const { return name_; }
  StickyPartitioner& sticky() { return sticky_; }
  CompressionEstimate& compression() { return compression_; }
  // The partition's queue, made on first use together with those before it: the caller knows that there is such a partition.
  PartitionQueue& Queue(PartitionIndex partition) {
    const Row* row = row_.Get();
    const auto index = static_cast<std::size_t>(static_cast<std::uint32_t>(partition.value()));
    if (row != nullptr && index < row->size()) [[likely]]
      return *(*row)[index];
    return AddQueue(partition);
  }
  // One word for the caller's own use, 0 at first, which is not read here: for example up to which metadata the caller
  // has found that the topic exists, and with how many partitions.
  Atomic<std::uint64_t>& caller_word() { return caller_word_; }

  // For a partitioner that goes round: one more with each call, from a number that is drawn at the first (PT-05). Any thread.
  std::uint64_t NextTurn(Entropy& entropy);

  // Only the sender thread: how many partitions ever had a batch, and in which pass the loads were last given (PT-13).
  std::int32_t ever_active = 0;
  std::uint64_t loads_pass = 0;

 private:
  friend class TopicTable;
  using Row = std::vector<PartitionQueue*>;  // By partition index.
  PartitionQueue& AddQueue(PartitionIndex partition);

  // Set in the constructor, never changed (next_: before it is published).
  const std::string name_;
  Threads& threads_;
  TopicQueues* next_ = nullptr;  // In the same bucket of the table.

  StickyPartitioner sticky_;
  CompressionEstimate compression_;
  Atomic<std::uint64_t> turn_;  // 0: not drawn yet.
  Atomic<std::uint64_t> caller_word_;

  // Read without a lock. Replaced by a longer copy, and never changed: old rows stay, and are together no longer than
  // the newest.
  Published<const Row> row_;
  Mutex growth_mutex_;
  std::deque<PartitionQueue> queues_ ABSL_GUARDED_BY(growth_mutex_);
  std::vector<std::unique_ptr<const Row>> rows_ ABSL_GUARDED_BY(growth_mutex_);
};

// A hash table of topics that only grows. The number of buckets is fixed: with 10 000 topics a look-up still passes
// only 20 entries.
class TopicTable {
 public:
  TopicTable(StickyPartitionerConfig sticky, Threads& threads, Entropy& entropy);
  ~TopicTable();
  TopicTable(const TopicTable&) = delete;
  TopicTable& operator=(const TopicTable&) = delete;

  // Any thread. Makes the topic on first use.
  TopicQueues& Get(std::string_view name);

 private:
  static constexpr std::size_t kBuckets = 512;

  const StickyPartitionerConfig sticky_;
  Threads& threads_;
  Entropy& entropy_;
  std::array<Published<TopicQueues>, kBuckets> buckets_;
  Mutex growth_mutex_;
  std::vector<std::unique_ptr<TopicQueues>> topics_ ABSL_GUARDED_BY(growth_mutex_);
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_TOPIC_QUEUES_H_
