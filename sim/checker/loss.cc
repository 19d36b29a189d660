// loss: a record that was acknowledged is in the log at the end, or was in that of its topic when this was deleted.
//
// With acks=all always. With acks=1 the leader alone had to have it, so as many may be missing from a partition as a
// change of leader cut off its log. With acks=0 nothing was promised.
#include <map>
#include <utility>

#include "fmt/format.h"
#include "sim/broker/partition_log.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"
#include "sim/checker/log_index.h"

namespace ktrial::sim {
namespace {

class LossChecker final : public Checker {
 public:
  std::string_view name() const override { return "loss"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    // What acks=1 may lose, by (topic, partition).
    std::map<std::pair<std::string_view, std::int32_t>, std::int64_t> losable;
    for (const PartitionEvidence& partition : evidence.partitions) {
      losable[{partition.topic, partition.partition.value()}] += partition.log->truncated_records();
    }
    for (const auto& stream : evidence.history->streams()) {
      const ProducerEvidence& producer = evidence.producers[static_cast<std::size_t>(stream->info().producer)];
      if (producer.acks == 0) continue;
      for (std::int64_t i = 0; i < stream->size(); ++i) {
        const RecordEntry& entry = stream->at(i);
        if (entry.state != RecordState::kAcked || evidence.index->at(*stream, i).is_anywhere()) continue;
        if (producer.acks == 1) {
          const auto cut = losable.find({evidence.history->topics()[entry.topic], entry.partition});
          if (cut != losable.end() && cut->second > 0) {
            --cut->second;
            continue;
          }
        }
        sink.Report(Instant::FromNanos(entry.completed_nanos), [&] {
          return fmt::format("{} was acknowledged and is not in the log", Describe(*evidence.history, *stream, i));
        });
      }
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeLossChecker() { return std::make_unique<LossChecker>(); }

}  // namespace ktrial::sim
