#include <gtest/gtest.h>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;
using wire::MetadataRequest;
using wire::MetadataResponse;

constexpr std::int16_t kVersion = 12;

MetadataRequest AskFor(std::string topic) {
  MetadataRequest request;
  request.topics->push_back({.name = std::move(topic)});
  return request;
}

MetadataResponse Ask(BrokerWorld& world, const MetadataRequest& request, std::int32_t broker = 1,
                     std::int16_t version = kVersion) {
  const ConnectionId connection = world.Connect(broker);
  world.Send(connection, request, version);
  auto answer = world.Answer<MetadataResponse>(connection, version);
  if (!answer) {
    ADD_FAILURE() << "no answer";
    return {};
  }
  return *std::move(answer);
}

ClusterSpec OnZooKeeper() {
  ClusterSpec spec = SpecOf(3);
  for (BrokerSpec& broker : spec.brokers) broker.release = "2.8";
  return spec;
}

// WP-09
TEST(MetadataTest, NamesBrokersControllerAndPartitions) {
  ClusterSpec spec = SpecOf(3);
  spec.brokers[1].rack = "b";
  spec.brokers[2].advertised_host = "kafka.example";
  BrokerWorld world(spec);
  const MetadataResponse answer = Ask(world, AskFor("orders"));
  ASSERT_EQ(answer.brokers.size(), 3U);
  EXPECT_EQ(answer.brokers[0].host, "127.0.0.1");
  EXPECT_EQ(answer.brokers[0].port, world.host->address(NodeId(1)).port);
  EXPECT_EQ(answer.brokers[1].rack, "b");
  EXPECT_EQ(answer.brokers[2].host, "kafka.example");
  EXPECT_EQ(answer.cluster_id, "ktrial-cluster");
  EXPECT_EQ(answer.controller_id, 1);
  ASSERT_EQ(answer.topics.size(), 1U);
  EXPECT_NE(answer.topics[0].topic_id, TopicId());
  ASSERT_EQ(answer.topics[0].partitions.size(), 1U);
  const wire::MetadataPartition& partition = answer.topics[0].partitions[0];
  EXPECT_EQ(partition.leader_id, 1);
  EXPECT_EQ(partition.leader_epoch, 0);
  EXPECT_EQ(partition.replicas, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(partition.in_sync_replicas, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_TRUE(partition.offline_replicas.empty());
}

// WP-08
TEST(MetadataTest, EveryVersionIsAnswered) {
  BrokerWorld world;
  for (std::int16_t version = 0; version <= 13; ++version) {
    EXPECT_EQ(Ask(world, AskFor("orders"), 1, version).topics.at(0).error, ErrorCode::kNone) << version;
  }
}

// WP-08
TEST(MetadataTest, NullAsksForAllTopicsAndEmptyForNone) {
  ClusterSpec spec = SpecOf(1);
  spec.topics.push_back({.name = "audit"});
  BrokerWorld world(spec);
  EXPECT_EQ(Ask(world, {.topics = std::nullopt}).topics.size(), 2U);
  EXPECT_EQ(Ask(world, {}).topics.size(), 0U);
}

TEST(MetadataTest, PartitionWithoutALeaderIsNotAvailable) {
  BrokerWorld world;
  ASSERT_TRUE(world.cluster->RemoveLeader("orders", PartitionIndex(0)));
  const wire::MetadataPartition partition = Ask(world, AskFor("orders")).topics.at(0).partitions.at(0);
  EXPECT_EQ(partition.error, ErrorCode::kLeaderNotAvailable);
  EXPECT_EQ(partition.leader_id, -1);
  EXPECT_EQ(partition.leader_epoch, 1);
}

TEST(MetadataTest, OtherBrokersThanTheNewLeaderLagBehindAMove) {
  BrokerWorld world;
  const auto leader_by = [&world](std::int32_t broker) {
    return Ask(world, AskFor("orders"), broker).topics.at(0).partitions.at(0).leader_id;
  };
  ASSERT_TRUE(
      world.cluster->MoveLeader("orders", PartitionIndex(0), NodeId(2), {.lag = std::chrono::milliseconds(500)}));
  EXPECT_EQ(leader_by(1), 1);
  EXPECT_EQ(leader_by(2), 2);
  EXPECT_EQ(leader_by(3), 1);
  world.Advance(std::chrono::milliseconds(500));
  EXPECT_EQ(leader_by(1), 2);
  EXPECT_EQ(leader_by(3), 2);
}

TEST(MetadataTest, CrashedBrokerIsNoLongerListed) {
  BrokerWorld world;
  ASSERT_TRUE(world.host->Crash(NodeId(1), {}));
  const MetadataResponse answer = Ask(world, AskFor("orders"), 2);
  ASSERT_EQ(answer.brokers.size(), 2U);
  EXPECT_EQ(answer.controller_id, 2);
  const wire::MetadataPartition& partition = answer.topics.at(0).partitions.at(0);
  EXPECT_EQ(partition.leader_id, 2);
  EXPECT_EQ(partition.in_sync_replicas, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(partition.offline_replicas, (std::vector<std::int32_t>{1}));
}

TEST(MetadataTest, TopicIsMadeOnFirstUse) {
  BrokerWorld world;
  EXPECT_EQ(Ask(world, AskFor("fresh")).topics.at(0).error, ErrorCode::kUnknownTopicOrPartition);
  const wire::MetadataTopic second = Ask(world, AskFor("fresh")).topics.at(0);
  EXPECT_EQ(second.error, ErrorCode::kNone);
  EXPECT_EQ(second.partitions.size(), 1U);
}

TEST(MetadataTest, TopicMadeOnFirstUseHasNoLeaderYetUnderZooKeeper) {
  BrokerWorld world(OnZooKeeper());
  EXPECT_EQ(Ask(world, AskFor("fresh"), 1, 9).topics.at(0).error, ErrorCode::kLeaderNotAvailable);
  EXPECT_EQ(Ask(world, AskFor("fresh"), 1, 9).topics.at(0).error, ErrorCode::kNone);
}

TEST(MetadataTest, TopicIsNotMadeIfTheClientOrTheBrokerSaysNo) {
  ClusterSpec spec = SpecOf(1);
  spec.settings = {{"auto.create.topics.enable", "false"}};
  BrokerWorld refusing(spec);
  EXPECT_EQ(Ask(refusing, AskFor("fresh")).topics.at(0).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(refusing.cluster->FindTopic("fresh"), nullptr);
  BrokerWorld world;
  MetadataRequest request = AskFor("fresh");
  request.allow_auto_topic_creation = false;
  EXPECT_EQ(Ask(world, request).topics.at(0).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(world.cluster->FindTopic("fresh"), nullptr);
}

TEST(MetadataTest, IllegalTopicNameIsInvalid) {
  BrokerWorld world;
  EXPECT_EQ(Ask(world, AskFor("not a name")).topics.at(0).error, ErrorCode::kInvalidTopicException);
}

TEST(MetadataTest, IllegalTopicNameIsInvalidToWhoeverMayNotMakeItToo) {
  BrokerWorld world;
  MetadataRequest request = AskFor("not a name");
  request.allow_auto_topic_creation = false;
  EXPECT_EQ(Ask(world, request).topics.at(0).error, ErrorCode::kInvalidTopicException);
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].release = "2.0";
  BrokerWorld older(spec);
  EXPECT_EQ(Ask(older, request, 1, 6).topics.at(0).error, ErrorCode::kUnknownTopicOrPartition);
}

TEST(MetadataTest, TopicIdsAreRefusedBeforeVersionTwelve) {
  BrokerWorld world;
  MetadataRequest request = AskFor("orders");
  request.topics->push_back({.topic_id = world.cluster->FindTopic("orders")->id, .name = "fresh"});
  for (const std::int16_t version : {10, 11}) {
    const MetadataResponse answer = Ask(world, request, 1, version);
    EXPECT_TRUE(answer.brokers.empty());
    ASSERT_EQ(answer.topics.size(), 2U);
    EXPECT_EQ(answer.topics[0].error, ErrorCode::kInvalidRequest);
    EXPECT_EQ(answer.topics[0].name, "orders");
    EXPECT_EQ(answer.topics[1].topic_id, request.topics->at(1).topic_id);
  }
  EXPECT_EQ(world.cluster->FindTopic("fresh"), nullptr);
}

TEST(MetadataTest, NeitherIdNorNameIsAnUnknownError) {
  BrokerWorld world;
  const MetadataRequest request{.topics = {{{.name = std::nullopt}}}};
  EXPECT_EQ(Ask(world, request, 1, 11).topics.at(0).error, ErrorCode::kInvalidRequest);
  EXPECT_EQ(Ask(world, request, 1, 12).topics.at(0).error, ErrorCode::kUnknownServerError);
  EXPECT_EQ(Ask(world, request, 1, 13).error, ErrorCode::kUnknownServerError);
}

TEST(MetadataTest, IdCountsWhereANameStandsBesideIt) {
  BrokerWorld world;
  MetadataRequest request = AskFor("orders");
  request.topics->at(0).topic_id[0] = 1;
  EXPECT_EQ(Ask(world, request).topics.at(0).error, ErrorCode::kUnknownTopicId);
  request.topics->at(0) = {.topic_id = world.cluster->FindTopic("orders")->id, .name = "fresh"};
  EXPECT_EQ(Ask(world, request).topics.at(0).name, "orders");
  EXPECT_EQ(world.cluster->FindTopic("fresh"), nullptr);
}

TEST(MetadataTest, OperationsAreGivenToWhoeverAsks) {
  BrokerWorld world;
  MetadataRequest request = AskFor("orders");
  request.topics->push_back({.name = "fresh"});
  EXPECT_EQ(Ask(world, request).topics.at(0).authorized_operations, wire::kOperationsNotGiven);
  request.include_topic_authorized_operations = true;
  request.allow_auto_topic_creation = false;
  EXPECT_EQ(Ask(world, request).topics.at(0).authorized_operations, 3576);
  world.cluster->DeleteTopic("fresh");
  EXPECT_EQ(Ask(world, request).topics.at(1).authorized_operations, 3576) << "it is not there";
  request.include_cluster_authorized_operations = true;
  EXPECT_EQ(Ask(world, request, 1, 10).authorized_operations, 8096);
}

TEST(MetadataTest, TopicsAreFoundByIdSinceVersionTwelve) {
  BrokerWorld world;
  MetadataRequest request;
  request.topics->push_back({.topic_id = world.cluster->FindTopic("orders")->id});
  EXPECT_EQ(Ask(world, request).topics.at(0).name, "orders");
  request.topics->at(0).topic_id[0] ^= 1;
  const wire::MetadataTopic unknown = Ask(world, request).topics.at(0);
  EXPECT_EQ(unknown.error, ErrorCode::kUnknownTopicId);
  EXPECT_EQ(unknown.name, std::nullopt);
}

class FailTopic final : public RequestHook {
 public:
  void OnRequest(RequestPhase phase, const RequestView& request, RequestControl& control) override {
    if (phase == RequestPhase::kBeforeAppend && request.Names("orders")) {
      control.Fail(ErrorCode::kTopicAuthorizationFailed, "orders");
    }
  }
};

TEST(MetadataTest, HookFailsOneTopic) {
  BrokerWorld world;
  FailTopic hook;
  world.host->AddHook(hook);
  MetadataRequest request = AskFor("orders");
  request.topics->push_back({.name = "fresh"});
  const MetadataResponse answer = Ask(world, request);
  EXPECT_EQ(answer.topics.at(0).error, ErrorCode::kTopicAuthorizationFailed);
  EXPECT_EQ(answer.topics.at(1).error, ErrorCode::kUnknownTopicOrPartition);
}

TEST(MetadataTest, BrokerThatHasNotHeardOfATopicMakesNoSecond) {
  BrokerWorld world(SpecOf(2));
  const TopicId before = world.cluster->FindTopic("orders")->id;
  ASSERT_TRUE(world.cluster->DeleteTopic("orders", {{NodeId(2), std::chrono::seconds(1)}}));
  ASSERT_TRUE(world.cluster
                  ->CreateTopic({.name = "orders"},
                                {{NodeId(1), std::chrono::seconds(1)}, {NodeId(2), std::chrono::seconds(1)}})
                  .ok());
  const TopicId made = world.cluster->FindTopic("orders")->id;
  EXPECT_EQ(Ask(world, AskFor("orders"), 1).topics.at(0).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(Ask(world, AskFor("orders"), 2).topics.at(0).topic_id, before);
  EXPECT_EQ(Ask(world, {.topics = std::nullopt}, 1).topics.size(), 0U);
  EXPECT_EQ(Ask(world, {.topics = std::nullopt}, 2).topics.at(0).topic_id, before);
  world.Advance(std::chrono::seconds(1));
  for (const std::int32_t broker : {1, 2}) {
    EXPECT_EQ(Ask(world, AskFor("orders"), broker).topics.at(0).topic_id, made) << broker;
  }
}

}  // namespace
}  // namespace ktrial::sim
