#include <gtest/gtest.h>

#include "core/wire/big_endian.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;
using wire::PartitionProduceResponse;
using wire::ProduceResponse;

constexpr std::int16_t kVersion = 11;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kAttributesAt = 21;
constexpr std::size_t kBaseTimestampAt = 27;
constexpr std::size_t kMaxTimestampAt = 35;

template <class Integer>
std::string With(std::string batch, std::size_t at, Integer value) {
  wire::StoreBigEndian(batch.data() + at, value);
  wire::StoreBigEndian(batch.data() + kCrcAt, wire::Crc32c(std::string_view(batch).substr(kAttributesAt)));
  return batch;
}

class ProduceTest : public ::testing::Test {
 protected:
  // The answer for the one partition of a request.
  PartitionProduceResponse Produce(ConnectionId connection, const wire::ProduceRequest& request,
                                   std::int16_t version = kVersion) {
    world_.Send(connection, request, version);
    const auto answer = world_.Answer<ProduceResponse>(connection, version);
    if (!answer) {
      ADD_FAILURE() << "no answer";
      return {};
    }
    return answer->topics.at(0).partitions.at(0);
  }
  ErrorCode CodeFor(std::string_view records, std::int16_t version = kVersion) {
    return Produce(world_.Connect(1), ProduceOf(records), version).error;
  }

  BrokerWorld world_;
  const std::string batch_ = BatchOf({"value-one", "value-two"});
};

TEST_F(ProduceTest, AcknowledgedRecordsStandInTheLogAtTheOffsetOfTheAnswer) {
  const ConnectionId connection = world_.Connect(1);
  EXPECT_EQ(Produce(connection, ProduceOf(batch_)).base_offset, 0);
  const PartitionProduceResponse second = Produce(connection, ProduceOf(batch_));
  EXPECT_EQ(second.error, ErrorCode::kNone);
  EXPECT_EQ(second.base_offset, 2);
  EXPECT_EQ(second.log_append_time_ms, -1);
  EXPECT_EQ(second.log_start_offset, 0);
  EXPECT_EQ(world_.orders().log().IdentityAt(Offset(3)),
            IdentityOf(IdentityRule::kValuePrefix, std::nullopt, "value-two"));
}

// WP-10, WP-11
TEST_F(ProduceTest, EveryVersionIsAnswered) {
  const ConnectionId connection = world_.Connect(1);
  for (std::int16_t version = 3; version <= 12; ++version) {
    EXPECT_EQ(Produce(connection, ProduceOf(batch_), version).error, ErrorCode::kNone) << version;
  }
}

// WP-11
TEST_F(ProduceTest, AcksZeroIsAppendedAndNotAnswered) {
  const ConnectionId connection = world_.Connect(1);
  world_.Send(connection, ProduceOf(batch_, 0), kVersion);
  EXPECT_EQ(world_.NextAnswer(connection), std::nullopt);
  EXPECT_EQ(world_.orders().log().record_count(), 2);
  EXPECT_EQ(world_.transport.closed(connection), std::nullopt);
}

TEST_F(ProduceTest, AcksZeroWithAnErrorEndsTheConnection) {
  const ConnectionId connection = world_.Connect(2);
  world_.Send(connection, ProduceOf(batch_, 0), kVersion);
  EXPECT_EQ(world_.NextAnswer(connection), std::nullopt);
  EXPECT_NE(world_.transport.closed(connection), std::nullopt);
}

TEST_F(ProduceTest, OtherAcksAreRefused) {
  EXPECT_EQ(Produce(world_.Connect(1), ProduceOf(batch_, 5)).error, ErrorCode::kInvalidRequiredAcks);
}

TEST_F(ProduceTest, UnknownTopicAndPartitionAreRefused) {
  const ConnectionId connection = world_.Connect(1);
  EXPECT_EQ(Produce(connection, ProduceOf(batch_, 1, "nothing")).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(Produce(connection, ProduceOf(batch_, 1, "orders", 1)).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(Produce(connection, ProduceOf(batch_, 1, "orders", -1)).error, ErrorCode::kUnknownTopicOrPartition);
}

// SN-09
TEST_F(ProduceTest, FollowerNamesTheLeaderSinceVersionTen) {
  const ConnectionId connection = world_.Connect(2);
  world_.Send(connection, ProduceOf(batch_), 10);
  const auto answer = world_.Answer<ProduceResponse>(connection, 10);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->topics[0].partitions[0].error, ErrorCode::kNotLeaderOrFollower);
  EXPECT_EQ(answer->topics[0].partitions[0].current_leader, (wire::LeaderIdAndEpoch{1, 0}));
  ASSERT_EQ(answer->node_endpoints.size(), 1U);
  EXPECT_EQ(answer->node_endpoints[0].node_id, 1);
  EXPECT_EQ(answer->node_endpoints[0].port, world_.host->address(NodeId(1)).port);
}

TEST_F(ProduceTest, FollowerOfAMoveWithoutHintNamesNobody) {
  ASSERT_TRUE(world_.cluster->MoveLeader("orders", PartitionIndex(0), NodeId(3), {.hint = false}));
  const PartitionProduceResponse answer = Produce(world_.Connect(2), ProduceOf(batch_));
  EXPECT_EQ(answer.error, ErrorCode::kNotLeaderOrFollower);
  EXPECT_EQ(answer.current_leader, wire::LeaderIdAndEpoch());
}

// WP-14
TEST_F(ProduceTest, WrongCrcIsCorrupt) {
  std::string damaged = batch_;
  damaged.back() ^= 1;
  EXPECT_EQ(CodeFor(damaged), ErrorCode::kCorruptMessage);
  EXPECT_EQ(world_.notes.malformed.size(), 1U);
  EXPECT_EQ(world_.orders().log().record_count(), 0);
}

TEST_F(ProduceTest, TwoBatchesForOnePartitionAreRefused) {
  EXPECT_EQ(CodeFor(batch_ + batch_), ErrorCode::kInvalidRecord);
}

TEST_F(ProduceTest, NoBatchIsRefused) {
  EXPECT_EQ(CodeFor(""), ErrorCode::kInvalidRecord);
  wire::ProduceRequest request = ProduceOf(batch_);
  request.topics[0].partitions[0].records.reset();
  EXPECT_EQ(Produce(world_.Connect(1), request).error, ErrorCode::kInvalidRecord);
}

TEST_F(ProduceTest, TopicWithoutPartitionsIsNotInTheAnswer) {
  wire::ProduceRequest request = ProduceOf(batch_);
  request.topics[0].partitions.clear();
  const ConnectionId connection = world_.Connect(1);
  world_.Send(connection, request, kVersion);
  EXPECT_TRUE(world_.Answer<ProduceResponse>(connection, kVersion)->topics.empty());
}

TEST_F(ProduceTest, UndefinedCodecIsFoundBeforeTheLogUpToVersionSix) {
  const std::string batch = With(batch_, kAttributesAt, std::int16_t{5});
  for (const std::int16_t version : {6, 7}) {
    const PartitionProduceResponse answer = Produce(world_.Connect(1), ProduceOf(batch), version);
    EXPECT_EQ(answer.error, ErrorCode::kUnknownServerError);
    EXPECT_EQ(answer.log_start_offset, version == 6 ? -1 : 0);
  }
}

TEST_F(ProduceTest, RecordsMoreThanAnHourAheadAreRefusedSinceFour) {
  const std::int64_t latest = world_.clock.WallNow().millis() + 3'600'000;
  const auto at = [this](std::int64_t timestamp) {
    return With(With(batch_, kBaseTimestampAt, timestamp), kMaxTimestampAt, timestamp);
  };
  EXPECT_EQ(CodeFor(at(latest)), ErrorCode::kNone);
  const PartitionProduceResponse late = Produce(world_.Connect(1), ProduceOf(at(latest + 1)));
  EXPECT_EQ(late.error, ErrorCode::kInvalidTimestamp);
  EXPECT_EQ(late.log_start_offset, 0);
  ASSERT_EQ(late.record_errors.size(), 2U);
  EXPECT_EQ(late.record_errors[1].batch_index, 1);
  EXPECT_EQ(world_.orders().log().record_count(), 2);
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].release = "3.9";
  BrokerWorld older(spec);
  const std::string batch = at(latest + 1);
  const ConnectionId connection = older.Connect(1);
  older.Send(connection, ProduceOf(batch), kVersion);
  EXPECT_EQ(older.Answer<ProduceResponse>(connection, kVersion)->topics[0].partitions[0].error, ErrorCode::kNone);
}

TEST_F(ProduceTest, RecordsThatGetTheTimeOfTheLogMayBeAhead) {
  ClusterSpec spec = SpecOf(1);
  spec.settings = {{"log.message.timestamp.type", "LogAppendTime"}};
  BrokerWorld world(spec);
  const std::int64_t ahead = world.clock.WallNow().millis() + 7'200'000;
  const std::string batch = With(With(batch_, kBaseTimestampAt, ahead), kMaxTimestampAt, ahead);
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch), kVersion);
  EXPECT_EQ(world.Answer<ProduceResponse>(connection, kVersion)->topics[0].partitions[0].error, ErrorCode::kNone);
}

TEST_F(ProduceTest, OldBrokerHasNoCodeForInvalidRecords) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].release = "2.0";
  BrokerWorld world(spec);
  std::string batch = batch_;
  wire::StoreBigEndian(batch.data(), std::int64_t{5});  // the base offset, which is outside the CRC
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch), 6);
  EXPECT_EQ(world.Answer<ProduceResponse>(connection, 6)->topics[0].partitions[0].error, ErrorCode::kCorruptMessage);
}

TEST_F(ProduceTest, OldBrokerClosesOnABatchOfTheWrongShape) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].release = "2.0";
  BrokerWorld world(spec);
  const std::string batches = batch_ + batch_;
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batches), 6);
  EXPECT_EQ(world.NextAnswer(connection), std::nullopt);
  EXPECT_NE(world.transport.closed(connection), std::nullopt);
  EXPECT_EQ(world.orders().log().record_count(), 0);
}

TEST_F(ProduceTest, OldBrokerDoesNotAskWhoseTransactionItIs) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].release = "2.0";
  BrokerWorld world(spec);
  const std::string batch = With(batch_, kAttributesAt, std::int16_t{0x10});
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch), 6);
  EXPECT_EQ(world.Answer<ProduceResponse>(connection, 6)->topics[0].partitions[0].error, ErrorCode::kNone);
  EXPECT_EQ(CodeFor(batch), ErrorCode::kTransactionalIdAuthorizationFailed);
}

TEST_F(ProduceTest, BatchAboveTheLimitIsTooLarge) {
  ClusterSpec spec = SpecOf(1);
  spec.topics[0].settings = {{"max.message.bytes", std::to_string(batch_.size() - 1)}};
  BrokerWorld world(spec);
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch_), kVersion);
  EXPECT_EQ(world.Answer<ProduceResponse>(connection, kVersion)->topics[0].partitions[0].error,
            ErrorCode::kMessageTooLarge);
  EXPECT_TRUE(world.notes.malformed.empty());
}

TEST_F(ProduceTest, LogAppendTimeIsInTheAnswer) {
  ClusterSpec spec = SpecOf(1);
  spec.settings = {{"log.message.timestamp.type", "LogAppendTime"}};
  BrokerWorld world(spec);
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch_), kVersion);
  EXPECT_EQ(world.Answer<ProduceResponse>(connection, kVersion)->topics[0].partitions[0].log_append_time_ms,
            world.clock.WallNow().millis());
}

TEST_F(ProduceTest, PartitionsOfOneRequestSucceedAndFailOnTheirOwn) {
  ClusterSpec spec = SpecOf(3);
  spec.topics[0].partitions = 2;  // 0 is led by 1, 1 by 2
  BrokerWorld world(spec);
  wire::ProduceRequest request = ProduceOf(batch_);
  request.topics[0].partitions.push_back({.index = 1, .records = batch_});
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, request, kVersion);
  const auto answer = world.Answer<ProduceResponse>(connection, kVersion);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->topics[0].partitions[0].error, ErrorCode::kNone);
  EXPECT_EQ(answer->topics[0].partitions[1].error, ErrorCode::kNotLeaderOrFollower);
}

class AcksAllTest : public ::testing::Test {
 protected:
  static ClusterSpec Spec() {
    ClusterSpec spec = SpecOf(3);
    spec.settings = {{"min.insync.replicas", "2"}};
    spec.replication_delay = Distribution::Constant(std::chrono::milliseconds(10));
    return spec;
  }
  void SendBatch(std::int16_t acks = -1) {
    connection_ = world_.Connect(1);
    world_.Send(connection_, ProduceOf(batch_, acks), kVersion);
  }
  std::optional<ErrorCode> Code() {
    const auto answer = world_.Answer<ProduceResponse>(connection_, kVersion);
    if (!answer) return std::nullopt;
    return answer->topics[0].partitions[0].error;
  }

  const std::string batch_ = BatchOf({"value-one"});
  BrokerWorld world_{Spec()};
  ConnectionId connection_;
};

TEST_F(AcksAllTest, AnswerWaitsForReplication) {
  SendBatch();
  world_.Advance(std::chrono::milliseconds(9));
  EXPECT_EQ(Code(), std::nullopt);
  world_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(Code(), ErrorCode::kNone);
}

TEST_F(AcksAllTest, AcksOneDoesNotWait) {
  SendBatch(1);
  EXPECT_EQ(Code(), ErrorCode::kNone);
}

TEST_F(AcksAllTest, TooFewInSyncIsRefusedBeforeTheAppend) {
  ASSERT_TRUE(world_.cluster->ShrinkIsr("orders", PartitionIndex(0), NodeId(2)));
  ASSERT_TRUE(world_.cluster->ShrinkIsr("orders", PartitionIndex(0), NodeId(3)));
  SendBatch();
  EXPECT_EQ(Code(), ErrorCode::kNotEnoughReplicas);
  EXPECT_EQ(world_.orders().log().record_count(), 0);
}

TEST_F(AcksAllTest, TooFewInSyncAfterTheAppendIsToldSo) {
  SendBatch();
  ASSERT_TRUE(world_.cluster->ShrinkIsr("orders", PartitionIndex(0), NodeId(2)));
  ASSERT_TRUE(world_.cluster->ShrinkIsr("orders", PartitionIndex(0), NodeId(3)));
  world_.Settle();
  EXPECT_EQ(Code(), ErrorCode::kNotEnoughReplicasAfterAppend);
  EXPECT_EQ(world_.orders().log().record_count(), 1);
}

TEST_F(AcksAllTest, PausedFollowerHoldsTheAnswerUpToTheTimeoutOfTheRequest) {
  ASSERT_TRUE(world_.cluster->SetPaused(NodeId(3), true));
  SendBatch();
  world_.Advance(std::chrono::milliseconds(29999));
  EXPECT_EQ(Code(), std::nullopt);
  world_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(Code(), ErrorCode::kRequestTimedOut);
  EXPECT_EQ(world_.orders().log().record_count(), 1);
}

TEST_F(AcksAllTest, LeaderThatLosesLeadershipAnswersNotLeaderAtOnce) {
  SendBatch();
  world_.Advance(std::chrono::milliseconds(7));  // copied, but the leader does not know it yet
  ASSERT_TRUE(world_.cluster->MoveLeader("orders", PartitionIndex(0), NodeId(2), {}));
  world_.Settle();
  EXPECT_EQ(Code(), ErrorCode::kNotLeaderOrFollower);
  EXPECT_EQ(world_.orders().log().record_count(), 1);  // append, then fail
}

TEST_F(AcksAllTest, DeletedTopicIsUnknownToWhoeverWaits) {
  SendBatch();
  ASSERT_TRUE(world_.cluster->DeleteTopic("orders"));
  world_.Settle();
  EXPECT_EQ(Code(), ErrorCode::kUnknownTopicOrPartition);
}

TEST_F(AcksAllTest, ConnectionThatEndsTakesItsWaitingRequestAlong) {
  SendBatch();
  world_.transport.End(connection_, EndReason::kReset);
  world_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(world_.host->ConnectionCount(NodeId(1)), 0);
  EXPECT_EQ(world_.orders().high_watermark(), Offset(1));
}

}  // namespace
}  // namespace ktrial::sim
