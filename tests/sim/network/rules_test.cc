// What faults do to the network (sim/network/network_control.h): each has its effect, counts whom it touched, and can
// be undone.
#include <chrono>
#include <string>

#include "gtest/gtest.h"
#include "sim/network/network_control.h"
#include "tests/sim/network/network_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = TransportEvent::Kind;
using Rule = NetworkRule::Kind;

constexpr NodeId kOne = NetworkWorld::kOne;
constexpr NodeId kTwo = NetworkWorld::kTwo;

class RulesTest : public ::testing::Test {
 protected:
  RuleId Impose(Rule kind) { return world_.network().Impose({.kind = kind, .nodes = {kOne}}); }
  RuleId Partition(bool one_way = false) {
    return world_.network().Impose(
        {.kind = Rule::kPartition, .nodes = {kOne}, .others = {kClients}, .one_way = one_way});
  }
  // Whether bytes of the client arrive within a second.
  bool Reaches(const NetworkWorld::Pair& pair) {
    world_.Send(world_.client(), pair.client, "?");
    return world_.Receive(world_.brokers(), pair.broker, 1, seconds(1)) == "?";
  }
  bool Answers(const NetworkWorld::Pair& pair) {
    world_.Send(world_.brokers(), pair.broker, "!");
    return world_.Receive(world_.client(), pair.client, 1, seconds(1)) == "!";
  }

  NetworkWorld world_;
};

TEST_F(RulesTest, ARefusalMeetsOpensAndLeavesConnections) {
  world_.Run([&] {
    const auto before = world_.Connect();
    const RuleId rule = Impose(Rule::kRefuseConnect);
    EXPECT_EQ(world_.network().Touched(rule), 0);
    world_.Open();
    EXPECT_EQ(world_.AwaitEnd(world_.client()), EndReason::kRefused);
    EXPECT_EQ(world_.network().Touched(rule), 1);
    EXPECT_TRUE(Reaches(before));
    world_.Connect(kTwo);
    world_.network().Lift(rule);
    world_.Connect();
    EXPECT_EQ(world_.network().Touched(rule), 1) << "it counts no more";
  });
}

TEST_F(RulesTest, ALostSynIsNeverAnswered) {
  world_.Run([&] {
    const RuleId rule = Impose(Rule::kDropConnect);
    world_.Open();
    EXPECT_FALSE(world_.Await(world_.client(), Kind::kOpened, seconds(100)).has_value());
    EXPECT_EQ(world_.AwaitEnd(world_.client()), EndReason::kUnreachable) << "after Linux has given up";
    EXPECT_EQ(world_.network().Touched(rule), 1);
  });
}

TEST_F(RulesTest, AMisroutedAddressLeadsToTheOtherBroker) {
  world_.Run([&] {
    world_.Connect(kOne);
    const RuleId rule = world_.network().Impose({.kind = Rule::kMisroute, .nodes = {kOne}, .others = {kTwo}});
    EXPECT_EQ(world_.AwaitEnd(world_.client(), seconds(1)), EndReason::kReset) << "who had it is not there any more";
    EXPECT_EQ(world_.network().Touched(rule), 1);
    const auto misrouted = world_.Connect(kOne);
    EXPECT_TRUE(Reaches(misrouted));
    EXPECT_EQ(world_.network().Disconnect(kOne, DisconnectKind::kReset), 0) << "it is a connection of the other one";
    const auto direct = world_.Connect(kTwo);
    world_.network().Lift(rule);
    EXPECT_EQ(world_.AwaitEnd(world_.client(), seconds(1)), EndReason::kReset);
    EXPECT_TRUE(Reaches(direct));
    EXPECT_EQ(world_.network().Touched(rule), 2);
  });
}

TEST_F(RulesTest, AnUnreachableBrokerEndsOpens) {
  world_.Run([&] {
    Impose(Rule::kUnreachable);
    world_.Open();
    EXPECT_EQ(world_.AwaitEnd(world_.client(), seconds(1)), EndReason::kUnreachable);
  });
}

TEST_F(RulesTest, ABlackholeAcceptsAndIsSilent) {
  world_.Run([&] {
    const RuleId rule = Impose(Rule::kBlackhole);
    const ConnectionId id = world_.Open();
    ASSERT_TRUE(world_.Await(world_.client(), Kind::kOpened).has_value());
    EXPECT_EQ(world_.Send(world_.client(), id, "into the void"), 13u);
    EXPECT_FALSE(world_.AwaitEnd(world_.client(), seconds(600)).has_value());
    EXPECT_FALSE(world_.Await(world_.brokers(), Kind::kAccepted, seconds(1)).has_value());
    EXPECT_EQ(world_.network().Touched(rule), 1);
  });
}

TEST_F(RulesTest, AConnectionThatLostBytesInABlackholeStaysDead) {
  world_.Run([&] {
    const auto used = world_.Connect();
    const auto unused = world_.Connect();
    const RuleId rule = Impose(Rule::kBlackhole);
    EXPECT_FALSE(Reaches(used));
    world_.network().Lift(rule);
    EXPECT_FALSE(Reaches(used));
    EXPECT_FALSE(Answers(used));
    EXPECT_TRUE(Reaches(unused));
    // Half-open for good: the broker does not learn that the client has closed.
    world_.client().Close(used.client);
    EXPECT_FALSE(world_.AwaitEnd(world_.brokers(), seconds(600)).has_value());
  });
}

TEST_F(RulesTest, AcceptedAndClosedAtOnce) {
  world_.Run([&] {
    Impose(Rule::kAcceptThenClose);
    const ConnectionId id = world_.Open();
    ASSERT_TRUE(world_.Await(world_.client(), Kind::kOpened).has_value());
    EXPECT_EQ(world_.ReadEnd(world_.client(), id, seconds(1)), EndReason::kEnd);
  });
}

TEST_F(RulesTest, APartitionHoldsBytesAndPassesThemOnceItIsOver) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    const RuleId rule = Partition();
    EXPECT_FALSE(world_.network().Passes(kClients, kOne));
    EXPECT_FALSE(world_.network().Passes(kOne, kClients));
    EXPECT_TRUE(world_.network().Passes(kClients, kTwo));
    world_.Send(world_.client(), pair.client, "held");
    world_.Send(world_.brokers(), pair.broker, "back");
    EXPECT_EQ(world_.Receive(world_.brokers(), pair.broker, 4, seconds(60)), "");
    world_.Send(world_.client(), pair.client, " too");
    EXPECT_GE(world_.network().Touched(rule), 2);
    world_.network().Lift(rule);
    EXPECT_EQ(world_.Receive(world_.brokers(), pair.broker, 8), "held too");
    EXPECT_EQ(world_.Receive(world_.client(), pair.client, 4), "back");
  });
}

TEST_F(RulesTest, APartitionHoldsSyns) {
  world_.Run([&] {
    const RuleId rule = Partition();
    world_.Open();
    EXPECT_FALSE(world_.Await(world_.client(), Kind::kOpened, seconds(60)).has_value());
    EXPECT_EQ(world_.network().Touched(rule), 1);
    world_.network().Lift(rule);
    EXPECT_TRUE(world_.Await(world_.client(), Kind::kOpened, seconds(1)).has_value());
  });
}

TEST_F(RulesTest, PartitionsThatEndTogetherPassASynOnce) {
  world_.Run([&] {
    const RuleId one = Partition();
    const RuleId other = Partition();
    world_.Open();
    EXPECT_FALSE(world_.Await(world_.client(), Kind::kOpened, seconds(60)).has_value());
    world_.network().Lift(one);
    world_.network().Lift(other);
    EXPECT_TRUE(world_.Await(world_.client(), Kind::kOpened, seconds(1)).has_value());
    EXPECT_FALSE(world_.Await(world_.client(), Kind::kOpened, seconds(1)).has_value());
  });
}

TEST_F(RulesTest, APartitionHoldsTheEndOfAConnection) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    const RuleId rule = Partition();
    world_.client().Close(pair.client);
    EXPECT_FALSE(world_.ReadEnd(world_.brokers(), pair.broker, seconds(60)).has_value());
    world_.network().Lift(rule);
    EXPECT_EQ(world_.ReadEnd(world_.brokers(), pair.broker, seconds(1)), EndReason::kEnd);
  });
}

TEST_F(RulesTest, AOneWayPartitionHoldsOneWay) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    Partition(true);
    EXPECT_TRUE(Reaches(pair));
    EXPECT_FALSE(Answers(pair));
  });
}

TEST_F(RulesTest, AnIdlePartitionTouchesNothing) {
  world_.Run([&] {
    world_.Connect();
    const RuleId rule = Partition();
    world_.Sleep(seconds(10));
    world_.network().Lift(rule);
    EXPECT_EQ(world_.network().Touched(rule), 0);
  });
}

TEST_F(RulesTest, LatencyIsAddedEachWay) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    const RuleId rule = world_.network().Impose(
        {.kind = Rule::kLatency, .nodes = {kOne}, .added = Distribution::Constant(milliseconds(50))});
    const Instant before = world_.Now();
    EXPECT_TRUE(Reaches(pair));
    EXPECT_EQ(world_.Now() - before, milliseconds(51));
    EXPECT_TRUE(Answers(pair));
    EXPECT_EQ(world_.Now() - before, milliseconds(102));
    EXPECT_EQ(world_.network().Touched(rule), 2);
  });
}

TEST_F(RulesTest, BandwidthIsLimited) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    const RuleId rule =
        world_.network().Impose({.kind = Rule::kBandwidth, .nodes = {kOne}, .bytes_per_second = 10'000});
    const std::string bytes(20'000, 'x');
    const Instant before = world_.Now();
    world_.Send(world_.client(), pair.client, bytes);
    EXPECT_EQ(world_.Receive(world_.brokers(), pair.broker, bytes.size()), bytes);
    EXPECT_EQ(world_.Now() - before, seconds(2) + milliseconds(1));
    EXPECT_EQ(world_.network().Touched(rule), 1);
  });
}

TEST_F(RulesTest, InstantConnectTakesNoTime) {
  world_.Run([&] {
    Impose(Rule::kInstantConnect);
    const Instant before = world_.Now();
    world_.Open();
    ASSERT_TRUE(world_.Await(world_.client(), Kind::kOpened).has_value());
    EXPECT_EQ(world_.Now(), before);
  });
}

TEST_F(RulesTest, ADisconnectByResetEndsBothSidesAndOnlyThatBroker) {
  world_.Run([&] {
    const auto first = world_.Connect();
    const auto second = world_.Connect();
    const auto other = world_.Connect(kTwo);
    world_.Send(world_.client(), first.client, "under way");
    EXPECT_EQ(world_.network().Disconnect(kOne, DisconnectKind::kReset), 2);
    EXPECT_EQ(world_.Send(world_.client(), second.client, "not known yet"), 13u);
    EXPECT_EQ(world_.AwaitEnd(world_.client()), EndReason::kReset);
    EXPECT_EQ(world_.AwaitEnd(world_.brokers()), EndReason::kReset);
    world_.Sleep(milliseconds(10));
    EXPECT_EQ(world_.ReceiveNow(world_.brokers(), first.broker), "");
    EXPECT_EQ(world_.ReceiveNow(world_.brokers(), second.broker), "");
    EXPECT_TRUE(Reaches(other));
  });
}

TEST_F(RulesTest, AnOrderlyDisconnectDeliversWhatWasSent) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    world_.Send(world_.client(), pair.client, "last words");
    EXPECT_EQ(world_.network().Disconnect(kOne, DisconnectKind::kEnd), 1);
    EXPECT_EQ(world_.Receive(world_.brokers(), pair.broker, 100), "last words");
    EXPECT_EQ(world_.ReadEnd(world_.brokers(), pair.broker), EndReason::kEnd);
    EXPECT_EQ(world_.ReadEnd(world_.client(), pair.client), EndReason::kEnd);
  });
}

TEST_F(RulesTest, DataBehindAnOrderlyDisconnectIsAnsweredWithAReset) {
  world_.Run([&] {
    const auto pair = world_.Connect();
    world_.network().Disconnect(kOne, DisconnectKind::kEnd);
    world_.Sleep(milliseconds(5));
    EXPECT_EQ(world_.Send(world_.client(), pair.client, "too late"), 8u) << "nobody has looked for the end yet";
    EXPECT_EQ(world_.AwaitEnd(world_.client(), seconds(1)), EndReason::kReset);
    EXPECT_EQ(world_.ReceiveNow(world_.brokers(), pair.broker), "");
  });
}

TEST_F(RulesTest, ADisconnectOfABrokerWithoutConnectionsTouchesNothing) {
  world_.Run([&] { EXPECT_EQ(world_.network().Disconnect(kOne, DisconnectKind::kReset), 0); });
}

TEST_F(RulesTest, ABrokerThatMovedRefusesAtItsOldAddress) {
  world_.Run([&] {
    const Address moved{.ip = "10.0.0.51", .port = 9093};
    world_.network().MapBroker(kOne, moved);
    ASSERT_TRUE(world_.brokers().Listen(moved, {}).ok());
    world_.client().Open(moved, "", {});
    EXPECT_TRUE(world_.Await(world_.client(), Kind::kOpened).has_value());
    EXPECT_EQ(world_.network().Disconnect(kOne, DisconnectKind::kReset), 1);
  });
}

}  // namespace
}  // namespace ktrial::sim
