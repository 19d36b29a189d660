// The producer over real sockets with real threads: what a simulated world cannot show is whether the threads share memory as they
// should, so this is the test to run under a thread sanitizer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"
#include "tests/core/producer/loopback_brokers.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Counts {
  std::int64_t completed = 0;  // Only the sender thread.
  std::int64_t failed = 0;
};

void OnRecord(void* context, const RecordMetadata&, const absl::Status& status) {
  auto& counts = *static_cast<Counts*>(context);
  ++(status.ok() ? counts.completed : counts.failed);
}

// Goal:   threads that send, wait, flush and read metrics share one producer while its connections break.
// Method: 4 threads; the brokers' thread drops connections meanwhile. Every record completes, and none is missing in the logs.
TEST(ProducerSocketsTest, ThreadsShareAProducerWhileConnectionsBreak) {
  const std::unique_ptr<Env> env = MakePosixEnv(1);
  LoopbackBrokers brokers(*env, {});
  const auto config = ProducerConfig::Parse({{"bootstrap.servers", brokers.bootstrap()},
                                             {"linger.ms", "1"},
                                             {"batch.size", "2000"},
                                             {"buffer.memory", "200000"},
                                             {"retry.backoff.ms", "5"},
                                             {"reconnect.backoff.ms", "5"}});
  ASSERT_TRUE(config.ok());
  auto producer = Producer::Create(*config, *env);
  ASSERT_TRUE(producer.ok());
  constexpr int kThreads = 4;
  constexpr int kRecords = 3000;
  Counts counts;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(env->threads().Spawn("app-" + std::to_string(t), [&, t] {
      const std::string value(50, 'v');
      for (int i = 0; i < kRecords; ++i) {
        Record record{.topic = "t", .value = value};
        if (t % 2 == 0) record.partition = PartitionIndex(i % 3);
        const Future future = (*producer)->Send(record, {.function = &OnRecord, .context = &counts});
        if (i % 500 == 0) {
          EXPECT_TRUE(future.Get(seconds(60)).ok());
        }
        if (i % 700 == 0) {
          EXPECT_TRUE((*producer)->Flush(seconds(60)).ok());
        }
        if (i % 300 == 0) {
          EXPECT_GE((*producer)->Metrics().Value("record-send-total"), 0);
        }
      }
    }));
  }
  for (int round = 0; round < 10; ++round) {
    env->threads().SleepUntil(env->clock().Now() + milliseconds(10), Site("test.sockets_sleep"));
    brokers.host().Post([&, round] {
      brokers.host().Disconnect(NodeId(1 + round % 3), Transport::CloseKind::kReset);
      brokers.cluster().MoveLeaderAnywhere("t", PartitionIndex(round % 3), {});
    });
  }
  for (const auto& thread : threads) ASSERT_TRUE(thread->Join(Instant::Never()));
  EXPECT_TRUE((*producer)->Close(seconds(60)).ok());
  EXPECT_EQ(counts.completed, kThreads * kRecords);
  EXPECT_EQ(counts.failed, 0);
  brokers.Stop();
  std::int64_t stored = 0;
  for (const auto& partition : brokers.cluster().FindTopic("t")->partitions) stored += partition->log().record_count();
  EXPECT_GE(stored, kThreads * kRecords);
}

// A producer that nobody can serve ends all the same.
TEST(ProducerSocketsTest, CloseEndsWithoutABroker) {
  const std::unique_ptr<Env> env = MakePosixEnv(1);
  const auto config = ProducerConfig::Parse({{"bootstrap.servers", "127.0.0.1:1"}, {"max.block.ms", "50"}});
  ASSERT_TRUE(config.ok());
  auto producer = Producer::Create(*config, *env);
  ASSERT_TRUE(producer.ok());
  EXPECT_EQ((*producer)->Send({.topic = "t", .value = "x"}).Get().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE((*producer)->Close(seconds(60)).ok());
}

}  // namespace
}  // namespace ktrial::testing
