#include "core/accumulator/partition_sequences.h"

#include <algorithm>
#include <limits>

#include "core/check.h"

namespace ktrial {
namespace {

// What is in flight spans far less than half of all sequences, so the shorter way round tells which comes first.
constexpr bool IsBefore(Sequence first, Sequence second) {
  constexpr std::uint32_t kHalf = 1U << 30;
  const std::uint32_t way = (static_cast<std::uint32_t>(second.value()) - static_cast<std::uint32_t>(first.value())) &
                            static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
  return way != 0 && way < kHalf;
}

// Until one batch of an epoch is acknowledged, the next one waits for it. A broker that has never seen the producer id takes any
// first number, so it would not notice the gap:
//   1. batches 7 and 8 are on their way to broker 2, which is still becoming leader;
//   2. it refuses 7 with NOT_LEADER_OR_FOLLOWER, finishes becoming leader, and appends 8;
//   3. 7 comes again and is out of order, for ever. Under a new epoch it is appended behind 8, and 8, if its answer was lost,
//      a second time.
// What all replicas in sync have acknowledged leaves no leader that has not heard of the id. Exactly at the wrap of the numbers
// this is true once more than it need be, which costs a round trip.
constexpr bool NothingIsAcknowledged(Sequence acknowledged_end) { return acknowledged_end == Sequence(0); }

}  // namespace

std::size_t PartitionSequences::Find(BatchId batch) const {
  const auto found = std::ranges::find(in_flight_, batch, &Entry::batch);
  return found == in_flight_.end() ? kNone : static_cast<std::size_t>(found - in_flight_.begin());
}

PartitionSequences::Entry PartitionSequences::Remove(std::size_t index) {
  const Entry removed = in_flight_[index];
  in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
  if (index < before_gap_) --before_gap_;
  // A broker may remember it, whatever became of it.
  if (index > 0) in_flight_[index - 1].ended_behind += 1 + removed.ended_behind;
  return removed;
}

void PartitionSequences::AddGap(std::size_t index) {
  before_gap_ = has_gap_ ? std::min(before_gap_, index) : index;
  has_gap_ = true;
}

bool PartitionSequences::MayDrain(BatchId batch, const ProducerIdAndEpoch& current, std::size_t max_in_flight) const {
  const std::size_t index = Find(batch);
  // While something is sent again, it goes alone and in order; behind a gap nothing would be accepted.
  if (index != kNone) return index == 0 && (!has_gap_ || before_gap_ > 0);
  if (!current.is_valid() || is_troubled()) return false;
  if (in_flight_.empty()) return true;
  if (NothingIsAcknowledged(acknowledged_end_)) return false;
  std::size_t window = in_flight_.size();
  for (const Entry& entry : in_flight_) window += entry.ended_behind;
  return owner_ == current && window < max_in_flight;
}

PartitionSequences::Numbers PartitionSequences::Drain(BatchId batch, std::int32_t records,
                                                      const ProducerIdAndEpoch& current) {
  std::size_t index = Find(batch);
  if (index == kNone) {
    if (owner_ != current) {
      KT_CHECK(in_flight_.empty() && !is_troubled());
      owner_ = current;
      next_ = acknowledged_end_ = Sequence(0);
    }
    index = in_flight_.size();
    in_flight_.push_back({.batch = batch, .base = next_, .records = records});
    next_ = AdvanceSequence(next_, records);
  }
  Entry& entry = in_flight_[index];
  KT_CHECK(!entry.on_wire && entry.records == records);
  entry.on_wire = true;
  return {.owner = owner_, .base = entry.base};
}

void PartitionSequences::Return(BatchId batch) {
  const std::size_t index = Find(batch);
  KT_CHECK(index != kNone && in_flight_[index].on_wire);
  in_flight_[index].on_wire = false;
}

void PartitionSequences::RefuseForGap(BatchId batch) {
  if (Find(batch) == 0) AddGap(0);
}

void PartitionSequences::Acknowledge(BatchId batch) {
  const std::size_t index = Find(batch);
  if (index == kNone) return;
  const Entry entry = Remove(index);
  const Sequence end = AdvanceSequence(entry.base, entry.records);
  if (IsBefore(acknowledged_end_, end)) acknowledged_end_ = end;  // SN-24
}

void PartitionSequences::DropAbsent(BatchId batch) {
  const std::size_t index = Find(batch);
  if (index == kNone) return;
  Remove(index);
  AddGap(index);
}

void PartitionSequences::DropUnresolved(BatchId batch) {
  const std::size_t index = Find(batch);
  if (index == kNone) return;
  Remove(index);
  unresolved_ = true;
}

void PartitionSequences::Split(BatchId batch, std::span<const Part> parts) {
  const std::size_t index = Find(batch);
  KT_CHECK(index != kNone);
  const Entry whole = in_flight_[index];
  std::vector<Entry> entries;
  Sequence base = whole.base;
  for (const Part& part : parts) {
    entries.push_back({.batch = part.batch, .base = base, .records = part.records});
    base = AdvanceSequence(base, part.records);
  }
  KT_CHECK(base == AdvanceSequence(whole.base, whole.records));
  entries.back().ended_behind = whole.ended_behind;
  const auto place = in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
  in_flight_.insert(place, entries.begin(), entries.end());
  if (index < before_gap_) before_gap_ += entries.size() - 1;
}

bool PartitionSequences::NeedsRestart() {
  if (unresolved_ && in_flight_.empty()) {
    unresolved_ = false;
    // If the last number that was given away is in the log, so is every one before it.
    if (acknowledged_end_ != next_) {
      AddGap(0);
      gap_may_be_filled_ = true;
    }
  }
  const bool on_wire = std::ranges::any_of(in_flight_, &Entry::on_wire);
  return has_gap_ && before_gap_ == 0 && !on_wire;
}

bool PartitionSequences::Rewind() {
  if (!in_flight_.empty() || unresolved_ || gap_may_be_filled_) return false;
  next_ = acknowledged_end_;
  has_gap_ = false;
  return true;
}

void PartitionSequences::Restart(const ProducerIdAndEpoch& owner) {
  KT_CHECK(NeedsRestart() && owner.is_valid() && owner != owner_);
  owner_ = owner;
  next_ = acknowledged_end_ = Sequence(0);
  for (Entry& entry : in_flight_) {
    entry.base = next_;
    entry.ended_behind = 0;
    next_ = AdvanceSequence(next_, entry.records);
  }
  has_gap_ = false;
  unresolved_ = false;
  gap_may_be_filled_ = false;
}

}  // namespace ktrial
