// How a NetworkClient gets, keeps and loses connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/network/network_client.h"
#include "core/wire/status.h"
#include "tests/core/network/client_world.h"

namespace ktrial::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using wire::ApiKey;
using wire::ErrorCode;

// NC-02, NC-39
TEST(NetworkClientConnectTest, ReadyConnectsAndAsksForVersionsFirst) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.answer_versions = false;
  EXPECT_FALSE(world.Ready(1));
  EXPECT_FALSE(world.Ready(1));  // Starts nothing more.
  world.Settle();
  EXPECT_EQ(world.transport.opens().size(), 2u);  // A bootstrap node and this.
  EXPECT_EQ(world.transport.stream(world.transport.last_open()).address, (Address{"10.0.0.1", 9092}));
  EXPECT_FALSE(world.Ready(1));
  const ReceivedRequest request = world.broker.TakeRequest();
  EXPECT_EQ(request.api, ApiKey::kApiVersions);
  EXPECT_EQ(request.version, 5);
  world.broker.Answer(request, wire::ApiVersionsResponse{.api_keys = world.broker.versions});
  world.Settle();
  EXPECT_TRUE(world.Ready(1));
  EXPECT_EQ(world.client.NodeVersions(NodeId(1), ApiKey::kProduce), (wire::VersionRange{.min = 3, .max = 12}));
  EXPECT_EQ(world.client.NodeVersions(NodeId(2), ApiKey::kProduce), std::nullopt);
}

// NC-39
TEST(NetworkClientConnectTest, WithoutDiscoveryTheNodeIsReadyOnConnect) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.discover_versions = false;
  ClientWorld world(config);
  world.LearnCluster();
  world.MakeReady(1);
  EXPECT_EQ(world.broker.count(ApiKey::kApiVersions), 0);
  EXPECT_EQ(world.client.NodeVersions(NodeId(1), ApiKey::kProduce), (wire::VersionRange{.min = 0, .max = 1}));
}

// NC-40, WP-07
TEST(NetworkClientConnectTest, ARefusedVersionIsFollowedByTheListedOne) {
  ClientWorld world;
  world.broker.intercept = [&](const ReceivedRequest& request) {
    if (request.api != ApiKey::kApiVersions || request.version <= 2) return false;
    world.broker.Answer(request,
                        wire::ApiVersionsResponse{.error = ErrorCode::kUnsupportedVersion,
                                                  .api_keys = {{.api_key = 18, .min_version = 0, .max_version = 2}}});
    return true;
  };
  world.LearnCluster();
  world.MakeReady(1);
  EXPECT_EQ(world.broker.count(ApiKey::kApiVersions), 4);  // Two for each of two nodes.
  EXPECT_EQ(world.transport.opens().size(), 2u);           // On the same connections.
}

// NC-40
TEST(NetworkClientConnectTest, ARefusalThatListsNothingIsFollowedByVersion0) {
  ClientWorld world;
  std::vector<std::int16_t> tried;
  world.broker.intercept = [&](const ReceivedRequest& request) {
    if (request.api != ApiKey::kApiVersions) return false;
    tried.push_back(request.version);
    if (request.version == 0) return false;
    world.broker.Answer(request, wire::ApiVersionsResponse{.error = ErrorCode::kUnsupportedVersion});
    return true;
  };
  world.LearnCluster();
  EXPECT_THAT(tried, ElementsAre(5, 0));
}

// NC-40
TEST(NetworkClientConnectTest, AnyOtherErrorOfApiVersionsClosesTheConnection) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.intercept = [&](const ReceivedRequest& request) {
    if (request.api != ApiKey::kApiVersions) return false;
    world.broker.Answer(request, wire::ApiVersionsResponse{.error = ErrorCode::kInvalidRequest});
    return true;
  };
  world.Ready(1);
  world.Settle();
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  EXPECT_TRUE(world.transport.stream(world.transport.last_open()).closed);
}

// The versions of ApiVersions that came, by host. Whichever is above `newest` ends the connection.
std::map<std::string, std::vector<std::int16_t>> CutOffAbove(ClientWorld& world, std::int16_t newest,
                                                             const std::function<void()>& run) {
  std::map<std::string, std::vector<std::int16_t>> tried;
  world.broker.versions[2] = {.api_key = 18, .min_version = 0, .max_version = newest};
  world.broker.intercept = [&](const ReceivedRequest& request) {
    if (request.api != ApiKey::kApiVersions) return false;
    tried[world.transport.stream(request.connection).host].push_back(request.version);
    if (request.version <= newest) return false;
    world.transport.EndConnection(request.connection, EndReason::kReset);
    return true;
  };
  run();
  world.broker.intercept = nullptr;
  return tried;
}

// B119: a gateway that resets connections on versions that it does not know.
TEST(NetworkClientConnectTest, ANodeThatCutsTheQuestionOffTwiceIsAskedInVersion0) {
  ClientWorld world;
  world.LearnCluster();
  const auto tried = CutOffAbove(world, 3, [&world] {
    for (int i = 0; i < 3; ++i) {
      world.Ready(1);
      world.Run(2s);  // More than any backoff.
    }
  });
  EXPECT_TRUE(world.client.IsReady(NodeId(1), world.now()));
  EXPECT_THAT(tried.at("b1"), ElementsAre(5, 5, 0));
}

// B119
TEST(NetworkClientConnectTest, WhatTheNodeListsAfterThatIsWhatItIsAskedWithNext) {
  ClientWorld world;
  world.LearnCluster();
  const auto tried = CutOffAbove(world, 3, [&world] {
    for (int i = 0; i < 4; ++i) {
      world.client.Disconnect(NodeId(1), world.now());
      world.Run(2s);
      world.Ready(1);
      world.Run(2s);
    }
  });
  // The look for metadata may have connected to it once more.
  const std::span<const std::int16_t> versions(tried.at("b1"));
  ASSERT_GE(versions.size(), 4u);
  EXPECT_THAT(versions.first(3), ElementsAre(5, 5, 0));
  EXPECT_THAT(versions.subspan(3), Each(3));
}

// B119
TEST(NetworkClientConnectTest, NoConnectionOfAGatewayIsLeftOpen) {
  ClientWorld world;
  world.LearnCluster();
  const std::size_t before = world.transport.opens().size();
  CutOffAbove(world, 3, [&world] {
    for (int i = 0; i < 3; ++i) {
      world.Ready(1);
      world.Run(2s);
    }
  });
  int open = 0;
  for (std::size_t i = before; i < world.transport.opens().size(); ++i) {
    const auto& stream = world.transport.stream(world.transport.opens()[i]);
    if (stream.host == "b1" && !stream.closed) ++open;
  }
  EXPECT_EQ(open, 1);
}

// B119: it may as well be a broker that goes down just then.
TEST(NetworkClientConnectTest, AConnectionThatIsLostAfterTheAnswerIsNoCutOff) {
  ClientWorld world;
  world.LearnCluster();
  const auto tried = CutOffAbove(world, 5, [&world] {
    for (int i = 0; i < 3; ++i) {
      const ConnectionId connection = world.MakeReady(1);
      world.transport.EndConnection(connection, EndReason::kReset);
      world.Run(2s);
    }
  });
  EXPECT_THAT(tried.at("b1"), Each(5));
  EXPECT_GE(tried.at("b1").size(), 3u);
}

// What each node was asked for its versions with, in order.
std::vector<wire::ApiVersionsRequest> AskedWith(ClientWorld& world, int node, std::int16_t newest_version = 5,
                                                wire::MetadataResponse cluster = Answer({1, 2, 3})) {
  std::vector<wire::ApiVersionsRequest> asked;
  world.broker.intercept = [&, newest_version](const ReceivedRequest& request) {
    if (request.api != ApiKey::kApiVersions) return false;
    if (request.version > newest_version) {
      world.broker.Answer(request,
                          wire::ApiVersionsResponse{.error = ErrorCode::kUnsupportedVersion,
                                                    .api_keys = {{.api_key = 18, .max_version = newest_version}}});
      return true;
    }
    asked.push_back(*wire::Decode<wire::ApiVersionsRequest>(request.body, request.version));
    return false;
  };
  world.LearnCluster(std::move(cluster));
  world.MakeReady(node);
  world.broker.intercept = nullptr;
  return asked;
}

// KIP-1242
TEST(NetworkClientConnectTest, ANodeIsToldWhoIsMeantAndABootstrapAddressIsNot) {
  ClientWorld world;
  const auto asked = AskedWith(world, 2);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].cluster_id, std::nullopt);
  EXPECT_EQ(asked[0].node_id, -1);
  EXPECT_EQ(asked[1].cluster_id, "cluster");
  EXPECT_EQ(asked[1].node_id, 2);
}

// KIP-1242
TEST(NetworkClientConnectTest, WithoutTheCheckOrWithoutRebootstrapNobodyIsToldWhoIsMeant) {
  for (const bool check : {false, true}) {
    NetworkClientConfig config = ClientWorld::ClientConfig();
    config.check_cluster = check;
    config.rebootstrap = !check;
    ClientWorld world(config);
    const auto asked = AskedWith(world, 2);
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked[1].cluster_id, std::nullopt) << check;
    EXPECT_EQ(asked[1].node_id, -1) << check;
  }
}

// KIP-1242: a broker that is told a number checks it.
TEST(NetworkClientConnectTest, OfAClusterWithoutANameNoNodeIsMeant) {
  ClientWorld world;
  wire::MetadataResponse nameless = Answer({1, 2, 3});
  nameless.cluster_id.reset();
  const auto asked = AskedWith(world, 2, 5, nameless);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].cluster_id, std::nullopt);
  EXPECT_EQ(asked[1].node_id, -1);
}

// KIP-1242
TEST(NetworkClientConnectTest, ABrokerOfBeforeTheCheckIsAskedWithoutIt) {
  ClientWorld world;
  const auto asked = AskedWith(world, 2, /*newest_version=*/4);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].client_software_name, kSoftwareName);
  EXPECT_EQ(asked[1].cluster_id, std::nullopt);
}

// NC-06, NC-25: a failed exchange does not reset the backoff, and nobody is told but the observer.
TEST(NetworkClientConnectTest, AcceptThenCloseBacksOffExponentially) {
  ClientWorld world;
  world.LearnCluster();
  std::vector<Instant> attempts;
  world.broker.intercept = [&](const ReceivedRequest& request) {
    if (world.transport.stream(request.connection).host != "b1") return false;
    attempts.push_back(world.now());
    world.transport.EndConnection(request.connection, EndReason::kEnd);
    return true;
  };
  const Instant end = world.now() + 2s;
  while (world.now() < end) {
    world.Ready(1);
    world.Wait(1ms);
  }
  ASSERT_GE(attempts.size(), 5u);
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    EXPECT_GE(attempts[i] - attempts[i - 1], std::min<Duration>(50ms * (1 << (i - 1)), 1000ms)) << i;
  }
}

// NC-05, NC-24, NC-30
TEST(NetworkClientConnectTest, ALostConnectionBacksOffAndAsksForMetadata) {
  ClientWorld world;
  world.LearnCluster();
  const ConnectionId connection = world.MakeReady(1);
  world.clock.Advance(1s);
  world.transport.EndConnection(connection, EndReason::kReset);
  world.Poll();
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  EXPECT_EQ(world.client.LookAgainAt(NodeId(1), world.now()), world.now() + 50ms);
  world.Settle();
  EXPECT_EQ(world.observer.reasons.back(), RefreshReason::kConnectionLost);
  EXPECT_FALSE(world.Ready(1));
  EXPECT_EQ(world.opens_of(1), 1);
  world.clock.Advance(50ms);
  world.MakeReady(1);
  EXPECT_EQ(world.opens_of(1), 2);
}

// NC-29, NC-30
TEST(NetworkClientConnectTest, AHostThatDoesNotResolveIsAFailedConnect) {
  ClientWorld world;
  world.LearnCluster();
  world.transport.hosts["b1"] = {};
  EXPECT_FALSE(world.Ready(1));
  world.Poll();
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  world.Run(1s);
  EXPECT_THAT(world.observer.reasons, Contains(RefreshReason::kConnectFailed));
}

// NC-29
TEST(NetworkClientConnectTest, ARefusedOpenIsAFailedConnect) {
  ClientWorld world;
  world.LearnCluster();
  world.Unreachable(2, EndReason::kRefused);
  world.Ready(2);
  world.Settle();
  world.Run(1s);
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(2)));
  EXPECT_THAT(world.observer.reasons, Contains(RefreshReason::kConnectFailed));
}

// NC-06, NC-17: the ends of a poll come before what it opened, so the backoff goes on growing.
TEST(NetworkClientConnectTest, WhatOpensAndEndsInOnePollWasNeverConnected) {
  NetworkClientConfig config = ClientWorld::ClientConfig();
  config.discover_versions = false;  // An open would be all that it takes.
  ClientWorld world(config);
  world.LearnCluster();
  world.transport.on_open = [&](ConnectionId open) {
    world.transport.Accept(open);
    if (world.transport.stream(open).host == "b1") world.transport.EndConnection(open, EndReason::kReset);
  };
  for (const Duration backoff : {50ms, 100ms, 200ms}) {
    world.Ready(1);
    world.Settle();
    EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
    EXPECT_EQ(world.client.LookAgainAt(NodeId(1), world.now()), world.now() + backoff);
    world.clock.Advance(backoff);
  }
  EXPECT_THAT(world.observer.connected, Not(Contains(NodeId(1))));
  EXPECT_THAT(world.observer.disconnected, ElementsAre(NodeId(1), NodeId(1), NodeId(1)));
}

// NC-07, NC-18: the wait ends when the time is over, not sooner, not later.
TEST(NetworkClientConnectTest, ASetupThatNeverEndsTimesOut) {
  ClientWorld world;
  world.LearnCluster();
  world.Unreachable(1, std::nullopt);
  const Instant start = world.now();
  world.Ready(1);
  world.Poll();  // Looked up; opening.
  world.Wait(1h);
  EXPECT_EQ(world.now(), start + 10s + 1ns);
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  EXPECT_TRUE(world.transport.stream(world.transport.last_open()).closed);
  world.Settle();
  EXPECT_THAT(world.observer.reasons, Contains(RefreshReason::kConnectionSetupTimeout));
}

// NC-08: a handshake below us is part of the setup; the wait for the versions, which a request makes, is not.
TEST(NetworkClientConnectTest, OnlyUntilTheVersionsAreAskedForTheSetupTimes) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.accept = false;
  world.broker.answer_versions = false;
  const Instant start = world.now();
  world.Ready(1);
  world.Ready(2);
  world.Poll();
  const ConnectionId stuck = world.transport.opens()[world.transport.opens().size() - 2];
  const ConnectionId asking = world.transport.last_open();
  world.transport.At(start + 9s, [&] { world.transport.Accept(asking); });
  world.Wait(1h);
  EXPECT_EQ(world.now(), start + 9s);
  world.Wait(1h);
  EXPECT_EQ(world.now(), start + 10s + 1ns);
  EXPECT_TRUE(world.transport.stream(stuck).closed);
  EXPECT_FALSE(world.transport.stream(asking).closed);
  world.client.Forget(NodeId(1), world.now());
  while (!world.transport.stream(asking).closed) world.Wait(1h);
  EXPECT_EQ(world.now(), start + 9s + 30s + 1ns);  // request.timeout.ms
}

// NC-07, NC-11: a name server that never answers is covered by the same time.
TEST(NetworkClientConnectTest, ALookUpThatNeverEndsTimesOut) {
  ClientWorld world;
  world.LearnCluster();
  world.transport.hosts.erase("b1");
  const Instant start = world.now();
  world.Ready(1);
  world.Wait(1h);
  EXPECT_EQ(world.now(), start + 10s + 1ns);
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  world.transport.AnswerResolve("b1", {"10.0.0.1"});  // Too late.
  world.Settle();
  EXPECT_EQ(world.opens_of(1), 0);
}

// Of node 1, which takes no connection.
std::vector<std::string> AddressesOfThreeRefusals(ClientWorld& world) {
  world.broker.accept = false;
  std::vector<std::string> tried;
  for (int i = 0; i < 3; ++i) {
    world.clock.Advance(1s);
    world.Ready(1);
    world.Poll();
    tried.push_back(world.transport.stream(world.transport.last_open()).address.ip);
    world.transport.EndConnection(world.transport.last_open(), EndReason::kRefused);
    world.Settle();
  }
  return tried;
}

// NC-11
TEST(NetworkClientConnectTest, TheNextAddressIsTriedThenTheHostIsLookedUpAgain) {
  ClientWorld world;
  world.LearnCluster();
  world.transport.hosts["b1"] = {"10.9.0.1", "10.9.0.2"};
  const std::vector<std::string> tried = AddressesOfThreeRefusals(world);
  EXPECT_THAT(tried, ElementsAre("10.9.0.1", "10.9.0.2", "10.9.0.1"));
  EXPECT_EQ(world.transport.resolve_count("b1"), 2);
}

// NC-11
TEST(NetworkClientConnectTest, AfterALostConnectionAnotherAddressIsUsed) {
  ClientWorld world;
  world.LearnCluster();
  world.transport.hosts["b1"] = {"10.9.0.1", "10.9.0.2"};
  const ConnectionId connection = world.MakeReady(1);
  world.transport.EndConnection(connection, EndReason::kEnd);
  world.Run(1s);
  world.MakeReady(1);
  EXPECT_EQ(world.transport.stream(world.transport.last_open()).address.ip, "10.9.0.2");
  EXPECT_EQ(world.transport.resolve_count("b1"), 2);
}

// NC-11: what the name means now is a list of its own.
TEST(NetworkClientConnectTest, AfterANewLookUpTheNextOfTheNewAddressesIsTried) {
  ClientWorld world;
  world.LearnCluster();
  world.transport.hosts["b1"] = {"10.9.0.1", "10.9.0.2"};
  const ConnectionId connection = world.MakeReady(1);
  world.transport.hosts["b1"] = {"10.9.1.1", "10.9.1.2"};
  world.transport.EndConnection(connection, EndReason::kEnd);
  world.Run(1s);
  world.broker.accept = false;
  world.Ready(1);
  world.Poll();
  EXPECT_EQ(world.transport.stream(world.transport.last_open()).address.ip, "10.9.1.1");
  world.transport.EndConnection(world.transport.last_open(), EndReason::kRefused);
  world.Run(1s);
  world.broker.accept = true;
  world.MakeReady(1);
  EXPECT_EQ(world.transport.stream(world.transport.last_open()).address.ip, "10.9.1.2");
  EXPECT_EQ(world.transport.resolve_count("b1"), 2);
}

// NC-11: a host that is reached over one family only is reached, whichever the look-up names first.
TEST(NetworkClientConnectTest, AddressesOfBothFamiliesAreTriedInTheOrderOfTheLookUp) {
  ClientWorld world;
  world.LearnCluster();
  world.transport.hosts["b1"] = {"fd00::1", "10.9.0.1", "fd00::2"};
  const std::vector<std::string> tried = AddressesOfThreeRefusals(world);
  EXPECT_THAT(tried, ElementsAre("fd00::1", "10.9.0.1", "fd00::2"));
}

// NC-27
TEST(NetworkClientConnectTest, DisconnectEndsRequestsInTheNextPollWithoutRefresh) {
  ClientWorld world;
  world.LearnCluster();
  const ConnectionId connection = world.MakeReady(1);
  const auto fate = world.Send(1);
  const std::size_t reasons = world.observer.reasons.size();
  world.client.Disconnect(NodeId(1), world.now());
  EXPECT_TRUE(world.transport.stream(connection).closed);
  EXPECT_THAT(fate->outcomes, IsEmpty());
  const int polls = world.transport.poll_count();
  world.Poll();
  EXPECT_EQ(world.transport.poll_count(), polls);  // NC-42: without looking at any connection.
  EXPECT_EQ(fate->outcome().kind, RequestOutcome::Kind::kDisconnected);
  const Instant look_again = world.client.LookAgainAt(NodeId(1), world.now());
  world.clock.Advance(10ms);
  world.client.Disconnect(NodeId(1), world.now());
  EXPECT_EQ(world.client.LookAgainAt(NodeId(1), world.now()), look_again);
  world.Settle();
  EXPECT_EQ(world.observer.reasons.size(), reasons);
}

// NC-25, NC-27
TEST(NetworkClientConnectTest, DisconnectWhileVersionsAreAskedForIsReportedToNobody) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.answer_versions = false;
  world.Ready(1);
  world.Settle();
  ASSERT_EQ(world.client.in_flight_count(NodeId(1)), 1u);
  world.client.Disconnect(NodeId(1), world.now());
  EXPECT_TRUE(world.transport.stream(world.transport.last_open()).closed);
  EXPECT_EQ(world.client.in_flight_count(NodeId(1)), 0u);
  const int polls = world.transport.poll_count();
  world.Poll();
  EXPECT_EQ(world.transport.poll_count(), polls + 1);  // NC-42: there was nothing to report.
  world.broker.answer_versions = true;
  world.clock.Advance(50ms);
  world.MakeReady(1);
}

// NC-28
TEST(NetworkClientConnectTest, ForgetLeavesNoBackoffAndTellsNobody) {
  ClientWorld world;
  world.LearnCluster();
  world.MakeReady(1);
  const auto fate = world.Send(1);
  world.client.Forget(NodeId(1), world.now());
  world.Settle();
  EXPECT_THAT(fate->outcomes, IsEmpty());
  EXPECT_TRUE(fate->destroyed);
  EXPECT_FALSE(world.client.ConnectionFailed(NodeId(1)));
  world.MakeReady(1);
}

// NC-28: while it connects.
TEST(NetworkClientConnectTest, ForgettingAConnectingNodeLeavesTheClientUsable) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.accept = false;
  world.Ready(1);
  world.Poll();
  world.client.Forget(NodeId(1), world.now());
  world.broker.accept = true;
  world.MakeReady(1);
}

// NC-37, NC-30
TEST(NetworkClientConnectTest, AnIdleConnectionIsClosedLikeALostOne) {
  MetadataConfig config = MetadataWorld::Config();
  config.max_age = 1h;
  ClientWorld world(ClientWorld::ClientConfig(), config);
  world.LearnCluster();
  const ConnectionId bootstrap = world.transport.last_open();
  const Instant start = world.now();
  world.Wait(1h);
  EXPECT_EQ(world.now(), start + 9min + 1ns);
  EXPECT_TRUE(world.transport.stream(bootstrap).closed);
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(-1)));
  world.Settle();
  EXPECT_EQ(world.observer.reasons.back(), RefreshReason::kConnectionLost);
}

// NC-44, MD-33
TEST(NetworkClientConnectTest, AFailedHandshakeIsAFatalErrorForWaiters) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.accept = false;
  world.Ready(1);
  world.Poll();
  world.transport.EndConnection(world.transport.last_open(), EndReason::kHandshake, "certificate expired");
  world.Poll();
  const absl::Status error = world.metadata.TakeErrors("any");
  EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(error.message(), "b1:9092: handshake: certificate expired");
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  EXPECT_THAT(world.observer.refused, ElementsAre(NodeId(1)));
  world.broker.accept = true;
  world.Run(1s);
  world.MakeReady(1);
}

// NC-48
TEST(NetworkClientConnectTest, ABootstrapConnectionIsAnotherNodeThanTheBrokerBehindIt) {
  ClientWorld world;
  wire::MetadataResponse response = Answer({1});
  response.brokers[0].host = "boot-a";
  world.LearnCluster(response);
  EXPECT_FALSE(world.Ready(1));
  world.MakeReady(1);
  EXPECT_EQ(world.transport.open_streams(), 2u);
}

// A reused connection table, B026: an open that completes at once goes the same way as one that takes time.
TEST(NetworkClientConnectTest, EveryNodeOfThreeConnectsAtTheSameTime) {
  ClientWorld world;
  world.LearnCluster();
  for (const int id : {1, 2, 3}) EXPECT_FALSE(world.Ready(id));
  world.Settle();
  for (const int id : {1, 2, 3}) EXPECT_TRUE(world.Ready(id));
  EXPECT_THAT(world.observer.connected, ElementsAre(NodeId(-1), NodeId(1), NodeId(2), NodeId(3)));
}

// B030
TEST(NetworkClientConnectTest, TwoSetupsMayTimeOutInOnePoll) {
  ClientWorld world;
  world.LearnCluster();
  world.broker.accept = false;
  world.Ready(1);
  world.Ready(2);
  world.Poll();
  world.clock.Advance(11s);
  world.Poll();
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(1)));
  EXPECT_TRUE(world.client.ConnectionFailed(NodeId(2)));
}

}  // namespace
}  // namespace ktrial::testing
