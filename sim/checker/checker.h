// A checker judges one promise of the producer over a finished run. Each is an object of its own in a file of its own,
// judges only what the run's configuration guarantees, and always runs. All of them work from Evidence, which is plain
// data: a test perturbs one fact of a good run and expects exactly one checker to object.
//
//   loss              what was acknowledged is in the log (acks=all; acks=1 but for what a leader change truncated), or
//                     was in that of a topic that is deleted
//   duplicate         at most one copy (idempotence only)
//   order             first appends in the order of Send (max.in.flight = 1 or idempotence); true offsets in answers
//   completion        each record completes exactly once, not after Close returned, and truly: what was never sent is
//                     not in the log
//   atomicity         of a transaction readers see all records or none, as its producer was told, and its offsets count or
//                     do not with them (transactions only)
//   delivery_timeout  no completion later than delivery.timeout.ms (+ slack for stalls) after Send returned
//   memory            the buffer pool's books: within buffer.memory, back to zero, nobody left waiting
//   request_rate      no hot loop: connects, metadata requests and attempts of a batch are as far apart as the backoffs
//                     say
#ifndef SIM_CHECKER_CHECKER_H_
#define SIM_CHECKER_CHECKER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/env/clock.h"
#include "core/types.h"
#include "sim/broker/group_offset.h"
#include "sim/checker/history.h"

namespace ktrial::sim {

class EventLog;      // sim/metrics/event_log.h
class LogIndex;      // sim/checker/log_index.h
class PartitionLog;  // sim/broker/partition_log.h

struct Violation {
  std::string checker;
  Instant at;        // When it became true, as well as the checker can tell; the end of the run otherwise.
  std::string text;  // One line, without a full stop.
};

// What the configuration of one producer promises.
struct ProducerEvidence {
  std::string name;
  std::int32_t acks = -1;
  std::int32_t max_in_flight = 5;
  bool idempotent = false;
  Duration delivery_timeout{0};
  Duration retry_backoff{0};      // Smallest possible distance, jitter included.
  Duration reconnect_backoff{0};  // As above.
  std::int64_t buffer_memory = 0;
  std::int64_t buffer_used_at_end = 0;
  std::int32_t waiters_at_end = 0;
  bool closed = false;  // Close returned in time.
};

// One partition's authoritative log at the end of the run, or when its topic was deleted. A topic that was made again
// has several for each of its partitions, those of deleted ones in the order in which they were.
struct PartitionEvidence {
  std::string topic;
  PartitionIndex partition;
  const PartitionLog* log = nullptr;
  bool deleted = false;
};

struct Evidence {
  const History* history = nullptr;
  const EventLog* events = nullptr;
  const LogIndex* index = nullptr;          // Of `history` and `partitions`.
  std::vector<ProducerEvidence> producers;  // By producer index.
  std::vector<PartitionEvidence> partitions;
  std::vector<GroupOffset> group_offsets;  // Those that were committed, in order.
  Duration stall_budget{0};                // How late a thread may have been because the schedule kept it from the CPU.
  Instant end;
};

// Where violations go. A checker reports at most `kViolationsPerChecker`, then how many more there were.
class ViolationSink {
 public:
  static constexpr int kViolationsPerChecker = 5;
  ViolationSink(std::string_view checker, Instant end, std::vector<Violation>& out)
      : checker_(checker), end_(end), out_(out) {}
  ~ViolationSink();
  ViolationSink(const ViolationSink&) = delete;
  ViolationSink& operator=(const ViolationSink&) = delete;
  // `text` is only asked for while texts are kept.
  void Report(Instant at, absl::FunctionRef<std::string()> text);

 private:
  const std::string_view checker_;
  const Instant end_;
  std::vector<Violation>& out_;
  std::int64_t count_ = 0;
};

class Checker {
 public:
  virtual ~Checker() = default;
  virtual std::string_view name() const = 0;
  virtual void Judge(const Evidence& evidence, ViolationSink& sink) const = 0;
};

// All of them, in the order of the table above.
std::vector<std::unique_ptr<Checker>> AllCheckers();
// The names that `[expect] violations` may hold. What the simulator's kernel finds by itself ("deadlock", "livelock",
// "invariant" for a failed KT_CHECK) is a violation too, but nothing that anyone may expect.
std::vector<std::string_view> CheckerNames();
// Runs all of them. In the order of AllCheckers.
std::vector<Violation> JudgeAll(const Evidence& evidence);

}  // namespace ktrial::sim

#endif  // SIM_CHECKER_CHECKER_H_
