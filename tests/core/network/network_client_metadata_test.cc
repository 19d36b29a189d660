// How a NetworkClient keeps metadata fresh, and whom it asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "core/network/network_client.h"
#include "core/wire/status.h"
#include "tests/core/network/client_world.h"

namespace ktrial::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::ApiKey;
using wire::ErrorCode;

// MD-21
TEST(NetworkClientMetadataTest, TheFirstPollConnectsAndFetches) {
  ClientWorld world;
  world.broker.metadata = Answer({1, 2});
  const Instant start = world.now();
  world.Settle();
  EXPECT_EQ(world.now(), start);
  EXPECT_EQ(world.metadata.version(), 2);
  EXPECT_THAT(world.observer.reasons, ElementsAre(RefreshReason::kInitial));
  EXPECT_EQ(world.transport.opens().size(), 1u);
}

// NC-18: with nothing else to do, the wait is until the metadata is too old.
TEST(NetworkClientMetadataTest, TheWaitEndsWhenTheMetadataIsTooOld) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.connections_max_idle = std::nullopt;
  ClientWorld world(config);
  world.LearnCluster();
  const Instant start = world.now();
  world.Wait(1h);
  EXPECT_EQ(world.now(), start + 5min);
  world.Settle();
  EXPECT_EQ(world.observer.reasons.back(), RefreshReason::kPeriodic);
}

// NC-14
TEST(NetworkClientMetadataTest, ADueUpdateGoesBeforeEverythingElse) {
  ClientWorld world;
  world.LearnCluster();
  world.MakeReady(1);
  world.clock.Advance(1s);
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  EXPECT_FALSE(world.Ready(1));
  world.broker.metadata.reset();
  world.Poll();
  EXPECT_EQ(world.broker.requests.size(), 1u);
  EXPECT_TRUE(world.Ready(1));  // It is on its way.
}

// NC-33
TEST(NetworkClientMetadataTest, OneRequestAtATime) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.metadata.reset();
  world.MakeReady(1);
  world.clock.Advance(1s);
  const int before = world.broker.count(ApiKey::kMetadata);
  for (int i = 0; i < 10; ++i) {
    world.metadata.RequestUpdate(RefreshReason::kProduceError);
    world.metadata.Add("topic-" + std::to_string(i), world.now());
    world.Poll();
  }
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), before + 1);
  world.broker.metadata = Answer({1, 2, 3});
  world.broker.Answer(world.broker.TakeRequest(), Answer({1, 2, 3}));
  world.Settle();
  // The topics that came meanwhile go at once, in one request (MD-11).
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), before + 2);
  EXPECT_EQ(world.observer.reasons.back(), RefreshReason::kNewTopic);
  EXPECT_TRUE(world.observer.partials.back());
}

// NC-32
TEST(NetworkClientMetadataTest, WhileOneConnectsNoOtherConnectionIsStarted) {
  ClientWorld world;
  world.broker.accept = false;
  world.Settle();
  EXPECT_EQ(world.transport.opens().size(), 1u);
  world.Run(5s);
  EXPECT_EQ(world.transport.opens().size(), 1u);
  world.Run(5s + 200ms);
  EXPECT_EQ(world.transport.opens().size(), 2u);
}

// B030: the other bootstrap node is next, after one setup time.
TEST(NetworkClientMetadataTest, ASilentBootstrapNodeCostsOneSetupTime) {
  ClientWorld world;
  world.broker.metadata = Answer({1});
  world.transport.on_open = [&](ConnectionId id) {
    if (world.transport.stream(id).address.ip == "10.0.1.2") world.transport.Accept(id);
  };
  const Instant start = world.now();
  while (world.metadata.version() == 1) world.Wait(1h);
  EXPECT_LT(world.now() - start, 10s + 200ms);
}

// NC-32, NC-18: when no node can be used, the wait ends when the first may be connected to again. No spinning.
TEST(NetworkClientMetadataTest, WithoutAnyNodeTheWaitEndsWithTheFirstBackoff) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.reconnect_backoff = 500ms;
  config.reconnect_backoff_max = 500ms;
  ClientWorld world(config);
  world.transport.on_open = [&](ConnectionId id) { world.transport.EndConnection(id, EndReason::kRefused); };
  world.Run(10s);
  const std::size_t opens = world.transport.opens().size();
  EXPECT_GE(opens, 10u);
  EXPECT_LE(opens, 42u);
  // Each attempt needs three polls (looked up or not, refused, due), and each run a few that find nothing.
  EXPECT_LE(world.transport.poll_count(), static_cast<int>(5 * opens + 40));
}

// NC-25, B023
TEST(NetworkClientMetadataTest, ALostMetadataRequestIsMadeAgainElsewhere) {
  ClientWorld world;
  world.Settle();
  const ReceivedRequest request = world.broker.TakeRequest();
  world.transport.EndConnection(request.connection, EndReason::kReset);
  world.broker.metadata = Answer({1});
  const Instant start = world.now();
  while (world.metadata.version() == 1) world.Wait(1h);
  EXPECT_EQ(world.now() - start, 100ms);
  EXPECT_EQ(world.observer.metadata_failures, 1);
  EXPECT_NE(world.observer.metadata_nodes[0], world.observer.metadata_nodes[1]);
}

// NC-21: the metadata request has a timeout like any other.
TEST(NetworkClientMetadataTest, ASilentNodeCostsOneRequestTime) {
  ClientWorld world;
  world.Settle();
  world.broker.metadata = Answer({1});
  const Instant start = world.now();
  while (world.metadata.version() == 1) world.Wait(1h);
  EXPECT_EQ(world.now() - start, 30s + 1ns + 100ms);
}

// A request for metadata that node 1 has and does not answer.
ReceivedRequest UpdateInFlight(ClientWorld& world) {
  world.LearnCluster();
  const ConnectionId one = world.MakeReady(1);
  world.broker.metadata.reset();
  world.clock.Advance(1s);
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.Poll();
  const ReceivedRequest request = world.broker.TakeRequest();
  EXPECT_EQ(request.connection, one);
  return request;
}

// NC-26
TEST(NetworkClientMetadataTest, LosingAnotherNodeDoesNotCancelTheRequestInFlight) {
  ClientWorld world;
  const ReceivedRequest request = UpdateInFlight(world);
  world.Ready(2);
  world.Settle();
  world.transport.EndConnection(world.transport.last_open(), EndReason::kReset);
  world.Poll();
  EXPECT_EQ(world.observer.metadata_failures, 0);
  world.broker.Answer(request, Answer({1, 2}));
  world.Poll();
  EXPECT_EQ(world.metadata.version(), 3);
}

// NC-26, NC-44
TEST(NetworkClientMetadataTest, ARefusedHandshakeOfAnotherNodeDoesNotCancelTheRequestInFlight) {
  ClientWorld world;
  const ReceivedRequest request = UpdateInFlight(world);
  world.broker.accept = false;
  world.Ready(2);
  world.Poll();
  world.transport.EndConnection(world.transport.last_open(), EndReason::kHandshake, "certificate expired");
  world.Poll();
  ASSERT_THAT(world.observer.refused, ElementsAre(NodeId(2)));
  EXPECT_EQ(world.observer.metadata_failures, 0);
  world.broker.Answer(request, Answer({1, 2}));
  world.Poll();
  EXPECT_EQ(world.metadata.version(), 3);
}

// NC-26
TEST(NetworkClientMetadataTest, ALossWhileAnUpdateLooksForANodeIsAFailure) {
  ClientWorld world;
  world.transport.on_open = [&](ConnectionId id) { world.transport.EndConnection(id, EndReason::kRefused); };
  world.Poll();  // Looks the host up.
  world.Poll();  // Opens.
  world.Poll();  // Refused.
  EXPECT_EQ(world.observer.metadata_failures, 1);
  EXPECT_EQ(world.metadata.NextUpdateAt(), world.now() + 100ms);
}

// NC-42, MD-33
TEST(NetworkClientMetadataTest, ANodeThatDoesNotSpeakMetadataIsAFatalErrorForWaiters) {
  ClientWorld world;
  world.broker.versions = {{.api_key = 3, .min_version = 50, .max_version = 60},
                           {.api_key = 18, .min_version = 0, .max_version = 4}};
  world.Settle();
  EXPECT_EQ(wire::KafkaCode(world.metadata.AwaitUpdate(1, world.now())), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), 0);
  const int polls = world.transport.poll_count();
  world.Run(10s);
  EXPECT_LT(world.transport.poll_count() - polls, 100);
}

// MD-19
TEST(NetworkClientMetadataTest, AnAnswerWithoutBrokersIsTriedAgainAfterTheBackoff) {
  ClientWorld world;
  world.broker.metadata = Answer({});
  world.Settle();
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), 1);
  world.broker.metadata = Answer({1});
  world.Run(100ms);
  EXPECT_EQ(world.metadata.version(), 2);
}

// NC-43: an answer may throttle the node that gave it.
TEST(NetworkClientMetadataTest, AThrottledNodeIsNotAskedAgainBeforeTheEnd) {
  ClientWorld world(ClientWorld::ClientConfig(), {.bootstrap = {{"boot-a", 9092}}});
  wire::MetadataResponse response = Answer({});
  response.throttle_time_ms = 5000;
  world.broker.metadata = response;
  world.Run(4s);
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), 1);
  EXPECT_EQ(world.observer.rebootstraps, 0);
  world.Run(1s + 1ms);
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), 2);
}

// --- NC-36 ---

// NC-36, B033: all combinations of states of three nodes, against the rule read aloud.
class LeastLoadedTest : public ::testing::Test {
 protected:
  enum State { kUnknown, kIdle, kBusy, kSaturated, kThrottled, kConnecting, kBackingOff, kStateCount };

  void Prepare(ClientWorld& world, int id, State state) {
    switch (state) {
      case kUnknown:
        return;
      case kIdle:
      case kBusy:
      case kSaturated:
        world.MakeReady(id);
        for (int i = 0; i < (state == kIdle ? 0 : state == kBusy ? 2 : 5); ++i) world.Send(id);
        return;
      case kThrottled: {
        world.MakeReady(id);
        world.Send(id);
        world.broker.Answer(world.broker.requests.back(), wire::InitProducerIdResponse{.throttle_time_ms = 60'000});
        world.Poll();
        return;
      }
      case kConnecting:
        world.broker.accept = false;
        world.Ready(id);
        world.Settle();
        world.broker.accept = true;
        return;
      case kBackingOff:
        world.broker.accept = false;
        world.Ready(id);
        world.Settle();
        world.client.Disconnect(NodeId(id), world.now());
        world.broker.accept = true;
        return;
      case kStateCount:
        break;
    }
  }
  // 4: usable and idle, 3: usable, 2: preparing, 1: may be connected to, 0: none of these.
  static int Rank(State state) {
    switch (state) {
      case kIdle:
        return 4;
      case kBusy:
        return 3;
      case kConnecting:
        return 2;
      case kUnknown:
        return 1;
      default:
        return 0;
    }
  }
};

TEST_F(LeastLoadedTest, PrefersUsableThenPreparingThenConnectable) {
  for (int code = 0; code < kStateCount * kStateCount * kStateCount; ++code) {
    const State states[] = {static_cast<State>(code % kStateCount),
                            static_cast<State>(code / kStateCount % kStateCount),
                            static_cast<State>(code / kStateCount / kStateCount)};
    NetworkClientConfig config = ClientWorld::ClientConfig();
    config.reconnect_backoff = 1h;
    config.reconnect_backoff_max = 1h;
    ClientWorld world(config);
    world.LearnCluster();
    for (int i = 0; i < 3; ++i) Prepare(world, i + 1, states[i]);
    const LeastLoaded best = world.client.FindLeastLoaded(world.now());
    const int best_rank = std::max({Rank(states[0]), Rank(states[1]), Rank(states[2])});
    if (best_rank == 0) {
      EXPECT_EQ(best.node, nullptr) << code;
    } else {
      ASSERT_NE(best.node, nullptr) << code;
      EXPECT_EQ(Rank(states[best.node->id.value() - 1]), best_rank) << code;
    }
    // MD-22: throttled and saturated connections are connections. An idle node ends the scan, having told as much.
    const bool any_connection = std::ranges::any_of(states, [](State state) {
      return state == kIdle || state == kBusy || state == kSaturated || state == kThrottled;
    });
    EXPECT_EQ(best.connection_ready, any_connection) << code;
  }
}

// NC-36: fewest in flight.
TEST_F(LeastLoadedTest, OfUsableNodesTheOneWithFewestInFlight) {
  ClientWorld world;
  world.LearnCluster();
  for (const int id : {1, 2, 3}) world.MakeReady(id);
  for (const int id : {1, 1, 1, 2, 3, 3}) world.Send(id);
  EXPECT_EQ(world.client.FindLeastLoaded(world.now()).node->id, NodeId(2));
}

// NC-36: unreachable nodes are tried in turn.
TEST_F(LeastLoadedTest, OfConnectableNodesTheOneThatWasTriedLongestAgo) {
  ClientWorld world;
  world.LearnCluster();
  for (const int id : {2, 1, 3}) {
    Prepare(world, id, kBackingOff);
    world.clock.Advance(10s);
    world.Settle();
  }
  EXPECT_EQ(world.client.FindLeastLoaded(world.now()).node->id, NodeId(2));
}

// NC-36, D-3: the scan starts where the draw says.
TEST_F(LeastLoadedTest, TheScanStartsAtADrawnNode) {
  ClientWorld world;
  world.LearnCluster();
  for (const int id : {1, 2, 3}) world.MakeReady(id);
  world.entropy.Fix(DrawPurpose::kLeastLoadedNode, 0);
  EXPECT_EQ(world.client.FindLeastLoaded(world.now()).node->id, NodeId(1));
  world.entropy.Fix(DrawPurpose::kLeastLoadedNode, 1000);
  EXPECT_EQ(world.client.FindLeastLoaded(world.now()).node->id, NodeId(3));
}

// --- MD-22, MD-23 ---

class RebootstrapTest : public ::testing::Test {
 protected:
  // A node that failed is left alone for longer than metadata waits for its next attempt, so that none is left at some
  // attempt.
  static NetworkClientConfig SlowToReconnect() {
    NetworkClientConfig config = ClientWorld::ClientConfig();
    config.reconnect_backoff = 2s;
    config.reconnect_backoff_max = 2s;
    return config;
  }
  // All brokers are gone; the bootstrap addresses may live on.
  static void ReplaceCluster(ClientWorld& world, bool bootstrap_alive) {
    world.transport.on_open = [&world, bootstrap_alive](ConnectionId id) {
      const bool is_bootstrap = world.transport.stream(id).address.ip.starts_with("10.0.1.");
      if (is_bootstrap && bootstrap_alive) {
        world.transport.Accept(id);
      } else {
        world.transport.EndConnection(id, EndReason::kRefused);
      }
    };
    for (const ConnectionId id : world.transport.opens()) world.transport.EndConnection(id, EndReason::kReset);
    world.broker.metadata = Answer({7, 8});
  }
};

// MD-22, B001
TEST_F(RebootstrapTest, WhenNoNodeCanBeReachedTheBootstrapListIsUsedAgain) {
  ClientWorld world(SlowToReconnect());
  world.LearnCluster(Answer({1}));
  ReplaceCluster(world, /*bootstrap_alive=*/true);
  const Instant start = world.now();
  while (world.metadata.Fetch()->FindNode(NodeId(7)) == nullptr) world.Wait(1s);
  EXPECT_LE(world.now() - start, 2s);
  EXPECT_EQ(world.observer.rebootstraps, 1);
  EXPECT_EQ(world.observer.reasons.back(), RefreshReason::kRebootstrap);
}

// MD-22
TEST_F(RebootstrapTest, StrategyNoneNeverLooksBack) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.rebootstrap = false;
  ClientWorld world(config);
  world.LearnCluster(Answer({1}));
  ReplaceCluster(world, /*bootstrap_alive=*/true);
  world.Run(10min);
  EXPECT_EQ(world.observer.rebootstraps, 0);
  EXPECT_NE(world.metadata.Fetch()->FindNode(NodeId(1)), nullptr);
}

// MD-22, B001: a connection that has no room is a connection.
TEST_F(RebootstrapTest, SaturatedConnectionsAreNoReason) {
  ClientWorld world;
  world.LearnCluster(Answer({1}));
  world.MakeReady(1);
  for (int i = 0; i < 5; ++i) world.Send(1);
  world.clock.Advance(1s);
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.Run(10s);
  EXPECT_EQ(world.observer.rebootstraps, 0);
}

// B003: one outage, one bootstrap, and the brokers are found when they are back.
TEST_F(RebootstrapTest, AnOutageOfEverythingBootstrapsOnceAndEndsWithinABackoff) {
  ClientWorld world(SlowToReconnect());
  world.LearnCluster(Answer({1}));
  ReplaceCluster(world, /*bootstrap_alive=*/false);
  world.Run(15s);
  EXPECT_EQ(world.observer.rebootstraps, 1);
  ReplaceCluster(world, /*bootstrap_alive=*/true);
  const Instant back = world.now();
  while (world.metadata.Fetch()->FindNode(NodeId(7)) == nullptr) world.Wait(10s);
  EXPECT_LE(world.now() - back, 2s + 1s);
  EXPECT_EQ(world.observer.rebootstraps, 1);
}

// MD-23
TEST_F(RebootstrapTest, TooLongWithoutMetadataStartsOver) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.rebootstrap_trigger = 20s;
  ClientWorld world(config);
  world.LearnCluster(Answer({1}));
  const ConnectionId connection = world.MakeReady(1);
  world.broker.metadata = Answer({});  // Every answer is useless.
  world.clock.Advance(1s);
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.Poll();
  world.Run(20s - 1ms);
  EXPECT_EQ(world.observer.rebootstraps, 0);
  EXPECT_FALSE(world.transport.stream(connection).closed);
  world.broker.metadata = Answer({7});
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.broker.intercept = [](const ReceivedRequest& request) { return request.api == ApiKey::kMetadata; };
  world.Run(2ms);
  EXPECT_EQ(world.observer.rebootstraps, 1);
  EXPECT_TRUE(world.transport.stream(connection).closed);
  EXPECT_TRUE(world.metadata.Fetch()->is_bootstrap());
}

// MD-23
TEST_F(RebootstrapTest, ABrokerMayDemandIt) {
  ClientWorld world;
  world.LearnCluster(Answer({1}));
  wire::MetadataResponse response = Answer({1});
  response.error = ErrorCode::kRebootstrapRequired;
  world.broker.metadata = response;
  world.clock.Advance(1s);
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.Settle();
  EXPECT_EQ(world.observer.rebootstraps, 1);
  EXPECT_TRUE(world.metadata.Fetch()->is_bootstrap());
  // A broker that demands it for ever is not asked more often than the backoff allows.
  world.Run(10s);
  EXPECT_LE(world.observer.rebootstraps, 15);
}

// KIP-1242
class WrongNodeTest : public ::testing::Test {
 protected:
  // From now on node 2 says that it is somebody else.
  void MisrouteNode2(ClientWorld& world) {
    world.broker.intercept = [&world](const ReceivedRequest& request) {
      if (request.api != ApiKey::kApiVersions || world.transport.stream(request.connection).host != "b2") return false;
      world.broker.Answer(request, wire::ApiVersionsResponse{.error = ErrorCode::kRebootstrapRequired});
      return true;
    };
  }
};

TEST_F(WrongNodeTest, StartsOverFromTheBootstrapAddresses) {
  ClientWorld world;
  world.LearnCluster();
  const ConnectionId other = world.MakeReady(1);
  MisrouteNode2(world);
  world.broker.metadata = std::nullopt;
  world.Ready(2);
  world.Run(200ms);
  EXPECT_EQ(world.observer.rebootstraps, 1);
  EXPECT_TRUE(world.metadata.Fetch()->is_bootstrap());
  EXPECT_TRUE(world.transport.stream(other).closed);
  EXPECT_EQ(world.observer.reasons.back(), RefreshReason::kRebootstrap);
}

TEST_F(WrongNodeTest, ForEverIsBackedOffFrom) {
  ClientWorld world;
  world.LearnCluster();
  MisrouteNode2(world);
  const Instant end = world.now() + 10s;
  while (world.now() < end) {
    if (!world.metadata.Fetch()->is_bootstrap()) world.Ready(2);
    world.client.Poll(world.now(), std::min(end, world.now() + 1ms));
  }
  EXPECT_GE(world.observer.rebootstraps, 5);
  EXPECT_LE(world.observer.rebootstraps, 20);  // reconnect.backoff.max.ms is one second.
}

TEST_F(WrongNodeTest, WithoutRebootstrapIsAnyOtherError) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.rebootstrap = false;
  ClientWorld world(config);
  world.LearnCluster();
  MisrouteNode2(world);
  world.Ready(2);
  world.Settle();
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(2)));
  EXPECT_EQ(world.observer.rebootstraps, 0);
  EXPECT_FALSE(world.metadata.Fetch()->is_bootstrap());
}

}  // namespace
}  // namespace ktrial::testing
