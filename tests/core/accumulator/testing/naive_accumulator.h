// A record accumulator that is slow and obviously right: one list of batches, searched from its beginning for every question. For one
// thread, without memory limits, for small records without keys and headers. What the real one must agree with.
#ifndef TESTS_CORE_ACCUMULATOR_TESTING_NAIVE_ACCUMULATOR_H_
#define TESTS_CORE_ACCUMULATOR_TESTING_NAIVE_ACCUMULATOR_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {

class NaiveAccumulator {
 public:
  struct Partition {
    std::string topic;
    std::int32_t index = 0;
    friend auto operator<=>(const Partition&, const Partition&) = default;
  };
  struct Batch {
    int id = 0;
    Partition partition;
    std::vector<std::string> values;
    Instant created;
    std::int64_t capacity = 0;
    bool charged = true;
    bool closed = false;  // Takes no more records.
    bool in_flight = false;
    std::int32_t attempts = 0;
    Instant retry_at;
    std::int32_t epoch = -1;
    std::int32_t attempts_at_epoch = 0;
    std::int64_t Bytes() const;
  };
  struct Ready {
    std::set<std::int32_t> nodes;
    Instant next = Instant::Never();
    std::set<std::string> topics_without_leader;
  };

  explicit NaiveAccumulator(const WorldOptions& options) : options_(options) {}

  std::map<Partition, Leadership> leaders;
  std::set<Partition> muted;
  int flushes = 0;

  void Append(const Partition& partition, const std::string& value, Instant now);
  Ready GetReady(Instant now);
  // The ids of the batches.
  std::vector<int> Drain(std::int32_t node, std::int64_t max_bytes, Instant now);
  // In flight and queued, in order of creation; they are in no queue afterwards.
  std::vector<int> Expire(Instant now);
  Instant NextExpiry(Instant now) const;
  void Reenqueue(int id, Instant now);
  void Split(int id);
  void End(int id);

  const Batch& Get(int id) const;
  std::int64_t ChargedBytes() const;
  std::vector<int> Ids() const;

 private:
  Batch* Front(const Partition& partition);
  Batch* Find(int id);
  bool Full(const Batch& batch) const;
  bool BackingOff(Batch& batch, Instant now) const;
  std::vector<Batch*> QueueOf(const Partition& partition);

  const WorldOptions options_;
  int last_id_ = 0;
  std::vector<Batch> batches_;  // In order of creation, parts in the place of their whole.
  std::map<Partition, std::vector<int>> queues_;
  std::map<std::int32_t, Partition> drain_from_;
};

}  // namespace ktrial

#endif  // TESTS_CORE_ACCUMULATOR_TESTING_NAIVE_ACCUMULATOR_H_
