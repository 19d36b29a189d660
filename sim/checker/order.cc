// order: acknowledged records of one thread are first appended to their partition in the order in which they were sent,
// where the configuration promises so (one request in flight, or idempotence; acks=0 promises nothing). And the offset
// that an acknowledgement names is one where the record is, whatever the configuration.
//
// Where a topic was made again its leader has never heard of the producer, and takes whatever number comes first
// (KIP-360): maybe not that of the oldest batch in flight. The producer hears of it when that one is refused, and sends
// it again in a new epoch. So between what such a log begins with in the middle, and the next epoch, no order is
// promised.
//
// Failed records do not count: bytes that the network held back may be appended long after their batch has expired and
// others have overtaken it.
#include <utility>
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
      if (evidence.index->HasDisorder(i)) JudgePartition(evidence, i, sink);
    }
  }

 private:
  // What a log has of one stream so far.
  struct Seen {
    std::int64_t latest = -1;    // acknowledged record
    std::vector<bool> records;   // by index
    bool begun = false;          // there is any
    bool in_the_middle = false;  // and the first was none to begin with
    ProducerEpoch epoch = kNoProducerEpoch;
  };

  // Whether a topic of that name had been deleted when this one was made.
  static bool IsMadeAgain(const Evidence& evidence, std::size_t number) {
    const PartitionEvidence& partition = evidence.partitions[number];
    for (std::size_t i = 0; i < evidence.partitions.size(); ++i) {
      const PartitionEvidence& other = evidence.partitions[i];
      if (!other.deleted || other.topic != partition.topic || other.partition != partition.partition) continue;
      // They stand there in the order in which they were deleted.
      if (!partition.deleted || i < number) return true;
    }
    return false;
  }

  static void JudgeOffsets(const Evidence& evidence, const RecordStream& stream, ViolationSink& sink) {
    for (std::int64_t i = 0; i < stream.size(); ++i) {
      const RecordEntry& entry = stream.at(i);
      const RecordPlace place = evidence.index->at(stream, i);
      if (entry.state != RecordState::kAcked || entry.offset == RecordEntry::kNoOffset) continue;
      if (!place.is_anywhere() || place.at_acked_offset) continue;  // Of what is nowhere `loss` speaks.
      sink.Report(Instant::FromNanos(entry.completed_nanos), [&] {
        return fmt::format("{} is in the log, but not at the acknowledged offset",
                           Describe(*evidence.history, stream, i));
      });
    }
  }

  static void Follow(const LogBatch& batch, bool made_again, Seen& seen) {
    if (!std::exchange(seen.begun, true)) seen.in_the_middle = made_again && batch.base_sequence > Sequence(0);
    if (std::exchange(seen.epoch, batch.producer_epoch) == batch.producer_epoch) return;
    if (batch.base_sequence == Sequence(0) && std::exchange(seen.in_the_middle, false)) seen.latest = -1;
  }

  static void JudgePartition(const Evidence& evidence, std::size_t number, ViolationSink& sink) {
    const PartitionEvidence& partition = evidence.partitions[number];
    const History& history = *evidence.history;
    const bool made_again = IsMadeAgain(evidence, number);
    std::vector<Seen> seen(history.streams().size());  // By stream.
    for (const LogBatch& batch : partition.log->batches()) {
      for (const RecordId id : partition.log->IdentitiesOf(batch)) {
        const History::Position position = history.Locate(id);
        if (position.index < 0) continue;
        const RecordStream& stream = *history.streams()[position.stream];
        const RecordEntry& entry = stream.at(position.index);
        if (!PromisesOrder(evidence.producers[static_cast<std::size_t>(stream.info().producer)])) continue;
        Seen& here = seen[position.stream];
        Follow(batch, made_again, here);
        here.records.resize(static_cast<std::size_t>(stream.size()));
        if (entry.state != RecordState::kAcked || here.records[static_cast<std::size_t>(position.index)]) continue;
        here.records[static_cast<std::size_t>(position.index)] = true;
        if (position.index > here.latest) {
          here.latest = position.index;
          continue;
        }
        sink.Report(batch.appended, [&] {
          return fmt::format("{} was appended after record {}, which was sent later",
                             Describe(history, stream, position.index), here.latest);
        });
      }
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeOrderChecker() { return std::make_unique<OrderChecker>(); }

}  // namespace ktrial::sim
