// The producer under many schedules: threads that interleave at random and stall, connections that are lost, leaders that move. Each
// record completes exactly once, and what was acknowledged is where the acknowledgement says.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/env/sync.h"
#include "core/producer/producer.h"
#include "core/wire/status.h"
#include "tests/core/producer/producer_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One record and what became of it.
struct Sent {
  std::string value;
  std::int32_t partition = 0;
  int completions = 0;
  absl::Status status;
  std::int64_t offset = -1;
};

void OnRecord(void* context, const RecordMetadata& at, const absl::Status& status) {
  Sent& sent = *static_cast<Sent*>(context);
  ++sent.completions;
  sent.status = status;
  sent.offset = at.offset.value();
}

class SeedsTest : public ::testing::TestWithParam<int> {
 protected:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(GetParam()); }
  sim::StallMode stalls() const {
    return GetParam() % 3 == 0   ? sim::StallMode::kOften
           : GetParam() % 3 == 1 ? sim::StallMode::kRare
                                 : sim::StallMode::kNone;
  }
};

// Goal:   no record is lost, told twice, or told the wrong place, whatever the schedule.
// Method: three threads send while brokers drop connections and leaders move; then close, and compare with the logs.
TEST_P(SeedsTest, EachRecordCompletesOnceAndIsWhereItSays) {
  ProducerWorld world({.seed = seed(), .stalls = stalls()});
  constexpr int kThreads = 3;
  constexpr int kRecords = 120;
  std::vector<Sent> sent(kThreads * kRecords);
  const sim::KernelResult result = world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "3"}, {"batch.size", "400"}, {"retry.backoff.ms", "10"}});
    for (int i = 1; i <= 20; ++i) {
      world.At(milliseconds(20 * i), [&, i] {
        if (i % 2 == 0) {
          world.host().Disconnect(NodeId(1 + i % 3), Transport::CloseKind::kReset);
        } else {
          world.cluster().MoveLeaderAnywhere("t", PartitionIndex(i % 3), {.lag = milliseconds(i), .hint = i % 4 == 1});
        }
      });
    }
    std::vector<std::unique_ptr<Thread>> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.push_back(world.env().threads().Spawn("app-" + std::to_string(t), [&, t] {
        for (int i = 0; i < kRecords; ++i) {
          Sent& record = sent[static_cast<std::size_t>(t * kRecords + i)];
          record.value = std::to_string(t) + "-" + std::to_string(i);
          record.partition = i % 3;
          producer->Send({.topic = "t", .partition = PartitionIndex(record.partition), .value = record.value},
                         RecordCallback{.function = &OnRecord, .context = &record});
          if (i % 8 == 0) world.Sleep(milliseconds(2));
        }
      }));
    }
    for (auto& thread : threads) ASSERT_TRUE(thread->Join(Instant::Never()));
    EXPECT_TRUE(producer->Flush().ok());
    EXPECT_TRUE(producer->Close().ok());
  });
  ASSERT_EQ(result.end, sim::KernelEnd::kIdle) << result.text;
  std::map<std::pair<std::int32_t, std::int64_t>, std::string> logs;
  for (std::int32_t partition = 0; partition < 3; ++partition) {
    for (const ProducerWorld::Stored& record : world.Log("t", partition)) {
      logs[{partition, record.offset}] = record.value;
    }
  }
  for (const Sent& record : sent) {
    EXPECT_EQ(record.completions, 1) << record.value;
    EXPECT_TRUE(record.status.ok()) << record.value << ": " << record.status.message();
    EXPECT_EQ((logs[{record.partition, record.offset}]), record.value);
  }
}

// SN-36. Goal: no wake-up is lost. Method: one record at a time with linger 0; each takes one round trip. If the sender slept over a
// single call it would sleep until the next refresh of the metadata, minutes later.
TEST_P(SeedsTest, NoWakeUpIsLost) {
  ProducerWorld world({.seed = seed()});
  const sim::KernelResult result = world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "0"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    for (int i = 0; i < 200; ++i) {
      const Instant start = world.Now();
      ASSERT_TRUE(producer->Send({.topic = "t", .partition = PartitionIndex(i % 3), .value = "x"}).Get().ok());
      // The first to each broker connects: three round trips. An early return or a split answer may cost another turn, no time.
      EXPECT_LE(world.Now() - start, milliseconds(i < 3 ? 10 : 3)) << i;
    }
    EXPECT_TRUE(producer->Close().ok());
  });
  EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text;
}

// Goal:   closing races with everything and still ends: by its timeout, with every record told once.
// Method: threads send, flush and close at once, at moments that depend on the seed.
TEST_P(SeedsTest, ClosingRacesWithSendingAndFlushing) {
  ProducerWorld world({.seed = seed(), .stalls = stalls()});
  std::vector<Sent> sent(150);
  Atomic<bool> closed(world.env().threads(), Site("test.seeds.closed"), false);
  const sim::KernelResult result = world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "1"}, {"buffer.memory", "4096"}, {"batch.size", "512"}});
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t t = 0; t < 3; ++t) {
      threads.push_back(world.env().threads().Spawn("app-" + std::to_string(t), [&, t] {
        for (std::size_t i = 0; i < 50; ++i) {
          Sent& record = sent[t * 50 + i];
          record.value = std::string(100, 'v');
          producer->Send({.topic = "t", .value = record.value},
                         RecordCallback{.function = &OnRecord, .context = &record});
          EXPECT_FALSE(closed.Load() && record.completions == 0);
        }
      }));
    }
    threads.push_back(world.env().threads().Spawn("flush", [&] {
      for (int i = 0; i < 3; ++i) producer->Flush(seconds(1)).IgnoreError();
    }));
    world.Sleep(milliseconds(static_cast<int>(seed() % 13)));
    producer->Close(milliseconds(static_cast<int>(seed() % 7) * 3)).IgnoreError();
    closed.Store(true);
    for (auto& thread : threads) ASSERT_TRUE(thread->Join(Instant::Never()));
  });
  EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text;
  for (const Sent& record : sent) EXPECT_EQ(record.completions, 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SeedsTest, ::testing::Range(1, 31));

}  // namespace
}  // namespace ktrial::testing
