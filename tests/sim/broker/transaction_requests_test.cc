// The requests of transactions as a client sees them: 10_find_coordinator.cc, 22_init_producer_id.cc,
// 24_add_partitions_to_txn.cc, 25_add_offsets_to_txn.cc, 26_end_txn.cc, 28_txn_offset_commit.cc, and 00_produce.cc as far
// as it takes part.
#include <gtest/gtest.h>

#include "core/wire/transaction_messages.h"
#include "sim/broker/transaction_coordinator.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using wire::ErrorCode;

class TransactionRequestsTest : public ::testing::Test {
 protected:
  void Start(std::string_view release = "4.0") {
    ClusterSpec spec = SpecOf(3);
    for (BrokerSpec& broker : spec.brokers) broker.release = release;
    world_.emplace(std::move(spec));
    for (std::int32_t broker = 1; broker <= 3; ++broker) connections_[broker] = world_->Connect(broker);
  }
  template <class Response, class Request>
  Response Ask(std::int32_t broker, const Request& request, std::int16_t version) {
    world_->Send(connections_.at(broker), request, version);
    const auto answer = world_->Answer<Response>(connections_.at(broker), version);
    EXPECT_TRUE(answer.has_value()) << "no answer";
    return answer.value_or(Response{});
  }
  wire::FindCoordinatorResponse Find(std::int16_t version, std::int8_t type = wire::kTransactionCoordinator) {
    return Ask<wire::FindCoordinatorResponse>(
        1, wire::FindCoordinatorRequest{.key = "t", .key_type = type, .coordinator_keys = {"t"}}, version);
  }
  // The coordinator of "t", found as a client does.
  std::int32_t Coordinator() {
    Find(1);
    return Find(1).node_id;
  }
  wire::InitProducerIdResponse Init(std::int32_t broker, std::int16_t version = 1) {
    return Ask<wire::InitProducerIdResponse>(
        broker, wire::InitProducerIdRequest{.transactional_id = "t", .transaction_timeout_ms = 60000}, version);
  }
  ErrorCode Add(std::int32_t broker, std::int16_t version, const wire::InitProducerIdResponse& producer) {
    const auto answer = Ask<wire::AddPartitionsToTxnResponse>(
        broker,
        wire::AddPartitionsToTxnRequest{.transactional_id = "t",
                                        .producer_id = producer.producer_id,
                                        .producer_epoch = producer.producer_epoch,
                                        .topics = {{.name = "orders", .partitions = {0}}}},
        version);
    return answer.topics.at(0).partitions.at(0).error;
  }
  wire::EndTxnResponse End(std::int32_t broker, std::int16_t version, const wire::InitProducerIdResponse& producer,
                           bool commit = true) {
    return Ask<wire::EndTxnResponse>(broker,
                                     wire::EndTxnRequest{.transactional_id = "t",
                                                         .producer_id = producer.producer_id,
                                                         .producer_epoch = producer.producer_epoch,
                                                         .committed = commit},
                                     version);
  }
  ErrorCode Produce(const wire::InitProducerIdResponse& producer, std::int32_t sequence, std::int16_t version,
                    bool transactional = true) {
    const std::string batch = BatchOf({"one"}, {.id = ProducerId(producer.producer_id),
                                                .epoch = ProducerEpoch(producer.producer_epoch),
                                                .base_sequence = Sequence(sequence),
                                                .transactional = transactional});
    wire::ProduceRequest request = ProduceOf(batch);
    request.transactional_id = "t";
    const auto answer = Ask<wire::ProduceResponse>(1, request, version);
    return answer.topics.at(0).partitions.at(0).error;
  }

  std::optional<BrokerWorld> world_;
  std::map<std::int32_t, ConnectionId> connections_;
};

TEST_F(TransactionRequestsTest, CoordinatorIsThereWhenItIsAskedForAgain) {
  Start();
  const wire::FindCoordinatorResponse first = Find(1);
  EXPECT_EQ(first.error, ErrorCode::kCoordinatorNotAvailable);
  EXPECT_EQ(first.node_id, -1);
  const wire::FindCoordinatorResponse second = Find(1);
  EXPECT_EQ(second.error, ErrorCode::kNone);
  EXPECT_EQ(second.port, world_->host->address(NodeId(second.node_id)).port);
}

TEST_F(TransactionRequestsTest, EveryVersionFindsTheSameCoordinator) {
  Start();
  const std::int32_t expected = Coordinator();
  for (std::int16_t version = 1; version <= 3; ++version) EXPECT_EQ(Find(version).node_id, expected) << version;
  for (std::int16_t version = 4; version <= 6; ++version) {
    const wire::FindCoordinatorResponse answer = Find(version);
    ASSERT_EQ(answer.coordinators.size(), 1U) << version;
    EXPECT_EQ(answer.coordinators[0].key, "t");
    EXPECT_EQ(answer.coordinators[0].node_id, expected) << version;
  }
}

TEST_F(TransactionRequestsTest, OtherKindsOfKeysAreInvalid) {
  Start();
  EXPECT_EQ(Find(3, 7).error, ErrorCode::kInvalidRequest);
}

TEST_F(TransactionRequestsTest, WholeTransactionStandsInTheLogWithItsMarker) {
  Start("2.8");
  const std::int32_t coordinator = Coordinator();
  const wire::InitProducerIdResponse producer = Init(coordinator);
  ASSERT_EQ(producer.error, ErrorCode::kNone);
  ASSERT_EQ(Add(coordinator, 2, producer), ErrorCode::kNone);
  ASSERT_EQ(Produce(producer, 0, 8), ErrorCode::kNone);
  ASSERT_EQ(End(coordinator, 2, producer).error, ErrorCode::kNone);
  world_->Advance(milliseconds(10));
  const std::span<const LogBatch> log = world_->orders().log().batches();
  ASSERT_EQ(log.size(), 2U);
  EXPECT_TRUE(log[0].transactional);
  EXPECT_EQ(log[1].kind, BatchKind::kCommitMarker);
  EXPECT_EQ(world_->orders().log().record_count(), 1);
}

TEST_F(TransactionRequestsTest, FencedProducerIsToldByTheNameThatTheVersionKnows) {
  Start("2.8");
  const std::int32_t coordinator = Coordinator();
  const wire::InitProducerIdResponse old = Init(coordinator);
  Init(coordinator);
  EXPECT_EQ(Add(coordinator, 1, old), ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(Add(coordinator, 2, old), ErrorCode::kProducerFenced);
  EXPECT_EQ(End(coordinator, 1, old).error, ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(End(coordinator, 2, old).error, ErrorCode::kProducerFenced);
}

TEST_F(TransactionRequestsTest, PartitionThatDoesNotExistKeepsAllOut) {
  Start();
  const std::int32_t coordinator = Coordinator();
  const wire::InitProducerIdResponse producer = Init(coordinator);
  const auto answer = Ask<wire::AddPartitionsToTxnResponse>(
      coordinator,
      wire::AddPartitionsToTxnRequest{.transactional_id = "t",
                                      .producer_id = producer.producer_id,
                                      .producer_epoch = producer.producer_epoch,
                                      .topics = {{.name = "orders", .partitions = {0, 9}}}},
      3);
  EXPECT_EQ(answer.topics.at(0).partitions.at(0).error, ErrorCode::kOperationNotAttempted);
  EXPECT_EQ(answer.topics.at(0).partitions.at(1).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(End(coordinator, 3, producer).error, ErrorCode::kInvalidTxnState) << "nothing has begun";
}

TEST_F(TransactionRequestsTest, BatchOfNoTransactionIsRefusedAsTheReleaseDoes) {
  for (const auto& [release, version, expected] :
       {std::tuple("2.8", 8, ErrorCode::kNone), std::tuple("3.9", 9, ErrorCode::kInvalidTxnState),
        std::tuple("4.0", 11, ErrorCode::kTransactionAbortable)}) {
    Start(release);
    const wire::InitProducerIdResponse producer = Init(Coordinator());
    EXPECT_EQ(Produce(producer, 0, static_cast<std::int16_t>(version)), expected) << release;
  }
}

// KIP-890
TEST_F(TransactionRequestsTest, LeaderAddsThePartitionSinceVersionTwelve) {
  Start();
  const std::int32_t coordinator = Coordinator();
  const wire::InitProducerIdResponse producer = Init(coordinator);
  ASSERT_EQ(Produce(producer, 0, 12), ErrorCode::kNone);
  const wire::EndTxnResponse end = End(coordinator, 5, producer);
  EXPECT_EQ(end.error, ErrorCode::kNone);
  EXPECT_EQ(end.producer_id, producer.producer_id);
  EXPECT_EQ(end.producer_epoch, producer.producer_epoch + 1);
  world_->Advance(milliseconds(10));
  EXPECT_EQ(Produce(producer, 1, 12), ErrorCode::kInvalidProducerEpoch);
}

// As where the topic was deleted and made again in the middle of a transaction.
TEST_F(TransactionRequestsTest, TransactionBeginsWithZeroWhereTheLeaderDoesNotKnowItsProducer) {
  for (const auto& [release, version, expected] :
       {std::tuple("4.4", 12, ErrorCode::kOutOfOrderSequenceNumber), std::tuple("4.0", 12, ErrorCode::kNone)}) {
    Start(release);
    const wire::InitProducerIdResponse producer = Init(Coordinator());
    ASSERT_EQ(Produce(producer, 0, static_cast<std::int16_t>(version)), ErrorCode::kNone);
    ASSERT_TRUE(world_->cluster->DeleteTopic("orders"));
    ASSERT_TRUE(world_->cluster->CreateTopic({.name = "orders"}).ok());
    EXPECT_EQ(Produce(producer, 1, static_cast<std::int16_t>(version)), expected) << release;
  }
}

TEST_F(TransactionRequestsTest, PlainBatchOfAProducerInATransactionIsRefused) {
  Start("3.9");
  const std::int32_t coordinator = Coordinator();
  const wire::InitProducerIdResponse producer = Init(coordinator);
  ASSERT_EQ(Add(coordinator, 3, producer), ErrorCode::kNone);
  ASSERT_EQ(Produce(producer, 0, 9), ErrorCode::kNone);
  EXPECT_EQ(Produce(producer, 1, 9, false), ErrorCode::kInvalidTxnState);
}

TEST_F(TransactionRequestsTest, OffsetsOfAGroupAreCommittedWithTheTransaction) {
  Start("2.8");
  const std::int32_t coordinator = Coordinator();
  const wire::InitProducerIdResponse producer = Init(coordinator);
  Find(1, wire::kGroupCoordinator);
  const std::int32_t group = Find(1, wire::kGroupCoordinator).node_id;
  const auto added = Ask<wire::AddOffsetsToTxnResponse>(
      coordinator,
      wire::AddOffsetsToTxnRequest{
          .transactional_id = "t", .producer_id = producer.producer_id, .producer_epoch = 0, .group_id = "t"},
      2);
  ASSERT_EQ(added.error, ErrorCode::kNone);
  const auto committed = Ask<wire::TxnOffsetCommitResponse>(
      group,
      wire::TxnOffsetCommitRequest{
          .transactional_id = "t",
          .group_id = "t",
          .producer_id = producer.producer_id,
          .topics = {{.name = "orders", .partitions = {{.index = 0, .committed_offset = 7}, {.index = 9}}}}},
      2);
  EXPECT_EQ(committed.topics.at(0).partitions.at(0).error, ErrorCode::kNone);
  EXPECT_EQ(committed.topics.at(0).partitions.at(1).error, ErrorCode::kUnknownTopicOrPartition);
  ASSERT_EQ(End(coordinator, 2, producer).error, ErrorCode::kNone);
  world_->Advance(milliseconds(10));
  EXPECT_EQ(world_->host->transactions().OffsetOf("t", {.topic = "orders", .partition = PartitionIndex(0)}), Offset(7));
}

TEST_F(TransactionRequestsTest, InternalTopicsAreMarkedAsSuch) {
  Start();
  Coordinator();
  const auto answer = Ask<wire::MetadataResponse>(1, wire::MetadataRequest{.topics = std::nullopt}, 12);
  for (const wire::MetadataTopic& topic : answer.topics) {
    EXPECT_EQ(topic.is_internal, topic.name == "__transaction_state") << *topic.name;
  }
  EXPECT_EQ(answer.topics.size(), 2U);
}

TEST_F(TransactionRequestsTest, NobodyButTheAdminClientMayWriteToInternalTopics) {
  Start();
  Coordinator();
  const std::string batch = BatchOf({"one"});
  const std::int32_t leader = world_->cluster->LeaderOf("__transaction_state", PartitionIndex(0)).value();
  const auto answer = Ask<wire::ProduceResponse>(leader, ProduceOf(batch, 1, "__transaction_state"), 9);
  EXPECT_EQ(answer.topics.at(0).partitions.at(0).error, ErrorCode::kInvalidTopicException);
}

}  // namespace
}  // namespace ktrial::sim
