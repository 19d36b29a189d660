// Transactions over real sockets with real threads: some send while another one begins and ends transactions. Like
// producer_sockets_test.cc, this is a test to run under a thread sanitizer; what one thread alone sees of transactions is
// in producer_transaction_test.cc.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/env/posix/posix_env.h"
#include "core/env/sync.h"
#include "core/producer/future.h"
#include "core/producer/producer.h"
#include "core/producer/transaction.h"
#include "sim/broker/transaction_coordinator.h"
#include "sim/broker/transactions.h"
#include "tests/core/producer/loopback_brokers.h"

namespace ktrial::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kSenders = 3;
constexpr int kTransactions = 60;
constexpr PartitionIndex kFirst{0};

// By the release of the brokers: transactions of version 1 and of version 2.
class TransactionSocketsTest : public ::testing::TestWithParam<const char*> {
 protected:
  TransactionSocketsTest() {
    const auto config = ProducerConfig::Parse({{"bootstrap.servers", brokers.bootstrap()},
                                               {"transactional.id", "tid"},
                                               {"linger.ms", "1"},
                                               {"batch.size", "1000"},
                                               {"retry.backoff.ms", "5"},
                                               // However little CPU there is.
                                               {"max.block.ms", "600000"},
                                               {"delivery.timeout.ms", "600000"},
                                               {"transaction.timeout.ms", "600000"},
                                               {"reconnect.backoff.ms", "5"}});
    EXPECT_TRUE(config.ok());
    auto made = Producer::Create(*config, *env);
    EXPECT_TRUE(made.ok());
    producer = *std::move(made);
  }
  void Pause(Duration length) {
    env->threads().SleepUntil(env->clock().Now() + length, Site("test.transactions.sleep"));
  }
  // Until it is over, whether or not there is a transaction.
  void SendAll(std::vector<Future>& futures) {
    const std::string value(50, 'v');
    for (std::int32_t i = 0; !over.Load(); ++i) {
      futures.push_back(producer->Send({.topic = "t", .partition = PartitionIndex(i % 3), .value = value}));
      if (i % 4 == 3) Pause(microseconds(100));
    }
  }
  // Not again before something has moved on: where an answer takes longer than the pause, for want of CPU, nothing would.
  void MakeTrouble() {
    std::int32_t seen = 0;
    for (std::int32_t round = 0; !over.Load();) {
      Pause(milliseconds(11));
      const std::int32_t now = steps.Load();
      if (std::exchange(seen, now) == now) continue;
      ++round;
      brokers.host().Post([this, round] {
        brokers.host().Disconnect(NodeId(1 + round % 3), Transport::CloseKind::kReset);
        brokers.cluster().MoveLeaderAnywhere("t", PartitionIndex(round % 3), {});
      });
    }
  }
  // Each with more records than none, and some with offsets; a third is aborted.
  void RunTransactions() {
    for (std::int32_t round = 0; round < kTransactions; ++round) {
      EXPECT_EQ(producer->BeginTransaction(), absl::OkStatus());
      EXPECT_EQ(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}).Get().status(), absl::OkStatus());
      steps.FetchAdd(1);
      if (round % 5 == 2) {
        const OffsetToCommit offset{.topic = "t", .partition = kFirst, .offset = Offset(round)};
        EXPECT_EQ(producer->SendOffsetsToTransaction({offset}, {.group_id = "readers"}), absl::OkStatus());
      }
      EXPECT_EQ(round % 3 == 2 ? producer->AbortTransaction() : producer->CommitTransaction(), absl::OkStatus());
      EXPECT_EQ(producer->transaction_state(), TransactionState::kReady);
      steps.FetchAdd(1);
    }
  }

  const std::unique_ptr<Env> env = MakePosixEnv(1);
  LoopbackBrokers brokers{*env, {.release = GetParam()}};
  Atomic<bool> over{env->threads(), Site("test.transactions.over"), false};
  Atomic<std::int32_t> steps{env->threads(), Site("test.transactions.steps"), 0};  // Of RunTransactions.
  std::unique_ptr<Producer> producer;
};

// SN-31, SN-36
// Goal:   threads that send beside the one that begins and ends transactions neither spoil them nor are left without an
//         answer.
// Method: the senders never look whether there is a transaction, so their records come before, within and behind the
//         ends; connections break and leaders move. Every call succeeds, and every record is acknowledged, refused for
//         want of a transaction or aborted with one.
TEST_P(TransactionSocketsTest, ThreadsSendBesideTheEndsOfTransactions) {
  ASSERT_EQ(producer->InitTransactions(), absl::OkStatus());
  const std::unique_ptr<Thread> trouble = env->threads().Spawn("trouble", [&] { MakeTrouble(); });
  std::vector<std::vector<Future>> futures(kSenders);
  std::vector<std::unique_ptr<Thread>> senders;
  for (std::vector<Future>& own : futures) {
    senders.push_back(env->threads().Spawn("sender", [&] { SendAll(own); }));
  }
  RunTransactions();
  over.Store(true);
  for (const auto& sender : senders) ASSERT_TRUE(sender->Join(Instant::Never()));
  ASSERT_TRUE(trouble->Join(Instant::Never()));
  EXPECT_EQ(producer->Close(seconds(60)), absl::OkStatus());
  brokers.Stop();
  std::int64_t acknowledged = kTransactions;
  for (const std::vector<Future>& own : futures) {
    for (const Future& future : own) {
      const absl::Status status = future.Get().status();
      if (status.ok()) ++acknowledged;
      EXPECT_TRUE(status.ok() || absl::IsFailedPrecondition(status) || absl::IsAborted(status)) << status;
    }
  }
  EXPECT_GT(acknowledged, kTransactions);
  std::int64_t stored = 0;
  for (const auto& partition : brokers.cluster().FindTopic("t")->partitions) stored += partition->log().record_count();
  EXPECT_GE(stored, acknowledged);
  EXPECT_NE(brokers.host().transactions().transactions().Find("tid")->status, sim::TransactionStatus::kOngoing);
}

INSTANTIATE_TEST_SUITE_P(Releases, TransactionSocketsTest, ::testing::Values("3.9", "4.0"));

}  // namespace
}  // namespace ktrial::testing
