#include "sim/broker/partition_log.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"

namespace ktrial::sim {
namespace {

// The two fields of a batch that are the broker's (WP-13).
constexpr std::size_t kBaseOffsetAt = 0;
constexpr std::size_t kLeaderEpochAt = 12;

}  // namespace

Offset PartitionLog::Append(LogBatch batch, std::span<const RecordIdentity> identities) {
  KT_CHECK(identities.empty() == (batch.kind != BatchKind::kRecords));
  const Offset base = end_offset_;
  batch.record_count = std::max(static_cast<std::int32_t>(identities.size()), 1);
  end_offset_ = Offset(base.value() + batch.record_count);
  if (planted_ == PlantedBug::kLoseAppends) {
    ++planted_effects_;
    return base;
  }
  batch.base_offset = base;
  batch.first_identity = static_cast<std::int64_t>(identities_.size());
  if (!batch.raw.empty() && wire::PeekMagic(batch.raw) == 2) {
    KT_CHECK(batch.raw.size() >= wire::kRecordBatchHeaderBytes);
    wire::StoreBigEndian(batch.raw.data() + kBaseOffsetAt, base.value());
    wire::StoreBigEndian(batch.raw.data() + kLeaderEpochAt, batch.leader_epoch.value());
  }
  batches_.push_back(std::move(batch));
  identities_.insert(identities_.end(), identities.begin(), identities.end());
  if (planted_ == PlantedBug::kSwapAppends) {
    if (swap_partner_waits_) SwapWithPrevious();
    swap_partner_waits_ = !swap_partner_waits_;
  }
  return base;
}

void PartitionLog::SwapWithPrevious() {
  LogBatch& second = batches_[batches_.size() - 1];
  LogBatch& first = batches_[batches_.size() - 2];
  std::swap(first, second);
  std::swap(first.base_offset, second.base_offset);  // positions stay, contents change places
  second.base_offset = Offset(first.base_offset.value() + first.record_count);
  ++planted_effects_;
}

std::int64_t PartitionLog::TruncateTo(Offset end) {
  KT_CHECK(end.value() >= 0);
  if (end >= end_offset_) return 0;
  std::int64_t removed = 0;
  while (!batches_.empty() && batches_.back().base_offset >= end) {
    removed += batches_.back().record_count;
    batches_.pop_back();
  }
  // Batches are whole on every replica. A cut inside one can only follow a swap, whose pair then goes together.
  if (!batches_.empty() && batches_.back().base_offset.value() + batches_.back().record_count > end.value()) {
    removed += batches_.back().record_count;
    batches_.pop_back();
  }
  // Swapping moves batches and leaves their identities where they were written.
  if (removed > 0) RebuildIdentities();
  end_offset_ = end;
  start_offset_ = std::min(start_offset_, end);
  truncated_records_ += removed;
  swap_partner_waits_ = false;
  return removed;
}

void PartitionLog::RebuildIdentities() {
  std::int64_t kept = 0;
  bool in_order = true;
  for (const LogBatch& batch : batches_) {
    in_order = in_order && batch.first_identity == kept;
    kept += IdentityCount(batch);
  }
  if (in_order) {
    identities_.resize(static_cast<std::size_t>(kept));
    return;
  }
  std::vector<RecordIdentity> identities;
  identities.reserve(static_cast<std::size_t>(kept));
  for (LogBatch& batch : batches_) {
    const std::span<const RecordIdentity> old = IdentitiesOf(batch);
    batch.first_identity = static_cast<std::int64_t>(identities.size());
    identities.insert(identities.end(), old.begin(), old.end());
  }
  identities_ = std::move(identities);
}

std::span<const RecordIdentity> PartitionLog::IdentitiesOf(const LogBatch& batch) const {
  return std::span(identities_)
      .subspan(static_cast<std::size_t>(batch.first_identity), static_cast<std::size_t>(IdentityCount(batch)));
}

std::optional<RecordIdentity> PartitionLog::IdentityAt(Offset offset) const {
  auto after = std::ranges::upper_bound(batches_, offset, {}, &LogBatch::base_offset);
  if (after == batches_.begin()) return std::nullopt;
  const LogBatch& batch = *std::prev(after);
  const std::int64_t index = offset.value() - batch.base_offset.value();
  if (index >= IdentityCount(batch)) return std::nullopt;
  return identities_[static_cast<std::size_t>(batch.first_identity + index)];
}

bool PartitionLog::DeleteBefore(Offset start) {
  if (start <= start_offset_ || start > end_offset_) return false;
  start_offset_ = start;
  return true;
}

void PartitionLog::Plant(PlantedBug bug) {
  planted_ = bug;
  swap_partner_waits_ = false;
}

}  // namespace ktrial::sim
