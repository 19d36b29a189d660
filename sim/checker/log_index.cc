#include "sim/checker/log_index.h"

#include <algorithm>
#include <map>

#include "sim/broker/partition_log.h"

namespace ktrial::sim {
namespace {

constexpr std::uint8_t kRemovedMax = 63;  // That RecordPlace::removed can hold.

// Sorts [begin, end) and counts the pairs that were the wrong way round.
std::int64_t MergeCount(std::vector<std::int64_t>& numbers, std::vector<std::int64_t>& spare, std::size_t begin,
                        std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  std::int64_t count = MergeCount(numbers, spare, begin, middle) + MergeCount(numbers, spare, middle, end);
  std::size_t left = begin;
  std::size_t right = middle;
  for (std::size_t out = begin; out < end; ++out) {
    const bool take_right = left == middle || (right < end && numbers[right] < numbers[left]);
    if (take_right) count += static_cast<std::int64_t>(middle - left);
    spare[out] = take_right ? numbers[right++] : numbers[left++];
  }
  std::copy(spare.begin() + static_cast<std::ptrdiff_t>(begin), spare.begin() + static_cast<std::ptrdiff_t>(end),
            numbers.begin() + static_cast<std::ptrdiff_t>(begin));
  return count;
}

}  // namespace

std::int64_t CountInversions(std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> spare(numbers.size());
  return MergeCount(numbers, spare, 0, numbers.size());
}

LogIndex::LogIndex(const History& history, std::span<const PartitionEvidence> partitions)
    : history_(history), partitions_(partitions) {
  places_.reserve(history.streams().size());
  for (const auto& stream : history.streams()) places_.emplace_back(static_cast<std::size_t>(stream->size()));
  for (std::size_t i = 0; i < partitions.size(); ++i) Scan(i);
  std::sort(disorders_.begin(), disorders_.end());
  disorders_.erase(std::unique(disorders_.begin(), disorders_.end()), disorders_.end());
}

void LogIndex::Scan(std::size_t number) {
  const PartitionEvidence& partition = partitions_[number];
  // By stream: the latest of its records that this log has so far.
  std::vector<std::int64_t> latest(places_.size(), -1);
  const std::optional<std::uint16_t> topic = history_.FindTopic(partition.topic);
  std::map<RecordId, std::uint8_t> removed;  // Copies in this log, of a deleted topic.
  for (const LogBatch& batch : partition.log->batches()) {
    std::int64_t offset = batch.base_offset.value();
    for (const RecordId id : partition.log->IdentitiesOf(batch)) {
      const std::int64_t here = offset++;
      if (!partition.deleted) ++log_records_;
      const History::Position position = history_.Locate(id);
      if (position.index < 0) {
        ++foreign_records_;
        continue;
      }
      RecordPlace& place = places_[position.stream][static_cast<std::size_t>(position.index)];
      const RecordEntry& entry = history_.streams()[position.stream]->at(position.index);
      if (entry.offset == here && entry.partition == partition.partition.value() && entry.topic == topic) {
        place.at_acked_offset = true;
      }
      if (partition.deleted) {
        std::uint8_t& copies = removed[id];
        if (copies < kRemovedMax) ++copies;
        place.removed = std::max<std::uint8_t>(place.removed, copies);
        if (copies > 1) continue;
      } else {
        if (place.copies < UINT8_MAX) ++place.copies;
        if (place.copies > 1) continue;
      }
      if (position.index < latest[position.stream]) {
        place.late = true;
        disorders_.push_back({number, position.stream});
      } else {
        latest[position.stream] = position.index;
      }
    }
  }
}

bool LogIndex::HasDisorder(std::size_t partition) const {
  return std::any_of(disorders_.begin(), disorders_.end(),
                     [&](const Disorder& disorder) { return disorder.partition == partition; });
}

std::int64_t LogIndex::ReorderedPairs(const std::function<bool(const RecordEntry&)>& counts) const {
  std::int64_t pairs = 0;
  for (const Disorder& disorder : disorders_) {
    const PartitionLog& log = *partitions_[disorder.partition].log;
    const RecordStream& stream = *history_.streams()[disorder.stream];
    std::vector<bool> seen(static_cast<std::size_t>(stream.size()));
    std::vector<std::int64_t> order;
    for (const LogBatch& batch : log.batches()) {
      for (const RecordId id : log.IdentitiesOf(batch)) {
        const History::Position position = history_.Locate(id);
        if (position.index < 0 || position.stream != disorder.stream) continue;
        const auto index = static_cast<std::size_t>(position.index);
        if (seen[index]) continue;
        seen[index] = true;
        if (counts(stream.at(position.index))) order.push_back(position.index);
      }
    }
    pairs += CountInversions(order);
  }
  return pairs;
}

}  // namespace ktrial::sim
