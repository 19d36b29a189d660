// Where the producer waits: for metadata, for memory, in Flush, in Get; and that nothing waits on the sender thread.
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::ErrorCode;

constexpr PartitionIndex kFirst{0};

void ExpectIdle(const sim::KernelResult& result) { EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text; }

// PR-03, MD-27, MD-30
TEST(ProducerWaitTest, AnUnknownTopicTimesOutWithItsCause) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"max.block.ms", "700"}});
    const Instant start = world.Now();
    int calls = 0;
    const Future future = producer->Send({.topic = "nowhere", .partition = kFirst, .value = "x"},
                                         [&](const RecordMetadata& at, const absl::Status& status) {
                                           ++calls;
                                           EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
                                           EXPECT_EQ(at.topic, "nowhere");
                                           EXPECT_EQ(at.partition, kFirst);
                                         });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(world.Now() - start, milliseconds(700));
    const absl::Status status = future.Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
    EXPECT_EQ(std::string(status.message()),
              "topic nowhere is not in the metadata after 700 ms (max.block.ms); the broker says "
              "UNKNOWN_TOPIC_OR_PARTITION");
  }));
}

// A host that cannot be reached, or has no address, is no error of the configuration: it is the cause that a timeout names.
TEST(ProducerWaitTest, ATimeoutNamesTheBrokerThatCannotBeReached) {
  ProducerWorld world;
  world.sandbox().network().SetName("gone.example", sim::SimNetwork::NameAnswer::kFails);
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"bootstrap.servers", "gone.example:9092"}, {"max.block.ms", "300"}});
    const absl::Status status = producer->Send({.topic = "t", .value = "x"}).Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
    EXPECT_THAT(std::string(status.message()), HasSubstr("bootstrap server 1: "));
    EXPECT_THAT(std::string(status.message()), HasSubstr("gone.example"));
  }));
}

// NC-39: who has less patience than a request hears what is waited for.
TEST(ProducerWaitTest, ATimeoutNamesTheBrokersThatHaveNotSaidTheirVersions) {
  ProducerWorld world({.brokers = 1});
  ExpectIdle(world.Run([&] {
    world.At(Duration::zero(), [&] { world.host().SetSilent(NodeId(1), true); });
    auto producer = world.MakeProducer({{"max.block.ms", "300"}});
    const absl::Status status = producer->Send({.topic = "t", .value = "x"}).Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
    EXPECT_THAT(std::string(status.message()), HasSubstr("it has not said yet which versions it speaks"));
    EXPECT_THAT(std::string(status.message()), HasSubstr("(api.version.request=false)"));
  }));
}

// KIP-909
TEST(ProducerWaitTest, WithoutABootstrapHostInTimeEverythingFailsForGood) {
  ProducerWorld world;
  world.sandbox().network().SetName("gone.example", sim::SimNetwork::NameAnswer::kFails);
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"bootstrap.servers", "gone.example:9092"},
                                        {"bootstrap.resolve.timeout.ms", "300"},
                                        {"max.block.ms", "5000"},
                                        {"transactional.id", "x"}});
    const Instant start = world.Now();
    const absl::Status first = producer->PartitionsFor("t").status();
    EXPECT_EQ(first.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(first.message()), HasSubstr("no such host: gone.example"));
    EXPECT_GE(world.Now() - start, milliseconds(300));
    EXPECT_LE(world.Now() - start, milliseconds(310));
    // A name that appears now comes too late.
    world.sandbox().network().SetName("gone.example", {"10.0.0.1"});
    EXPECT_EQ(producer->PartitionsFor("t").status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(producer->InitTransactions().code(), absl::StatusCode::kNotFound);
    EXPECT_LE(world.Now() - start, milliseconds(320));
    EXPECT_TRUE(producer->Close().ok());
  }));
}

// KIP-909
TEST(ProducerWaitTest, AnInitThatWaitsForABootstrapHostFailsWhenTheTimeForThatIsUp) {
  ProducerWorld world;
  world.sandbox().network().SetName("gone.example", sim::SimNetwork::NameAnswer::kFails);
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"bootstrap.servers", "gone.example:9092"},
                                        {"bootstrap.resolve.timeout.ms", "300"},
                                        {"max.block.ms", "5000"},
                                        {"transactional.id", "x"}});
    const Instant start = world.Now();
    EXPECT_EQ(producer->InitTransactions().code(), absl::StatusCode::kNotFound);
    EXPECT_LE(world.Now() - start, milliseconds(310));
    EXPECT_EQ(producer->transaction_state(), TransactionState::kFatalError);
  }));
}

// NC-11
TEST(ProducerWaitTest, BootstrapFromTheNamesThatAddressesReallyHave) {
  ProducerWorld world;
  world.sandbox().network().SetName("kafka.example", {"10.0.0.1", "10.0.0.2"});
  world.sandbox().network().SetName("one.example", {"10.0.0.1"});
  world.sandbox().network().SetNameOf("10.0.0.1", "one.example");
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"bootstrap.servers", "kafka.example:9092"},
                                        {"client.dns.lookup", "resolve_canonical_bootstrap_servers_only"}});
    EXPECT_TRUE(producer->Send({.topic = "t", .value = "x"}).Get().ok());
  }));
}

// MD-31: at once, and without asking twice.
TEST(ProducerWaitTest, AnInvalidTopicIsSaidByTheBrokerOnce) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    EXPECT_EQ(wire::KafkaCode(producer->Send({.topic = "no spaces", .value = "x"}).Get().status()),
              ErrorCode::kInvalidTopicException);
    const Instant start = world.Now();
    EXPECT_EQ(wire::KafkaCode(producer->Send({.topic = "no spaces", .value = "x"}).Get().status()),
              ErrorCode::kInvalidTopicException);
    EXPECT_EQ(world.Now(), start);
  }));
}

// MD-29
TEST(ProducerWaitTest, APartitionThatIsNotThereYetIsWaitedFor) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    world.At(seconds(2), [&] { world.cluster().AddPartitions("t", 5); });
    const auto done = producer->Send({.topic = "t", .partition = PartitionIndex(4), .value = "x"}).Get();
    ASSERT_TRUE(done.ok()) << done.status().message();
    EXPECT_EQ(done->partition, PartitionIndex(4));
  }));
}

// MD-29
TEST(ProducerWaitTest, APartitionThatNeverComesTimesOut) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"max.block.ms", "500"}});
    const absl::Status status =
        producer->Send({.topic = "t", .partition = PartitionIndex(3), .value = "x"}).Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
    EXPECT_EQ(std::string(status.message()),
              "partition 3 of topic t, which has 3, is not in the metadata after 500 ms (max.block.ms)");
  }));
}

// PR-19
TEST(ProducerWaitTest, PartitionsForTellsLeadersAndReplicas) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"max.block.ms", "500"}});
    const absl::StatusOr<std::vector<PartitionInfo>> partitions = producer->PartitionsFor("t");
    ASSERT_TRUE(partitions.ok());
    ASSERT_EQ(partitions->size(), 3u);
    EXPECT_EQ((*partitions)[1].leader, NodeId(2));
    EXPECT_EQ((*partitions)[1].replicas.size(), 3u);
    EXPECT_EQ(wire::KafkaCode(producer->PartitionsFor("nowhere").status()), ErrorCode::kRequestTimedOut);
    EXPECT_EQ(producer->PartitionsFor("").status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(producer->Close().ok());
    EXPECT_EQ(producer->PartitionsFor("t").status().code(), absl::StatusCode::kFailedPrecondition);
  }));
}

// BP-10, PR-03
TEST(ProducerWaitTest, ExhaustedMemoryTimesOut) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"buffer.memory", "4096"}, {"batch.size", "1024"}, {"max.block.ms", "400"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    for (int id = 1; id <= 3; ++id) world.At(Duration::zero(), [&, id] { world.host().SetSilent(NodeId(id), true); });
    world.Sleep(seconds(1));
    const std::string value(900, 'x');
    for (int i = 0; i < 4; ++i) producer->Send({.topic = "t", .partition = kFirst, .value = value});
    const Instant start = world.Now();
    const absl::Status status = producer->Send({.topic = "t", .partition = kFirst, .value = value}).Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
    EXPECT_EQ(world.Now() - start, milliseconds(400));
    EXPECT_EQ(producer->Metrics().Value("buffer-exhausted-total"), 1);
    EXPECT_EQ(producer->Metrics().Value("bufferpool-wait-time-ns-total"), 400e6);
    EXPECT_EQ(producer->Metrics().Value("buffer-available-bytes"), 0);
  }));
}

// PR-03
TEST(ProducerWaitTest, MetadataAndMemoryShareOneTime) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"buffer.memory", "4096"}, {"batch.size", "1024"}, {"max.block.ms", "1000"}});
    for (std::int32_t p = 0; p < 3; ++p) {  // So that each broker has a connection.
      ASSERT_TRUE(producer->Send({.topic = "t", .partition = PartitionIndex(p), .value = "x"}).Get().ok());
    }
    world.At(Duration::zero(), [&] { world.host().SetSilent(NodeId(1), true); });
    world.Sleep(seconds(1));
    const std::string value(900, 'x');
    for (int i = 0; i < 4; ++i) producer->Send({.topic = "t", .partition = kFirst, .value = value});
    world.At(milliseconds(600), [&] { ASSERT_TRUE(world.cluster().CreateTopic({.name = "late"}).ok()); });
    const Instant start = world.Now();
    const absl::Status status = producer->Send({.topic = "late", .value = value}).Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
    EXPECT_EQ(world.Now() - start, milliseconds(1000));
    EXPECT_EQ(producer->Metrics().Value("buffer-exhausted-total"), 1);
  }));
}

// BP-05: memory that comes back serves who waits.
TEST(ProducerWaitTest, SendGoesOnWhenMemoryComesBack) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"buffer.memory", "2048"}, {"batch.size", "1024"}});
    const std::string value(900, 'x');
    std::vector<Future> futures;
    for (int i = 0; i < 20; ++i) futures.push_back(producer->Send({.topic = "t", .partition = kFirst, .value = value}));
    for (const Future& future : futures) EXPECT_TRUE(future.Get().ok());
  }));
}

// AC-08: nobody lingers while somebody waits for memory, and the sender hears of it although no batch was filled or begun.
TEST(ProducerWaitTest, WaitingForMemoryEndsTheLinger) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"buffer.memory", "2048"}, {"batch.size", "1024"}, {"linger.ms", "50000"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    producer->Send({.topic = "t", .partition = PartitionIndex(0), .value = "x"});
    producer->Send({.topic = "t", .partition = PartitionIndex(1), .value = "x"});
    world.Sleep(seconds(1));
    const Instant start = world.Now();
    producer->Send({.topic = "t", .partition = PartitionIndex(2), .value = "x"});
    EXPECT_LT(world.Now() - start, seconds(1));
    EXPECT_TRUE(producer->Flush().ok());
  }));
}

// AC-13, PR-15
TEST(ProducerWaitTest, FlushDoesNotLinger) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "60000"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    const Future future = producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    const Instant start = world.Now();
    EXPECT_TRUE(producer->Flush().ok());
    EXPECT_TRUE(future.Done());
    EXPECT_LT(world.Now() - start, seconds(1));
  }));
}

// PR-15, PR-12
TEST(ProducerWaitTest, FlushAndGetGiveUpWithoutHarm) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    world.At(Duration::zero(), [&] { world.host().SetSilent(NodeId(1), true); });
    world.Sleep(seconds(1));
    const Future future = producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    const Instant start = world.Now();
    EXPECT_EQ(producer->Flush(milliseconds(300)).code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(future.Get(milliseconds(200)).status().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_FALSE(wire::HasKafkaCode(future.Get(Duration::zero()).status()));
    EXPECT_EQ(world.Now() - start, milliseconds(500));
    world.At(Duration::zero(), [&] { world.host().SetSilent(NodeId(1), false); });
    EXPECT_TRUE(future.Get().ok());
  }));
}

// AC-32
TEST(ProducerWaitTest, FlushDoesNotWaitForWhatComesLater) {
  ProducerWorld world;
  bool flushing = true;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "0"}});
    producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    const auto other = world.env().threads().Spawn("other", [&] {
      while (flushing) {
        producer->Send({.topic = "t", .partition = PartitionIndex(1), .value = "y"});
        world.Sleep(milliseconds(1));
      }
    });
    EXPECT_TRUE(producer->Flush().ok());
    flushing = false;
    ASSERT_TRUE(other->Join(Instant::Never()));
    EXPECT_TRUE(producer->Close().ok());
  }));
}

// PR-14: what would wait on the sender thread fails there at once; what need not wait works.
TEST(ProducerWaitTest, CallbacksMaySendButNotWait) {
  ProducerWorld world({.topics = {{.name = "other"}}});
  Future from_callback;
  bool called = false;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    producer->Send({.topic = "t", .partition = kFirst, .value = "x"}, [&](const RecordMetadata&, const absl::Status&) {
      called = true;
      from_callback = producer->Send({.topic = "t", .partition = PartitionIndex(1), .value = "y"});
      EXPECT_EQ(from_callback.Get().status().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_EQ(producer->Flush().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_EQ(producer->PartitionsFor("other").status().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_TRUE(producer->PartitionsFor("t").ok());
      EXPECT_EQ(producer->Send({.topic = "other", .value = "z"}).Get().status().code(),
                absl::StatusCode::kFailedPrecondition);
    });
    EXPECT_TRUE(producer->Flush().ok());
    ASSERT_TRUE(called);
    EXPECT_TRUE(from_callback.Get().ok());
    EXPECT_TRUE(producer->Send({.topic = "other", .value = "z"}).Get().ok());
  }));
}

// PR-14: memory too. Nobody but this thread could give it back.
TEST(ProducerWaitTest, ACallbackCannotWaitForMemory) {
  ProducerWorld world;
  std::vector<absl::StatusCode> codes;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"buffer.memory", "1024"}, {"batch.size", "1024"}});
    const std::string value(900, 'x');
    producer->Send(
        {.topic = "t", .partition = kFirst, .value = value}, [&](const RecordMetadata&, const absl::Status&) {
          // The memory of the batch that is being reported is not free yet.
          codes.push_back(producer->Send({.topic = "t", .partition = kFirst, .value = value}).Get().status().code());
        });
    EXPECT_TRUE(producer->Flush().ok());
    EXPECT_THAT(codes, ElementsAre(absl::StatusCode::kFailedPrecondition));
  }));
}

// MD-26, MD-36: a topic that is sent to is not forgotten, though its idle time starts anew once a batch only.
TEST(ProducerWaitTest, ATopicInUseIsNeverWaitedForAgain) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"metadata.max.idle.ms", "5000"}, {"metadata.max.age.ms", "2000"}});
    ASSERT_TRUE(producer->PartitionsFor("t").ok());
    const double waited = producer->Metrics().Value("metadata-wait-time-ns-total");
    for (int i = 0; i < 10; ++i) {
      const Instant start = world.Now();
      const Future future = producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
      EXPECT_EQ(world.Now(), start);
      EXPECT_TRUE(future.Get().ok());
      world.Sleep(seconds(4));
    }
    EXPECT_EQ(producer->Metrics().Value("metadata-wait-time-ns-total"), waited);
  }));
}

// MD-36
TEST(ProducerWaitTest, AnIdleTopicIsForgottenAndFoundAgain) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"metadata.max.idle.ms", "5000"}, {"metadata.max.age.ms", "2000"}});
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}).Get().ok());
    world.Sleep(seconds(20));
    const Instant start = world.Now();
    EXPECT_TRUE(producer->PartitionsFor("t").ok());
    EXPECT_GT(world.Now(), start);  // Had to be asked for.
  }));
}

}  // namespace
}  // namespace ktrial::testing
