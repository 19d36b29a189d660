// PartitionLog is what one partition holds, in the compact form that checkers need: for each record 8 bytes that
// identify it (record_identity.h), for each batch where it lies and where it came from. The bytes themselves are kept
// only if asked for, so that a world with millions of records stays small.
//
// There is one log for a partition and not one for each replica: what a follower has not copied yet is the tail beyond
// an offset that the cluster knows (cluster.h), and a change of leader cuts that tail off.
//
// A log can be told to misbehave (PlantedBug), for scenarios that must fail; it never does so on its own.
//
// Not thread-safe: only the loop of the brokers uses it while that runs; checkers read it afterwards, or on the same
// thread.
#ifndef SIM_BROKER_PARTITION_LOG_H_
#define SIM_BROKER_PARTITION_LOG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "sim/broker/record_identity.h"

namespace ktrial::sim {

// What stands in a batch. All but records is the brokers' own: it takes offsets and has no identities.
enum class BatchKind : std::uint8_t {
  kRecords,
  kOffsets,      // of a group of consumers, part of a transaction
  kAbortMarker,  // the end of a transaction
  kCommitMarker,
};

// A batch as it stands in the log.
struct LogBatch {
  Offset base_offset;
  std::int32_t record_count = 0;
  std::int32_t bytes = 0;           // as it came over the wire
  std::int64_t first_identity = 0;  // index into the log's identities
  Instant appended;                 // on the brokers' clock
  LeaderEpoch leader_epoch;
  ConnectionId connection;  // where it came from; two batches of one connection came in this order
  ProducerId producer_id = kNoProducerId;
  ProducerEpoch producer_epoch = kNoProducerEpoch;
  Sequence base_sequence = kNoSequence;
  std::int64_t max_timestamp_ms = -1;  // as it stands in the log: of its latest record, or of its append
  bool transactional = false;
  BatchKind kind = BatchKind::kRecords;
  // The batch, offset and epoch filled in as a broker stores them; a message set as it came. Empty unless kept.
  std::string raw;
};

// What a log does wrong on purpose.
enum class PlantedBug : std::uint8_t {
  kNone,
  kLoseAppends,  // every append gets its offset and is then forgotten: a hole
  kSwapAppends,  // of every two appends the later one comes to stand before the earlier; the answers say otherwise
};

class PartitionLog {
 public:
  PartitionLog() = default;
  PartitionLog(const PartitionLog&) = delete;
  PartitionLog& operator=(const PartitionLog&) = delete;

  // Appends a batch of `identities.size()` records (at least one) and returns the base offset that the answer names.
  // `batch` gives what is not the log's to decide; base_offset, record_count and first_identity are set here. What is no
  // records comes without identities and takes one offset.
  Offset Append(LogBatch batch, std::span<const RecordIdentity> identities);

  // Forgets all records at `end` and beyond and returns how many they were. New appends continue at `end`.
  std::int64_t TruncateTo(Offset end);

  // Readers find nothing before `start` any more, as when retention or a DeleteRecords has been there. What stands there
  // stays known to checkers: whoever was acknowledged was not lied to. False, and nothing changed, unless it lies behind
  // the present start and not behind the end.
  bool DeleteBefore(Offset start);
  Offset start_offset() const { return start_offset_; }
  Offset end_offset() const { return end_offset_; }  // of the next append
  // In offset order, deleted ones included. Without planted bugs they join without a gap from 0 to end_offset().
  std::span<const LogBatch> batches() const { return batches_; }
  std::span<const RecordIdentity> IdentitiesOf(const LogBatch& batch) const;
  // The record at an offset; none beyond the end or in a hole.
  std::optional<RecordIdentity> IdentityAt(Offset offset) const;
  std::int64_t record_count() const { return static_cast<std::int64_t>(identities_.size()); }
  std::int64_t truncated_records() const { return truncated_records_; }  // over the log's life

  void Plant(PlantedBug bug);
  std::int64_t planted_effects() const { return planted_effects_; }  // appends lost, pairs swapped

 private:
  static std::int64_t IdentityCount(const LogBatch& batch) {
    return batch.kind == BatchKind::kRecords ? batch.record_count : 0;
  }
  void SwapWithPrevious();
  void RebuildIdentities();

  std::vector<LogBatch> batches_;
  std::vector<RecordIdentity> identities_;
  Offset start_offset_{0};
  Offset end_offset_{0};
  std::int64_t truncated_records_ = 0;
  PlantedBug planted_ = PlantedBug::kNone;
  std::int64_t planted_effects_ = 0;
  bool swap_partner_waits_ = false;  // kSwapAppends: the last batch is the first of a pair
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_PARTITION_LOG_H_
