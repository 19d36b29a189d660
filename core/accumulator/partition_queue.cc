#include "core/accumulator/partition_queue.h"

#include "core/check.h"

namespace ktrial {

void PartitionQueue::PushBack(ProducerBatch& batch) { InsertBefore(nullptr, batch); }

void PartitionQueue::PushFront(ProducerBatch& batch) { InsertBefore(front, batch); }

void PartitionQueue::InsertBefore(ProducerBatch* next, ProducerBatch& batch) {
  KT_CHECK(!batch.in_queue_);
  batch.in_queue_ = true;
  ProducerBatch* const previous = next != nullptr ? next->queue_previous_ : back;
  batch.queue_previous_ = previous;
  batch.queue_next_ = next;
  (previous != nullptr ? previous->queue_next_ : front) = &batch;
  (next != nullptr ? next->queue_previous_ : back) = &batch;
  ++length;
}

void PartitionQueue::Remove(ProducerBatch& batch) {
  KT_CHECK(batch.in_queue_);
  batch.in_queue_ = false;
  (batch.queue_previous_ != nullptr ? batch.queue_previous_->queue_next_ : front) = batch.queue_next_;
  (batch.queue_next_ != nullptr ? batch.queue_next_->queue_previous_ : back) = batch.queue_previous_;
  --length;
}

}  // namespace ktrial
