#include "sim/checker/checker.h"

#include "core/check.h"
#include "fmt/format.h"
#include "sim/checker/checkers.h"
#include "sim/checker/describe.h"

namespace ktrial::sim {

std::string Describe(const History& history, const RecordStream& stream, std::int64_t index) {
  const RecordEntry& entry = stream.at(index);
  std::string text = fmt::format("record {} of {} to {}", index, stream.info().workload, history.topics()[entry.topic]);
  if (entry.partition != RecordEntry::kNoPartition) text += fmt::format("/{}", entry.partition);
  if (entry.offset != RecordEntry::kNoOffset) text += fmt::format(" (offset {})", entry.offset);
  return text;
}

ViolationSink::~ViolationSink() {
  if (count_ <= kViolationsPerChecker) return;
  out_.push_back({std::string(checker_), end_, fmt::format("and {} more", count_ - kViolationsPerChecker)});
}

void ViolationSink::Report(Instant at, absl::FunctionRef<std::string()> text) {
  if (++count_ > kViolationsPerChecker) return;
  out_.push_back({std::string(checker_), at, text()});
}

std::vector<std::unique_ptr<Checker>> AllCheckers() {
  std::vector<std::unique_ptr<Checker>> checkers;
  checkers.push_back(MakeLossChecker());
  checkers.push_back(MakeDuplicateChecker());
  checkers.push_back(MakeOrderChecker());
  checkers.push_back(MakeCompletionChecker());
  checkers.push_back(MakeAtomicityChecker());
  checkers.push_back(MakeDeliveryTimeoutChecker());
  checkers.push_back(MakeMemoryChecker());
  checkers.push_back(MakeRequestRateChecker());
  return checkers;
}

std::vector<std::string_view> CheckerNames() {
  std::vector<std::string_view> names;
  for (const auto& checker : AllCheckers()) names.push_back(checker->name());
  return names;
}

std::vector<Violation> JudgeAll(const Evidence& evidence) {
  std::vector<Violation> violations;
  for (const auto& checker : AllCheckers()) {
    ViolationSink sink(checker->name(), evidence.end, violations);
    checker->Judge(evidence, sink);
  }
  return violations;
}

}  // namespace ktrial::sim
