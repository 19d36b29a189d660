#include <gtest/gtest.h>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::ErrorCode;
using wire::MetadataRequest;
using wire::MetadataResponse;
using wire::ProduceResponse;

constexpr std::int16_t kVersion = 12;

class CountCalls final : public RequestHook {
 public:
  void OnRequest(RequestPhase, const RequestView&, RequestControl&) override { ++calls; }
  int calls = 0;
};

class ConditionsTest : public ::testing::Test {
 protected:
  bool Connects(std::int32_t broker) {
    return world_.transport.Connect(world_.host->address(NodeId(broker)).port).has_value();
  }
  NodeId leader() { return world_.cluster->LeaderOf("orders", PartitionIndex(0)); }

  BrokerWorld world_;
};

TEST_F(ConditionsTest, DisconnectEndsTheConnectionsOfOneBroker) {
  const ConnectionId first = world_.Connect(1);
  const ConnectionId second = world_.Connect(1);
  const ConnectionId other = world_.Connect(2);
  EXPECT_EQ(world_.host->Disconnect(NodeId(1), Transport::CloseKind::kReset), 2);
  EXPECT_EQ(world_.transport.closed(first), Transport::CloseKind::kReset);
  EXPECT_EQ(world_.transport.closed(second), Transport::CloseKind::kReset);
  EXPECT_EQ(world_.transport.closed(other), std::nullopt);
  EXPECT_EQ(world_.host->Disconnect(NodeId(1), Transport::CloseKind::kReset), 0);
}

TEST_F(ConditionsTest, RefusingBrokerKeepsItsConnectionsAndItsPort) {
  const ConnectionId connection = world_.Connect(1);
  EXPECT_TRUE(world_.host->SetRefusing(NodeId(1), true));
  EXPECT_FALSE(world_.host->SetRefusing(NodeId(1), true));
  EXPECT_FALSE(Connects(1));
  world_.Send(connection, MetadataRequest{}, kVersion);
  EXPECT_TRUE(world_.NextAnswer(connection).has_value());
  EXPECT_TRUE(world_.host->SetRefusing(NodeId(1), false));
  EXPECT_TRUE(Connects(1));
}

TEST_F(ConditionsTest, SilentBrokerAcceptsAndAnswersOnlyAfterwards) {
  EXPECT_TRUE(world_.host->SetSilent(NodeId(1), true));
  const ConnectionId connection = world_.Connect(1);
  world_.Send(connection, MetadataRequest{}, kVersion);
  world_.Advance(seconds(60));
  EXPECT_EQ(world_.NextAnswer(connection), std::nullopt);
  EXPECT_EQ(leader(), NodeId(1));  // the cluster does not notice
  EXPECT_TRUE(world_.host->SetSilent(NodeId(1), false));
  world_.Settle();
  EXPECT_TRUE(world_.NextAnswer(connection).has_value());
}

TEST_F(ConditionsTest, PausedBrokerAnswersWhenItGoesOn) {
  const ConnectionId connection = world_.Connect(1);
  EXPECT_TRUE(world_.host->Pause(NodeId(1)));
  EXPECT_FALSE(world_.host->Pause(NodeId(1)));
  world_.Send(connection, MetadataRequest{}, kVersion);
  world_.Advance(seconds(8));
  EXPECT_EQ(world_.NextAnswer(connection), std::nullopt);
  EXPECT_EQ(leader(), NodeId(1));
  EXPECT_TRUE(world_.host->Resume(NodeId(1)));
  world_.Settle();
  EXPECT_TRUE(world_.NextAnswer(connection).has_value());
  world_.Advance(seconds(60));
  EXPECT_EQ(leader(), NodeId(1));  // the timer of the pause is void
}

TEST_F(ConditionsTest, BrokerThatStandsStillTooLongIsGivenUpAndComesBackAsAFollower) {
  const ConnectionId connection = world_.Connect(1);
  const std::string batch = BatchOf({"one"});
  ASSERT_TRUE(world_.host->Pause(NodeId(1)));
  world_.Send(connection, ProduceOf(batch), 11);
  world_.Advance(seconds(9));
  EXPECT_EQ(leader(), NodeId(2));
  ASSERT_TRUE(world_.host->Resume(NodeId(1)));
  world_.Settle();
  EXPECT_EQ(world_.Answer<ProduceResponse>(connection, 11)->topics[0].partitions[0].error,
            ErrorCode::kNotLeaderOrFollower);
  EXPECT_TRUE(world_.orders().state().IsInSync(NodeId(1)));
}

TEST_F(ConditionsTest, RequestThatIsInServiceWhenTheBrokerPausesIsAnsweredAfterwards) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].service = Distribution::Constant(milliseconds(5));
  BrokerWorld world(spec);
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, MetadataRequest{}, kVersion);
  ASSERT_TRUE(world.host->Pause(NodeId(1)));
  world.Advance(milliseconds(500));
  EXPECT_EQ(world.NextAnswer(connection), std::nullopt);
  ASSERT_TRUE(world.host->Resume(NodeId(1)));
  world.Settle();
  EXPECT_TRUE(world.NextAnswer(connection).has_value());
}

TEST_F(ConditionsTest, NothingHappensToARequestWhileTheBrokerStandsStill) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].service = Distribution::Constant(milliseconds(5));
  BrokerWorld world(spec);
  CountCalls hook;
  world.host->AddHook(hook);
  const std::string batch = BatchOf({"one"});
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch), 11);
  ASSERT_TRUE(world.host->Pause(NodeId(1)));
  world.Advance(milliseconds(500));
  EXPECT_EQ(world.orders().log().record_count(), 0);
  EXPECT_EQ(hook.calls, 1);  // received
  ASSERT_TRUE(world.host->Resume(NodeId(1)));
  EXPECT_EQ(world.orders().log().record_count(), 1);
  EXPECT_EQ(hook.calls, 4);
}

TEST_F(ConditionsTest, CrashResetsRefusesAndMovesLeaders) {
  const ConnectionId connection = world_.Connect(1);
  EXPECT_TRUE(world_.host->Crash(NodeId(1), {}));
  EXPECT_FALSE(world_.host->Crash(NodeId(1), {}));
  EXPECT_EQ(world_.transport.closed(connection), Transport::CloseKind::kReset);
  EXPECT_FALSE(Connects(1));
  EXPECT_EQ(leader(), NodeId(2));
  EXPECT_EQ(world_.orders().state().isr, (std::vector{NodeId(2), NodeId(3)}));
}

TEST_F(ConditionsTest, RestartedBrokerServesAtOnceAndIsInSyncOnceItHasCaughtUp) {
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {}));
  EXPECT_TRUE(world_.host->Restart(NodeId(1), {.catch_up = seconds(2)}));
  EXPECT_FALSE(world_.host->Restart(NodeId(1), {}));
  EXPECT_TRUE(Connects(1));
  world_.Advance(milliseconds(1999));
  EXPECT_FALSE(world_.orders().state().IsInSync(NodeId(1)));
  world_.Advance(milliseconds(1));
  EXPECT_TRUE(world_.orders().state().IsInSync(NodeId(1)));
  EXPECT_EQ(leader(), NodeId(2));
}

TEST_F(ConditionsTest, BrokerThatIsBackBeforeTheControllerNoticedHasLostItsLeadershipToo) {
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {.failover = seconds(9)}));
  EXPECT_EQ(leader(), NodeId(1));
  ASSERT_TRUE(world_.host->Restart(NodeId(1), {}));
  EXPECT_EQ(leader(), NodeId(2));
  world_.Advance(seconds(20));
  EXPECT_TRUE(world_.orders().state().IsInSync(NodeId(1)));  // the failover of the crash is void
}

TEST_F(ConditionsTest, CrashOfABrokerThatRefusesDoesNotMakeItListenOnRestart) {
  ASSERT_TRUE(world_.host->SetRefusing(NodeId(1), true));
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {}));
  ASSERT_TRUE(world_.host->Restart(NodeId(1), {}));
  EXPECT_FALSE(Connects(1));
  ASSERT_TRUE(world_.host->SetRefusing(NodeId(1), false));
  EXPECT_TRUE(Connects(1));
}

TEST_F(ConditionsTest, PortThatIsTakenMeanwhileIsSaidLoudly) {
  ASSERT_TRUE(world_.host->Crash(NodeId(1), {}));
  world_.transport.RefuseListening(true);
  ASSERT_TRUE(world_.host->Restart(NodeId(1), {}));
  EXPECT_EQ(world_.notes.not_served.size(), 1U);
}

TEST_F(ConditionsTest, UnknownBrokersChangeNothing) {
  EXPECT_EQ(world_.host->Disconnect(NodeId(9), Transport::CloseKind::kReset), 0);
  EXPECT_FALSE(world_.host->SetRefusing(NodeId(9), true));
  EXPECT_FALSE(world_.host->SetSilent(NodeId(9), true));
  EXPECT_FALSE(world_.host->Pause(NodeId(9)));
  EXPECT_FALSE(world_.host->Crash(NodeId(9), {}));
  EXPECT_FALSE(world_.host->Restart(NodeId(9), {}));
}

}  // namespace
}  // namespace ktrial::sim
