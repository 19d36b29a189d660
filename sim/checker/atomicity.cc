// atomicity: what a reader with isolation.level=read_committed sees of each transaction is all of it if it was committed,
// and nothing if it was aborted or never ended. Where nobody was told how it ended, all or nothing. And what was committed has
// only records that were acknowledged. The offsets of groups that were sent with it are part of it: they are what the group
// goes on from, together with the records, or not at all.
// What a topic had that was deleted before its marker came is as good as either.
//
// The reader is one who comes when everything has ended: what stands behind an open transaction, and is hidden from
// readers until that times out, counts as seen.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "sim/broker/partition_log.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"
#include "sim/checker/log_index.h"

namespace ktrial::sim {
namespace {

// By stream, by index: whether readers see the record.
using Seen = std::vector<std::vector<bool>>;

void Show(const History& history, std::span<const RecordIdentity> records, Seen& seen) {
  for (const RecordId id : records) {
    const History::Position position = history.Locate(id);
    if (position.index >= 0) seen[position.stream][static_cast<std::size_t>(position.index)] = true;
  }
}

void ReadPartition(const History& history, const PartitionLog& log, Seen& seen) {
  std::map<ProducerId, std::vector<RecordIdentity>> open;
  for (const LogBatch& batch : log.batches()) {
    switch (batch.kind) {
      case BatchKind::kRecords: {
        const std::span<const RecordIdentity> records = log.IdentitiesOf(batch);
        if (!batch.transactional) {
          Show(history, records, seen);
          break;
        }
        std::vector<RecordIdentity>& waiting = open[batch.producer_id];
        waiting.insert(waiting.end(), records.begin(), records.end());
        break;
      }
      case BatchKind::kCommitMarker:
        Show(history, open[batch.producer_id], seen);
        open.erase(batch.producer_id);
        break;
      case BatchKind::kAbortMarker:
        open.erase(batch.producer_id);
        break;
      case BatchKind::kOffsets:
        break;
    }
  }
}

class AtomicityChecker final : public Checker {
 public:
  std::string_view name() const override { return "atomicity"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    const History& history = *evidence.history;
    if (history.transactions().empty()) return;
    Seen seen;
    for (const auto& stream : history.streams()) seen.emplace_back(static_cast<std::size_t>(stream->size()));
    for (const PartitionEvidence& partition : evidence.partitions) ReadPartition(history, *partition.log, seen);
    const std::set<GroupOffset> counted(evidence.group_offsets.begin(), evidence.group_offsets.end());
    for (const TransactionEntry& transaction : history.transactions()) {
      const bool commits = Commits(history, transaction, seen, counted);
      JudgeRecords(evidence, transaction, seen, commits, sink);
      JudgeOffsets(transaction, counted, commits, sink);
    }
  }

 private:
  // What nobody knows the end of is judged by the first of it that somebody sees.
  static bool Commits(const History& history, const TransactionEntry& transaction, const Seen& seen,
                      const std::set<GroupOffset>& counted) {
    bool commits = transaction.outcome == TransactionOutcome::kCommitted;
    if (transaction.outcome != TransactionOutcome::kUncertain) return commits;
    history.ForEachRecord(transaction, [&](const RecordStream& stream, std::int64_t i) {
      commits = commits || seen[stream.index()][static_cast<std::size_t>(i)];
    });
    for (const GroupOffset& offset : transaction.offsets) commits = commits || counted.contains(offset);
    return commits;
  }

  static void JudgeOffsets(const TransactionEntry& transaction, const std::set<GroupOffset>& counted, bool commits,
                           ViolationSink& sink) {
    for (const GroupOffset& offset : transaction.offsets) {
      const bool counts = counted.contains(offset);
      if (counts == commits) continue;
      sink.Report(transaction.ended, [&] {
        return fmt::format("offset {} of group {} in {}-{} {}, and its transaction {}", offset.offset.value(),
                           offset.group, offset.partition.topic, offset.partition.partition.value(),
                           counts ? "counts" : "does not count", Ending(transaction.outcome));
      });
    }
  }

  static void JudgeRecords(const Evidence& evidence, const TransactionEntry& transaction, const Seen& seen,
                           bool commits, ViolationSink& sink) {
    const History& history = *evidence.history;
    history.ForEachRecord(transaction, [&](const RecordStream& stream, std::int64_t i) {
      const RecordEntry& entry = stream.at(i);
      const bool is_seen = seen[stream.index()][static_cast<std::size_t>(i)];
      if (entry.state == RecordState::kRefused) return;
      // A commit is the word that every record is there.
      if (transaction.outcome == TransactionOutcome::kCommitted && entry.state != RecordState::kAcked) {
        sink.Report(transaction.ended, [&] {
          return fmt::format("{} was not acknowledged, and its transaction was committed",
                             Describe(history, stream, i));
        });
        return;
      }
      if (is_seen == commits) return;
      // Its transaction ended when nobody could read it any more.
      const RecordPlace place = evidence.index->at(stream, i);
      if (!is_seen && place.removed > 0 && place.copies == 0) return;
      sink.Report(transaction.ended, [&] {
        return fmt::format("{} is {} by readers of committed records, and its transaction {}",
                           Describe(history, stream, i), is_seen ? "seen" : "not seen", Ending(transaction.outcome));
      });
    });
  }

  static std::string_view Ending(TransactionOutcome outcome) {
    switch (outcome) {
      case TransactionOutcome::kOpen:
        return "was never ended";
      case TransactionOutcome::kCommitted:
        return "was committed";
      case TransactionOutcome::kAborted:
        return "was aborted";
      case TransactionOutcome::kUncertain:
        break;
    }
    return "has something that is otherwise";
  }
};

}  // namespace

std::unique_ptr<Checker> MakeAtomicityChecker() { return std::make_unique<AtomicityChecker>(); }

}  // namespace ktrial::sim
