#include "core/accumulator/partition_queue.h"

#include "core/check.h"

namespace ktrial {

void PartitionQueue::PushBack(ProducerBatch& batch) {
  KT_CHECK(!batch.in_queue_);
  batch.in_queue_ = true;
  batch.queue_previous_ = back;
  batch.queue_next_ = nullptr;
  (back != nullptr ? back->queue_next_ : front) = &batch;
  back = &batch;
  ++length;
}

void PartitionQueue::PushFront(ProducerBatch& batch) {
  KT_CHECK(!batch.in_queue_);
  batch.in_queue_ = true;
  batch.queue_previous_ = nullptr;
  batch.queue_next_ = front;
  (front != nullptr ? front->queue_previous_ : back) = &batch;
  front = &batch;
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
