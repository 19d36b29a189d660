#include <fmt/format.h>

#include <vector>

#include "scenarios/runner/run.h"
#include "scenarios/runner/trace_file.h"

namespace ktrial::scenario {
namespace {

std::uint64_t Fingerprint(const sim::TraceEvent& event) {
  std::uint64_t hash = sim::TraceHash(event.subject) ^ sim::TraceHash(event.text) * 3;
  for (const std::uint64_t word :
       {static_cast<std::uint64_t>(event.at.nanos()), static_cast<std::uint64_t>(event.kind), event.a, event.b}) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  }
  return hash;
}

// Keeps eight bytes of each event.
class Recorder : public sim::TraceSink {
 public:
  void OnTraceEvent(const sim::TraceEvent& event) override { prints_.push_back(Fingerprint(event)); }
  const std::vector<std::uint64_t>& prints() const { return prints_; }

 private:
  std::vector<std::uint64_t> prints_;
};

// Stops listening at the first event that is not the recorded one, and keeps what it was.
class Comparer : public sim::TraceSink {
 public:
  explicit Comparer(const std::vector<std::uint64_t>& prints) : prints_(prints) {}
  void OnTraceEvent(const sim::TraceEvent& event) override {
    if (differs_) return;
    if (count_ < prints_.size() && prints_[count_] == Fingerprint(event)) {
      ++count_;
      return;
    }
    differs_ = true;
    AppendTraceLine(event, line_);
  }
  bool differs() const { return differs_ || count_ != prints_.size(); }
  std::size_t count() const { return count_; }  // of events that agree
  const std::string& line() const { return line_; }

 private:
  const std::vector<std::uint64_t>& prints_;
  std::size_t count_ = 0;
  bool differs_ = false;
  std::string line_;
};

// Keeps one event, by its place among those that a sink is told.
class Finder : public sim::TraceSink {
 public:
  explicit Finder(std::size_t place) : place_(place) {}
  void OnTraceEvent(const sim::TraceEvent& event) override {
    if (count_++ == place_) AppendTraceLine(event, line_);
  }
  const std::string& line() const { return line_; }

 private:
  const std::size_t place_;
  std::size_t count_ = 0;
  std::string line_;
};

absl::StatusOr<std::string> ShowFirstDifference(const Scenario& scenario, std::uint64_t seed) {
  Recorder recorder;
  Comparer comparer(recorder.prints());
  for (sim::TraceSink* sink : {static_cast<sim::TraceSink*>(&recorder), static_cast<sim::TraceSink*>(&comparer)}) {
    const absl::StatusOr<RunReport> run = RunScenario(scenario, {.seed = seed, .trace = sink});
    if (!run.ok()) return run.status();
  }
  if (!comparer.differs()) return std::string("the difference did not show again in two more runs");
  Finder finder(comparer.count());
  const absl::StatusOr<RunReport> run = RunScenario(scenario, {.seed = seed, .trace = &finder});
  if (!run.ok()) return run.status();
  return fmt::format("event {} is the first that differs\n  one run    {}\n  another    {}", comparer.count(),
                     finder.line().empty() ? "(over)" : finder.line(),
                     comparer.line().empty() ? "(over)" : comparer.line());
}

}  // namespace

absl::StatusOr<std::string> CheckDeterminism(const Scenario& scenario, const RunReport& first) {
  const absl::StatusOr<RunReport> second = RunScenario(scenario, {.seed = first.seed});
  if (!second.ok()) return second.status();
  if (second->result.hash == first.result.hash) return std::string();
  return ShowFirstDifference(scenario, first.seed);
}

}  // namespace ktrial::scenario
