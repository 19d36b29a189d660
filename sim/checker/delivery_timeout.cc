// delivery_timeout: an accepted record completes within delivery.timeout.ms after Send returned. The producer looks at
// its clock once a turn of its loop, so kLoopSlack is on top, and whatever the schedule kept its threads from the CPU.
#include "fmt/format.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"

namespace ktrial::sim {
namespace {

// An expired batch is found by the loop's next turn, for which the loop sets itself no timer of its own when the batch
// is in flight: it wakes for the request timeout, a backoff or an answer.
constexpr Duration kLoopSlack = std::chrono::seconds(1);

class DeliveryTimeoutChecker final : public Checker {
 public:
  std::string_view name() const override { return "delivery_timeout"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    for (const auto& stream : evidence.history->streams()) {
      const ProducerEvidence& producer = evidence.producers[static_cast<std::size_t>(stream->info().producer)];
      const Duration allowed = producer.delivery_timeout + kLoopSlack + evidence.stall_budget;
      for (std::int64_t i = 0; i < stream->size(); ++i) {
        const RecordEntry& entry = stream->at(i);
        if (entry.completions == 0 || entry.state == RecordState::kRefused) continue;  // The others are `completion`'s.
        const Duration took(entry.completed_nanos - entry.returned_nanos);
        if (took <= allowed) continue;
        sink.Report(Instant::FromNanos(entry.completed_nanos), [&] {
          return fmt::format("{} completed {} ms after Send, with delivery.timeout.ms={}",
                             Describe(*evidence.history, *stream, i), took.count() / 1'000'000,
                             producer.delivery_timeout.count() / 1'000'000);
        });
      }
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeDeliveryTimeoutChecker() { return std::make_unique<DeliveryTimeoutChecker>(); }

}  // namespace ktrial::sim
