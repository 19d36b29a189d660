// Goal: each clause of the verdict on a foreign client can fail, and fails alone.
// Method: tell the witness what the brokers saw, as the brokers would, and give it a cluster whose log says otherwise.
#include "scenarios/serve/wire_witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/wire/messages.h"
#include "core/wire/record_batch.h"
#include "sim/broker/partition.h"
#include "sim/trace/trace.h"

namespace ktrial::scenario {
namespace {

class StillClock : public Clock {
 public:
  Instant Now() const override { return now; }
  WallTime WallNow() const override { return WallTime::FromMillis(1); }
  Instant now = Instant::FromNanos(7'000'000'000);
};

class WireWitnessTest : public ::testing::Test {
 protected:
  WireWitnessTest() {
    sim::ClusterSpec spec;
    spec.brokers = {{.id = NodeId(1)}};
    spec.topics = {{.name = "orders", .partitions = 2}};
    spec.identity = sim::IdentityRule::kWholeRecord;
    cluster_ = *sim::Cluster::Create(spec, clock_, sim::Stream(1, "a", "b", trace_));
  }

  // A Produce request of these values for a partition.
  void Ask(std::uint64_t id, std::int32_t partition, const std::vector<std::string>& values) {
    buffer_.resize(4096);
    wire::RecordBatchBuilder builder(std::span<char>(buffer_.data(), buffer_.size()));
    for (const std::string& value : values) builder.Append(1, std::nullopt, std::string_view(value), {});
    request_ = wire::ProduceRequest();
    request_.acks = -1;
    request_.topics.resize(1);
    request_.topics[0].name = "orders";
    request_.topics[0].partitions.resize(1);
    request_.topics[0].partitions[0].index = partition;
    request_.topics[0].partitions[0].records = builder.Close();
    witness_.OnRequest(View(id));
  }
  sim::RequestView View(std::uint64_t id) {
    return {.id = id,
            .broker = NodeId(1),
            .connection = connection_,
            .api = wire::ApiKey::kProduce,
            .version = 9,
            .produce = &request_};
  }
  // The brokers append the values and say so.
  void Append(std::uint64_t id, std::int32_t partition, const std::vector<std::string>& values) {
    std::vector<sim::RecordIdentity> identities;
    for (const std::string& value : values) identities.push_back(sim::HashIdentity(std::nullopt, value));
    const auto appended =
        cluster_->Append(*cluster_->FindPartition("orders", PartitionIndex(partition)), {}, identities);
    witness_.OnAppended(View(id), "orders", PartitionIndex(partition), appended.base_offset, identities);
  }
  void Answer(std::uint64_t id, std::int32_t partition, wire::ErrorCode code, bool pipelined = false) {
    witness_.OnProduceResult(View(id), {.topic = "orders", .partition = PartitionIndex(partition), .code = code});
    witness_.OnResponse(View(id), 10, pipelined);
  }
  std::vector<std::string> Objections() {
    std::vector<std::string> names;
    for (const sim::Violation& violation : witness_.Judge(*cluster_)) names.push_back(violation.checker);
    return names;
  }

  StillClock clock_;
  sim::Trace trace_;
  std::unique_ptr<sim::Cluster> cluster_;
  WireWitness witness_{clock_, false};
  std::string buffer_;
  wire::ProduceRequest request_;
  ConnectionId connection_{1};
};

using Names = std::vector<std::string>;

TEST_F(WireWitnessTest, AClientThatDoesWellIsNotObjectedTo) {
  Ask(1, 0, {"a", "b"});
  Append(1, 0, {"a", "b"});
  Answer(1, 0, wire::ErrorCode::kNone);
  EXPECT_EQ(Objections(), Names());
  EXPECT_EQ(witness_.Metrics(*cluster_).at("records.acked"), 2);
  EXPECT_EQ(witness_.Metrics(*cluster_).at("log.records"), 2);
}

TEST_F(WireWitnessTest, WhatWasAcknowledgedMustBeInTheLog) {
  Ask(1, 0, {"a"});
  Append(1, 0, {"a"});
  Answer(1, 0, wire::ErrorCode::kNone);
  cluster_->FindPartition("orders", PartitionIndex(0))->log().TruncateTo(Offset(0));
  EXPECT_EQ(Objections(), Names{"loss"});
}

TEST_F(WireWitnessTest, WhatWentWithItsTopicIsNotMissed) {
  Ask(1, 0, {"a", "b"});
  Append(1, 0, {"a", "b"});
  Answer(1, 0, wire::ErrorCode::kNone);
  ASSERT_TRUE(cluster_->DeleteTopic("orders"));
  EXPECT_EQ(Objections(), Names());
  ASSERT_TRUE(cluster_->CreateTopic({.name = "orders", .partitions = 2}).ok());
  Ask(2, 0, {"c"});
  Append(2, 0, {"c"});
  Answer(2, 0, wire::ErrorCode::kNone);
  EXPECT_EQ(Objections(), Names());
  cluster_->FindPartition("orders", PartitionIndex(0))->log().TruncateTo(Offset(0));
  EXPECT_EQ(Objections(), Names{"loss"});
}

TEST_F(WireWitnessTest, WhatWasNotAcknowledgedMayBeMissing) {
  Ask(1, 0, {"a"});
  Append(1, 0, {"a"});
  witness_.OnNoResponse(View(1), "disconnected");
  Ask(2, 0, {"b"});
  Append(2, 0, {"b"});
  Answer(2, 0, wire::ErrorCode::kNotEnoughReplicasAfterAppend);
  cluster_->FindPartition("orders", PartitionIndex(0))->log().TruncateTo(Offset(0));
  EXPECT_EQ(Objections(), Names());
}

TEST_F(WireWitnessTest, ARetryBehindAYoungerBatchIsOutOfOrder) {
  Ask(1, 0, {"a"});
  Answer(1, 0, wire::ErrorCode::kNotLeaderOrFollower);
  Ask(2, 0, {"b"});
  Append(2, 0, {"b"});
  Answer(2, 0, wire::ErrorCode::kNone);
  Ask(3, 0, {"a"});
  clock_.now = clock_.now + std::chrono::seconds(3);
  Append(3, 0, {"a"});
  Answer(3, 0, wire::ErrorCode::kNone);
  ASSERT_EQ(Objections(), Names{"order"});
  // Since the start of the trial.
  EXPECT_EQ(witness_.Judge(*cluster_)[0].at, Instant() + std::chrono::seconds(3));
}

TEST_F(WireWitnessTest, OrderIsNotJudgedIfTwoRequestsWereInFlight) {
  Ask(1, 0, {"a"});
  Answer(1, 0, wire::ErrorCode::kNotLeaderOrFollower, true);
  Ask(2, 0, {"b"});
  Append(2, 0, {"b"});
  Answer(2, 0, wire::ErrorCode::kNone);
  Ask(3, 0, {"a"});
  Append(3, 0, {"a"});
  Answer(3, 0, wire::ErrorCode::kNone);
  EXPECT_EQ(Objections(), Names());
  EXPECT_FALSE(witness_.judges_order());
}

TEST_F(WireWitnessTest, OrderIsNotJudgedBetweenTwoClients) {
  Ask(1, 0, {"of one client"});
  Answer(1, 0, wire::ErrorCode::kNotLeaderOrFollower);
  connection_ = ConnectionId(2);
  Ask(2, 0, {"of another"});
  Append(2, 0, {"of another"});
  Answer(2, 0, wire::ErrorCode::kNone);
  connection_ = ConnectionId(1);
  Ask(3, 0, {"of one client"});
  Append(3, 0, {"of one client"});
  Answer(3, 0, wire::ErrorCode::kNone);
  EXPECT_FALSE(witness_.judges_order());
  EXPECT_THAT(witness_.Judge(*cluster_), ::testing::IsEmpty());
}

TEST_F(WireWitnessTest, AClientThatConnectsAgainIsStillOneClient) {
  Ask(1, 0, {"a"});
  Append(1, 0, {"a"});
  Answer(1, 0, wire::ErrorCode::kNone);
  witness_.OnClosed(NodeId(1), connection_, "reset");
  connection_ = ConnectionId(2);
  Ask(2, 0, {"b"});
  EXPECT_TRUE(witness_.judges_order());
}

TEST_F(WireWitnessTest, DuplicatesAreCountedAndNotJudged) {
  for (const std::uint64_t id : {1u, 2u}) {
    Ask(id, 0, {"a"});
    Append(id, 0, {"a"});
    Answer(id, 0, wire::ErrorCode::kNone);
  }
  EXPECT_EQ(Objections(), Names());
  EXPECT_EQ(witness_.Metrics(*cluster_).at("duplicates"), 1);
}

TEST_F(WireWitnessTest, BytesThatAreNotWellFormedAreReported) {
  witness_.OnMalformed(NodeId(1), ConnectionId(1), "a wrong CRC");
  EXPECT_EQ(Objections(), Names{"wire"});
}

TEST_F(WireWitnessTest, AHotLoopOfMetadataRequestsIsReported) {
  const auto ask = [this] {
    witness_.OnRequest({.id = 1, .broker = NodeId(1), .api = wire::ApiKey::kMetadata, .version = 9});
  };
  for (std::int64_t i = 0; i < kMetadataRequestsPerSecondMax; ++i) ask();
  EXPECT_EQ(Objections(), Names());
  ask();
  EXPECT_EQ(Objections(), Names{"request_rate"});
}

TEST_F(WireWitnessTest, TheSameNumberOverTwoSecondsIsNoHotLoop) {
  for (std::int64_t i = 0; i <= kConnectionsPerSecondMax; ++i) {
    if (i == 50) clock_.now = clock_.now + std::chrono::seconds(1);
    witness_.OnAccepted(NodeId(1), ConnectionId(static_cast<std::uint64_t>(i)));
  }
  EXPECT_EQ(Objections(), Names());
}

}  // namespace
}  // namespace ktrial::scenario
