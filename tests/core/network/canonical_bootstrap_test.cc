// client.dns.lookup = resolve_canonical_bootstrap_servers_only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/core/network/client_world.h"

namespace ktrial::testing {
namespace {

using ::testing::ElementsAre;

class CanonicalBootstrapTest : public ::testing::Test {
 protected:
  // A client of these hosts, each with port 9092, 9093, ...
  static NetworkClientConfig Of(const std::vector<std::string>& hosts) {
    NetworkClientConfig config = ClientWorld::ClientConfig();
    std::uint16_t port = 9092;
    for (const std::string& host : hosts) config.canonical_bootstrap.push_back({.host = host, .port = port++});
    return config;
  }
  static std::vector<std::string> NodesOf(const ClientWorld& world) {
    std::vector<std::string> nodes;
    for (const Node& node : world.metadata.Fetch()->nodes()) {
      nodes.push_back(node.host + ":" + std::to_string(node.port));
    }
    return nodes;
  }
};

// NC-11
TEST_F(CanonicalBootstrapTest, OneNameForManyBrokersBecomesTheirNames) {
  ClientWorld world(Of({"all"}));
  world.transport.hosts["all"] = {"10.0.0.2", "10.0.0.1"};
  world.transport.names_of_ips = {{"10.0.0.1", "b1"}, {"10.0.0.2", "b2"}};
  world.Settle();
  // Nodes ascend by their ids, -1 being the first server.
  EXPECT_THAT(NodesOf(world), ElementsAre("b1:9092", "b2:9092"));
  EXPECT_EQ(world.transport.stream(world.transport.opens()[0]).host[0], 'b');
}

TEST_F(CanonicalBootstrapTest, EachServerKeepsItsPort) {
  ClientWorld world(Of({"b1", "b2"}));
  world.transport.names_of_ips = {{"10.0.0.1", "b1"}, {"10.0.0.2", "b2"}};
  world.Settle();
  EXPECT_THAT(NodesOf(world), ElementsAre("b2:9093", "b1:9092"));
}

// Java's InetAddress does not believe such a name either.
TEST_F(CanonicalBootstrapTest, ANameThatHasAnotherAddressIsNotBelieved) {
  ClientWorld world(Of({"all"}));
  world.transport.hosts["all"] = {"10.0.0.1"};
  world.transport.hosts["bank.example"] = {"192.0.2.1"};
  world.transport.hosts["10.0.0.1"] = {"10.0.0.1"};
  world.transport.names_of_ips = {{"10.0.0.1", "bank.example"}};
  world.Settle();
  EXPECT_THAT(NodesOf(world), ElementsAre("10.0.0.1:9092"));
}

TEST_F(CanonicalBootstrapTest, AnAddressWithoutANameCountsAsItIs) {
  ClientWorld world(Of({"all"}));
  world.transport.hosts["all"] = {"10.0.0.1", "10.0.0.2"};
  world.transport.hosts["10.0.0.1"] = {"10.0.0.1"};
  world.transport.names_of_ips = {{"10.0.0.2", "b2"}};
  world.Settle();
  EXPECT_THAT(NodesOf(world), ElementsAre("b2:9092", "10.0.0.1:9092"));
}

TEST_F(CanonicalBootstrapTest, TheSameNameTwiceIsOneServer) {
  ClientWorld world(Of({"all"}));
  world.transport.hosts["all"] = {"10.0.0.1", "10.0.0.2"};
  world.transport.hosts["b1"] = {"10.0.0.1", "10.0.0.2"};
  world.transport.names_of_ips = {{"10.0.0.1", "b1"}, {"10.0.0.2", "b1"}};
  world.Settle();
  EXPECT_THAT(NodesOf(world), ElementsAre("b1:9092"));
}

TEST_F(CanonicalBootstrapTest, OneHostThatIsFoundWillDo) {
  ClientWorld world(Of({"gone", "b2"}));
  world.transport.hosts["gone"] = {};
  world.transport.names_of_ips = {{"10.0.0.2", "b2"}};
  world.Settle();
  EXPECT_THAT(NodesOf(world), ElementsAre("b2:9093"));
}

TEST_F(CanonicalBootstrapTest, NobodyIsConnectedToBeforeAndNothingSpins) {
  ClientWorld world(Of({"all"}));
  world.Settle();
  EXPECT_TRUE(world.transport.opens().empty());
  EXPECT_EQ(world.client.FindLeastLoaded(world.now()).node, nullptr);
  const Node configured = world.metadata.Fetch()->nodes()[0];
  EXPECT_FALSE(world.client.Ready(configured, world.now()));
  EXPECT_EQ(world.client.LookAgainAt(configured.id, world.now()), Instant::Never());
  const int polls = world.transport.poll_count();
  world.Run(10s);
  EXPECT_LE(world.transport.poll_count(), polls + 40) << "it waits for the answer";
}

TEST_F(CanonicalBootstrapTest, WithoutAnyHostItAsksAgainAfterABackoff) {
  ClientWorld world(Of({"all"}));
  world.transport.hosts["all"] = {};
  world.Run(1s);
  EXPECT_GE(world.transport.resolve_count("all"), 10);
  EXPECT_LE(world.transport.resolve_count("all"), 22);  // reconnect.backoff.ms is 50.
  world.transport.hosts["all"] = {"10.0.0.1"};
  world.transport.names_of_ips = {{"10.0.0.1", "b1"}};
  world.Run(100ms);
  EXPECT_THAT(NodesOf(world), ElementsAre("b1:9092"));
}

// As in Java, the names of the first time count.
TEST_F(CanonicalBootstrapTest, ANewBootstrapStartsFromTheNames) {
  ClientWorld world(Of({"all"}));
  world.transport.hosts["all"] = {"10.0.0.1"};
  world.transport.names_of_ips = {{"10.0.0.1", "b1"}};
  world.LearnCluster(Answer({2}));
  world.metadata.Rebootstrap();
  EXPECT_THAT(NodesOf(world), ElementsAre("b1:9092"));
  EXPECT_EQ(world.transport.resolve_count("all"), 1);
}

}  // namespace
}  // namespace ktrial::testing
