// memory: the books of each producer's buffer pool. Never more than buffer.memory in use, never less than nothing,
// nothing once all records are complete, and nobody left waiting.
#include "fmt/format.h"
#include "sim/checker/checkers.h"
#include "sim/metrics/event_log.h"

namespace ktrial::sim {
namespace {

class MemoryChecker final : public Checker {
 public:
  std::string_view name() const override { return "memory"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    for (const EventRow& row : evidence.events->rows()) {
      if (row.kind != EventKind::kBufferUsed) continue;
      const ProducerEvidence& producer = evidence.producers[static_cast<std::size_t>(row.producer)];
      if (row.value >= 0 && row.value <= producer.buffer_memory) continue;
      sink.Report(Instant::FromNanos(row.at_nanos), [&] {
        return fmt::format("{} has {} bytes in use, of {}", producer.name, row.value, producer.buffer_memory);
      });
    }
    for (const ProducerEvidence& producer : evidence.producers) {
      if (!producer.closed) continue;  // Its records are still alive, which is `completion`'s to say.
      if (producer.buffer_used_at_end != 0) {
        sink.Report(evidence.end, [&] {
          return fmt::format("{} is closed with {} bytes in use", producer.name, producer.buffer_used_at_end);
        });
      }
      if (producer.waiters_at_end != 0) {
        sink.Report(evidence.end, [&] {
          return fmt::format("{} is closed with {} threads waiting for memory", producer.name, producer.waiters_at_end);
        });
      }
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeMemoryChecker() { return std::make_unique<MemoryChecker>(); }

}  // namespace ktrial::sim
