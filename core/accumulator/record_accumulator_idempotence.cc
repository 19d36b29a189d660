// What the accumulator does for an idempotent producer: it asks PartitionSequences, and tells it what became of batches.
#include <algorithm>
#include <cstddef>

#include "core/accumulator/record_accumulator.h"
#include "core/wire/record_batch.h"

namespace ktrial {

bool RecordAccumulator::IsHeld(const PartitionQueue& queue, const ProducerBatch& front) const {
  if (IsOutside(queue)) return true;
  if (!config_.idempotent) return false;
  if (MeansAnotherTopic(queue) && !queue.sequences.Knows(front.id())) return true;
  const std::int32_t limit = one_in_flight_ ? 1 : config_.max_in_flight_per_partition;
  return !queue.sequences.MayDrain(front.id(), producer_, static_cast<std::size_t>(limit));
}

bool RecordAccumulator::MeansAnotherTopic(const PartitionQueue& queue) {
  return queue.sequences.in_flight_count() > 0 && queue.topic_id != TopicId{} && queue.numbered_for != TopicId{} &&
         queue.topic_id != queue.numbered_for;
}

void RecordAccumulator::Number(PartitionQueue& queue, ProducerBatch& batch) {
  if (queue.sequences.in_flight_count() == 0) queue.numbered_for = queue.topic_id;
  const PartitionSequences::Numbers numbers = queue.sequences.Drain(batch.id(), batch.record_count(), producer_);
  batch.SetProducer({.id = numbers.owner.id,
                     .epoch = numbers.owner.epoch,
                     .base_sequence = numbers.base,
                     .transactional = config_.transactional});
}

// AC-24: what was numbered comes before what was not, and in the order of its numbers.
void RecordAccumulator::InsertInOrder(PartitionQueue& queue, ProducerBatch& batch) {
  const PartitionSequences& sequences = queue.sequences;
  ProducerBatch* next = queue.front;
  if (config_.idempotent) {
    while (next != nullptr && sequences.Knows(next->id()) && sequences.Precedes(next->id(), batch.id())) {
      next = next->queue_next_;
    }
  }
  queue.InsertBefore(next, batch);
}

void RecordAccumulator::ForgetNumbers(ProducerBatch& batch, BatchState end) {
  PartitionSequences& sequences = batch.queue_->sequences;
  if (end == BatchState::kSucceeded) {
    sequences.Acknowledge(batch.id());
  } else {
    sequences.DropUnresolved(batch.id());
  }
  NoteTrouble(*batch.queue_);
}

void RecordAccumulator::RefuseForGap(const ProducerBatch& batch) {
  batch.queue_->sequences.RefuseForGap(batch.id());
  NoteTrouble(*batch.queue_);
}

void RecordAccumulator::ConcludeAbsent(const ProducerBatch& batch) {
  batch.queue_->sequences.DropAbsent(batch.id());
  NoteTrouble(*batch.queue_);
}

void RecordAccumulator::NoteTrouble(PartitionQueue& queue) {
  if (queue.has_trouble || !queue.sequences.is_troubled()) return;
  queue.has_trouble = true;
  troubled_.push_back(&queue);
}

bool RecordAccumulator::NeedsNewEpoch() {
  return std::ranges::any_of(troubled_, [this](PartitionQueue* queue) {
    return queue->sequences.NeedsRestart() && queue->sequences.owner() == producer_;
  });
}

bool RecordAccumulator::WaitsForOthers(const ProducerBatch& batch) const {
  return batch.queue_->sequences.WaitsForOthers(batch.id());
}

bool RecordAccumulator::ContinuesTheLog(const ProducerBatch& batch) const {
  return batch.queue_->sequences.ContinuesTheLog(batch.id());
}

bool RecordAccumulator::HasTrouble() {
  return std::ranges::any_of(troubled_, [](PartitionQueue* queue) {
    return queue->sequences.NeedsRestart() || queue->sequences.is_troubled();
  });
}

bool RecordAccumulator::RewindSequences() {
  std::erase_if(troubled_, [](PartitionQueue* queue) {
    PartitionSequences& sequences = queue->sequences;
    queue->has_trouble = (sequences.NeedsRestart() || sequences.is_troubled()) && !sequences.Rewind();
    return !queue->has_trouble;
  });
  return troubled_.empty();
}

void RecordAccumulator::RestartSequences() {
  std::erase_if(troubled_, [this](PartitionQueue* queue) {
    PartitionSequences& sequences = queue->sequences;
    if (sequences.NeedsRestart() && producer_.is_valid()) sequences.Restart(producer_);
    queue->has_trouble = sequences.is_troubled();
    return !queue->has_trouble;
  });
}

}  // namespace ktrial
