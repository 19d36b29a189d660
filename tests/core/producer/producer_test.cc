// Sending through the public face: what arrives, what is told, and what is refused.
#include "core/producer/producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/producer/log.h"
#include "core/producer/partitioner.h"
#include "core/wire/status.h"
#include "tests/core/producer/producer_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::ErrorCode;

void ExpectIdle(const sim::KernelResult& result) { EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text; }

TEST(ProducerTest, ASynchronousSendGivesPartitionAndOffset) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    for (int i = 0; i < 3; ++i) {
      const absl::StatusOr<Acknowledgement> done =
          producer->Send({.topic = "t", .partition = PartitionIndex(1), .key = "k", .value = "value"}).Get();
      ASSERT_TRUE(done.ok()) << done.status().message();
      EXPECT_EQ(done->partition, PartitionIndex(1));
      EXPECT_EQ(done->offset, Offset(i));
      EXPECT_EQ(done->key_bytes, 1);
      EXPECT_EQ(done->value_bytes, 5);
    }
    EXPECT_TRUE(producer->Close().ok());
  }));
  EXPECT_EQ(world.Values("t", 1).size(), 3u);
}

// Design: a record is copied before Send returns. Null is not empty (PT-02, WP-17).
TEST(ProducerTest, EverythingOfARecordArrives) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    std::string value = "value";
    const std::vector<Header> headers = {{.key = "a", .value = "1"}, {.key = "", .value = std::nullopt}};
    const PartitionIndex partition(0);
    producer->Send({.topic = "t",
                    .partition = partition,
                    .key = "key",
                    .value = value,
                    .headers = headers,
                    .timestamp = WallTime::FromMillis(77)});
    value = "xxxxx";
    producer->Send(
        {.topic = "t", .partition = partition, .key = "", .value = std::nullopt, .timestamp = WallTime::FromMillis(5)});
    producer->Send({.topic = "t", .partition = partition, .value = "", .timestamp = WallTime::FromMillis(6)});
    EXPECT_TRUE(producer->Close().ok());
  }));
  using Stored = ProducerWorld::Stored;
  EXPECT_THAT(
      world.Log("t", 0),
      ElementsAre(
          Stored{.key = "key", .value = "value", .headers = {"a=1", "=(null)"}, .offset = 0, .timestamp_ms = 77},
          Stored{.key = "", .value = "(null)", .offset = 1, .timestamp_ms = 5},
          Stored{.key = "(null)", .value = "", .offset = 2, .timestamp_ms = 6}));
}

// PR-10
TEST(ProducerTest, WithoutATimestampItIsNow) {
  ProducerWorld world;
  WallTime sent;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    sent = world.env().clock().WallNow();
    const auto done = producer->Send({.topic = "t", .partition = PartitionIndex(0), .value = "x"}).Get();
    ASSERT_TRUE(done.ok());
    // After the wait for the metadata, of a few round trips.
    EXPECT_GE(done->timestamp, sent);
    EXPECT_LE(done->timestamp.millis(), sent.millis() + 20);
  }));
  EXPECT_LE(world.Log("t", 0).at(0).timestamp_ms, sent.millis() + 20);
}

// SN-15, PR-14: callbacks run in order, on the sender thread, before the future is done.
TEST(ProducerTest, CallbacksRunInOrderBeforeTheFutureIsDone) {
  ProducerWorld world;
  std::vector<std::int64_t> offsets;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"linger.ms", "10"}});
    const ThreadId application = world.env().threads().Current();
    Future last;
    for (int i = 0; i < 3; ++i) {
      last = producer->Send({.topic = "t", .partition = PartitionIndex(0), .value = "x"},
                            [&](const RecordMetadata& at, const absl::Status& status) {
                              EXPECT_TRUE(status.ok());
                              EXPECT_EQ(at.topic, "t");
                              EXPECT_NE(world.env().threads().Current(), application);
                              EXPECT_FALSE(last.Done());
                              EXPECT_EQ(last.Get().status().code(), absl::StatusCode::kFailedPrecondition);
                              offsets.push_back(at.offset.value());
                            });
    }
    EXPECT_TRUE(last.Get().ok());
    EXPECT_TRUE(last.Done());
    EXPECT_THAT(offsets, ElementsAre(0, 1, 2));
  }));
}

TEST(ProducerTest, OnBatchReportsAWholeBatch) {
  ProducerWorld world;
  struct Report {
    std::int64_t base_offset = -1;
    std::vector<const void*> contexts;
  };
  std::vector<Report> reports;
  int words[2] = {};
  ExpectIdle(world.Run([&] {
    const BatchCallback on_batch{.function =
                                     [](void* context, const BatchReport& batch) {
                                       EXPECT_TRUE(batch.status->ok());
                                       Report report{.base_offset = batch.base_offset.value()};
                                       for (const RecordSlot& slot : batch.records) {
                                         report.contexts.push_back(slot.callback.context);
                                       }
                                       static_cast<std::vector<Report>*>(context)->push_back(report);
                                     },
                                 .context = &reports};
    auto producer = world.StartProducer(world.ParseConfig({{"linger.ms", "10"}}), on_batch);
    for (int& word : words) {
      producer->Send({.topic = "t", .partition = PartitionIndex(2), .value = "x"},
                     RecordCallback{.function = nullptr, .context = &word});
    }
    EXPECT_TRUE(producer->Close().ok());
  }));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].base_offset, 0);
  EXPECT_THAT(reports[0].contexts, ElementsAre(&words[0], &words[1]));
}

// SN-04
TEST(ProducerTest, WithoutAcksTheOffsetIsUnknown) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"acks", "0"}});
    const auto done = producer->Send({.topic = "t", .partition = PartitionIndex(0), .value = "x"}).Get();
    ASSERT_TRUE(done.ok()) << done.status().message();
    EXPECT_EQ(done->offset, kUnknownOffset);
    world.Sleep(seconds(1));
  }));
  EXPECT_EQ(world.Values("t", 0).size(), 1u);
}

// PT-02, PT-07
TEST(ProducerTest, AKeyDecidesUnlessItIsToBeIgnored) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    for (const char* key : {"a", "b", "c", "", "foobar"}) {
      const auto done = producer->Send({.topic = "t", .key = key, .value = "x"}).Get();
      ASSERT_TRUE(done.ok());
      EXPECT_EQ(done->partition, PartitionOfKey(key, 3)) << key;
    }
    auto ignoring = world.MakeProducer({{"partitioner.ignore.keys", "true"}, {"linger.ms", "20"}});
    std::set<PartitionIndex> partitions;
    std::vector<Future> futures;
    for (const char* key : {"a", "b", "c", "", "foobar"}) {
      futures.push_back(ignoring->Send({.topic = "t", .key = key, .value = "x"}));
    }
    for (const Future& future : futures) partitions.insert(future.Get()->partition);
    EXPECT_EQ(partitions.size(), 1u);  // Sticky.
  }));
}

// PT-05
TEST(ProducerTest, RoundRobinTakesEachPartitionInTurnWhateverTheKeyIs) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"partitioner.class", "RoundRobinPartitioner"}});
    std::vector<std::int32_t> partitions;
    for (int i = 0; i < 6; ++i) {
      partitions.push_back(producer->Send({.topic = "t", .key = "k", .value = "x"}).Get()->partition.value());
    }
    for (std::size_t i = 1; i < partitions.size(); ++i) EXPECT_EQ(partitions[i], (partitions[i - 1] + 1) % 3);
  }));
}

// PT-05
TEST(ProducerTest, RoundRobinCountsForEachTopicAlone) {
  ProducerWorld world({.topics = {{.name = "u", .partitions = 2}}});
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"partitioner.class", "RoundRobinPartitioner"}});
    const auto send = [&](std::string_view topic) {
      return producer->Send({.topic = topic, .key = "k", .value = "x"}).Get()->partition.value();
    };
    std::int32_t last_t = send("t");
    std::int32_t last_u = send("u");
    for (int i = 0; i < 6; ++i) {
      const std::int32_t t = send("t");
      EXPECT_EQ(t, (last_t + 1) % 3);
      last_t = t;
      if (i % 2 == 0) continue;
      const std::int32_t u = send("u");
      EXPECT_EQ(u, (last_u + 1) % 2);
      last_u = u;
    }
  }));
}

// PT-05
TEST(ProducerTest, RoundRobinWithoutKeysTakesEachPartitionEquallyOften) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"partitioner.class", "RoundRobinPartitioner"}});
    std::map<PartitionIndex, int> counts;
    for (int i = 0; i < 30; ++i) {
      const bool with_key = i % 5 == 0;
      ++counts[producer
                   ->Send({.topic = "t",
                           .key = with_key ? std::optional<std::string_view>("k") : std::nullopt,
                           .value = "x"})
                   .Get()
                   ->partition];
    }
    for (std::int32_t p = 0; p < 3; ++p) EXPECT_EQ(counts[PartitionIndex(p)], 10) << p;
  }));
}

// PT-05
TEST(ProducerTest, RoundRobinLeavesOutPartitionsWithoutALeader) {
  ProducerWorld world;
  ASSERT_TRUE(world.cluster().RemoveLeader("t", PartitionIndex(1)));
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"partitioner.class", "RoundRobinPartitioner"}});
    std::map<PartitionIndex, int> counts;
    for (int i = 0; i < 10; ++i) ++counts[producer->Send({.topic = "t", .key = "k", .value = "x"}).Get()->partition];
    EXPECT_EQ(counts, (std::map<PartitionIndex, int>{{PartitionIndex(0), 5}, {PartitionIndex(2), 5}}));
  }));
}

// PT-06
TEST(ProducerTest, UniformStickyFillsOneBatchWhateverTheKeysAre) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"partitioner.class", "UniformStickyPartitioner"}, {"linger.ms", "20"}});
    std::vector<Future> futures;
    for (const char* key : {"a", "b", "c", "", "foobar"}) {
      futures.push_back(producer->Send({.topic = "t", .key = key, .value = "x"}));
    }
    std::set<PartitionIndex> partitions;
    for (const Future& future : futures) partitions.insert(future.Get()->partition);
    EXPECT_EQ(partitions.size(), 1u);
  }));
}

TEST(ProducerTest, APartitionerOfLibrdkafkaIsTakenByItsName) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"partitioner.class", "consistent"}});
    for (const char* key : {"a", "b", "foobar"}) {
      EXPECT_EQ(producer->Send({.topic = "t", .key = key, .value = "x"}).Get()->partition,
                PartitionByName(PartitionerKind::kConsistent, key, 3));
    }
  }));
}

// PT-15
TEST(ProducerTest, AnApplicationMayChooseThePartition) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    ProducerConfig config = world.ParseConfig({});
    config.partitioner = [](std::string_view, std::optional<std::string_view>, std::optional<std::string_view> value,
                            std::int32_t count) {
      if (*value == "too far") return PartitionIndex(count);
      if (*value == "negative") return PartitionIndex(-2);
      return PartitionIndex(2);
    };
    auto producer = world.StartProducer(std::move(config));
    EXPECT_EQ(producer->Send({.topic = "t", .key = "k", .value = "x"}).Get()->partition, PartitionIndex(2));
    for (const char* value : {"too far", "negative"}) {
      const Future refused = producer->Send({.topic = "t", .key = "k", .value = value});
      EXPECT_TRUE(refused.Done());
      EXPECT_EQ(refused.Get().status().code(), absl::StatusCode::kInvalidArgument);
    }
  }));
}

// PT-01
TEST(ProducerTest, APartitionThatIsNamedWinsOverEverything) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    ProducerConfig config = world.ParseConfig({});
    config.partitioner = [](std::string_view, std::optional<std::string_view>, std::optional<std::string_view>,
                            std::int32_t) { return PartitionIndex(2); };
    auto choosing = world.StartProducer(std::move(config));
    auto hashing = world.MakeProducer();
    for (Producer* producer : {choosing.get(), hashing.get()}) {
      for (const std::int32_t partition : {0, 1, 2}) {
        const Record record{.topic = "t", .partition = PartitionIndex(partition), .key = "k", .value = "x"};
        EXPECT_EQ(producer->Send(record).Get()->partition, PartitionIndex(partition));
      }
    }
  }));
}

// PR-01: of several things that are wrong, the one that comes first on the way of a record is told.
TEST(ProducerTest, ARecordIsCheckedInTheOrderOfItsWay) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    ProducerConfig config = world.ParseConfig({{"max.block.ms", "100"},
                                               {"max.request.size", "1000"},
                                               {"buffer.memory", "4096"},
                                               {"batch.size", "4096"},
                                               {"linger.ms", "60000"}});
    config.partitioner = [](std::string_view, std::optional<std::string_view> key, std::optional<std::string_view>,
                            std::int32_t count) { return key ? PartitionIndex(count) : kUnknownPartition; };
    auto producer = world.StartProducer(std::move(config));
    const std::string large(1000, 'x');
    const auto error_of = [&](const Record& record) { return producer->Send(record).Get().status(); };
    // Fields, metadata, partition, size, memory.
    EXPECT_EQ(error_of({.topic = "", .key = "k", .value = large}).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(wire::KafkaCode(error_of({.topic = "nowhere", .key = "k", .value = large})), ErrorCode::kRequestTimedOut);
    EXPECT_THAT(std::string(error_of({.topic = "t", .key = "k", .value = large}).message()),
                HasSubstr("the partitioner chose partition 3"));
    for (int id = 1; id <= 3; ++id) world.At(Duration::zero(), [&, id] { world.host().SetSilent(NodeId(id), true); });
    producer->Send({.topic = "t", .partition = PartitionIndex(0), .value = "takes all memory"});
    const Instant start = world.Now();
    EXPECT_EQ(wire::KafkaCode(error_of({.topic = "t", .partition = PartitionIndex(1), .value = large})),
              ErrorCode::kMessageTooLarge);
    EXPECT_EQ(world.Now(), start);
    EXPECT_EQ(wire::KafkaCode(error_of({.topic = "t", .partition = PartitionIndex(1), .value = "small"})),
              ErrorCode::kRequestTimedOut);
    EXPECT_EQ(producer->Close(Duration::zero()).code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(error_of({.topic = "", .key = "k", .value = large}).code(), absl::StatusCode::kFailedPrecondition);
  }));
}

// PR-06, and the producer goes on.
TEST(ProducerTest, WhatACallbackThrowsInSendGoesToTheCaller) {
  ProducerWorld world;
  auto token = std::make_shared<int>(0);
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"max.request.size", "1000"}});
    const std::string large(1000, 'x');
    const auto throwing = [token](const RecordMetadata&, const absl::Status& status) {
      throw std::runtime_error(std::string(status.message()));
    };
    const auto send = [&] { producer->Send({.topic = "t", .value = large}, throwing); };
    EXPECT_THROW(send(), std::runtime_error);
    EXPECT_EQ(producer->Metrics().Value("record-error-total"), 1);
    EXPECT_TRUE(producer->Send({.topic = "t", .value = "x"}).Get().ok());
    EXPECT_TRUE(producer->Close().ok());
  }));
  EXPECT_EQ(token.use_count(), 1);
}

// PR-02, PR-04, PR-05: refused records have a future that is done, and a callback on the thread that sent.
TEST(ProducerTest, MistakesOfTheCallerAreRefusedAtOnce) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"max.block.ms", "100"}});
    const ThreadId application = world.env().threads().Current();
    const auto expect_refused = [&](const Record& record) {
      int calls = 0;
      const Future future = producer->Send(record, [&](const RecordMetadata& at, const absl::Status& status) {
        ++calls;
        EXPECT_EQ(world.env().threads().Current(), application);
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
        EXPECT_EQ(at.topic, record.topic);
        EXPECT_EQ(at.partition, record.partition);
        EXPECT_EQ(at.offset, kUnknownOffset);
        EXPECT_EQ(at.timestamp, kNoTimestamp);
        EXPECT_EQ(at.key_bytes, -1);
      });
      EXPECT_EQ(calls, 1);
      EXPECT_TRUE(future.Done());
      EXPECT_EQ(future.Get().status().code(), absl::StatusCode::kInvalidArgument);
    };
    expect_refused({.topic = "", .value = "x"});
    expect_refused({.topic = "t", .partition = PartitionIndex(-2), .value = "x"});
    expect_refused({.topic = "t", .value = "x", .timestamp = WallTime::FromMillis(-1)});
  }));
}

// PR-09
TEST(ProducerTest, ARecordMayBeTooLarge) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer({{"max.request.size", "1000"}});
    const std::string value(1000, 'x');
    const auto done = producer->Send({.topic = "t", .partition = PartitionIndex(1), .value = value}).Get();
    EXPECT_EQ(wire::KafkaCode(done.status()), ErrorCode::kMessageTooLarge);
    EXPECT_EQ(producer->Metrics().Value("record-error-total"), 1);  // PR-07
    EXPECT_THAT(std::string(done.status().message()), HasSubstr("max.request.size = 1000"));
    auto small = world.MakeProducer({{"buffer.memory", "900"}});
    const auto refused = small->Send({.topic = "t", .value = value}).Get();
    EXPECT_EQ(wire::KafkaCode(refused.status()), ErrorCode::kMessageTooLarge);
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("buffer.memory = 900"));
    // Exactly the limit: 61 + 21 + 1 + 2 + 915 bytes (WP-19).
    EXPECT_TRUE(producer->Send({.topic = "t", .value = std::string_view(value).substr(0, 914)}).Get().ok());
    EXPECT_EQ(producer->Metrics().Value("record-size-max"), 1000);  // PR-24: what was refused is not sent.
  }));
}

// A context that must not be forgotten: every function object that was given to Send is destroyed exactly once.
TEST(ProducerTest, CallbacksAreDestroyed) {
  ProducerWorld world;
  auto token = std::make_shared<int>(0);
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    const auto callback = [token](const RecordMetadata&, const absl::Status&) { ++*token; };
    producer->Send({.topic = "t", .value = "x"}, callback);
    producer->Send({.topic = "", .value = "x"}, callback);
    producer->Send({.topic = "t", .value = "x"}, Producer::Callback());
    EXPECT_TRUE(producer->Close().ok());
    producer->Send({.topic = "t", .value = "x"}, callback);
  }));
  EXPECT_EQ(*token, 3);
  EXPECT_EQ(token.use_count(), 1);
}

// PR-24, PR-25, PR-26: a whole producer fills them in.
TEST(ProducerTest, MetricsTellWhatHappened) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    const WallTime started = world.env().clock().WallNow();
    auto producer = world.MakeProducer({{"linger.ms", "10"}, {"client.id", "me"}});
    for (int i = 0; i < 30; ++i) {
      producer->Send({.topic = "t", .partition = PartitionIndex(i % 3), .value = std::string(100, 'v')});
    }
    EXPECT_TRUE(producer->Flush().ok());
    producer->Send({.topic = "", .value = "x"});
    world.Sleep(seconds(5));
    const MetricsSnapshot metrics = producer->Metrics();
    EXPECT_EQ(metrics.Value("record-send-total"), 30);
    EXPECT_EQ(metrics.Value("record-send-total", "t"), 30);
    EXPECT_EQ(metrics.Value("record-error-total"), 0);  // PR-07: a mistake of the caller is none.
    EXPECT_EQ(metrics.Value("records-per-request-avg"), 10);
    EXPECT_GE(metrics.Value("record-queue-time-max"), 4);  // Two round trips to connect; Flush ends the linger.
    EXPECT_EQ(metrics.Value("record-size-max"), 61 + 21 + 1 + 2 + 100 + 1);
    EXPECT_EQ(metrics.Value("request-latency-avg"), 2);  // One millisecond each way.
    EXPECT_EQ(metrics.Value("requests-in-flight"), 0);
    EXPECT_EQ(metrics.Value("connection-count"), 4);  // The bootstrap connection and three brokers (NC-48).
    EXPECT_GT(metrics.Value("request-total", "node-2"), 0);
    EXPECT_EQ(metrics.Value("response-total"), metrics.Value("request-total"));
    EXPECT_EQ(metrics.Value("outgoing-byte-total"),
              metrics.Value("outgoing-byte-total", "node--1") + metrics.Value("outgoing-byte-total", "node-1") +
                  metrics.Value("outgoing-byte-total", "node-2") + metrics.Value("outgoing-byte-total", "node-3"));
    // Each of the four says its versions, at 6 bytes an API and more; three answer the batches.
    EXPECT_GT(metrics.Value("incoming-byte-total"), 4 * 6 * 4);
    EXPECT_GT(metrics.Value("incoming-byte-total", "node-2"), 0);
    EXPECT_GE(metrics.Value("network-io-total"), 2 * metrics.Value("request-total"));
    // The sender has slept for almost all of the time, and no time passes while it works.
    EXPECT_GE(metrics.Value("select-total"), metrics.Value("request-total"));
    EXPECT_EQ(metrics.Value("io-time-ns-total"), 0);
    EXPECT_GT(metrics.Value("io-wait-time-ns-total"), 10e6);
    EXPECT_EQ(metrics.Value("failed-authentication-total"), 0);
    EXPECT_EQ(metrics.Value("successful-authentication-total"), 0);  // Nobody has said who it is.
    EXPECT_EQ(metrics.Value("start-time-ms"), started.millis());
    EXPECT_GE(metrics.Value("metadata-age"), 5);
    EXPECT_LT(metrics.Value("metadata-age"), 6);
    EXPECT_EQ(metrics.Value("buffer-available-bytes"), metrics.Value("buffer-total-bytes"));
    EXPECT_GT(metrics.Value("flush-time-ns-total"), 0);
    EXPECT_GT(metrics.Value("metadata-wait-time-ns-total"), 0);
  }));
}

// Records never show in the log, and the warnings of the configuration do.
TEST(ProducerTest, TheLogSaysWhatWentWrongAndNoRecord) {
  class Lines : public LogSink {
   public:
    void Write(LogLevel, std::string_view source, std::string_view text) override {
      all += std::string(source) + ": " + std::string(text) + "\n";
    }
    std::string all;
  };
  ProducerWorld world;
  auto lines = std::make_shared<Lines>();
  ExpectIdle(world.Run([&] {
    ProducerConfig config = world.ParseConfig({{"client.id", "me"}, {"ssl.key.password", "hunter2"}});
    config.log = lines;
    config.log_level = LogLevel::kDebug;
    auto producer = world.StartProducer(std::move(config));
    EXPECT_TRUE(producer->PartitionsFor("t").ok());
    world.At(milliseconds(2), [&] {
      for (int id = 1; id <= 3; ++id) world.host().Disconnect(NodeId(id), Transport::CloseKind::kReset);
    });
    for (int i = 0; i < 10; ++i) {
      producer->Send({.topic = "t", .partition = PartitionIndex(0), .key = "secret-key", .value = "secret-value"})
          .Get()
          .status()
          .IgnoreError();
    }
  }));
  EXPECT_THAT(lines->all, HasSubstr("me: ssl.key.password has no effect"));
  EXPECT_THAT(lines->all, HasSubstr("me: broker"));
  EXPECT_THAT(lines->all, ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(lines->all, ::testing::Not(HasSubstr("hunter2")));
}

// PR-20
TEST(ProducerTest, ClientIdsCountTheProducersOfAnEnv) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    EXPECT_EQ(world.MakeProducer()->client_id(), "producer-1");
    EXPECT_EQ(world.MakeProducer({{"client.id", "mine"}})->client_id(), "mine");
    EXPECT_EQ(world.MakeProducer()->client_id(), "producer-2");
  }));
}

// What a broker could not read would end its connection, again and again, with everything that goes over it.
TEST(ProducerTest, ANameThatTheProtocolCannotCarryIsRefusedAtOnce) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    auto producer = world.MakeProducer();
    const std::string name(32768, 't');
    const absl::Status status = producer->Send({.topic = name, .value = "x"}).Get().status();
    EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kInvalidTopicException);
    EXPECT_EQ(std::string(status.message()), "the topic's name has 32768 bytes, and may have 32767");
    EXPECT_EQ(wire::KafkaCode(producer->PartitionsFor(name).status()), ErrorCode::kInvalidTopicException);
    EXPECT_TRUE(producer->Send({.topic = "t", .value = "x"}).Get().ok());
  }));
}

TEST(ProducerTest, CreateNeedsABootstrapServer) {
  ProducerWorld world;
  ExpectIdle(world.Run([&] {
    EXPECT_EQ(Producer::Create(ProducerConfig(), world.env()).status().code(), absl::StatusCode::kInvalidArgument);
  }));
}

}  // namespace
}  // namespace ktrial::testing
