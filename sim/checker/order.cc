// order: acknowledged records of one thread are first appended to their partition in the order in which they were sent,
// where the configuration promises so (one request in flight, or idempotence; acks=0 promises nothing). And the offset
// that an acknowledgement names is one where the record is, whatever the configuration.
//
// Failed records do not count: bytes that the network held back may be appended long after their batch has expired and
// others have overtaken it.
#include <vector>

#include "fmt/format.h"
#include "sim/broker/partition_log.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"
#include "sim/checker/log_index.h"

namespace ktrial::sim {
namespace {

bool PromisesOrder(const ProducerEvidence& producer) {
  return producer.acks != 0 && (producer.idempotent || producer.max_in_flight == 1);
}

class OrderChecker final : public Checker {
 public:
  std::string_view name() const override { return "order"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    for (const auto& stream : evidence.history->streams()) {
      const ProducerEvidence& producer = evidence.producers[static_cast<std::size_t>(stream->info().producer)];
      if (producer.acks != 0) JudgeOffsets(evidence, *stream, sink);
    }
    for (std::size_t i = 0; i < evidence.partitions.size(); ++i) {
      if (evidence.index->HasDisorder(i)) JudgePartition(evidence, evidence.partitions[i], sink);
    }
  }

 private:
  static void JudgeOffsets(const Evidence& evidence, const RecordStream& stream, ViolationSink& sink) {
    for (std::int64_t i = 0; i < stream.size(); ++i) {
      const RecordEntry& entry = stream.at(i);
      const RecordPlace place = evidence.index->at(stream, i);
      if (entry.state != RecordState::kAcked || entry.offset == RecordEntry::kNoOffset) continue;
      if (place.copies == 0 || place.at_acked_offset) continue;  // Of 0 copies `loss` speaks.
      sink.Report(Instant::FromNanos(entry.completed_nanos), [&] {
        return fmt::format("{} is in the log, but not at the acknowledged offset",
                           Describe(*evidence.history, stream, i));
      });
    }
  }

  static void JudgePartition(const Evidence& evidence, const PartitionEvidence& partition, ViolationSink& sink) {
    const History& history = *evidence.history;
    // By stream: the latest acknowledged record that this log has so far, and which records it has.
    std::vector<std::int64_t> latest(history.streams().size(), -1);
    std::vector<std::vector<bool>> seen(history.streams().size());
    for (const LogBatch& batch : partition.log->batches()) {
      for (const RecordId id : partition.log->IdentitiesOf(batch)) {
        const History::Position position = history.Locate(id);
        if (position.index < 0) continue;
        const RecordStream& stream = *history.streams()[position.stream];
        const RecordEntry& entry = stream.at(position.index);
        if (!PromisesOrder(evidence.producers[static_cast<std::size_t>(stream.info().producer)])) continue;
        auto& seen_here = seen[position.stream];
        seen_here.resize(static_cast<std::size_t>(stream.size()));
        if (entry.state != RecordState::kAcked || seen_here[static_cast<std::size_t>(position.index)]) continue;
        seen_here[static_cast<std::size_t>(position.index)] = true;
        std::int64_t& newest = latest[position.stream];
        if (position.index > newest) {
          newest = position.index;
          continue;
        }
        sink.Report(batch.appended, [&] {
          return fmt::format("{} was appended after record {}, which was sent later",
                             Describe(history, stream, position.index), newest);
        });
      }
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeOrderChecker() { return std::make_unique<OrderChecker>(); }

}  // namespace ktrial::sim
