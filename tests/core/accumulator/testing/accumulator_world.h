// A RecordAccumulator with a hand-driven clock, scripted draws and a cluster of the test's making, and a short way to say things:
//
//   AccumulatorWorld world({.batch_size = 200});
//   world.Append("orders", 0, "a");
//   EXPECT_THAT(world.Ready().nodes, ElementsAre(NodeId(1)));
#ifndef TESTS_CORE_ACCUMULATOR_TESTING_ACCUMULATOR_WORLD_H_
#define TESTS_CORE_ACCUMULATOR_TESTING_ACCUMULATOR_WORLD_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/accumulator/record_accumulator.h"
#include "core/env/posix/posix_env.h"
#include "core/metadata/cluster.h"
#include "tests/core/accumulator/testing/manual_doors.h"

namespace ktrial {

struct Leadership {
  std::int32_t node = 0;  // Negative: nobody leads.
  std::int32_t epoch = -1;
};
// Leaders by partition, for each topic. Nodes 1 to 4 exist.
using Leaderships = std::map<std::string, std::vector<Leadership>>;
std::shared_ptr<const Cluster> MakeCluster(const Leaderships& topics);

// What the callback of one record was told.
struct Told {
  std::string value;  // The record's.
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp = 0;
  std::int32_t key_bytes = 0;
  std::int32_t value_bytes = 0;
  wire::ErrorCode error = wire::ErrorCode::kNone;
  std::string message;
};

// What a test may set; defaults make small, round batches.
struct WorldOptions {
  std::int32_t batch_size = 200;
  std::int64_t buffer_memory = 10'000;
  bool incremental_allocation = false;
  Duration linger = Millis(5);
  Duration delivery_timeout = Millis(1000);
  Duration retry_backoff = Millis(100);
  Duration retry_backoff_max = Millis(400);
  bool adaptive_partitioning = true;
  Duration partition_availability_timeout{};
  Codec codec = Codec::kNone;
  BatchCallback on_batch;
  BufferPool::HeapFunction heap = nullptr;
};

class AccumulatorWorld {
 public:
  explicit AccumulatorWorld(const WorldOptions& options = {});

  void SetCluster(const Leaderships& topics) { cluster = MakeCluster(topics); }
  absl::StatusOr<AppendResult> TryAppend(std::string_view topic, std::int32_t partition, std::string_view value);
  // Must be accepted.
  AppendResult Append(std::string_view topic, std::int32_t partition, std::string_view value);
  void Advance(Duration length) { clock.now = clock.now + length; }

  ReadyNodes Ready() { return accumulator->Ready(cluster, clock.now); }
  // Drains one node.
  std::vector<BatchRef> Drain(std::int32_t node, std::int64_t max_request_bytes = 1'000'000);
  // Drains the nodes 1 and 2.
  std::vector<NodeBatches> DrainAll(std::int64_t max_request_bytes = 1'000'000) {
    return accumulator->Drain(cluster, std::vector{NodeId(1), NodeId(2)}, max_request_bytes, clock.now);
  }
  ExpiredBatches Expire() { return accumulator->Expire(clock.now); }
  void Succeed(ProducerBatch& batch, std::int64_t base_offset);
  void Fail(ProducerBatch& batch, wire::ErrorCode code);
  std::int64_t used_bytes() const;

  ManualClock clock;
  ScriptedEntropy entropy;
  std::unique_ptr<Env> env = MakePosixEnv(1);  // Its threads and locks only.
  NotingObserver observer;
  std::shared_ptr<const Cluster> cluster;
  std::vector<Told> told;  // In the order of the callbacks.
  std::unique_ptr<RecordAccumulator> accumulator;

 private:
  struct Context {
    AccumulatorWorld* world;
    std::string value;
  };
  static void OnRecord(void* context, const RecordMetadata& metadata, const absl::Status& status);
  std::vector<std::unique_ptr<Context>> contexts_;
};

// "orders/0 a,b" for each batch: its partition and the values of its records.
std::vector<std::string> Contents(const std::vector<BatchRef>& batches);
std::vector<std::string> ValuesOf(const ProducerBatch& batch);

}  // namespace ktrial

#endif  // TESTS_CORE_ACCUMULATOR_TESTING_ACCUMULATOR_WORLD_H_
