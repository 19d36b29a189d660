#include "core/metadata/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/wire/status.h"
#include "tests/core/metadata/answers.h"

namespace ktrial::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::ErrorCode;

std::vector<std::string> Names(const MetadataQuery& query) {
  std::vector<std::string> names;
  for (const wire::MetadataRequestTopic& topic : *query.request.topics) names.push_back(*topic.name);
  return names;
}

// --- Bootstrap ---

// MD-01
TEST(MetadataTest, AtFirstNothingIsRemembered) {
  MetadataWorld world;
  EXPECT_EQ(world.metadata.last_successful_refresh(), std::nullopt);
  EXPECT_FALSE(world.metadata.IsTracked("t"));
  EXPECT_EQ(world.metadata.LastTopicError("t"), ErrorCode::kNone);
  EXPECT_EQ(world.metadata.TakeErrors("t"), absl::OkStatus());
  EXPECT_EQ(world.metadata.waiter_count(), 0u);
  EXPECT_EQ(world.metadata.CurrentLeader("t", PartitionIndex(0)).epoch, kUnknownEpoch);
  const MetadataQuery query = world.metadata.BuildRequest(world.now());
  EXPECT_EQ(query.request_version, 0);
  EXPECT_FALSE(query.partial);
  EXPECT_THAT(Names(query), IsEmpty());
}

// MD-20, MD-21
TEST(MetadataTest, StartsWithTheBootstrapListAndADueUpdate) {
  MetadataWorld world;
  const auto cluster = world.metadata.Fetch();
  EXPECT_TRUE(cluster->is_bootstrap());
  ASSERT_EQ(cluster->nodes().size(), 2u);
  EXPECT_EQ(*cluster->FindNode(NodeId(-1)), (Node{.id = NodeId(-1), .host = "boot-a", .port = 9092}));
  EXPECT_EQ(*cluster->FindNode(NodeId(-2)), (Node{.id = NodeId(-2), .host = "boot-b", .port = 9093}));
  EXPECT_TRUE(cluster->topics().empty());
  EXPECT_EQ(world.metadata.version(), 1);
  EXPECT_TRUE(world.IsDue());
}

// MD-22
TEST(MetadataTest, RebootstrapStartsOverFromTheConfiguredAddresses) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.Update(Answer({1, 2}, {Topic("t", {Led(0, 1)})}));
  world.metadata.Rebootstrap();
  EXPECT_TRUE(world.metadata.Fetch()->is_bootstrap());
  EXPECT_EQ(world.metadata.Fetch()->FindTopic("t"), nullptr);
  EXPECT_EQ(world.metadata.version(), 3);
  const MetadataQuery query = world.metadata.BuildRequest(world.now());
  EXPECT_FALSE(query.partial);
  EXPECT_EQ(query.reason, RefreshReason::kRebootstrap);
  EXPECT_THAT(Names(query), ElementsAre("t"));
}

// --- Snapshots ---

// MD-02
TEST(MetadataTest, AReaderKeepsItsSnapshot) {
  MetadataWorld world;
  const auto before = world.metadata.Fetch();
  world.Update(Answer({1}));
  EXPECT_TRUE(before->is_bootstrap());
  EXPECT_FALSE(world.metadata.Fetch()->is_bootstrap());
}

TEST(MetadataTest, FetchIfNewerReplacesOnlyAnOldSnapshot) {
  MetadataWorld world;
  auto cached = world.metadata.Fetch();
  EXPECT_FALSE(world.metadata.FetchIfNewer(cached));
  world.Update(Answer({1}));
  EXPECT_TRUE(world.metadata.FetchIfNewer(cached));
  EXPECT_EQ(cached, world.metadata.Fetch());
  EXPECT_EQ(cached->generation(), world.metadata.generation());
  EXPECT_FALSE(world.metadata.FetchIfNewer(cached));
}

// MD-08
TEST(MetadataTest, AFullUpdateReplacesEverything) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  EXPECT_EQ(world.Update(Answer({1, 2}, {Topic("t", {Led(0, 1), Led(1, 2)}, 7)})), UpdateResult::kUpdated);
  EXPECT_EQ(world.metadata.version(), 2);
  EXPECT_EQ(world.UntilNext(), 5min);
  EXPECT_EQ(world.metadata.last_successful_refresh(), world.now());
  const auto cluster = world.metadata.Fetch();
  EXPECT_EQ(cluster->cluster_id(), "cluster");
  EXPECT_EQ(cluster->controller()->id, NodeId(1));
  EXPECT_EQ(cluster->FindTopic("t")->id, TopicId{7});
  EXPECT_EQ(cluster->LeaderOf("t", PartitionIndex(1))->host, "b2");
}

// MD-10
TEST(MetadataTest, AFailureMovesOnlyTheBackoff) {
  MetadataWorld world;
  world.Update(Answer({1}));
  const Instant success = world.now();
  world.clock.Advance(1min);
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.Fail();
  EXPECT_EQ(world.metadata.version(), 2);
  EXPECT_EQ(world.metadata.last_successful_refresh(), success);
  EXPECT_EQ(world.UntilNext(), 100ms);
}

// MD-19
TEST(MetadataTest, AnAnswerWithoutBrokersIsAFailure) {
  MetadataWorld world;
  world.Update(Answer({1}));
  world.clock.Advance(5min);
  EXPECT_EQ(world.Update(Answer({})), UpdateResult::kNoBrokers);
  EXPECT_EQ(world.metadata.version(), 2);
  EXPECT_EQ(world.metadata.Fetch()->nodes().size(), 1u);
  EXPECT_EQ(world.UntilNext(), 100ms);
}

// MD-20: negative ids belong to the bootstrap list, and a broker cannot take one.
TEST(MetadataTest, BrokersThatCannotBeAreLeftOut) {
  MetadataWorld world;
  wire::MetadataResponse response = Answer({-1, 3, 4, 4});
  response.brokers[1].port = 70000;
  response.brokers[3].host = "later";
  world.Update(response);
  const auto cluster = world.metadata.Fetch();
  ASSERT_EQ(cluster->nodes().size(), 1u);
  EXPECT_EQ(cluster->nodes()[0].host, "later");
}

// Of one such partition the accumulator would make two thousand million queues.
TEST(MetadataTest, PartitionsThatCannotBeAreLeftOut) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.Update(
      Answer({1}, {Topic("t", {Led(-1, 1), Led(0, 1), Led(199'999, 1), Led(200'000, 1), Led(2147483647, 1)})}));
  const auto cluster = world.metadata.Fetch();
  const TopicInfo* topic = cluster->FindTopic("t");
  ASSERT_NE(topic, nullptr);
  ASSERT_EQ(topic->partitions.size(), 2u);
  EXPECT_EQ(topic->partitions[0].index, PartitionIndex(0));
  EXPECT_EQ(topic->partitions[1].index, PartitionIndex(199'999));
}

// MD-23
TEST(MetadataTest, RebootstrapRequiredIsToldAndBacksOff) {
  MetadataWorld world;
  wire::MetadataResponse response = Answer({1});
  response.error = ErrorCode::kRebootstrapRequired;
  EXPECT_EQ(world.Update(response), UpdateResult::kRebootstrap);
  EXPECT_EQ(world.metadata.version(), 1);
  EXPECT_EQ(world.UntilNext(), 100ms);
}

// --- What is asked for ---

// MD-03
TEST(MetadataTest, RequestUpdateReturnsTheVersionAndIsIdempotent) {
  MetadataWorld world;
  world.Update(Answer({1}));
  EXPECT_EQ(world.metadata.RequestUpdate(RefreshReason::kProduceError), 2);
  EXPECT_EQ(world.metadata.RequestUpdate(RefreshReason::kProduceError), 2);
  EXPECT_EQ(world.UntilNext(), 100ms);
  EXPECT_EQ(world.metadata.version(), 2);
}

// MD-07
TEST(MetadataTest, ANewTopicBypassesTheBackoffAKnownOneDoesNot) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}, {Topic("t", {Led(0, 1)})}));
  world.metadata.Add("t", world.now());
  EXPECT_EQ(world.UntilNext(), 5min);
  world.metadata.Add("u", world.now());
  EXPECT_TRUE(world.IsDue());
}

// MD-13
TEST(MetadataTest, PartialAsksForNewTopicsFullForAll) {
  MetadataWorld world;
  world.metadata.Add("known", world.now());
  world.Update(Answer({1}, {Topic("known", {Led(0, 1)})}));
  world.metadata.Add("new", world.now());
  const MetadataQuery partial = world.metadata.BuildRequest(world.now());
  EXPECT_TRUE(partial.partial);
  EXPECT_TRUE(partial.request.allow_auto_topic_creation);
  EXPECT_EQ(partial.reason, RefreshReason::kNewTopic);
  EXPECT_THAT(Names(partial), ElementsAre("new"));
  world.metadata.UpdateFailed(world.now());
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  EXPECT_THAT(Names(world.metadata.BuildRequest(world.now())), ElementsAre("known", "new"));
}

// MD-14
TEST(MetadataTest, WithoutTopicsNoneAreAskedFor) {
  MetadataWorld world;
  EXPECT_THAT(Names(world.metadata.BuildRequest(world.now())), IsEmpty());
}

TEST(MetadataTest, AllTopicsModeAsksForAndKeepsAll) {
  MetadataConfig config = MetadataWorld::Config();
  config.all_topics = true;
  MetadataWorld world(config);
  EXPECT_FALSE(world.metadata.BuildRequest(world.now()).request.topics.has_value());
  world.metadata.UpdateFailed(world.now());
  world.Update(Answer({1}, {Topic("a", {Led(0, 1)}), Topic("b", {Led(0, 1)})}));
  EXPECT_NE(world.metadata.Fetch()->FindTopic("b"), nullptr);
}

// MD-11: a topic that came while the request was in flight is asked for next, at once.
TEST(MetadataTest, ATopicAddedDuringAFlightIsNotLost) {
  MetadataWorld world;
  world.metadata.Add("a", world.now());
  const MetadataQuery query = world.metadata.BuildRequest(world.now());
  world.metadata.Add("b", world.now());
  world.metadata.Update(query, Answer({1}, {Topic("a", {Led(0, 1)})}), kNewestVersion, world.now());
  EXPECT_TRUE(world.IsDue());
  EXPECT_THAT(Names(world.metadata.BuildRequest(world.now())), ElementsAre("b"));
}

// MD-13: a retry for a topic that was answered with an error is a full update.
TEST(MetadataTest, ATopicAnsweredWithAnErrorIsNotNewAnyMore) {
  MetadataWorld world;
  world.Update(Answer({1}));
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}, {BadTopic("t", ErrorCode::kUnknownTopicOrPartition)}));
  EXPECT_EQ(world.metadata.RequestUpdateForTopic("t"), 3);
  EXPECT_FALSE(world.metadata.BuildRequest(world.now()).partial);
}

// A broker that never names a topic must not be asked for it as fast as it answers.
TEST(MetadataTest, ATopicThatIsNeverAnsweredWaitsForTheBackoff) {
  MetadataWorld world;
  world.Update(Answer({1}));
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}));  // Asked for, and not in the answer.
  world.metadata.RequestUpdateForTopic("t");
  EXPECT_EQ(world.UntilNext(), 100ms);
  world.clock.Advance(100ms);
  EXPECT_THAT(Names(world.metadata.BuildRequest(world.now())), ElementsAre("t"));
}

// --- What an answer changes ---

// MD-09, MD-18
TEST(MetadataTest, APartialAnswerMergesIntoWhatIsKnown) {
  MetadataWorld world;
  world.metadata.Add("kept", world.now());
  world.metadata.Add("changed", world.now());
  world.Update(Answer({1}, {Topic("kept", {Led(0, 1)}, 1), Topic("changed", {Led(0, 1)}, 2)}));
  world.metadata.Add("new", world.now());
  const auto before = world.metadata.Fetch();
  world.Update(Answer({1, 2}, {Topic("new", {Led(0, 2)}), Topic("changed", {Led(0, 1), Led(1, 2)}, 3)}));
  const auto cluster = world.metadata.Fetch();
  EXPECT_EQ(cluster->FindTopic("kept"), before->FindTopic("kept"));
  EXPECT_EQ(cluster->FindTopic("kept")->id, TopicId{1});
  EXPECT_EQ(cluster->FindTopic("changed")->partition_count(), 2);
  EXPECT_EQ(cluster->FindTopic("changed")->id, TopicId{3});
  EXPECT_EQ(cluster->LeaderOf("new", PartitionIndex(0))->id, NodeId(2));
  EXPECT_EQ(world.metadata.version(), 3);
}

// MD-02, MD-47
TEST(MetadataTest, InternalTopicsAreMarkedAndStayMarked) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.metadata.Add("offsets", world.now());
  wire::MetadataTopic offsets = Topic("offsets", {Led(0, 1)});
  offsets.is_internal = true;
  world.Update(Answer({1}, {Topic("t", {Led(0, 1)}), offsets}));
  world.metadata.Add("new", world.now());
  world.Update(Answer({1}, {Topic("new", {Led(0, 1)})}));
  const auto cluster = world.metadata.Fetch();
  EXPECT_TRUE(cluster->FindTopic("offsets")->internal);
  EXPECT_FALSE(cluster->FindTopic("t")->internal);
  EXPECT_FALSE(cluster->FindTopic("new")->internal);
}

// MD-18
TEST(MetadataTest, ATopicWithAnErrorLosesItsPartitions) {
  for (const bool partial : {false, true}) {
    MetadataWorld world;
    world.metadata.Add("t", world.now());
    world.Update(Answer({1}, {Topic("t", {Led(0, 1)})}));
    if (partial) world.metadata.Add("new", world.now());
    world.Update(Answer({1}, {BadTopic("t", ErrorCode::kLeaderNotAvailable)}));
    EXPECT_EQ(world.metadata.Fetch()->FindTopic("t"), nullptr) << partial;
    EXPECT_EQ(world.metadata.LastTopicError("t"), ErrorCode::kLeaderNotAvailable);
  }
}

// MD-18
TEST(MetadataTest, TopicsThatNobodyTracksAreIgnored) {
  MetadataWorld world;
  world.Update(Answer({1}, {Topic("stranger", {Led(0, 1)}), BadTopic("other", ErrorCode::kInvalidTopicException)}));
  EXPECT_EQ(world.metadata.Fetch()->FindTopic("stranger"), nullptr);
  EXPECT_TRUE(world.metadata.TakeErrors("other").ok());
}

// MD-36
TEST(MetadataTest, AnIdleTopicIsDroppedWithTheNextAnswer) {
  MetadataWorld world;
  world.metadata.Add("idle", world.now());
  world.metadata.Add("used", world.now());
  world.Update(Answer({1}, {Topic("idle", {Led(0, 1)}), Topic("used", {Led(0, 1)})}));
  world.clock.Advance(4min);
  world.metadata.Add("used", world.now());
  world.clock.Advance(1min);
  EXPECT_TRUE(world.metadata.IsTracked("idle"));
  world.Update(Answer({1}, {Topic("idle", {Led(0, 1)}), Topic("used", {Led(0, 1)})}));
  EXPECT_FALSE(world.metadata.IsTracked("idle"));
  EXPECT_EQ(world.metadata.Fetch()->FindTopic("idle"), nullptr);
  EXPECT_NE(world.metadata.Fetch()->FindTopic("used"), nullptr);
}

// MD-15, MD-16, MD-17
TEST(MetadataTest, InvalidMetadataErrorsInTheAnswerAskAgain) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}, {BadTopic("t", ErrorCode::kLeaderNotAvailable)}));
  EXPECT_EQ(world.UntilNext(), 100ms);
  world.Update(Answer({1}, {Topic("t", {Led(0, -1, 3, ErrorCode::kLeaderNotAvailable)})}));
  EXPECT_EQ(world.UntilNext(), 100ms);
  EXPECT_EQ(world.metadata.BuildRequest(world.now()).reason, RefreshReason::kMetadataError);
  // The entry is there, without a leader.
  EXPECT_EQ(world.metadata.Fetch()->FindTopic("t")->partition_count(), 1);
  EXPECT_TRUE(world.metadata.Fetch()->FindTopic("t")->available.empty());
}

// MD-16
TEST(MetadataTest, OtherTopicErrorsDoNotAskAgain) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}, {BadTopic("t", ErrorCode::kTopicAuthorizationFailed)}));
  EXPECT_EQ(world.UntilNext(), 5min);
}

// MD-16, MD-31, MD-32
TEST(MetadataTest, ReadingAnErrorConsumesTheErrorsOfAllTopics) {
  MetadataWorld world;
  for (const char* topic : {"invalid", "secret", "good"}) world.metadata.Add(topic, world.now());
  const wire::MetadataResponse response =
      Answer({1}, {BadTopic("invalid", ErrorCode::kInvalidTopicException),
                   BadTopic("secret", ErrorCode::kTopicAuthorizationFailed), Topic("good", {Led(0, 1)})});
  world.Update(response);
  EXPECT_EQ(wire::KafkaCode(world.metadata.TakeErrors("invalid")), ErrorCode::kInvalidTopicException);
  EXPECT_TRUE(world.metadata.TakeErrors("secret").ok());
  world.Update(response);
  EXPECT_TRUE(world.metadata.TakeErrors("good").ok());
  EXPECT_TRUE(world.metadata.TakeErrors("invalid").ok());
  world.Update(response);
  EXPECT_EQ(wire::KafkaCode(world.metadata.TakeErrors("secret")), ErrorCode::kTopicAuthorizationFailed);
  // What the snapshot says of them stays (MD-30).
  EXPECT_EQ(world.metadata.Fetch()->TopicError("invalid"), ErrorCode::kInvalidTopicException);
  EXPECT_EQ(world.metadata.LastTopicError("secret"), ErrorCode::kTopicAuthorizationFailed);
}

// MD-45
TEST(MetadataTest, EqualAnswersBackOffNewsDoesNot) {
  MetadataWorld world;
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}, {Topic("t", {Led(0, 1, 5)})}));
  for (int i = 0; i < 3; ++i) world.Update(Answer({1}, {Topic("t", {Led(0, 1, 5)})}));
  world.metadata.RequestUpdate(RefreshReason::kUnknownLeader);
  EXPECT_EQ(world.UntilNext(), 400ms);
  world.Update(Answer({1}, {Topic("t", {Led(0, 1, 6)})}));
  world.metadata.RequestUpdate(RefreshReason::kUnknownLeader);
  EXPECT_EQ(world.UntilNext(), 100ms);
}

// MD-46
TEST(MetadataTest, ListenersHearOfEveryAnswerAndMerge) {
  struct Listener : MetadataListener {
    void OnCluster(const Cluster& cluster) override { generations.push_back(cluster.generation()); }
    std::vector<std::uint64_t> generations;
  } listener;
  MetadataWorld world;
  world.metadata.AddListener(listener);
  world.metadata.Add("t", world.now());
  world.Update(Answer({1}, {Topic("t", {Led(0, 1, 5)})}));
  const LeaderHint hint{.topic = "t", .partition = PartitionIndex(0), .leader = NodeId(1), .epoch = LeaderEpoch(6)};
  world.metadata.MergeLeaders(std::span(&hint, 1), {});
  world.Update(Answer({}));
  world.metadata.RemoveListener(listener);
  world.Update(Answer({1}));
  EXPECT_THAT(listener.generations, ElementsAre(2u, 3u));
}

// MD-34
TEST(MetadataTest, NothingIsUpdatedAfterClose) {
  MetadataWorld world;
  const MetadataQuery query = world.metadata.BuildRequest(world.now());
  world.metadata.Close();
  EXPECT_EQ(world.metadata.Update(query, Answer({1}), kNewestVersion, world.now()), UpdateResult::kClosed);
  EXPECT_EQ(world.metadata.version(), 1);
  EXPECT_EQ(world.metadata.NextUpdateAt(), Instant::Never());
}

}  // namespace
}  // namespace ktrial::testing
