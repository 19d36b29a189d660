// What a leader answers to idempotent producers, as their bytes show it. The rules themselves: producer_state_test.cc.
#include <gtest/gtest.h>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using wire::ErrorCode;
using wire::PartitionProduceResponse;
using wire::ProduceResponse;

constexpr std::int16_t kVersion = 6;
constexpr std::int16_t kAll = -1;

class IdempotenceTest : public ::testing::Test {
 protected:
  void Start(std::string_view release = "4.0", SettingsMap settings = {}) {
    ClusterSpec spec = SpecOf(3);
    for (BrokerSpec& broker : spec.brokers) broker.release = release;
    spec.settings = std::move(settings);
    spec.replication_delay = Distribution::Constant(milliseconds(10));
    world_.emplace(std::move(spec));
  }

  static std::string Batch(std::int32_t sequence, std::int16_t epoch = 0) {
    return BatchOf({"first " + std::to_string(sequence), "second"},
                   {.id = ProducerId(7), .epoch = ProducerEpoch(epoch), .base_sequence = Sequence(sequence)});
  }
  void Send(const std::string& batch, std::int16_t acks = 1, std::int32_t broker = 1) {
    connection_ = world_->Connect(broker);
    world_->Send(connection_, ProduceOf(batch, acks), kVersion);
  }
  std::optional<PartitionProduceResponse> Answered() {
    const auto answer = world_->Answer<ProduceResponse>(connection_, kVersion);
    if (!answer) return std::nullopt;
    return answer->topics.at(0).partitions.at(0);
  }
  PartitionProduceResponse Produce(const std::string& batch, std::int16_t acks = 1, std::int32_t broker = 1) {
    Send(batch, acks, broker);
    return Answered().value_or(PartitionProduceResponse{.error = ErrorCode::kUnknownServerError});
  }
  std::int64_t record_count() { return world_->orders().log().record_count(); }

  std::optional<BrokerWorld> world_;
  ConnectionId connection_;
};

TEST_F(IdempotenceTest, DuplicateIsAnsweredWithTheOffsetThatItHas) {
  Start();
  ASSERT_EQ(Produce(Batch(0)).base_offset, 0);
  ASSERT_EQ(Produce(Batch(2)).base_offset, 2);
  const PartitionProduceResponse again = Produce(Batch(0));
  EXPECT_EQ(again.error, ErrorCode::kNone);
  EXPECT_EQ(again.base_offset, 0);
  EXPECT_EQ(again.log_append_time_ms, kBatchTimestampMs);
  EXPECT_EQ(again.log_start_offset, 0);
  EXPECT_EQ(record_count(), 4);
}

TEST_F(IdempotenceTest, GapIsRefusedWithTheStartOfTheLog) {
  Start();
  ASSERT_EQ(Produce(Batch(0)).error, ErrorCode::kNone);
  const PartitionProduceResponse gap = Produce(Batch(4));
  EXPECT_EQ(gap.error, ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(gap.base_offset, -1);
  EXPECT_EQ(gap.log_start_offset, 0);
  EXPECT_EQ(record_count(), 2);
  EXPECT_TRUE(world_->notes.malformed.empty()) << "it may come from a good client";
}

TEST_F(IdempotenceTest, EarlierEpochIsFenced) {
  Start();
  ASSERT_EQ(Produce(Batch(0, 1)).error, ErrorCode::kNone);
  EXPECT_EQ(Produce(Batch(2, 0)).error, ErrorCode::kInvalidProducerEpoch);
}

TEST_F(IdempotenceTest, NegativeIdIsNoProducer) {
  Start();
  std::string batch = Batch(0);
  wire::StoreBigEndian(batch.data() + 43, std::int64_t{-2});
  wire::StoreBigEndian(batch.data() + 17, wire::Crc32c(std::string_view(batch).substr(21)));
  EXPECT_EQ(Produce(batch).base_offset, 0);
  EXPECT_EQ(Produce(batch).base_offset, 2) << "it is no duplicate";
}

TEST_F(IdempotenceTest, DamagedDuplicateIsDamagedFirst) {
  Start();
  ASSERT_EQ(Produce(Batch(0)).error, ErrorCode::kNone);
  std::string damaged = Batch(0);
  damaged.back() ^= 1;
  EXPECT_EQ(Produce(damaged).error, ErrorCode::kCorruptMessage);
}

TEST_F(IdempotenceTest, DuplicateWithoutAcksAppendsNothingAndKeepsTheConnection) {
  Start();
  ASSERT_EQ(Produce(Batch(0)).error, ErrorCode::kNone);
  Send(Batch(0), 0);
  EXPECT_EQ(record_count(), 2);
  EXPECT_EQ(world_->transport.closed(connection_), std::nullopt);
}

// Goal:   a duplicate is acknowledged when its records are safe, and no sooner and no later.
// Method: it comes behind a batch that is still on its way; its own is replicated before that one.
TEST_F(IdempotenceTest, DuplicateWaitsForTheReplicationOfItsOwnBatch) {
  Start();
  Send(Batch(0), 1);
  world_->Advance(milliseconds(5));
  Send(Batch(2), kAll);
  Send(Batch(0), kAll);
  EXPECT_EQ(Answered(), std::nullopt);
  world_->Advance(milliseconds(5));
  const auto again = Answered();
  ASSERT_TRUE(again.has_value()) << "the later batch has 5 ms to go";
  EXPECT_EQ(again->error, ErrorCode::kNone);
  EXPECT_EQ(again->base_offset, 0);
}

// Appended and copied, but the leader went before it could say so: the retry must not stand there twice.
TEST_F(IdempotenceTest, LeaderThatHadCopiedTheBatchKnowsIt) {
  Start();
  Send(Batch(0), kAll);
  world_->Advance(milliseconds(5));
  ASSERT_TRUE(world_->cluster->MoveLeader("orders", PartitionIndex(0), NodeId(2), {}));
  world_->Settle();
  EXPECT_EQ(Answered().value().error, ErrorCode::kNotLeaderOrFollower);
  EXPECT_EQ(Produce(Batch(0), 1, 2).base_offset, 0);
  EXPECT_EQ(record_count(), 2);
}

TEST_F(IdempotenceTest, LeaderThatHadNotCopiedTheBatchTakesItAsNew) {
  Start();
  Send(Batch(0), kAll);
  ASSERT_EQ(record_count(), 2);
  world_->Advance(milliseconds(4));
  ASSERT_TRUE(world_->cluster->MoveLeader("orders", PartitionIndex(0), NodeId(2), {}));
  ASSERT_EQ(record_count(), 0);
  const PartitionProduceResponse again = Produce(Batch(0), 1, 2);
  EXPECT_EQ(again.base_offset, 0);
  EXPECT_EQ(again.log_append_time_ms, -1) << "no duplicate";
  EXPECT_EQ(record_count(), 2);
}

// SN-20
TEST_F(IdempotenceTest, DeletedRecordsTakeTheirProducerAlongInOldReleases) {
  for (const auto& [release, expected] :
       {std::pair("0.11", ErrorCode::kOutOfOrderSequenceNumber), std::pair("2.0", ErrorCode::kUnknownProducerId),
        std::pair("2.8", ErrorCode::kNone)}) {
    Start(release);
    const std::int16_t version = std::string_view(release) == "0.11" ? 3 : 5;
    const auto produce = [&](const std::string& batch) {
      const ConnectionId connection = world_->Connect(1);
      world_->Send(connection, ProduceOf(batch), version);
      return world_->Answer<ProduceResponse>(connection, version).value().topics.at(0).partitions.at(0);
    };
    ASSERT_EQ(produce(Batch(0)).error, ErrorCode::kNone);
    world_->Advance(milliseconds(10));
    ASSERT_TRUE(world_->cluster->DeleteRecords("orders", PartitionIndex(0), Offset(2)));
    const PartitionProduceResponse next = produce(Batch(2));
    EXPECT_EQ(next.error, expected) << release;
    EXPECT_EQ(next.log_start_offset, version == 3 ? -1 : 2) << release;
  }
}

TEST_F(IdempotenceTest, RecordsBehindTheHighWatermarkAreNotDeleted) {
  Start();
  ASSERT_EQ(Produce(Batch(0)).error, ErrorCode::kNone);
  EXPECT_FALSE(world_->cluster->DeleteRecords("orders", PartitionIndex(0), Offset(2)));
  world_->Advance(milliseconds(10));
  EXPECT_TRUE(world_->cluster->DeleteRecords("orders", PartitionIndex(0), Offset(2)));
}

TEST_F(IdempotenceTest, ProducerIsForgottenAfterItsTime) {
  Start("2.0", {{"producer.id.expiration.ms", "1000"}});
  ASSERT_EQ(Produce(Batch(0)).error, ErrorCode::kNone);
  world_->Advance(milliseconds(999));
  ASSERT_EQ(Produce(Batch(2)).error, ErrorCode::kNone);
  world_->Advance(milliseconds(1000));
  EXPECT_EQ(Produce(Batch(4)).error, ErrorCode::kUnknownProducerId);
}

}  // namespace
}  // namespace ktrial::sim
