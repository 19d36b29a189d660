#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/accumulator/record_accumulator.h"
#include "core/check.h"
#include "core/compression/decompressor.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial {

ExpiredBatches RecordAccumulator::Expire(Instant now) {
  // At the very moment of the timeout a batch has expired (D-9).
  const BatchRegistry::Incomplete old = registry_.CreatedUpTo(now - config_.delivery_timeout);
  ExpiredBatches expired;
  for (ProducerBatch* batch : old.batches) {
    TakeOutOfQueue(*batch);
    (batch->state() == BatchState::kInFlight ? expired.in_flight : expired.queued).emplace_back(*batch);
  }
  if (old.next_created != Instant::Never()) expired.next_expiry = old.next_created + config_.delivery_timeout;
  return expired;
}

void RecordAccumulator::TakeOutOfQueue(ProducerBatch& batch) {
  PartitionQueue& queue = *batch.queue_;
  MutexLock lock(queue.mutex);
  if (batch.in_queue_) queue.Remove(batch);
  batch.Seal();
}

bool RecordAccumulator::Finish(ProducerBatch& batch, BatchOutcome outcome) {
  // The request of a batch that expired goes on, and its answer may still come (SN-18).
  if (batch.state() == BatchState::kFailed || batch.state() == BatchState::kAborted) return false;
  const bool succeeded = outcome.status.ok() && outcome.record_errors.empty();
  End(batch, succeeded ? BatchState::kSucceeded : BatchState::kFailed, std::move(outcome));
  return true;
}

void RecordAccumulator::End(ProducerBatch& batch, BatchState state, BatchOutcome outcome) {
  KT_CHECK(!batch.in_queue_);
  if (config_.idempotent) ForgetNumbers(batch, state);
  batch.MoveTo(state);
  const absl::Status& told = outcome.record_errors.empty() ? outcome.status : outcome.record_errors.front().status;
  observer_.OnBatchDone(batch.View(), told, outcome.base_offset);
  callbacks_thrown_ += batch.RunCallbacks(outcome, config_.on_batch);
  batch.result_->Close(std::move(outcome));
  registry_.Remove(batch);
  batch.LetGo();
}

void RecordAccumulator::Recycle(ProducerBatch& batch) {
  const bool charged = batch.charged_;
  PoolBuffer buffer = batch.Retire();
  if (charged) pool_.Deallocate(std::move(buffer));
  registry_.Reuse(batch);
}

void RecordAccumulator::Reenqueue(ProducerBatch& batch, wire::ErrorCode why, Instant now) {
  batch.MoveTo(BatchState::kSealed);
  ++batch.attempts_;
  Duration backoff = retry_backoff_.Delay(batch.attempts_ - 1, entropy_, DrawPurpose::kRetryBackoff);
  if (why == wire::ErrorCode::kConcurrentTransactions) {
    // Doubled each time, as there may be many such batches.
    constexpr std::int32_t kDoublingsMax = 10;
    backoff = std::min(backoff, kConcurrentTransactionsBackoff * (1 << std::min(batch.attempts_ - 1, kDoublingsMax)));
  }
  batch.retry_at_ = now + backoff;
  observer_.OnBatchRetried(batch.View(), why);
  PartitionQueue& queue = *batch.queue_;
  if (config_.idempotent) queue.sequences.Return(batch.id());
  MutexLock lock(queue.mutex);
  InsertInOrder(queue, batch);
  registry_.Activate(queue);
}

ProducerBatch& RecordAccumulator::StartPart(ProducerBatch& whole, std::int64_t limit, std::int64_t first_record_bound) {
  PoolBuffer buffer;
  buffer.size = std::max(limit, first_record_bound);
  buffer.memory.reset(new char[static_cast<std::size_t>(buffer.size)]);
  return registry_.AdmitPart(whole, std::move(buffer));
}

std::vector<ProducerBatch*> RecordAccumulator::MoveIntoParts(ProducerBatch& whole) {
  // Not the broker's limit, which we do not know: batch.size if the batch is larger, and half of it otherwise. A part may pass this
  // limit only with its first record, so the first part never holds all records, and splitting comes to an end.
  const std::int64_t limit = std::min<std::int64_t>(std::max(config_.batch_size, 1), whole.plain_bytes() / 2);
  const absl::StatusOr<wire::RecordBatchView> view = wire::RecordBatchView::Parse(whole.bytes());
  KT_CHECK(view.ok());
  Decompressor decompressor;
  std::string decompressed;
  const absl::StatusOr<std::string_view> records =
      view->PlainRecords(decompressor, static_cast<std::size_t>(whole.plain_bytes()), decompressed);
  KT_CHECK(records.ok());
  wire::RecordReader reader(*view, *records);
  std::vector<ProducerBatch*> parts;
  for (const RecordSlot& slot : whole.slots_) {
    const wire::RecordView* record = reader.Next();
    KT_CHECK(record != nullptr);
    const auto append = [&] {
      return parts.back()->TryAppend(WallTime::FromMillis(record->timestamp_ms), record->key, record->value,
                                     record->headers, slot.callback);
    };
    const auto record_bytes = static_cast<std::int64_t>(record->size_bytes);
    const bool within_limit = !parts.empty() && parts.back()->plain_bytes() + record_bytes <= limit;
    if (within_limit && append()) continue;
    const auto bound =
        static_cast<std::int64_t>(wire::RecordBatchUpperBound(record->key, record->value, record->headers));
    parts.push_back(&StartPart(whole, limit, bound));
    const bool appended = append();
    KT_CHECK(appended);
  }
  return parts;
}

int RecordAccumulator::Split(ProducerBatch& batch) {
  KT_CHECK(batch.state() == BatchState::kInFlight && batch.record_count() > 1);
  const std::vector<ProducerBatch*> parts = MoveIntoParts(batch);
  KT_CHECK(parts.size() > 1);
  std::vector<BatchResult::Part> results;
  std::vector<PartitionSequences::Part> numbered;
  std::int32_t first_index = 0;
  for (ProducerBatch* part : parts) {
    part->Seal();
    numbered.push_back({.batch = part->id(), .records = part->record_count()});
    results.push_back({.first_index = first_index, .result = part->ShareResult()});
    first_index += part->record_count();
    observer_.OnBatchCreated(part->View());
  }
  observer_.OnBatchSplit(batch.View(), static_cast<std::int32_t>(parts.size()));
  batch.queue_->topic.compression().GiveUp(batch.size_bytes() * CompressionEstimate::kNoGain / batch.plain_bytes());
  {
    PartitionQueue& queue = *batch.queue_;
    if (config_.idempotent) queue.sequences.Split(batch.id(), numbered);
    MutexLock lock(queue.mutex);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) InsertInOrder(queue, **part);
    registry_.Activate(queue);
  }
  batch.MoveTo(BatchState::kSplit);
  batch.result_->CloseSplit(std::move(results));
  registry_.Remove(batch);
  batch.LetGo();
  return static_cast<int>(parts.size());
}

void RecordAccumulator::Abort(ProducerBatch& batch, const absl::Status& reason) {
  TakeOutOfQueue(batch);
  BatchOutcome outcome;
  outcome.status = reason;
  End(batch, BatchState::kAborted, std::move(outcome));
}

void RecordAccumulator::AbortUndrained(const absl::Status& reason) {
  for (ProducerBatch* batch : registry_.CreatedUpTo(Instant::Never()).batches) {
    // A batch is encoded when it is drained for the first time.
    if (batch->bytes().empty()) Abort(*batch, reason);
  }
}

void RecordAccumulator::AbortIncomplete(const absl::Status& reason) {
  for (ProducerBatch* batch : registry_.CreatedUpTo(Instant::Never()).batches) Abort(*batch, reason);
}

}  // namespace ktrial
