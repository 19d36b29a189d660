#include "core/accumulator/producer_batch.h"

#include <algorithm>
#include <utility>

#include "core/accumulator/compression_estimate.h"
#include "core/accumulator/partition_queue.h"
#include "core/accumulator/topic_queues.h"
#include "core/check.h"

namespace ktrial {

static_assert(!CanMove(BatchState::kSucceeded, BatchState::kSealed));
static_assert(!CanMove(BatchState::kFilling, BatchState::kInFlight), "a batch that is sent takes no more records");

BatchRef::BatchRef(ProducerBatch& batch) : batch_(&batch) { ++batch.holds_; }

BatchRef::~BatchRef() {
  if (batch_ != nullptr) batch_->LetGo();
}

ProducerBatch::~ProducerBatch() {
  if (result_ != nullptr) result_->Release(result_stake_);
}

void ProducerBatch::Start(std::uint64_t id, PartitionQueue& queue, PoolBuffer buffer, bool charged, Instant created,
                          Threads& threads, BatchRecycler& recycler) {
  KT_CHECK(holds_ == 0 && !in_queue_ && !incomplete_);
  id_ = id;
  queue_ = &queue;
  state_ = BatchState::kFilling;
  buffer_ = std::move(buffer);
  builder_ = wire::RecordBatchBuilder(buffer_.bytes());
  full_bytes_ = buffer_.size;
  slots_.clear();
  if (result_ != nullptr && !result_->ReuseIfUnshared(result_stake_)) {
    result_->Release(result_stake_);
    result_ = nullptr;
  }
  if (result_ == nullptr) result_ = &BatchResult::New(threads);
  result_stake_ = BatchResult::kStake;
  charged_ = charged;
  bytes_ = {};
  limit_bytes_ = 0;
  plain_bytes_ = 0;
  producer_ = {};
  attempts_ = 0;
  holds_ = 1;  // The accumulator's.
  created_ = created;
  drained_ = created;
  retry_at_ = created;
  leader_epoch_ = kUnknownEpoch;
  attempts_at_leader_change_ = 0;
  recycler_ = &recycler;
}

PoolBuffer ProducerBatch::Retire() {
  KT_CHECK(holds_ == 0 && IsFinal(state_) && !in_queue_ && !incomplete_);
  builder_ = wire::RecordBatchBuilder();
  bytes_ = {};
  return std::exchange(buffer_, PoolBuffer());
}

void ProducerBatch::LetGo() {
  KT_CHECK(holds_ > 0);
  if (--holds_ == 0) recycler_->Recycle(*this);
}

std::string_view ProducerBatch::topic() const { return queue_->topic.name(); }
PartitionIndex ProducerBatch::partition() const { return queue_->partition; }

BatchView ProducerBatch::View() const {
  return {.id = id_,
          .topic = topic(),
          .partition = partition(),
          .record_count = record_count(),
          .bytes = static_cast<std::int32_t>(builder_.size_bytes()),
          .plain_bytes = static_cast<std::int32_t>(plain_bytes()),
          .capacity = static_cast<std::int32_t>(full_bytes_),
          .attempts = attempts_,
          .created = created_};
}

void ProducerBatch::MoveTo(BatchState next) {
  KT_CHECK(CanMove(state_, next));
  state_ = next;
}

std::int64_t ProducerBatch::EstimatedBytes() const {
  constexpr auto kHeader = static_cast<std::int64_t>(wire::kRecordBatchHeaderBytes);
  return kHeader + CompressionEstimate::Compressed(gathered_bytes() - kHeader, ratio_);
}

// AC-03: the new record counts in full, as nothing is known of it. The first one always fits.
bool ProducerBatch::FitsCompressed(const std::optional<std::string_view>& key,
                                   const std::optional<std::string_view>& value,
                                   std::span<const wire::HeaderView> headers) const {
  if (record_count() == 0) return true;
  const auto bound = wire::RecordBatchUpperBound(key, value, headers) - wire::kRecordBatchHeaderBytes;
  return EstimatedBytes() + static_cast<std::int64_t>(bound) <= limit_bytes_;
}

std::int64_t ProducerBatch::BufferToGrowInto(const std::optional<std::string_view>& key,
                                             const std::optional<std::string_view>& value,
                                             std::span<const wire::HeaderView> headers) const {
  if (limit_bytes_ > 0 && !FitsCompressed(key, value, headers)) return 0;
  const auto bound = wire::RecordBatchUpperBound(key, value, headers) - wire::kRecordBatchHeaderBytes;
  const std::int64_t most = gathered_bytes() + static_cast<std::int64_t>(bound);
  const std::int64_t least = most - static_cast<std::int64_t>(wire::kRecordOverheadBytesMax);
  if (buffer_.size >= full_bytes_ || least > full_bytes_) return 0;
  return std::min(std::max(2 * buffer_.size, most), full_bytes_);
}

PoolBuffer ProducerBatch::GrowInto(PoolBuffer buffer) {
  KT_CHECK(filling() && charged_ && buffer.size > buffer_.size && buffer.size <= full_bytes_);
  builder_.MoveTo(buffer.bytes());
  return std::exchange(buffer_, std::move(buffer));
}

std::int64_t ProducerBatch::Compress(Compressor& compressor) {
  KT_CHECK(!compression_is_over() && bytes_.empty());
  constexpr auto kHeader = static_cast<std::int64_t>(wire::kRecordBatchHeaderBytes);
  plain_bytes_ = gathered_bytes();
  limit_bytes_ = 0;
  builder_.Compress(compressor);
  return (gathered_bytes() - kHeader) * CompressionEstimate::kNoGain / (plain_bytes_ - kHeader);
}

void ProducerBatch::SetProducer(const wire::BatchProducer& producer) {
  if (producer_ == producer) return;
  producer_ = producer;
  bytes_ = {};
}

void ProducerBatch::Encode() {
  // A retry sends the same bytes; only other numbers change them.
  if (bytes_.empty()) bytes_ = builder_.Close(producer_);
}

void ProducerBatch::ObserveLeaderEpoch(LeaderEpoch epoch) {
  if (epoch == kUnknownEpoch || epoch <= leader_epoch_) return;
  leader_epoch_ = epoch;
  attempts_at_leader_change_ = attempts_;
}

bool ProducerBatch::BackingOff(Instant now) const {
  // A new leader may be tried at once, but only once: if it refuses as well, the backoff counts (AC-15).
  const bool new_leader = attempts_ == attempts_at_leader_change_;
  return attempts_ > 0 && !new_leader && now < retry_at_;
}

int ProducerBatch::RunCallbacks(const BatchOutcome& outcome, BatchCallback on_batch) const {
  int thrown = 0;
  const auto call = [&thrown](auto&& function, auto&&... arguments) {
    try {
      function(arguments...);
    } catch (...) {
      ++thrown;
    }
  };
  if (on_batch.function != nullptr) {
    const BatchReport report{.topic = topic(),
                             .partition = partition(),
                             .base_offset = outcome.base_offset,
                             .status = &outcome.status,
                             .records = slots_};
    call(on_batch.function, on_batch.context, report);
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const RecordSlot& slot = slots_[i];
    if (slot.callback.function == nullptr) continue;
    const auto index = static_cast<std::int32_t>(i);
    const absl::Status& status = outcome.StatusOf(index);
    RecordMetadata metadata{.topic = topic(), .partition = partition()};
    if (status.ok()) {
      metadata.offset = outcome.OffsetOf(index);
      metadata.timestamp = outcome.log_append_time.value_or(slot.timestamp);
      metadata.key_bytes = slot.key_bytes;
      metadata.value_bytes = slot.value_bytes;
    }
    call(slot.callback.function, slot.callback.context, metadata, status);
  }
  return thrown;
}

}  // namespace ktrial
