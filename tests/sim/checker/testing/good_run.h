// GoodRun is a small run in which every promise was kept: one producer, one stream of ten records to orders/0 in two
// batches, all acknowledged, in order, once. A test changes one fact of it and asks what the checkers say.
#ifndef TESTS_SIM_CHECKER_TESTING_GOOD_RUN_H_
#define TESTS_SIM_CHECKER_TESTING_GOOD_RUN_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/broker/group_offset.h"
#include "sim/broker/partition_log.h"
#include "sim/checker/checker.h"
#include "sim/checker/history.h"
#include "sim/checker/log_index.h"
#include "sim/metrics/event_log.h"

namespace ktrial::sim {

class GoodRun {
 public:
  static constexpr std::int64_t kRecords = 10;

  enum class Kind : std::uint8_t { kPlain, kOneTransaction };

  // With kOneTransaction all records are sent in one, which is open.
  explicit GoodRun(Kind kind = Kind::kPlain) {
    stream_ = &history.OpenStream({.workload = "app-1"});
    if (kind == Kind::kOneTransaction) history.TransactionBegun(0, At(0));
    const std::uint16_t topic = history.TopicIndex("orders");
    for (std::int64_t i = 0; i < kRecords; ++i) {
      RecordEntry* const entry = history.Call(*stream_, topic, At(i));
      history.Return(*entry, At(i), At(i));
      entries.push_back(entry);
      ids.push_back(stream_->id(i));
    }
    producer = {.name = "producer",
                .acks = -1,
                .max_in_flight = 1,
                .delivery_timeout = std::chrono::seconds(120),
                .retry_backoff = std::chrono::milliseconds(80),
                .reconnect_backoff = std::chrono::milliseconds(40),
                .buffer_memory = 1024,
                .closed = true};
  }

  // The i-th millisecond of the run.
  static Instant At(std::int64_t millis) { return Instant::FromNanos(1'000'000'000 + millis * 1'000'000); }

  void Append(std::vector<RecordId> records) { log.Append({.appended = At(50)}, records); }
  // To the log of a topic of the same name that is gone.
  void AppendToDeleted(std::vector<RecordId> records) { deleted_log.Append({.appended = At(40)}, records); }
  void AppendAll() {
    Append({ids.begin(), ids.begin() + 5});
    Append({ids.begin() + 5, ids.end()});
  }
  void Ack(std::int64_t i) { Ack(i, static_cast<std::int64_t>(i)); }
  void Ack(std::int64_t i, std::int64_t offset) {
    history.Complete(*entries[static_cast<std::size_t>(i)], At(100),
                     {.state = RecordState::kAcked, .partition = PartitionIndex(0), .offset = Offset(offset)});
  }
  void AckAll() {
    for (std::int64_t i = 0; i < kRecords; ++i) Ack(i);
  }
  void Fail(std::int64_t i, RecordState state) {
    history.Complete(*entries[static_cast<std::size_t>(i)], At(100),
                     {.state = state, .error = 7, .partition = PartitionIndex(0)});
  }

  // The checkers that object, each once, in their order.
  std::vector<std::string> Objections() {
    std::vector<std::string> names;
    for (const Violation& violation : Violations()) {
      if (names.empty() || names.back() != violation.checker) names.push_back(violation.checker);
    }
    return names;
  }
  std::vector<Violation> Violations() {
    partitions = {{"orders", PartitionIndex(0), &log}};
    if (!deleted_log.batches().empty()) partitions.push_back({"orders", PartitionIndex(0), &deleted_log, true});
    index.emplace(history, partitions);
    return JudgeAll({.history = &history,
                     .events = &events,
                     .index = &*index,
                     .producers = {producer},
                     .partitions = partitions,
                     .group_offsets = group_offsets,
                     .stall_budget = stall_budget,
                     .end = At(1000)});
  }

  History history;
  EventLog events;
  PartitionLog log;
  PartitionLog deleted_log;
  ProducerEvidence producer;
  std::vector<PartitionEvidence> partitions;
  std::vector<GroupOffset> group_offsets;
  std::optional<LogIndex> index;
  Duration stall_budget{0};
  std::vector<RecordEntry*> entries;
  std::vector<RecordId> ids;

 private:
  RecordStream* stream_ = nullptr;
};

}  // namespace ktrial::sim

#endif  // TESTS_SIM_CHECKER_TESTING_GOOD_RUN_H_
