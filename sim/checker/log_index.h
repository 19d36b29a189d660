// LogIndex joins what applications sent (History) with what stands in the logs: for each record, how often and where.
// It is built once after a run, in one pass over the logs, and serves the checkers and the metrics `lost`, `duplicates`
// and `reordered`. Two bytes a record.
#ifndef SIM_CHECKER_LOG_INDEX_H_
#define SIM_CHECKER_LOG_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/checker/checker.h"
#include "sim/checker/history.h"

namespace ktrial::sim {

// What is known of one record's place in the logs.
//
// A topic that is deleted takes its logs away, on purpose: what had been acknowledged by then was kept, and what was
// not may come again in a topic of the same name, which is another log. So copies are counted for each of the two apart.
struct RecordPlace {
  std::uint8_t copies = 0;           // In all logs that are there at the end; saturates.
  std::uint8_t removed : 6 = 0;      // The most that one log of a deleted topic had; saturates.
  bool at_acked_offset : 1 = false;  // One copy is, or was, where the acknowledgement said.
  bool late : 1 = false;  // Its first append in a log came after that of a record of its stream that was sent later.

  bool is_anywhere() const { return copies > 0 || removed > 0; }
  // That one reader could have seen.
  int most_copies() const { return std::max<int>(copies, removed); }
};
static_assert(sizeof(RecordPlace) == 2);

class LogIndex {
 public:
  // Both outlive the index.
  LogIndex(const History& history, std::span<const PartitionEvidence> partitions);

  RecordPlace at(const RecordStream& stream, std::int64_t index) const {
    return places_[stream.index()][static_cast<std::size_t>(index)];
  }
  // Records in the logs that no stream sent, and identities that cannot be.
  std::int64_t foreign_records() const { return foreign_records_; }
  // Without those of deleted topics.
  std::int64_t log_records() const { return log_records_; }

  // Whether some record of any stream is late in a partition (an index into what the index was built of).
  bool HasDisorder(std::size_t partition) const;
  // How many pairs of records, both of one stream and both chosen by `counts`, were first appended to their partition
  // in the order opposite to that of Send.
  std::int64_t ReorderedPairs(const std::function<bool(const RecordEntry&)>& counts) const;

 private:
  void Scan(std::size_t number);

  const History& history_;
  const std::span<const PartitionEvidence> partitions_;
  std::vector<std::vector<RecordPlace>> places_;  // By stream, by index.
  // Partitions and streams in which some record is late; few, so pairs are only counted there.
  struct Disorder {
    std::size_t partition;
    std::size_t stream;
    friend auto operator<=>(const Disorder&, const Disorder&) = default;
  };
  std::vector<Disorder> disorders_;
  std::int64_t foreign_records_ = 0;
  std::int64_t log_records_ = 0;
};

// The number of pairs i < j with numbers[i] > numbers[j]. Sorts `numbers`.
std::int64_t CountInversions(std::vector<std::int64_t>& numbers);

}  // namespace ktrial::sim

#endif  // SIM_CHECKER_LOG_INDEX_H_
