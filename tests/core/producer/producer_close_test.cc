// How a producer ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/producer/producer.h"
#include "core/wire/status.h"
#include "tests/core/producer/producer_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using wire::ErrorCode;

constexpr PartitionIndex kFirst{0};

void ExpectIdle(const sim::KernelResult& result) { EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text; }

// Makes broker 1, the leader of t-0, hang.
void Silence(ProducerWorld& world) {
  world.At(Duration::zero(), [&] { world.host().SetSilent(NodeId(1), true); });
  world.Sleep(milliseconds(10));
}

// PR-16, SN-34
TEST(ProducerCloseTest, CloseSendsWhatIsQueuedWithoutLingering) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "60000"}});
    std::vector<Future> futures;
    for (int i = 0; i < 30; ++i) futures.push_back(producer->Send({.topic = "t", .partition = PartitionIndex(i % 3)}));
    const Instant start = world.Now();
    EXPECT_TRUE(producer->Close().ok());
    EXPECT_LT(world.Now() - start, seconds(1));
    for (const Future& future : futures) EXPECT_TRUE(future.Get(Duration::zero()).ok());
  }));
  EXPECT_EQ(world.RecordCount("t"), 30u);
}

// PR-16, PR-18
TEST(ProducerCloseTest, CloseMayBeRepeatedAndSendIsRefused) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    EXPECT_EQ(producer->Close(milliseconds(-1)).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(producer->Close().ok());
    EXPECT_TRUE(producer->Close().ok());
    EXPECT_TRUE(producer->Close(Duration::zero()).ok());
    int calls = 0;
    const Future refused =
        producer->Send({.topic = "t", .value = "x"}, [&](const RecordMetadata&, const absl::Status& status) {
          ++calls;
          EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
        });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(refused.Get().status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_TRUE(producer->Flush().ok());  // PR-15: nothing is incomplete.
  }));
}

// PR-16, SN-35
TEST(ProducerCloseTest, CloseEndsByItsTimeout) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    Silence(world);
    int calls = 0;
    const Future future = producer->Send({.topic = "t", .partition = kFirst, .value = "x"},
                                         [&](const RecordMetadata&, const absl::Status& status) {
                                           ++calls;
                                           EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
                                         });
    const Instant start = world.Now();
    EXPECT_EQ(producer->Close(seconds(2)).code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(world.Now() - start, seconds(2));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(future.Get().status().code(), absl::StatusCode::kCancelled);
  }));
}

// PR-16: it is not the timeout that counts, but whether anything was given up.
TEST(ProducerCloseTest, CloseWithoutTimeIsWellIfNothingIsLeft) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    EXPECT_TRUE(producer->Send({.topic = "t", .value = "x"}).Get().ok());
    EXPECT_TRUE(producer->Close(Duration::zero()).ok());
  }));
}

// PR-16: with no time at all nothing is sent any more.
TEST(ProducerCloseTest, CloseWithoutTimeGivesUpAtOnce) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "60000"}});
    const Future future = producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    const Instant start = world.Now();
    EXPECT_EQ(producer->Close(Duration::zero()).code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_LT(world.Now() - start, std::chrono::microseconds(1));  // A poll that is due at once may round up to that.
    EXPECT_EQ(future.Get().status().code(), absl::StatusCode::kCancelled);
  }));
  EXPECT_EQ(world.RecordCount("t"), 0u);
}

TEST(ProducerCloseTest, TheShortestOfSeveralClosesWins) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    Silence(world);
    producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    const Instant start = world.Now();
    const auto patient = world.env().threads().Spawn("patient", [&] {
      EXPECT_EQ(producer->Close(seconds(20)).code(), absl::StatusCode::kDeadlineExceeded);
      EXPECT_EQ(world.Now() - start, seconds(3));
    });
    EXPECT_EQ(producer->Close(seconds(3)).code(), absl::StatusCode::kDeadlineExceeded);
    ASSERT_TRUE(patient->Join(Instant::Never()));
  }));
}

// Design: it waits for a callback that runs, and after it has returned none does.
TEST(ProducerCloseTest, CloseWaitsForTheCallbackThatRuns) {
  ProducerWorld world;
  int finished = 0;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "20"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    const Instant start = world.Now();
    for (int i = 0; i < 2; ++i) {
      producer->Send({.topic = "t", .partition = kFirst, .value = "x"},
                     [&](const RecordMetadata&, const absl::Status&) {
                       world.Sleep(seconds(5));
                       ++finished;
                     });
    }
    EXPECT_TRUE(producer->Close(seconds(1)).ok());  // Late, but nothing was given up.
    EXPECT_EQ(finished, 2);
    EXPECT_GE(world.Now() - start, seconds(10));
    producer.reset();
    EXPECT_EQ(finished, 2);
  }));
}

// PR-16, D-8: from a callback it starts the forced end and returns.
TEST(ProducerCloseTest, CloseFromACallbackReturnsAtOnce) {
  ProducerWorld world;
  std::vector<std::pair<std::string, absl::StatusCode>> told;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "20"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    Silence(world);
    const Future stuck = producer->Send(
        {.topic = "t", .partition = kFirst, .value = "x"},
        [&](const RecordMetadata&, const absl::Status& status) { told.emplace_back("stuck", status.code()); });
    producer->Send({.topic = "t", .partition = PartitionIndex(1), .value = "y"},
                   [&](const RecordMetadata&, const absl::Status& status) {
                     told.emplace_back("first", status.code());
                     EXPECT_TRUE(producer->Close().ok());
                     EXPECT_EQ(producer->Send({.topic = "t", .value = "z"}).Get().status().code(),
                               absl::StatusCode::kFailedPrecondition);
                   });
    EXPECT_EQ(stuck.Get().status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(producer->Close().code(), absl::StatusCode::kDeadlineExceeded);
  }));
  EXPECT_EQ(told, (std::vector<std::pair<std::string, absl::StatusCode>>{{"first", absl::StatusCode::kOk},
                                                                         {"stuck", absl::StatusCode::kCancelled}}));
}

// MD-34, PR-18
TEST(ProducerCloseTest, CloseEndsASendThatWaitsForMetadata) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    const auto sender = world.env().threads().Spawn("app", [&] {
      EXPECT_EQ(producer->Send({.topic = "nowhere", .value = "x"}).Get().status().code(), absl::StatusCode::kCancelled);
    });
    world.Sleep(seconds(1));
    const Instant start = world.Now();
    EXPECT_TRUE(producer->Close().ok());
    ASSERT_TRUE(sender->Join(Instant::Never()));
    EXPECT_LT(world.Now() - start, seconds(1));
  }));
}

// BP-13, PR-18
TEST(ProducerCloseTest, CloseEndsASendThatWaitsForMemory) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"buffer.memory", "1024"}, {"batch.size", "1024"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    Silence(world);
    const std::string value(900, 'x');
    producer->Send({.topic = "t", .partition = kFirst, .value = value});
    const auto sender = world.env().threads().Spawn("app", [&] {
      EXPECT_EQ(producer->Send({.topic = "t", .partition = kFirst, .value = value}).Get().status().code(),
                absl::StatusCode::kCancelled);
    });
    world.Sleep(seconds(1));
    EXPECT_EQ(producer->Close(seconds(1)).code(), absl::StatusCode::kDeadlineExceeded);
    ASSERT_TRUE(sender->Join(Instant::Never()));
  }));
}

TEST(ProducerCloseTest, TheDestructorClosesByForce) {
  ProducerWorld world;
  Future future;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "60000"}});
    future = producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    producer.reset();
    // A future outlives its producer.
    EXPECT_EQ(future.Get().status().code(), absl::StatusCode::kCancelled);
  }));
}

TEST(ProducerCloseTest, DestroyingItInACallbackIsADefect) {
  ProducerWorld world;
  std::unique_ptr<Producer> producer;
  const sim::KernelResult result = world.Run([&] {
    producer = world.MakeProducer();
    producer->Send({.topic = "t", .value = "x"}, [&](const RecordMetadata&, const absl::Status&) { producer.reset(); });
    world.Sleep(seconds(1));
  });
  EXPECT_EQ(result.end, sim::KernelEnd::kCheckFailed);
  EXPECT_THAT(result.text, HasSubstr("must not be destroyed by one of its callbacks"));
  producer.release();  // Its world stands still for good; nothing can end it.
}

}  // namespace
}  // namespace ktrial::testing
