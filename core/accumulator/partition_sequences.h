// PartitionSequences numbers the batches of one partition for an idempotent producer, and knows which of them are on
// their way (AC-21, AC-22, SN-20 to SN-27).
//
// The broker appends the batches of one producer id and epoch in the order of their sequences, each once: a batch whose
// number it has seen is not appended again, and one that would leave a gap is refused. So a number must never be used for
// other records once a broker may have seen it, and a gap must end: by the batch that is missing, sent again; or by a
// restart, when it will never come. A restart begins at 0 under another epoch.
//
//   in flight, by sequence:   [ 7 | 8 | 9 | 10 ]   next: 11
//     7 is refused for good:  [ | 8 | 9 | 10 ]     a gap that stays: 8, 9 and 10 are refused, one after the other
//     8, 9, 10 came back:     restart              they go again as 0, 1, 2, and nothing behind them has been drained
//
// Chosen on purpose where others renumber at once (SN-25): a restart waits until no batch of the partition is on the wire
// and those in front of the gap are resolved. A batch whose answer is lost could be in the log already, and its copy
// with a new number would be appended a second time. And every batch that was sent and then given up counts as
// unresolved, also in its first flight (SN-27).
//
// And no new batch is drained while it would push one that is still in flight out of what a broker remembers, the last
// five batches of a producer: one whose answer is lost, while those behind it went to a new leader and were acknowledged,
// would be refused as out of order when it comes again, and nobody could tell whether it is in the log.
//
// Pure data: no time, no threads, no memory but its own. Batches are named by their id. Thread safety: none; the sender
// thread.
#ifndef CORE_ACCUMULATOR_PARTITION_SEQUENCES_H_
#define CORE_ACCUMULATOR_PARTITION_SEQUENCES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/sequence.h"
#include "core/types.h"

namespace ktrial {

class PartitionSequences {
 public:
  using BatchId = std::uint64_t;

  // What a batch is sent as.
  struct Numbers {
    ProducerIdAndEpoch owner;
    Sequence base = kNoSequence;
  };
  struct Part {
    BatchId batch = 0;
    std::int32_t records = 0;
  };

  // True if the batch at the head of the queue may be drained (AC-21, SN-23). `current` is what a new batch would be
  // numbered for; at most `max_in_flight` batches, no more than brokers remember, are in flight or behind one that is.
  bool MayDrain(BatchId batch, const ProducerIdAndEpoch& current, std::size_t max_in_flight) const;
  // MayDrain was true. The batch goes on the wire with these numbers; it is given some if it has none (AC-22).
  Numbers Drain(BatchId batch, std::int32_t records, const ProducerIdAndEpoch& current);

  // --- What became of a batch that was drained ---

  // An answer, or the end of its connection: it is not on the wire any more, and will be sent again.
  void Return(BatchId batch);
  // Refused because of a gap in front of it. If nothing that could fill it is in flight, only a restart helps.
  void RefuseForGap(BatchId batch);
  // It is in the log.
  void Acknowledge(BatchId batch);
  // It was given up, and is not in the log.
  void DropAbsent(BatchId batch);
  // It was given up, and may be in the log. Until that is clear no new batch is drained. A batch that has no numbers is
  // no loss: nothing happens.
  void DropUnresolved(BatchId batch);
  // Its records go on in these batches, which take over its numbers in order (AC-29).
  void Split(BatchId batch, std::span<const Part> parts);

  // --- Restarts ---

  // Nothing but Restart lets this partition go on. Also finds out that what was unresolved no longer is.
  bool NeedsRestart();
  // NeedsRestart may become true without anything new happening here but the end of what is in flight.
  bool is_troubled() const { return has_gap_ || unresolved_; }
  // Without another epoch: the numbers of what is certainly missing are given away again. False, and nothing happens, if
  // something may be in the log, or is in flight (SN-26).
  bool Rewind();
  // All batches in flight are numbered anew from 0, in their order. NeedsRestart is true.
  void Restart(const ProducerIdAndEpoch& owner);

  // --- To look at ---

  // A gap in front of this batch stays.
  bool IsBehindGap(BatchId batch) const { return has_gap_ && Knows(batch) && Find(batch) >= before_gap_; }
  // One in front of it is in flight, and may yet fill what is missing.
  bool WaitsForOthers(BatchId batch) const { return Knows(batch) && Find(batch) > 0 && !IsBehindGap(batch); }

  // All numbers before those of this batch, which is in flight, are acknowledged.
  bool ContinuesTheLog(BatchId batch) const {
    return Knows(batch) && in_flight_[Find(batch)].base == acknowledged_end_;
  }

  bool Knows(BatchId batch) const { return Find(batch) != kNone; }
  // Both are known; `first` has the lower numbers.
  bool Precedes(BatchId first, BatchId second) const { return Find(first) < Find(second); }
  const ProducerIdAndEpoch& owner() const { return owner_; }
  Sequence next() const { return next_; }
  std::size_t in_flight_count() const { return in_flight_.size(); }
  bool unresolved() const { return unresolved_; }

 private:
  struct Entry {
    BatchId batch = 0;
    Sequence base;
    std::int32_t records = 0;
    bool on_wire = false;
    std::size_t ended_behind = 0;  // Batches between this one and the next that are not in flight any more.
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t Find(BatchId batch) const;
  Entry Remove(std::size_t index);
  // A gap in front of in_flight_[index].
  void AddGap(std::size_t index);

  ProducerIdAndEpoch owner_;
  Sequence next_{0};
  Sequence acknowledged_end_{0};  // Behind the last record, in sequence order, that is known to be in the log.
  std::vector<Entry> in_flight_;  // Drained and neither acknowledged nor dropped; by sequence.
  bool has_gap_ = false;
  std::size_t before_gap_ = 0;  // With a gap: how many of in_flight_ are in front of it.
  bool unresolved_ = false;
  bool gap_may_be_filled_ = false;  // With a gap: what seems to be missing may be in the log after all.
};

}  // namespace ktrial

#endif  // CORE_ACCUMULATOR_PARTITION_SEQUENCES_H_
