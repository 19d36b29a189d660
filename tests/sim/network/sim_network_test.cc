// What virtual TCP does by itself; tests/sim/network/rules_test.cc is about faults, tests/core/env/ about the contract.
#include "sim/network/sim_network.h"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/network/network_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = TransportEvent::Kind;

TEST(SimNetworkTest, AnOpenTakesARoundTrip) {
  NetworkWorld world;
  world.Run([&] {
    const Instant before = world.Now();
    world.Open();
    ASSERT_TRUE(world.Await(world.client(), Kind::kOpened).has_value());
    EXPECT_EQ(world.Now() - before, milliseconds(2));
  });
}

TEST(SimNetworkTest, ARefusalTakesARoundTrip) {
  NetworkWorld world;
  world.Run([&] {
    const Instant before = world.Now();
    world.client().Open({.ip = "10.0.0.1", .port = 1}, "", {});
    EXPECT_EQ(world.AwaitEnd(world.client()), EndReason::kRefused);
    EXPECT_EQ(world.Now() - before, milliseconds(2));
  });
}

TEST(SimNetworkTest, AnAddressWithoutHostTimesOutLikeLinux) {
  NetworkWorld world;
  world.Run([&] {
    const Instant before = world.Now();
    world.client().Open({.ip = "192.0.2.1", .port = 9092}, "", {});
    EXPECT_EQ(world.AwaitEnd(world.client()), EndReason::kUnreachable);
    EXPECT_EQ(world.Now() - before, seconds(127));
  });
}

TEST(SimNetworkTest, BytesArriveAfterTheLatency) {
  NetworkWorld world;
  world.Run([&] {
    const auto pair = world.Connect();
    const Instant before = world.Now();
    ASSERT_EQ(world.Send(world.client(), pair.client, "hello"), 5u);
    EXPECT_EQ(world.Receive(world.brokers(), pair.broker, 5), "hello");
    EXPECT_EQ(world.Now() - before, milliseconds(1));
  });
}

TEST(SimNetworkTest, ABrokersOwnLatencyReplacesTheNetworks) {
  NetworkWorld world;
  world.network().SetBrokerLatency(NetworkWorld::kTwo, Distribution::Constant(milliseconds(30)));
  world.Run([&] {
    const auto pair = world.Connect(NetworkWorld::kTwo);
    const Instant before = world.Now();
    world.Send(world.client(), pair.client, "far");
    world.Receive(world.brokers(), pair.broker, 3);
    EXPECT_EQ(world.Now() - before, milliseconds(30));
  });
}

TEST(SimNetworkTest, BytesOfOneDirectionNeverOvertakeEachOther) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.latency = Distribution::Uniform(microseconds(0), milliseconds(5));
  NetworkWorld world(options);
  world.Run([&] {
    const auto pair = world.Connect();
    std::string sent;
    for (int i = 0; i < 100; ++i) {
      const std::string piece = std::to_string(i) + ",";
      ASSERT_EQ(world.Send(world.client(), pair.client, piece), piece.size());
      sent += piece;
    }
    EXPECT_EQ(world.Receive(world.brokers(), pair.broker, sent.size()), sent);
  });
}

TEST(SimNetworkTest, BandwidthIsSharedByTheConnectionsOfABroker) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.bytes_per_second = 1'000'000;
  NetworkWorld world(options);
  world.Run([&] {
    const auto first = world.Connect();
    const auto second = world.Connect();
    const std::string bytes(100'000, 'x');
    const Instant before = world.Now();
    ASSERT_EQ(world.Send(world.client(), first.client, bytes), bytes.size());
    ASSERT_EQ(world.Send(world.client(), second.client, bytes), bytes.size());
    world.Receive(world.brokers(), second.broker, bytes.size());
    EXPECT_EQ(world.Now() - before, milliseconds(201)) << "200 kB at 1 MB/s, and the latency";
  });
}

TEST(SimNetworkTest, AFullSenderLearnsOfRoomAfterTheWayBack) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.send_buffer_bytes = 600;
  options.receive_buffer_bytes = 400;
  NetworkWorld world(options);
  world.Run([&] {
    const auto pair = world.Connect();
    const std::string bytes(5000, 'x');
    EXPECT_EQ(world.Send(world.client(), pair.client, bytes), 1000u);
    EXPECT_EQ(world.Send(world.client(), pair.client, bytes), 0u);
    world.client().Interest(pair.client, false, true);
    EXPECT_FALSE(world.Await(world.client(), Kind::kWritable, seconds(1)).has_value());
    const Instant before = world.Now();
    EXPECT_EQ(world.ReceiveNow(world.brokers(), pair.broker).size(), 1000u);
    ASSERT_TRUE(world.Await(world.client(), Kind::kWritable).has_value());
    EXPECT_EQ(world.Now() - before, milliseconds(1));
    EXPECT_EQ(world.Send(world.client(), pair.client, bytes), 1000u);
  });
}

// Sends take parts, data arrives in pieces and is handed out in parts; all of it once and in order.
TEST(SimNetworkTest, SplitsNeitherLoseNorRepeatBytes) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.split_one_in = 1;
  NetworkWorld world(options);
  world.Run([&] {
    const auto pair = world.Connect();
    std::string bytes;
    for (int i = 0; bytes.size() < 10'000; ++i) bytes += std::to_string(i) + ";";
    std::size_t sent = 0;
    std::set<std::size_t> taken;
    while (sent < bytes.size()) {
      const std::size_t took = world.Send(world.client(), pair.client, std::string_view(bytes).substr(sent));
      ASSERT_GT(took, 0u);
      taken.insert(took);
      sent += took;
    }
    EXPECT_TRUE(taken.contains(1)) << "a Send may take one byte";
    EXPECT_EQ(world.Receive(world.brokers(), pair.broker, bytes.size()), bytes);
  });
}

TEST(SimNetworkTest, AResetMayLoseBytesThatHadArrived) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.reset_loses_one_in = 1;
  NetworkWorld world(options);
  world.Run([&] {
    const auto pair = world.Connect();
    world.Send(world.client(), pair.client, "lost");
    world.Sleep(milliseconds(5));
    world.client().Close(pair.client, Transport::CloseKind::kReset);
    world.Sleep(milliseconds(5));
    EXPECT_EQ(world.ReceiveNow(world.brokers(), pair.broker), "");
    EXPECT_EQ(world.AwaitEnd(world.brokers()), EndReason::kReset);
  });
}

TEST(SimNetworkTest, AResetMayLeaveBytesThatHadArrived) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.reset_loses_one_in = 0;
  NetworkWorld world(options);
  world.Run([&] {
    const auto pair = world.Connect();
    world.Send(world.client(), pair.client, "kept");
    world.Sleep(milliseconds(5));
    world.client().Close(pair.client, Transport::CloseKind::kReset);
    EXPECT_EQ(world.Receive(world.brokers(), pair.broker, 100), "kept");
    EXPECT_EQ(world.AwaitEnd(world.brokers()), EndReason::kReset);
  });
}

TEST(SimNetworkTest, AResetLosesWhatIsUnderWay) {
  NetworkWorld world;
  world.Run([&] {
    const auto pair = world.Connect();
    world.Send(world.client(), pair.client, "under way");
    world.client().Close(pair.client, Transport::CloseKind::kReset);
    EXPECT_EQ(world.Receive(world.brokers(), pair.broker, 100), "");
    EXPECT_EQ(world.AwaitEnd(world.brokers()), EndReason::kReset);
  });
}

TEST(SimNetworkTest, ClosingWithUnreadBytesResetsThePeer) {
  NetworkWorld world;
  world.Run([&] {
    const auto pair = world.Connect();
    world.Send(world.client(), pair.client, "never read");
    world.Sleep(milliseconds(5));
    world.brokers().Close(pair.broker);
    EXPECT_EQ(world.AwaitEnd(world.client()), EndReason::kReset);
  });
}

TEST(SimNetworkTest, AnOrderlyEndIsMetByReadingOnly) {
  NetworkWorld world;
  world.Run([&] {
    const auto pair = world.Connect();
    world.Send(world.brokers(), pair.broker, "last words");
    world.brokers().Close(pair.broker);
    EXPECT_FALSE(world.AwaitEnd(world.client(), seconds(60)).has_value());
    EXPECT_EQ(world.ReceiveNow(world.client(), pair.client), "last words");
    EXPECT_EQ(world.AwaitEnd(world.client()), EndReason::kEnd);
  });
}

// Its FIN says only that the peer sends nothing more; that it does not listen either shows when something comes for it.
TEST(SimNetworkTest, DataForAPeerThatHasClosedIsAnsweredWithAReset) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.reset_loses_one_in = 0;
  NetworkWorld world(options);
  world.Run([&] {
    const auto pair = world.Connect();
    world.Send(world.brokers(), pair.broker, "unread");
    world.brokers().Close(pair.broker);
    world.Sleep(milliseconds(5));
    EXPECT_EQ(world.Send(world.client(), pair.client, "too late"), 8u) << "the way there is still open";
    const Instant sent = world.Now();
    world.Sleep(milliseconds(5));
    EXPECT_EQ(world.ReceiveNow(world.client(), pair.client), "unread");
    EXPECT_EQ(world.AwaitEnd(world.client()), EndReason::kReset);
    EXPECT_EQ(world.Now() - sent, milliseconds(5));
  });
}

TEST(SimNetworkTest, DataThatCrossesAnOrderlyEndMeetsAReset) {
  NetworkWorld world;
  world.Run([&] {
    const auto pair = world.Connect();
    world.brokers().Close(pair.broker);
    EXPECT_EQ(world.Send(world.client(), pair.client, "crosses"), 7u);
    EXPECT_EQ(world.AwaitEnd(world.client()), EndReason::kReset);
    EXPECT_EQ(world.network().counts().resets, 1);
  });
}

TEST(SimNetworkTest, PollReturnsEarlyNowAndThen) {
  NetworkOptions options = NetworkWorld::Quiet();
  options.early_return_one_in = 2;
  NetworkWorld world(options);
  world.Run([&] {
    int early = 0;
    for (int i = 0; i < 100; ++i) {
      const Instant deadline = world.Now() + milliseconds(1);
      std::vector<TransportEvent> events;
      world.client().Poll(deadline, events, Site("test.network.early"));
      EXPECT_TRUE(events.empty());
      early += world.Now() < deadline ? 1 : 0;
    }
    EXPECT_NEAR(early, 50, 20);
  });
}

TEST(SimNetworkTest, PollRoundsItsDeadlineUpToAMicrosecond) {
  NetworkWorld world;
  world.Run([&] {
    const Instant deadline = Instant::FromNanos((world.Now() + milliseconds(3)).nanos() / 1000 * 1000 + 1);
    std::vector<TransportEvent> events;
    world.client().Poll(deadline, events, Site("test.network.rounded"));
    EXPECT_EQ(world.Now() - deadline, Duration(999));
  });
}

TEST(SimNetworkTest, NamesResolveInAnyOrder) {
  NetworkWorld world;
  world.network().SetName("kafka", {"10.0.0.1", "10.0.0.2"});
  world.Run([&] {
    std::set<std::vector<std::string>> answers;
    for (int i = 0; i < 50; ++i) {
      world.client().Resolve("kafka");
      answers.insert(world.Await(world.client(), Kind::kResolved)->addresses);
    }
    EXPECT_EQ(answers, (std::set<std::vector<std::string>>{{"10.0.0.1", "10.0.0.2"}, {"10.0.0.2", "10.0.0.1"}}));
  });
}

TEST(SimNetworkTest, ANameMayFailOrStayWithoutAnswer) {
  NetworkWorld world;
  world.network().SetName("fails", SimNetwork::NameAnswer::kFails);
  world.network().SetName("silent", SimNetwork::NameAnswer::kNever);
  world.Run([&] {
    world.client().Resolve("fails");
    EXPECT_TRUE(world.Await(world.client(), Kind::kUnresolved).has_value());
    world.client().Resolve("silent");
    EXPECT_FALSE(world.Await(world.client(), Kind::kUnresolved, seconds(60)).has_value());
  });
}

TEST(SimNetworkTest, ABrokerIsFoundByItsPortWhereSeveralShareAnAddress) {
  NetworkWorld world;
  world.network().MapBroker(NodeId(11), {.ip = "10.0.1.1", .port = 1001});
  world.network().MapBroker(NodeId(12), {.ip = "10.0.1.1", .port = 1002});
  world.network().SetBrokerLatency(NodeId(12), Distribution::Constant(milliseconds(20)));
  world.Run([&] {
    for (const std::uint16_t port : {1001, 1002}) {
      ASSERT_TRUE(world.brokers().Listen({.ip = "10.0.1.1", .port = port}, {}).ok());
    }
    const Instant before = world.Now();
    world.client().Open({.ip = "10.0.1.1", .port = 1002}, "", {});
    ASSERT_TRUE(world.Await(world.client(), Kind::kOpened).has_value());
    EXPECT_EQ(world.Now() - before, milliseconds(40));
  });
}

std::uint64_t HashOfExchange(std::uint64_t seed) {
  NetworkOptions options;
  options.latency = Distribution::LogNormal(microseconds(500), milliseconds(5));
  options.split_one_in = 3;
  NetworkWorld world(options, {.seed = seed, .stalls = StallMode::kRare});
  world.Run([&] {
    const auto pair = world.Connect();
    for (int i = 0; i < 20; ++i) {
      const std::size_t sent = world.Send(world.client(), pair.client, "some bytes of a request");
      world.Receive(world.brokers(), pair.broker, sent);
    }
  });
  return world.sandbox().trace().hash();
}

TEST(SimNetworkTest, TheSameSeedGivesTheSameExchange) {
  EXPECT_EQ(HashOfExchange(3), HashOfExchange(3));
  EXPECT_NE(HashOfExchange(3), HashOfExchange(4));
}

}  // namespace
}  // namespace ktrial::sim
