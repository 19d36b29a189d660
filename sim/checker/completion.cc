// completion: every record that was given to Send completes exactly once, not after Close has returned, and truly: what
// failed without ever having been in a request, or was refused by Send, is in no log.
//
// What failed after it had been sent may be in the log or not: nobody can know, and the checker does not ask.
#include "fmt/format.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"
#include "sim/checker/log_index.h"

namespace ktrial::sim {
namespace {

class CompletionChecker final : public Checker {
 public:
  std::string_view name() const override { return "completion"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    for (const auto& stream : evidence.history->streams()) {
      for (std::int64_t i = 0; i < stream->size(); ++i) JudgeRecord(evidence, *stream, i, sink);
    }
    if (const std::int64_t late = evidence.history->completions_after_close(); late > 0) {
      sink.Report(evidence.end, [&] { return fmt::format("{} completions after Close had returned", late); });
    }
  }

 private:
  static void JudgeRecord(const Evidence& evidence, const RecordStream& stream, std::int64_t i, ViolationSink& sink) {
    const RecordEntry& entry = stream.at(i);
    const auto describe = [&] { return Describe(*evidence.history, stream, i); };
    if (entry.completions == 0) {
      sink.Report(evidence.end, [&] {
        return fmt::format("{}: {}", describe(),
                           entry.returned_nanos == 0 ? "Send had not returned when the run ended"
                                                     : "not completed when the run ended");
      });
    } else if (entry.completions > 1) {
      sink.Report(Instant::FromNanos(entry.completed_nanos),
                  [&] { return fmt::format("{} completed {} times", describe(), entry.completions); });
    }
    if (entry.state != RecordState::kUnsent && entry.state != RecordState::kRefused) return;
    if (!evidence.index->at(stream, i).is_anywhere()) return;
    sink.Report(Instant::FromNanos(entry.completed_nanos), [&] {
      return fmt::format("{} {} and is in the log", describe(),
                         entry.state == RecordState::kRefused ? "was refused by Send" : "failed without being sent");
    });
  }
};

}  // namespace

std::unique_ptr<Checker> MakeCompletionChecker() { return std::make_unique<CompletionChecker>(); }

}  // namespace ktrial::sim
