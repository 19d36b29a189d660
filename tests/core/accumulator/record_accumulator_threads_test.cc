// Several threads that send, one that is the sender, one that flushes, and a close in the end, in schedules of the simulator's making:
// whatever comes before what, each accepted record ends once, in order, and all memory comes back.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "core/wire/status.h"
#include "gtest/gtest.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/sim_threads.h"
#include "sim/trace/trace.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

constexpr int kAppenders = 3;
constexpr int kRecordsEach = 60;

class ThreadsWorld {
 public:
  ThreadsWorld(std::uint64_t seed, sim::StallMode stalls)
      : kernel_({.seed = seed, .stalls = stalls}, trace_),
        clock_(kernel_, "client", WallTime()),
        entropy_(kernel_, "client"),
        cluster_(MakeCluster({{"t", {{1}, {2}, {1}}}})),
        draws_(kernel_.NewStream("test", "plan")),
        accumulator_(
            {.batch_size = 150,
             .buffer_memory = 1000,
             .linger = Millis(1),
             .delivery_timeout = Millis(40),
             .retry_backoff = Millis(2),
             .retry_backoff_max = Millis(2)},
            kernel_.threads(), clock_, entropy_, [this] { return cluster_; }, NoObserver()) {}

  void Run() {
    Threads& threads = kernel_.threads();
    std::vector<std::unique_ptr<Thread>> handles;
    for (int i = 0; i < kAppenders; ++i) handles.push_back(threads.Spawn("appender", [this, i] { Append(i); }));
    handles.push_back(threads.Spawn("sender", [this] { Send(); }));
    handles.push_back(threads.Spawn("flusher", [this] { Flush(); }));
    const sim::KernelResult result = kernel_.Run();
    if (result.end != sim::KernelEnd::kIdle) kernel_.Abandon();
    ASSERT_EQ(result.end, sim::KernelEnd::kIdle) << result.text;
    for (const auto& handle : handles) handle->Join(Instant());
    for (const auto& record : records_) EXPECT_EQ(record->ends, record->accepted ? 1 : 0);
    EXPECT_FALSE(accumulator_.HasIncomplete());
    EXPECT_FALSE(accumulator_.HasUndrained());
    const BufferPoolStats stats = accumulator_.buffer_pool_stats();
    EXPECT_EQ(stats.available_bytes, stats.total_bytes);
  }
  std::int64_t accepted() const { return accepted_; }

 private:
  struct Record {
    ThreadsWorld* world = nullptr;
    int ends = 0;
    bool accepted = false;
  };
  static void OnRecord(void* context, const RecordMetadata&, const absl::Status&) {
    ++static_cast<Record*>(context)->ends;
  }
  void Sleep(std::int64_t micros, Site site) {
    kernel_.threads().SleepUntil(clock_.Now() + std::chrono::microseconds(micros), site);
  }

  void Append(int appender) {
    for (int i = 0; i < kRecordsEach; ++i) {
      records_.push_back(std::make_unique<Record>(Record{.world = this}));
      Record& mine = *records_.back();
      const std::string value(static_cast<std::size_t>(draws_.Below(50)), 'x');
      NewRecord record;
      record.partition = appender == 0 ? kUnknownPartition : PartitionIndex(static_cast<std::int32_t>(draws_.Below(3)));
      record.value = value;
      record.callback = {.function = &OnRecord, .context = &mine};
      record.max_block = std::chrono::microseconds(draws_.Between(0, 3000));
      const absl::StatusOr<AppendResult> result = accumulator_.Append(accumulator_.Topic("t"), record);
      mine.accepted = result.ok();
      if (result.ok()) ++accepted_;
      if (draws_.Below(4) == 0) Sleep(draws_.Between(0, 800), Site("test.accumulator.append"));
    }
    ++appenders_done_;
  }

  // A sender without a network: what it drains is answered some rounds later, and its memory may be used until then.
  void Send() {
    std::vector<BatchRef> in_flight;
    while (appenders_done_ < kAppenders || accumulator_.HasUndrained() || !in_flight.empty()) {
      const Instant now = clock_.Now();
      const ReadyNodes ready = accumulator_.Ready(cluster_, now);
      for (NodeBatches& node : accumulator_.Drain(cluster_, ready.nodes, 400, now)) {
        for (BatchRef& batch : node.batches) in_flight.push_back(std::move(batch));
      }
      ExpiredBatches expired = accumulator_.Expire(now);
      for (BatchRef& batch : expired.in_flight) Fail(*batch);
      for (BatchRef& batch : expired.queued) Fail(*batch);
      if (!in_flight.empty() && draws_.Below(2) == 0) {
        Answer(*in_flight.front());
        in_flight.erase(in_flight.begin());
      }
      if (!closed_ && appenders_done_ == kAppenders - 1) {
        closed_ = true;  // In the middle of the last one's work.
        accumulator_.Close();
      }
      Sleep(draws_.Between(50, 400), Site("test.accumulator.send"));
    }
    accumulator_.Close();
    accumulator_.AbortIncomplete(absl::CancelledError("closed"));
  }

  void Fail(ProducerBatch& batch) {
    BatchOutcome outcome;
    outcome.status = wire::KafkaError(wire::ErrorCode::kRequestTimedOut);
    accumulator_.Finish(batch, std::move(outcome));
  }

  void Answer(ProducerBatch& batch) {
    ASSERT_FALSE(ValuesOf(batch).empty());  // Still whole, whatever became of the batch.
    if (batch.is_final()) return;
    switch (draws_.Below(5)) {
      case 0:
        return accumulator_.Reenqueue(batch, wire::ErrorCode::kNotEnoughReplicas, clock_.Now());
      case 1:
        if (batch.record_count() > 1) {
          accumulator_.Split(batch);
          return;
        }
        return Fail(batch);
      default:
        accumulator_.Finish(batch, BatchOutcome());
    }
  }

  void Flush() {
    for (int i = 0; i < 5; ++i) {
      Sleep(draws_.Between(0, 4000), Site("test.accumulator.flush"));
      std::vector<Record*> before;
      for (const auto& record : records_) {
        if (record->accepted) before.push_back(record.get());
      }
      RecordAccumulator::Flush flush = accumulator_.BeginFlush();
      if (!flush.Await(Instant::Never())) ADD_FAILURE() << "a flush without a deadline gave up";
      for (const Record* record : before) EXPECT_EQ(record->ends, 1);  // PR-15
    }
  }

  sim::Trace trace_;
  sim::Kernel kernel_;
  sim::SimClock clock_;
  sim::SimEntropy entropy_;
  std::shared_ptr<const Cluster> cluster_;
  sim::Stream draws_;
  std::vector<std::unique_ptr<Record>> records_;
  std::int64_t accepted_ = 0;
  int appenders_done_ = 0;
  bool closed_ = false;
  RecordAccumulator accumulator_;
};

// AC-01, AC-02, AC-07, AC-31 to AC-34, BP-14, BP-15, SN-14
TEST(RecordAccumulatorThreadsTest, EachAcceptedRecordEndsOnceAndAllMemoryComesBack) {
  std::int64_t accepted = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    for (const sim::StallMode stalls : {sim::StallMode::kNone, sim::StallMode::kRare, sim::StallMode::kOften}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", stalls " + std::string(sim::StallModeName(stalls)));
      ThreadsWorld world(seed, stalls);
      world.Run();
      if (::testing::Test::HasFatalFailure()) return;
      accepted += world.accepted();
    }
  }
  EXPECT_GT(accepted, 2000);  // It was about something.
}

}  // namespace
}  // namespace ktrial
