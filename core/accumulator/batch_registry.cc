#include "core/accumulator/batch_registry.h"

#include <utility>

#include "core/check.h"

namespace ktrial {

BatchRegistry::BatchRegistry(Threads& threads, const Clock& clock, BatchRecycler& recycler)
    : threads_(threads), clock_(clock), recycler_(recycler), mutex_(threads, Site("accumulator.registry")) {}

BatchRegistry::~BatchRegistry() {
  // A producer that is destroyed before its batches have ended takes them along: their futures stay without an answer, but whole.
  while (oldest_ != nullptr) delete std::exchange(oldest_, oldest_->incomplete_next_);
  for (ProducerBatch* batch : reusable_) delete batch;
}

ProducerBatch& BatchRegistry::NewObject() {
  if (reusable_.empty()) return *new ProducerBatch();
  ProducerBatch& batch = *reusable_.back();
  reusable_.pop_back();
  return batch;
}

void BatchRegistry::InsertBefore(ProducerBatch* next, ProducerBatch& batch) {
  KT_CHECK(!batch.incomplete_);
  batch.incomplete_ = true;
  batch.incomplete_next_ = next;
  ProducerBatch*& from_right = next != nullptr ? next->incomplete_previous_ : newest_;
  batch.incomplete_previous_ = from_right;
  (from_right != nullptr ? from_right->incomplete_next_ : oldest_) = &batch;
  from_right = &batch;
}

void BatchRegistry::ActivateLocked(PartitionQueue& queue) {
  if (queue.active) return;
  queue.active = true;
  activated_.push_back(&queue);
}

ProducerBatch* BatchRegistry::Admit(PartitionQueue& queue, PoolBuffer& buffer) {
  MutexLock lock(mutex_);
  if (closed_) return nullptr;
  ProducerBatch& batch = NewObject();
  // The clock is read under the lock, so the list ascends by creation.
  batch.Start(++last_id_, queue, std::move(buffer), true, clock_.Now(), threads_, recycler_);
  InsertBefore(nullptr, batch);
  ActivateLocked(queue);
  return &batch;
}

ProducerBatch& BatchRegistry::AdmitPart(ProducerBatch& whole, PoolBuffer buffer) {
  MutexLock lock(mutex_);
  ProducerBatch& batch = NewObject();
  batch.Start(++last_id_, *whole.queue_, std::move(buffer), false, whole.created_, threads_, recycler_);
  InsertBefore(&whole, batch);
  return batch;
}

void BatchRegistry::Activate(PartitionQueue& queue) {
  MutexLock lock(mutex_);
  ActivateLocked(queue);
}

void BatchRegistry::Remove(ProducerBatch& batch) {
  MutexLock lock(mutex_);
  KT_CHECK(batch.incomplete_);
  batch.incomplete_ = false;
  (batch.incomplete_previous_ != nullptr ? batch.incomplete_previous_->incomplete_next_ : oldest_) =
      batch.incomplete_next_;
  (batch.incomplete_next_ != nullptr ? batch.incomplete_next_->incomplete_previous_ : newest_) =
      batch.incomplete_previous_;
}

void BatchRegistry::Reuse(ProducerBatch& batch) {
  {
    MutexLock lock(mutex_);
    if (reusable_.size() < kReusableMax) {
      reusable_.push_back(&batch);
      return;
    }
  }
  delete &batch;
}

void BatchRegistry::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
}

bool BatchRegistry::HasIncomplete() const {
  MutexLock lock(mutex_);
  return oldest_ != nullptr;
}

std::vector<BatchResultRef> BatchRegistry::Results() const {
  MutexLock lock(mutex_);
  std::vector<BatchResultRef> results;
  for (ProducerBatch* batch = oldest_; batch != nullptr; batch = batch->incomplete_next_) {
    batch->result_->AddOwner();
    results.push_back(BatchResultRef::Adopt(*batch->result_));
  }
  return results;
}

BatchRegistry::Incomplete BatchRegistry::CreatedUpTo(Instant limit) const {
  MutexLock lock(mutex_);
  Incomplete found;
  ProducerBatch* batch = oldest_;
  for (; batch != nullptr && batch->created_ <= limit; batch = batch->incomplete_next_) found.batches.push_back(batch);
  if (batch != nullptr) found.next_created = batch->created_;
  return found;
}

void BatchRegistry::TakeActivated(std::vector<PartitionQueue*>& queues) {
  MutexLock lock(mutex_);
  queues.insert(queues.end(), activated_.begin(), activated_.end());
  activated_.clear();
}

}  // namespace ktrial
