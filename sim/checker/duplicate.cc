// duplicate: no record is in the log twice, where the configuration promises so (idempotence). Without it a retry after
// a lost answer may append again, and that is no fault of anybody. The log of a topic that was deleted and that of one
// of the same name are two.
#include "fmt/format.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"
#include "sim/checker/log_index.h"

namespace ktrial::sim {
namespace {

class DuplicateChecker final : public Checker {
 public:
  std::string_view name() const override { return "duplicate"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    for (const auto& stream : evidence.history->streams()) {
      if (!evidence.producers[static_cast<std::size_t>(stream->info().producer)].idempotent) continue;
      for (std::int64_t i = 0; i < stream->size(); ++i) {
        const RecordPlace place = evidence.index->at(*stream, i);
        if (place.most_copies() <= 1) continue;
        sink.Report(Instant::FromNanos(stream->at(i).completed_nanos), [&] {
          return fmt::format("{} is in the log {} times", Describe(*evidence.history, *stream, i), place.most_copies());
        });
      }
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeDuplicateChecker() { return std::make_unique<DuplicateChecker>(); }

}  // namespace ktrial::sim
