// What Send costs on its way into an open batch: no allocation, and of the clocks only the coarse one. Over real sockets and with
// real threads, so that the sender's own work, on its thread, does not count.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/env/env.h"
#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"
#include "tests/core/producer/loopback_brokers.h"
#include "tests/core/testing/counted_heap.h"

namespace {
thread_local std::int64_t clock_reads = 0;
thread_local std::int64_t coarse_reads = 0;
}  // namespace

namespace ktrial::testing {
namespace {

class CountingClock : public Clock {
 public:
  explicit CountingClock(Clock& clock) : clock_(clock) {}
  Instant Now() const override {
    ++clock_reads;
    return clock_.Now();
  }
  WallTime WallNow() const override {
    ++coarse_reads;
    return clock_.WallNow();
  }

 private:
  Clock& clock_;
};

class CountingEnv : public Env {
 public:
  Clock& clock() override { return clock_; }
  Threads& threads() override { return env_->threads(); }
  std::unique_ptr<Transport> NewTransport(std::string_view entity) override { return env_->NewTransport(entity); }
  std::unique_ptr<Entropy> NewEntropy(std::string_view entity) override { return env_->NewEntropy(entity); }
  std::int64_t NextProducerNumber() override { return env_->NextProducerNumber(); }
  absl::StatusOr<std::string> ReadFile(std::string_view path) override { return env_->ReadFile(path); }

 private:
  const std::unique_ptr<Env> env_ = MakePosixEnv(1);
  CountingClock clock_{env_->clock()};
};

void CountCompletion(void* context, const RecordMetadata&, const absl::Status& status) {
  if (status.ok()) ++*static_cast<std::int64_t*>(context);
}

TEST(SendCostTest, ARecordInAnOpenBatchCostsNoAllocationAndNoClock) {
  CountingEnv env;
  LoopbackBrokers brokers(env, {.brokers = 1, .partitions = 1});
  const auto config = ProducerConfig::Parse(
      {{"bootstrap.servers", brokers.bootstrap()}, {"linger.ms", "30000"}, {"batch.size", "1000000"}});
  ASSERT_TRUE(config.ok());
  auto producer = Producer::Create(*config, env);
  ASSERT_TRUE(producer.ok());
  constexpr int kRecords = 2000;
  std::int64_t completed = 0;
  const std::string value(100, 'v');
  const Header header{.key = "h", .value = "1"};
  const auto send = [&](int i) {
    (*producer)->Send(
        {.topic = "t", .partition = PartitionIndex(0), .key = "k", .value = value, .headers = {&header, 1}},
        {.function = &CountCompletion, .context = &completed});
    // By the key, and as the producer likes.
    const Record free{.topic = "t", .key = i % 2 == 0 ? std::optional<std::string_view>("k") : std::nullopt};
    (*producer)->Send(free, {.function = &CountCompletion, .context = &completed});
  };
  // The second round reuses the batches of the first.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10; ++i) send(i);
    const std::int64_t allocations_before = HeapUseOfThisThread().allocations;
    const std::int64_t clock_before = clock_reads;
    const std::int64_t coarse_before = coarse_reads;
    for (int i = 0; i < kRecords; ++i) send(i);
    if (round == 1) {
      EXPECT_EQ(HeapUseOfThisThread().allocations - allocations_before, 0);
      EXPECT_EQ(clock_reads - clock_before, 0);
      EXPECT_EQ(coarse_reads - coarse_before, 2 * kRecords);
    }
    EXPECT_TRUE((*producer)->Flush(std::chrono::seconds(30)).ok());
    // A batch is free for its next use a moment after those who wait for it go on.
    while ((*producer)->Metrics().Value("buffer-available-bytes") <
           (*producer)->Metrics().Value("buffer-total-bytes")) {
      env.threads().SleepUntil(env.clock().Now() + std::chrono::milliseconds(1), Site("test.send_cost_sleep"));
    }
  }
  EXPECT_TRUE((*producer)->Close(std::chrono::seconds(30)).ok());
  EXPECT_EQ(completed, 2 * 2 * (kRecords + 10));
}

}  // namespace
}  // namespace ktrial::testing
