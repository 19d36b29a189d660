// What applications do, as data. Everything here runs on application threads that make plain blocking calls on a real
// Producer.
//
// A thread is named; workloads and calls that name the same thread share it and run in the order in which they fall
// due. What falls due while the thread is blocked is done afterwards, as fast as it can; nothing is skipped.
#ifndef SIM_WORKLOAD_WORKLOAD_SPEC_H_
#define SIM_WORKLOAD_WORKLOAD_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/env/clock.h"
#include "core/types.h"
#include "sim/fault/fault_spec.h"
#include "sim/fault/selector.h"

namespace ktrial::sim {

// So many events in so much time: "1000/s" is {1000, 1 s}.
struct Rate {
  std::int64_t count = 0;
  Duration per = std::chrono::seconds(1);
};

// Sizes in bytes, drawn uniformly for each record. A value carries its record's identity and so has 8 bytes at least.
struct SizeRange {
  static constexpr std::int32_t kSmallest = 8;
  std::int32_t min = 100;
  std::int32_t max = 100;
  constexpr SizeRange() = default;
  constexpr SizeRange(std::int32_t bytes) : min(bytes), max(bytes) {}  // NOLINT: one size is the common case.
  constexpr SizeRange(std::int32_t from, std::int32_t to) : min(from), max(to) {}
};

// What the callback of each record does, on the sender's thread, besides being counted.
struct CallbackAction {
  enum class Kind : std::uint8_t {
    kNothing,
    kSend,  // One more record of the same workload, whose own callback does nothing.
    kFlush,
    kClose,
    kThrow,  // Throws std::runtime_error.
    kBlock,  // Keeps the thread for `block`.
  };
  Kind kind = Kind::kNothing;
  Duration block{0};
};

enum class Arrival : std::uint8_t { kEven, kPoisson };
enum class AfterLastSend : std::uint8_t { kNothing, kFlush, kClose };

// What was read to make the records of a transaction: by which group, and of which topic every partition.
struct ConsumedSpec {
  std::string group = {};
  std::string topic = {};
};

// A workload whose records are sent in transactions, one after the other. Its producer has a transactional.id.
struct TransactionsSpec {
  std::int64_t records = 1;                  // Of each transaction; the last may have fewer.
  std::int64_t abort_every = 0;              // Of so many transactions the last one is aborted; 0: none.
  std::optional<ConsumedSpec> offsets = {};  // Sent when a transaction has its records: as many as were sent.
};

struct WorkloadSpec {
  std::string producer =
      {};  // Empty: the only one. Of one with instances: such a workload for each, on threads "NAME-1",
           // "NAME-2", ...
  std::string thread = {};   // Empty: "app-N", N from 1. Also what where = { workload = ... } names.
  TopicSelector topic = {};  // Several: in turn. "any": drawn for each record.
  std::optional<PartitionSelector> partition = {};  // As topic. None: the producer's partitioner decides.

  // At most one of the two. Neither: as fast as Send returns.
  std::optional<Rate> rate = {};            // Arrivals at start, start + 1/rate, ... before stop; or a Poisson process.
  std::optional<std::int64_t> closed = {};  // Keeps so many records outstanding.
  Arrival arrival = Arrival::kEven;
  std::optional<std::int64_t> count = {};  // Ends after so many.
  Duration start{0};
  std::optional<Duration> stop = {};  // None: the world's duration.

  std::optional<std::int64_t> key_cardinality = {};  // None: no key. Keys are "0" ... "N-1", drawn uniformly.
  SizeRange value = {};
  CallbackAction on_callback = {};
  std::optional<TransactionsSpec> transactions = {};
  AfterLastSend then = AfterLastSend::kNothing;
};

// --- One call at a time of your choice ---
struct FlushCall {
  std::optional<Duration> timeout = {};
};
struct SendCall {
  std::string topic = {};
  std::optional<PartitionIndex> partition = {};
  std::optional<std::string> key = {};
  std::optional<std::string> value = {};  // None: 100 bytes. The identity is put in front of it.
};
struct CloseCall {
  std::optional<Duration> timeout = {};
};
struct PartitionsForCall {
  std::string topic = {};
};

// InitTransactions comes before the first of a producer.
struct BeginCall {};
struct CommitCall {};
struct AbortCall {};
struct SendOffsetsCall {
  ConsumedSpec consumed = {};
  std::int64_t offset = 0;  // In each partition.
};

struct CallSpec {
  DurationRange at = {};
  std::string producer = {};  // As above: with instances, the call is made on each.
  std::string thread = {};    // Empty: a thread of its own, "call-N".
  std::variant<FlushCall, SendCall, CloseCall, PartitionsForCall, BeginCall, CommitCall, AbortCall, SendOffsetsCall>
      call = {};
};

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_WORKLOAD_SPEC_H_
