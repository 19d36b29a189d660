// In a ThreadSanitizer build each simulated thread is a thread to it, so that a data race of the program is found, and
// is a function of the seed; locks of the program, spawn and join order what they should.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/env/sync.h"
#include "gtest/gtest.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/sandbox.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;

// Two threads add to one number; with `locked` as they should.
std::int64_t AddInTwoThreads(bool locked) {
  Sandbox sandbox({.seed = 3, .stalls = StallMode::kOften});
  std::int64_t sum = 0;
  const KernelResult result = sandbox.Run([&] {
    Threads& threads = sandbox.env().threads();
    Mutex mutex(threads, Site("test.race.mutex"));
    CondVar changed(threads);
    sum = 1;  // before the others start
    std::vector<std::unique_ptr<Thread>> adders;
    for (int i = 0; i < 2; ++i) {
      adders.push_back(threads.Spawn("adder", [&] {
        for (int round = 0; round < 10; ++round) {
          if (!locked) {
            ++sum;
            threads.SleepUntil(sandbox.kernel().Now() + milliseconds(1), Site("test.race.sleep"));
            continue;
          }
          MutexLock lock(mutex);
          ++sum;
          changed.Wait(
              mutex, sandbox.kernel().Now() + milliseconds(1), [&] { return sum == 0; }, Site("test.race.wait"));
        }
      }));
    }
    for (const auto& adder : adders) EXPECT_TRUE(adder->Join(Instant::Never()));
    ++sum;  // after they have ended
  });
  EXPECT_EQ(result.end, KernelEnd::kIdle) << result.text;
  return sum;  // outside of the world
}

TEST(RaceTest, WhatTheProgramOrdersIsNoRace) { EXPECT_EQ(AddInTwoThreads(true), 22); }

// Threads that follow each other on one stack are not ordered by anything that the program does.
TEST(RaceTest, AStackThatIsUsedAgainIsNoRace) {
  Sandbox sandbox;
  const KernelResult result = sandbox.Run([&] {
    Threads& threads = sandbox.env().threads();
    std::vector<std::unique_ptr<Thread>> writers;
    for (int i = 0; i < 3; ++i) {
      writers.push_back(threads.Spawn("writer", [] {
        volatile int frame[64];
        for (volatile int& word : frame) word = 1;
      }));
      threads.SleepUntil(sandbox.kernel().Now() + milliseconds(1), Site("test.race.between"));
    }
    for (const auto& writer : writers) EXPECT_TRUE(writer->Join(Instant::Never()));
  });
  EXPECT_EQ(result.end, KernelEnd::kIdle) << result.text;
}

// The kernel, the network and their books are touched by all threads, and that is no race of the program.
TEST(RaceTest, ThreadsWithTransportsOfTheirOwnDoNotRace) {
  Sandbox sandbox({.seed = 5});
  const KernelResult result = sandbox.Run([&] {
    Env& env = sandbox.env();
    const auto server = env.NewTransport("server");
    ASSERT_TRUE(server->Listen({.ip = "10.0.0.1", .port = 9092}, {}).ok());
    std::vector<std::unique_ptr<Thread>> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(env.threads().Spawn("client", [&] {
        const auto client = env.NewTransport("client");
        const auto entropy = env.NewEntropy("client");
        const ConnectionId id = client->Open({.ip = "10.0.0.1", .port = 9092}, "", {});
        std::vector<TransportEvent> events;
        while (events.empty()) client->Poll(env.clock().Now() + milliseconds(5), events, Site("test.race.poll"));
        client->Close(id);
        entropy->Next(DrawPurpose::kRetryBackoff);
        env.clock().WallNow();
        env.NextProducerNumber();
      }));
    }
    for (const auto& client : clients) EXPECT_TRUE(client->Join(Instant::Never()));
  });
  EXPECT_EQ(result.end, KernelEnd::kIdle) << result.text;
}

#ifdef KTRIAL_SIM_TSAN
TEST(RaceDeathTest, ARaceOfTheProgramIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        AddInTwoThreads(false);
        std::exit(0);
      },
      ::testing::ExitedWithCode(66), "data race");
}
#endif

}  // namespace
}  // namespace ktrial::sim
