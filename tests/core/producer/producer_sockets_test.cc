// The producer over real sockets with real threads: what a simulated world cannot show is whether the threads share memory as they
// should, so this is the test to run under a thread sanitizer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/env/posix/posix_env.h"
#include "core/env/sync.h"
#include "core/producer/producer.h"
#include "sim/checker/checker.h"
#include "sim/checker/history.h"
#include "tests/core/producer/concurrent_program.h"
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

// PR-14, PR-15, PR-16, PR-18
// Goal:   threads and callbacks that make every call at once, close included, break no promise and do not race.
// Method: the program of producer_concurrency_test.cc, again and again for some seconds with every kind of close, each time with
//         another producer, while connections break and leaders move.
TEST(ProducerSocketsTest, TheConcurrentProgramKeepsItsPromisesForSeconds) {
  const std::unique_ptr<Env> env = MakePosixEnv(1);
  LoopbackBrokers brokers(*env, {});
  std::map<std::string, std::string> values = ProgramConfig();
  values["bootstrap.servers"] = brokers.bootstrap();
  const auto config = ProducerConfig::Parse(values);
  ASSERT_TRUE(config.ok());
  Atomic<bool> over(env->threads(), Site("test.sockets_over"), false);
  const std::unique_ptr<Thread> trouble = env->threads().Spawn("trouble", [&] {
    for (int round = 0; !over.Load(); ++round) {
      env->threads().SleepUntil(env->clock().Now() + milliseconds(7), Site("test.sockets_trouble"));
      brokers.host().Post([&, round] {
        brokers.host().Disconnect(NodeId(1 + round % 3), Transport::CloseKind::kReset);
        brokers.cluster().MoveLeaderAnywhere("t", PartitionIndex(round % 3), {});
      });
    }
  });
  sim::History history;
  std::vector<std::unique_ptr<ProgramLedger>> ledgers;
  std::vector<sim::ProducerEvidence> promises;
  const Instant end = env->clock().Now() + seconds(4);
  while (env->clock().Now() < end || ledgers.size() < 4) {
    const auto round = static_cast<int>(ledgers.size());
    ledgers.push_back(
        std::make_unique<ProgramLedger>(history, round,
                                        ProgramOptions{.senders = 4,
                                                       .records = 400,
                                                       .close = static_cast<ProgramOptions::Close>(round % 4),
                                                       .close_after = milliseconds(round * 7 % 50)}));
    auto producer = Producer::Create(*config, *env, ledgers.back().get());
    ASSERT_TRUE(producer.ok());
    promises.push_back(ProgramEvidence((*producer)->config()));
    RunProgram(*env, **producer, *ledgers.back());
  }
  over.Store(true);
  ASSERT_TRUE(trouble->Join(Instant::Never()));
  brokers.Stop();
  for (const auto& ledger : ledgers) ledger->Tell();
  std::vector<sim::PartitionEvidence> partitions;
  for (const auto& partition : brokers.cluster().FindTopic("t")->partitions) {
    partitions.push_back({.topic = "t", .partition = partition->index(), .log = &partition->log()});
  }
  for (const sim::Violation& violation : JudgeProgram(history, promises, partitions, env->clock().Now())) {
    ADD_FAILURE() << violation.checker << ": " << violation.text;
  }
  EXPECT_GT(history.acked(), 4 * 400);
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
