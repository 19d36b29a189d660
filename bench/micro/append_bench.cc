// What it costs the calling thread to append a record of 100 bytes to an open batch, with the real locks, and how often that
// allocates: counted, and expected to be never.
//
// An iteration fills one batch a partition and is timed, in CPU time of the thread, so that a busy machine does not count; emptying
// the batches, which is the sender's work, is not. The bare pieces of an append (a lock, the copy, the encoding) are measured in the
// same run, because this machine's speed is not yours.
#include <time.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "core/accumulator/record_accumulator.h"
#include "core/env/posix/posix_env.h"
#include "core/metadata/cluster.h"
#include "core/observer.h"
#include "core/wire/record_batch.h"
#include "tests/core/testing/counted_heap.h"

namespace ktrial {
namespace {

constexpr int kPartitions = 12;
// Records of 100 bytes in 16 KiB: the 110-byte encoding goes 148 times. The last two are left out, so no append closes a batch.
constexpr int kRecordsPerBatch = 146;
const std::string kValue(100, 'x');

std::shared_ptr<const Cluster> OneBroker() {
  Cluster::Parts parts;
  parts.nodes.push_back({.id = NodeId(1), .host = "broker", .port = 9092, .rack = {}});
  auto topic = std::make_shared<TopicInfo>();
  topic->name = "orders";
  for (int i = 0; i < kPartitions; ++i) {
    PartitionInfo partition;
    partition.index = PartitionIndex(i);
    partition.leader = partition.reported_leader = NodeId(1);
    topic->partitions.push_back(partition);
    topic->available.push_back(partition.index);
  }
  parts.topics.push_back(std::move(topic));
  return std::make_shared<const Cluster>(std::move(parts));
}

double CpuNanos() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// What a benchmark has measured so far.
struct Tally {
  double nanos = 0;
  std::int64_t records = 0;
  std::int64_t allocations = 0;

  void Report(benchmark::State& state, std::int64_t records_per_iteration) {
    state.SetItemsProcessed(records);
    state.counters["ns_per_record"] = nanos / static_cast<double>(records);
    state.counters["allocations_per_record"] = static_cast<double>(allocations) / static_cast<double>(records);
    state.counters["allocations_per_iteration"] =
        static_cast<double>(allocations * records_per_iteration) / static_cast<double>(records);
  }
};

// Runs `work`, which is `records` appends, as one iteration.
template <class Work>
void Measure(benchmark::State& state, Tally& tally, std::int64_t records, Work work) {
  const std::int64_t allocations_before = testing::HeapUseOfThisThread().allocations;
  const double start = CpuNanos();
  work();
  const double nanos = CpuNanos() - start;
  tally.allocations += testing::HeapUseOfThisThread().allocations - allocations_before;
  tally.nanos += nanos;
  tally.records += records;
  state.SetIterationTime(nanos * 1e-9);
}

void Count(void* context, const RecordMetadata&, const absl::Status&) { ++*static_cast<std::int64_t*>(context); }

class Bench {
 public:
  Bench()
      : env_(MakePosixEnv(1)),
        entropy_(env_->NewEntropy("bench")),
        cluster_(OneBroker()),
        accumulator_(
            {.buffer_memory = 64 << 20}, env_->threads(), env_->clock(), *entropy_, [this] { return cluster_; },
            NoObserver()) {}

  RecordAccumulator& accumulator() { return accumulator_; }
  Env& env() { return *env_; }
  std::int64_t called = 0;

  void Empty() {
    const Instant now = env_->clock().Now();
    const NodeId node(1);
    while (true) {
      const std::vector<NodeBatches> drained = accumulator_.Drain(cluster_, {&node, 1}, std::int64_t{1} << 40, now);
      if (drained.empty()) return;
      for (const BatchRef& batch : drained.front().batches) accumulator_.Finish(*batch, {});
    }
  }

 private:
  std::unique_ptr<Env> env_;
  std::unique_ptr<Entropy> entropy_;
  std::shared_ptr<const Cluster> cluster_;
  RecordAccumulator accumulator_;
};

NewRecord RecordFor(Bench& bench, std::int32_t partition, bool want_result) {
  NewRecord record;
  record.partition = PartitionIndex(partition);
  record.timestamp = bench.env().clock().WallNow();
  record.value = kValue;
  record.callback = {.function = &Count, .context = &bench.called};
  record.want_result = want_result;
  return record;
}

void AppendOne(benchmark::State& state, Bench& bench, TopicQueues& topic, std::int32_t partition, bool want_result) {
  auto result = bench.accumulator().Append(topic, RecordFor(bench, partition, want_result));
  if (!result.ok()) state.SkipWithError("an append failed");
  benchmark::DoNotOptimize(result);
}

// range(0): partitions in turn; range(1): whether each append gives a future, which is dropped at once.
void BM_AppendToOpenBatch(benchmark::State& state) {
  Bench bench;
  const auto partitions = static_cast<int>(state.range(0));
  const bool want_result = state.range(1) != 0;
  TopicQueues& topic = bench.accumulator().Topic("orders");
  const auto fill = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (int partition = 0; partition < partitions; ++partition)
        AppendOne(state, bench, topic, partition, want_result);
    }
  };
  for (int warm = 0; warm < 4; ++warm) {
    fill(kRecordsPerBatch);
    bench.Empty();
  }
  const std::int64_t records = (kRecordsPerBatch - 1) * partitions;
  Tally tally;
  for (auto _ : state) {
    fill(1);  // Opens the batches.
    Measure(state, tally, records, [&] { fill(kRecordsPerBatch - 1); });
    bench.Empty();
  }
  tally.Report(state, records);
}
BENCHMARK(BM_AppendToOpenBatch)
    ->ArgNames({"partitions", "futures"})
    ->Args({1, 0})
    ->Args({1, 1})
    ->Args({12, 0})
    ->UseManualTime();

// As above, without a partition, and with the opening of batches: the sticky choice is looked at twice for each record.
void BM_AppendUnassigned(benchmark::State& state) {
  Bench bench;
  TopicQueues& topic = bench.accumulator().Topic("orders");
  const std::int64_t records = kRecordsPerBatch * kPartitions;
  Tally tally;
  for (auto _ : state) {
    Measure(state, tally, records, [&] {
      for (int i = 0; i < records; ++i) AppendOne(state, bench, topic, kUnknownPartition.value(), false);
    });
    bench.Empty();
  }
  tally.Report(state, records);
}
BENCHMARK(BM_AppendUnassigned)->UseManualTime();

// The whole life of a record but the network: append, and the sender's drain, CRC, callbacks and recycling, on one thread.
void BM_AppendDrainFinish(benchmark::State& state) {
  Bench bench;
  TopicQueues& topic = bench.accumulator().Topic("orders");
  const std::int64_t records = kRecordsPerBatch * kPartitions;
  const auto cycle = [&] {
    for (int i = 0; i < records; ++i) AppendOne(state, bench, topic, i % kPartitions, false);
    bench.Empty();
  };
  for (int warm = 0; warm < 4; ++warm) cycle();
  Tally tally;
  for (auto _ : state) Measure(state, tally, records, cycle);
  tally.Report(state, records);
}
BENCHMARK(BM_AppendDrainFinish)->UseManualTime();

void BM_FindTopic(benchmark::State& state) {
  Bench bench;
  for (int i = 0; i < 1000; ++i) bench.accumulator().Topic("topic-" + std::to_string(i));
  for (auto _ : state) benchmark::DoNotOptimize(&bench.accumulator().Topic("topic-777"));
}
BENCHMARK(BM_FindTopic);

// --- The bare pieces ---

void BM_MutexPair(benchmark::State& state) {
  std::mutex mutex;
  for (auto _ : state) {
    mutex.lock();
    benchmark::ClobberMemory();
    mutex.unlock();
  }
}
BENCHMARK(BM_MutexPair);

void BM_Copy100Bytes(benchmark::State& state) {
  std::vector<char> buffer(16 * 1024);
  std::size_t at = 0;
  for (auto _ : state) {
    std::memcpy(buffer.data() + at, kValue.data(), kValue.size());
    benchmark::ClobberMemory();
    at = at + 220 < buffer.size() ? at + 110 : 0;
  }
}
BENCHMARK(BM_Copy100Bytes);

void BM_EncodeRecord(benchmark::State& state) {
  std::vector<char> buffer(16 * 1024);
  wire::RecordBatchBuilder builder(buffer);
  for (auto _ : state) {
    std::size_t size = builder.Append(1'700'000'000'000, std::nullopt, kValue, {});
    if (size == 0) builder = wire::RecordBatchBuilder(buffer);
    benchmark::DoNotOptimize(size);
  }
}
BENCHMARK(BM_EncodeRecord);

}  // namespace
}  // namespace ktrial

BENCHMARK_MAIN();
