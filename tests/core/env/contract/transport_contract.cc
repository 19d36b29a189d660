// What every Transport promises (core/env/transport.h). Where the contract leaves a choice, both outcomes pass.
#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "gtest/gtest.h"
#include "tests/core/env/contract/door_world.h"

namespace ktrial {
namespace {

using Kind = TransportEvent::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Site kSite("test.contract.transport");

std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + (i * 31 + i / 251) % 26);
  return bytes;
}

TEST(TransportContract, BytesArriveInOrderBothWays) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "from client"));
    EXPECT_EQ(ReceiveAll(env, *pair.server, pair.server_side, 11), "from client");
    ASSERT_TRUE(SendAll(env, *pair.server, pair.server_side, "from server"));
    EXPECT_EQ(ReceiveAll(env, *pair.client, pair.client_side, 11), "from server");
  });
}

TEST(TransportContract, AGatherIsSentInTheOrderOfItsPieces) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    const std::array<ConstBytes, 4> pieces = {"one ", "", "two ", "three"};
    std::size_t sent = 0;
    std::string all = "one two three";
    const IoResult result = pair.client->Send(pair.client_side, pieces);
    ASSERT_EQ(result.kind, IoResult::Kind::kBytes);
    sent = result.count;
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, std::string_view(all).substr(sent)));
    EXPECT_EQ(ReceiveAll(env, *pair.server, pair.server_side, all.size()), all);
  });
}

// A peer that does not read fills the buffers: Send then takes nothing, and later all bytes arrive once and in order.
TEST(TransportContract, APeerThatDoesNotReadStopsTheSender) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world, {.send_bytes = 16 * 1024, .receive_bytes = 16 * 1024});
    const std::string bytes = Pattern(8 << 20);
    std::size_t taken = 0;
    // Not 8 MiB at once: somewhere the buffers must be full.
    while (taken < bytes.size()) {
      const std::array<ConstBytes, 1> rest = {std::string_view(bytes).substr(taken)};
      const IoResult result = pair.client->Send(pair.client_side, rest);
      if (result.kind == IoResult::Kind::kWouldBlock) break;
      ASSERT_EQ(result.kind, IoResult::Kind::kBytes);
      taken += result.count;
    }
    ASSERT_GT(taken, 0u);
    ASSERT_LT(taken, bytes.size());
    std::string got;
    const Instant give_up = env.clock().Now() + seconds(60);
    while (got.size() < bytes.size()) {
      ASSERT_LT(env.clock().Now(), give_up);
      got += ReceiveAll(env, *pair.server, pair.server_side, std::min<std::size_t>(256 * 1024, taken - got.size()));
      pair.client->Interest(pair.client_side, false, true);
      std::vector<TransportEvent> events;
      pair.client->Poll(env.clock().Now() + milliseconds(20), events, kSite);
      const std::array<ConstBytes, 1> rest = {std::string_view(bytes).substr(taken)};
      if (rest[0].empty()) continue;
      const IoResult result = pair.client->Send(pair.client_side, rest);
      if (result.kind == IoResult::Kind::kBytes) taken += result.count;
    }
    EXPECT_EQ(got, bytes);
  });
}

TEST(TransportContract, AnOrderlyEndComesAfterAllBytes) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "last words"));
    pair.client->Close(pair.client_side);
    EXPECT_EQ(ReceiveAll(env, *pair.server, pair.server_side, 100), "last words");
    const auto end = EventPump(env, *pair.server).Await(Kind::kEnded, pair.server_side);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kEnd);
  });
}

// The end of one direction is not the end of the other: whoever does not read is not told, and may go on sending.
TEST(TransportContract, AnOrderlyEndIsMetByReadingOnly) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.server->Close(pair.server_side);
    EXPECT_TRUE(EventPump(env, *pair.client).Drain(milliseconds(20)).empty());
    std::array<char, 8> buffer;
    EXPECT_EQ(pair.client->Receive(pair.client_side, buffer).kind, IoResult::Kind::kEnded);
    const auto end = EventPump(env, *pair.client).Await(Kind::kEnded, pair.client_side);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kEnd);
  });
}

TEST(TransportContract, AnOrderlyEndIsSomethingToRead) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.server->Close(pair.server_side);
    pair.client->Interest(pair.client_side, true, false);
    EXPECT_TRUE(EventPump(env, *pair.client).Await(Kind::kReadable, pair.client_side).has_value());
  });
}

TEST(TransportContract, BehindAnOrderlyEndOfThePeerSendStillTakesBytes) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.server->Close(pair.server_side);
    EXPECT_TRUE(EventPump(env, *pair.client).Drain(milliseconds(20)).empty());
    const std::array<ConstBytes, 1> pieces = {"into the void"};
    EXPECT_EQ(pair.client->Send(pair.client_side, pieces).kind, IoResult::Kind::kBytes);
    // The peer is gone altogether, and says so now.
    const auto end = EventPump(env, *pair.client).Await(Kind::kEnded, pair.client_side);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kReset);
  });
}

TEST(TransportContract, AResetIsReportedAsOne) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.client->Close(pair.client_side, Transport::CloseKind::kReset);
    ReceiveAll(env, *pair.server, pair.server_side, 1);
    const auto end = EventPump(env, *pair.server).Await(Kind::kEnded, pair.server_side);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kReset);
  });
}

// Whoever waits for nothing still learns that the connection is gone.
TEST(TransportContract, AResetIsReportedWithoutReadInterest) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.client->Close(pair.client_side, Transport::CloseKind::kReset);
    const auto end = EventPump(env, *pair.server).Await(Kind::kEnded, pair.server_side);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kReset);
  });
}

// Closing with unread bytes is a reset on the wire: the peer may lose what it was sent, but it does learn of the end.
TEST(TransportContract, AnEndWithUnreadBytesReachesThePeer) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "never read"));
    EventPump(env, *pair.server).Drain(milliseconds(5));
    pair.server->Close(pair.server_side);
    ReceiveAll(env, *pair.client, pair.client_side, 1);
    const auto end = EventPump(env, *pair.client).Await(Kind::kEnded, pair.client_side);
    ASSERT_TRUE(end.has_value());
    EXPECT_TRUE(end->reason == EndReason::kReset || end->reason == EndReason::kEnd) << EndReasonName(end->reason);
  });
}

TEST(TransportContract, SendingToAClosedPeerEndsInABreak) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.server->Close(pair.server_side, Transport::CloseKind::kReset);
    const Instant give_up = env.clock().Now() + seconds(5);
    IoResult result;
    do {
      const std::array<ConstBytes, 1> pieces = {"into the void"};
      result = pair.client->Send(pair.client_side, pieces);
      env.threads().SleepUntil(env.clock().Now() + milliseconds(1), Site("test.contract.break_sleep"));
    } while (result.kind != IoResult::Kind::kEnded && env.clock().Now() < give_up);
    EXPECT_EQ(result.kind, IoResult::Kind::kEnded);
    EXPECT_TRUE(EventPump(env, *pair.client).Await(Kind::kEnded, pair.client_side).has_value());
  });
}

TEST(TransportContract, APortWithoutListenerRefuses) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto server = env.NewTransport("server");
    const auto listening = server->Listen(world->ListenAddress(), {});
    ASSERT_EQ(listening.status().message(), "");
    server->StopListening(listening->id);
    const auto client = env.NewTransport("client");
    const ConnectionId id = client->Open(listening->address, "", {});
    const auto end = EventPump(env, *client).Await(Kind::kEnded, id);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kRefused);
  });
}

TEST(TransportContract, AnAddressThatIsNoneEndsTheOpenLocally) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ConnectionId id = client->Open({"not an address", 9092}, "", {});
    const auto end = EventPump(env, *client).Await(Kind::kEnded, id);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kLocal);
  });
}

TEST(TransportContract, AConnectionSurvivesTheEndOfItsListener) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.server->StopListening(pair.listening.id);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "still here"));
    EXPECT_EQ(ReceiveAll(env, *pair.server, pair.server_side, 10), "still here");
  });
}

TEST(TransportContract, ASilentPeerGivesNoEvent) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.client->Interest(pair.client_side, true, false);
    EXPECT_TRUE(EventPump(env, *pair.client).Drain(milliseconds(10)).empty());
  });
}

TEST(TransportContract, AnOpenMayStayWithoutAnswer) {
  auto world = NewDoorWorld();
  const std::optional<Address> silent = world->SilentAddress();
  if (!silent.has_value()) GTEST_SKIP() << "this world has no silent address";
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ConnectionId id = client->Open(*silent, "", {});
    EXPECT_TRUE(EventPump(env, *client).Drain(milliseconds(50)).empty());
    client->Close(id);
    EXPECT_TRUE(EventPump(env, *client).Drain(milliseconds(5)).empty());
  });
}

TEST(TransportContract, BeforeItIsOpenAConnectionTakesAndGivesNothing) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto server = env.NewTransport("server");
    const auto listening = server->Listen(world->ListenAddress(), {});
    const auto client = env.NewTransport("client");
    const ConnectionId id = client->Open(listening->address, "", {});
    const std::array<ConstBytes, 1> pieces = {"too early"};
    EXPECT_EQ(client->Send(id, pieces).kind, IoResult::Kind::kWouldBlock);
    std::array<char, 8> buffer;
    EXPECT_EQ(client->Receive(id, buffer).kind, IoResult::Kind::kWouldBlock);
    EXPECT_TRUE(EventPump(env, *client, server.get()).Await(Kind::kOpened, id).has_value());
  });
}

TEST(TransportContract, WithoutInterestReadableBytesGiveNoEvent) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "x"));
    EXPECT_TRUE(EventPump(env, *pair.server).Drain(milliseconds(10)).empty());
    pair.server->Interest(pair.server_side, true, false);
    EXPECT_TRUE(EventPump(env, *pair.server).Await(Kind::kReadable, pair.server_side).has_value());
  });
}

TEST(TransportContract, ReadableIsReportedAgainWhileBytesWait) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "ab"));
    pair.server->Interest(pair.server_side, true, false);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(EventPump(env, *pair.server).Await(Kind::kReadable, pair.server_side).has_value());
    }
  });
}

TEST(TransportContract, AfterCloseNoEventOfTheConnectionAppears) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    ASSERT_TRUE(SendAll(env, *pair.client, pair.client_side, "pending"));
    pair.client->Close(pair.client_side, Transport::CloseKind::kReset);
    pair.server->Interest(pair.server_side, true, true);
    env.threads().SleepUntil(env.clock().Now() + milliseconds(5), Site("test.contract.pending_sleep"));
    pair.server->Close(pair.server_side);
    pair.server->Close(pair.server_side);
    for (const TransportEvent& event : EventPump(env, *pair.server).Drain(milliseconds(10))) {
      EXPECT_NE(event.connection, pair.server_side);
    }
  });
}

TEST(TransportContract, AnEndThatWasFoundBySendingIsNotReportedAfterClose) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ConnectionId id = client->Open({"not an address", 1}, "", {});
    client->Close(id);
    EXPECT_TRUE(EventPump(env, *client).Drain(milliseconds(5)).empty());
  });
}

TEST(TransportContract, ConnectionIdsAreNeverReused) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    ConnectionId last;
    for (int i = 0; i < 20; ++i) {
      const ConnectionId id = client->Open({"not an address", 1}, "", {});
      EXPECT_GT(id, last);
      last = id;
      client->Close(id);
    }
  });
}

TEST(TransportContract, UnknownConnectionsAreEndedAndIgnored) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ConnectionId nobody(1'000'000'007);
    const std::array<ConstBytes, 1> pieces = {"x"};
    EXPECT_EQ(client->Send(nobody, pieces).kind, IoResult::Kind::kEnded);
    client->Interest(nobody, true, true);
    client->Close(nobody);
  });
}

TEST(TransportContract, APollWithADeadlineInThePastDoesNotWait) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    std::vector<TransportEvent> events;
    client->Poll(Instant(), events, kSite);
    EXPECT_TRUE(events.empty());
  });
}

TEST(TransportContract, AWakeUpBeforeThePollIsKept) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    client->WakeUp();
    client->WakeUp();
    std::vector<TransportEvent> events;
    client->Poll(Instant::Never(), events, kSite);
    EXPECT_TRUE(events.empty());
  });
}

TEST(TransportContract, WakeUpsCoalesce) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    for (int i = 0; i < 100; ++i) client->WakeUp();
    std::vector<TransportEvent> events;
    client->Poll(Instant::Never(), events, kSite);
    // Nothing of the hundred is left: this poll lasts until its deadline (early returns are legal, so poll until then).
    const Instant deadline = env.clock().Now() + milliseconds(5);
    int polls = 0;
    while (env.clock().Now() < deadline) {
      client->Poll(deadline, events, kSite);
      ++polls;
    }
    EXPECT_LT(polls, 10);
  });
}

TEST(TransportContract, AWakeUpFromAnotherThreadEndsThePoll) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    for (int round = 0; round < 20; ++round) {
      const auto thread = env.threads().Spawn("waker", [&] { client->WakeUp(); });
      std::vector<TransportEvent> events;
      client->Poll(Instant::Never(), events, kSite);
      EXPECT_TRUE(thread->Join(Instant::Never()));
    }
  });
}

TEST(TransportContract, AnAddressLiteralResolvesToItself) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ResolveId id = client->Resolve("192.0.2.7");
    const auto answer = EventPump(env, *client).Await(Kind::kResolved);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->resolve, id);
    EXPECT_EQ(answer->addresses, std::vector<std::string>{"192.0.2.7"});
  });
}

// A name that nobody knows is either answered with a failure or not at all; never with addresses.
TEST(TransportContract, AnUnknownNameNeverResolves) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ResolveId id = client->Resolve("no-such-host.invalid");
    for (const TransportEvent& event : EventPump(env, *client).Drain(milliseconds(100))) {
      EXPECT_EQ(event.kind, Kind::kUnresolved);
      EXPECT_EQ(event.resolve, id);
      EXPECT_NE(event.text, "");
    }
  });
}

TEST(TransportContract, TheLoopbackAddressIsCalledLocalhost) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ResolveId id = client->ResolveName("127.0.0.1");
    const auto answer = EventPump(env, *client).Await(Kind::kNamed);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->resolve, id);
    EXPECT_EQ(answer->text, "localhost");
  });
}

TEST(TransportContract, WhatIsNoAddressHasNoName) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ResolveId id = client->ResolveName("some-host");
    const auto answer = EventPump(env, *client).Await(Kind::kUnresolved);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->resolve, id);
    EXPECT_NE(answer->text, "");
  });
}

// An address that nobody has named is either answered with a failure or not at all.
TEST(TransportContract, AnAddressWithoutANameIsNeverNamed) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto client = env.NewTransport("client");
    const ResolveId id = client->ResolveName("192.0.2.7");
    for (const TransportEvent& event : EventPump(env, *client).Drain(milliseconds(100))) {
      EXPECT_EQ(event.kind, Kind::kUnresolved);
      EXPECT_EQ(event.resolve, id);
    }
  });
}

TEST(TransportContract, ATransportMayEndWithOpenConnectionsAndQueries) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    ConnectedPair pair = Connect(env, *world);
    pair.client->Resolve("no-such-host.invalid");
    pair.client->ResolveName("192.0.2.7");
    pair.client.reset();
    ReceiveAll(env, *pair.server, pair.server_side, 1);
    EXPECT_TRUE(EventPump(env, *pair.server).Await(Kind::kEnded, pair.server_side).has_value());
  });
}

}  // namespace
}  // namespace ktrial
