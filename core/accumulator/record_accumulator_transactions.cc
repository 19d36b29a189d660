// What the accumulator does for a transactional producer: it holds the batches of partitions that are not in the
// transaction, and ends what a transaction that fails leaves behind.
#include <algorithm>
#include <string_view>
#include <utility>

#include "core/accumulator/record_accumulator.h"

namespace ktrial {

std::vector<TopicPartition> RecordAccumulator::TakeOutsiders() {
  TakeActivated();
  std::vector<TopicPartition> outsiders;
  for (PartitionQueue* queue : active_) {
    if (queue->membership != Membership::kOutside) continue;
    MutexLock lock(queue->mutex);
    if (queue->front == nullptr) continue;
    queue->membership = Membership::kBeingAdded;
    members_.push_back(queue);
    outsiders.push_back({.topic = queue->topic.name(), .partition = queue->partition});
  }
  return outsiders;
}

void RecordAccumulator::AdmitToTransaction(std::span<const TopicPartition> partitions) {
  const auto before = [](const TopicPartition& one, const PartitionQueue* queue) {
    return std::pair<std::string_view, PartitionIndex>(one.topic, one.partition) <
           std::pair<std::string_view, PartitionIndex>(queue->topic.name(), queue->partition);
  };
  for (PartitionQueue* queue : members_) {
    const auto found = std::lower_bound(partitions.begin(), partitions.end(), queue, before);
    const bool admitted =
        found != partitions.end() && found->partition == queue->partition && found->topic == queue->topic.name();
    if (admitted) queue->membership = Membership::kInside;
    any_admitted_ |= admitted;
  }
}

void RecordAccumulator::LeaveTransaction() {
  for (PartitionQueue* queue : members_) queue->membership = Membership::kOutside;
  members_.clear();
  any_admitted_ = false;
}

void RecordAccumulator::AbortWaiting(const absl::Status& reason, bool spare_sent) {
  for (ProducerBatch* batch : registry_.CreatedUpTo(Instant::Never()).batches) {
    // A batch is encoded when it is drained for the first time; until then threads that send may change its state.
    const bool encoded = !batch->bytes().empty();
    if (encoded && batch->state() == BatchState::kInFlight) continue;
    PartitionSequences& sequences = batch->queue_->sequences;
    // Nothing behind a gap can have been appended, and nothing of a part that was split off and not sent.
    const bool absent = !encoded || sequences.IsBehindGap(batch->id());
    if (!absent && spare_sent) continue;
    if (absent) sequences.DropAbsent(batch->id());
    Abort(*batch, reason);
  }
}

}  // namespace ktrial
