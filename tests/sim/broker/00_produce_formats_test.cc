// What a leader takes besides record batches by name: message sets of old clients, and topics by id.
#include <gtest/gtest.h>

#include "core/wire/message_set.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ApiKey;
using wire::ErrorCode;
using wire::PartitionProduceResponse;
using wire::ProduceResponse;

class ProduceFormatsTest : public ::testing::Test {
 protected:
  void Start(std::string_view release) {
    ClusterSpec spec = SpecOf(1);
    spec.brokers[0].release = release;
    world_.emplace(std::move(spec));
    connection_ = world_->Connect(1);
  }
  std::optional<PartitionProduceResponse> Produce(const wire::ProduceRequest& request, std::int16_t version) {
    world_->Send(connection_, request, version);
    const auto answer = world_->Answer<ProduceResponse>(connection_, version);
    if (!answer) return std::nullopt;
    return answer->topics.at(0).partitions.at(0);
  }
  std::int64_t record_count() { return world_->orders().log().record_count(); }
  static std::string SetOf(std::int8_t magic, int records) {
    std::string bytes(1 << 12, '\0');
    wire::MessageSetBuilder builder(magic, bytes);
    for (int i = 0; i < records; ++i) EXPECT_GT(builder.Append(5, std::nullopt, "a value " + std::to_string(i)), 0U);
    return std::string(builder.Close());
  }

  std::optional<BrokerWorld> world_;
  ConnectionId connection_;
};

// WP-10, WP-20
TEST_F(ProduceFormatsTest, MessageSetsAreTakenWhereTheirVersionIsServed) {
  for (const auto& [release, version_max] :
       {std::pair("0.9", 1), std::pair("0.10", 2), std::pair("0.11", 2), std::pair("2.8", 2), std::pair("3.9", 2)}) {
    Start(release);
    for (std::int16_t version = 0; version <= version_max; ++version) {
      const auto answer = Produce(ProduceOf(SetOf(version < 2 ? 0 : 1, 3)), version);
      ASSERT_TRUE(answer.has_value()) << release;
      EXPECT_EQ(answer->error, ErrorCode::kNone) << release;
      EXPECT_EQ(answer->base_offset, 3 * version) << release;
    }
    EXPECT_EQ(record_count(), 3 * (version_max + 1)) << release;
  }
}

TEST_F(ProduceFormatsTest, RecordsOfAMessageSetAreKnownByTheirValues) {
  Start("0.10");
  ASSERT_TRUE(Produce(ProduceOf(SetOf(1, 2)), 2).has_value());
  EXPECT_EQ(world_->orders().log().IdentityAt(Offset(1)),
            IdentityOf(IdentityRule::kValuePrefix, std::nullopt, "a value 1"));
}

TEST_F(ProduceFormatsTest, SetWithoutAWholeMessageIsGoodAndEmpty) {
  Start("2.0");
  const auto answer = Produce(ProduceOf(SetOf(1, 1).substr(0, 20), -1), 2);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error, ErrorCode::kNone);
  EXPECT_EQ(answer->base_offset, -1);
  EXPECT_EQ(record_count(), 0);
}

TEST_F(ProduceFormatsTest, DamagedMessageIsCorrupt) {
  Start("2.8");
  std::string damaged = SetOf(1, 2);
  damaged.back() ^= 1;
  EXPECT_EQ(Produce(ProduceOf(damaged), 2)->error, ErrorCode::kCorruptMessage);
}

TEST_F(ProduceFormatsTest, BatchInAnOldVersionIsTakenByWhoKnowsBatches) {
  const std::string batch = BatchOf({"value-one"});
  Start("2.0");
  EXPECT_EQ(Produce(ProduceOf(batch), 2)->error, ErrorCode::kNone);
  Start("0.10");
  EXPECT_EQ(Produce(ProduceOf(batch), 2)->error, ErrorCode::kCorruptMessage);
}

TEST_F(ProduceFormatsTest, MessageSetInANewVersionIsRefused) {
  Start("2.8");
  EXPECT_EQ(Produce(ProduceOf(SetOf(1, 1)), 3)->error, ErrorCode::kInvalidRecord);
}

// WP-10
TEST_F(ProduceFormatsTest, UnknownFormatInAnOldVersionIsCorrupt) {
  Start("2.0");
  std::string set = SetOf(1, 1);
  set[16] = 3;  // the format's number
  EXPECT_EQ(Produce(ProduceOf(set), 2)->error, ErrorCode::kCorruptMessage);
}

TEST_F(ProduceFormatsTest, VersionThirteenNamesTopicsByTheirId) {
  Start("4.4");
  const std::string batch = BatchOf({"value-one"});
  wire::ProduceRequest request = ProduceOf(batch);
  request.topics[0].name = {};
  request.topics[0].topic_id = world_->cluster->FindTopic("orders")->id;
  world_->Send(connection_, request, 13);
  const auto answer = world_->Answer<ProduceResponse>(connection_, 13);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->topics[0].topic_id, request.topics[0].topic_id);
  EXPECT_EQ(answer->topics[0].partitions[0].error, ErrorCode::kNone);
  EXPECT_EQ(record_count(), 1);
}

TEST_F(ProduceFormatsTest, IdOfATopicThatWasMadeAgainIsUnknown) {
  Start("4.4");
  const std::string batch = BatchOf({"value-one"});
  wire::ProduceRequest request = ProduceOf(batch);
  request.topics[0].name = {};
  request.topics[0].topic_id = world_->cluster->FindTopic("orders")->id;
  ASSERT_TRUE(world_->cluster->DeleteTopic("orders"));
  ASSERT_TRUE(world_->cluster->CreateTopic({.name = "orders"}).ok());
  EXPECT_EQ(Produce(request, 13)->error, ErrorCode::kUnknownTopicId);
  EXPECT_EQ(record_count(), 0);
}

// As a real broker of 0.9.0.1 does, which then serves what comes behind.
TEST_F(ProduceFormatsTest, OldestReleaseSaysNothingToApiVersionsAndGoesOn) {
  Start("0.9");
  world_->Send(connection_, wire::ApiVersionsRequest{}, 0);
  EXPECT_EQ(world_->NextAnswer(connection_), std::nullopt);
  EXPECT_EQ(world_->transport.closed(connection_), std::nullopt);
  world_->Send(connection_, wire::MetadataRequest{.topics = std::nullopt}, 0);
  EXPECT_TRUE(world_->Answer<wire::MetadataResponse>(connection_, 0).has_value());
}

TEST_F(ProduceFormatsTest, WhatComesRightBehindAnUnknownRequestIsServedToo) {
  Start("0.9");
  wire::GatherBytes frames;
  wire::EncodeRequestFrame(wire::ApiVersionsRequest{}, 0, 1, "test", frames);
  wire::EncodeRequestFrame(wire::MetadataRequest{.topics = std::nullopt}, 0, 2, "test", frames);
  world_->transport.Write(connection_, frames.Flatten());
  world_->Settle();
  EXPECT_TRUE(world_->Answer<wire::MetadataResponse>(connection_, 0).has_value());
  EXPECT_EQ(world_->last_answered, 2);
}

}  // namespace
}  // namespace ktrial::sim
