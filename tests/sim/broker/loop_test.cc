#include <gtest/gtest.h>

#include <random>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using wire::ErrorCode;
using wire::MetadataRequest;
using wire::MetadataResponse;
using wire::ProduceResponse;

constexpr std::int16_t kMetadata = 12;
constexpr std::int16_t kProduce = 11;

std::string FrameOf(std::int32_t correlation_id) {
  wire::GatherBytes frame;
  wire::EncodeRequestFrame(MetadataRequest{}, kMetadata, correlation_id, "test", frame);
  return frame.Flatten();
}

// WP-01
TEST(LoopTest, FrameMayArriveByteByByte) {
  BrokerWorld world;
  const ConnectionId connection = world.Connect(1);
  for (const char byte : FrameOf(42)) {
    EXPECT_EQ(world.NextAnswer(connection), std::nullopt);
    world.transport.Write(connection, std::string_view(&byte, 1));
    world.Settle();
  }
  EXPECT_TRUE(world.Answer<MetadataResponse>(connection, kMetadata).has_value());
  EXPECT_EQ(world.last_answered, 42);
}

TEST(LoopTest, ManyFramesInOnePieceAreAnsweredInOrder) {
  BrokerWorld world;
  const ConnectionId connection = world.Connect(1);
  world.transport.Write(connection, FrameOf(1) + FrameOf(2) + FrameOf(3));
  world.Settle();
  for (const std::int32_t expected : {1, 2, 3}) {
    ASSERT_TRUE(world.Answer<MetadataResponse>(connection, kMetadata).has_value());
    EXPECT_EQ(world.last_answered, expected);
  }
}

TEST(LoopTest, AnswerGoesOutInPiecesOfAnySize) {
  BrokerWorld world;
  const ConnectionId connection = world.Connect(1);
  world.transport.LimitSends(1);
  world.transport.SetRoom(connection, 10);
  world.transport.Write(connection, FrameOf(1) + FrameOf(2));
  world.host->Turn(world.clock.Now());
  world.host->Turn(world.clock.Now());
  EXPECT_EQ(world.notes.requests.size(), 1U);  // the second waits until the first answer is away
  EXPECT_FALSE(world.transport.reads(connection));
  world.transport.SetRoom(connection, 100000);
  world.Settle();
  EXPECT_TRUE(world.Answer<MetadataResponse>(connection, kMetadata).has_value());
  EXPECT_TRUE(world.Answer<MetadataResponse>(connection, kMetadata).has_value());
  EXPECT_EQ(world.last_answered, 2);
}

TEST(LoopTest, RequestInHandKeepsTheConnectionFromBeingRead) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].service = Distribution::Constant(milliseconds(5));
  BrokerWorld world(spec);
  const ConnectionId connection = world.Connect(1);
  world.transport.Write(connection, FrameOf(1));
  world.Settle();
  EXPECT_FALSE(world.transport.reads(connection));
  EXPECT_EQ(world.NextAnswer(connection), std::nullopt);
  world.Advance(milliseconds(5));
  EXPECT_TRUE(world.NextAnswer(connection).has_value());
  EXPECT_TRUE(world.transport.reads(connection));
}

TEST(LoopTest, ServiceTimeOfOneConnectionDoesNotHoldUpAnother) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].service = Distribution::Constant(milliseconds(5));
  BrokerWorld world(spec);
  const ConnectionId one = world.Connect(1);
  const ConnectionId other = world.Connect(1);
  world.transport.Write(one, FrameOf(1));
  world.transport.Write(other, FrameOf(2));
  world.Advance(milliseconds(5));
  EXPECT_TRUE(world.NextAnswer(one).has_value());
  EXPECT_TRUE(world.NextAnswer(other).has_value());
}

TEST(LoopTest, ClientThatClosesAfterItsRequestsIsStillServed) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].service = Distribution::Constant(milliseconds(5));
  BrokerWorld world(spec);
  const std::string batch = BatchOf({"one"});
  const ConnectionId connection = world.Connect(1);
  for (int i = 0; i < 3; ++i) {
    wire::GatherBytes frame;
    wire::EncodeRequestFrame(ProduceOf(batch, 0), kProduce, i, "test", frame);
    world.transport.Write(connection, frame.Flatten());
  }
  world.Settle();
  world.transport.End(connection, EndReason::kEnd);
  world.Advance(milliseconds(15));
  EXPECT_EQ(world.orders().log().record_count(), 3);
  EXPECT_EQ(world.host->ConnectionCount(NodeId(1)), 0);
}

TEST(LoopTest, RequestInHandOutlivesTheResetOfItsConnection) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].service = Distribution::Constant(milliseconds(5));
  BrokerWorld world(spec);
  const std::string batch = BatchOf({"one"});
  const ConnectionId connection = world.Connect(1);
  wire::GatherBytes frames;
  wire::EncodeRequestFrame(ProduceOf(batch), kProduce, 1, "test", frames);
  wire::EncodeRequestFrame(ProduceOf(batch), kProduce, 2, "test", frames);
  world.transport.Write(connection, frames.Flatten());
  world.Settle();
  world.transport.End(connection, EndReason::kReset);
  world.Advance(milliseconds(20));
  EXPECT_EQ(world.orders().log().record_count(), 1) << "the one behind it is lost with the connection";
  EXPECT_EQ(world.notes.unanswered, std::vector<std::string>{"the client is gone"});
  EXPECT_EQ(world.host->ConnectionCount(NodeId(1)), 0);
}

TEST(LoopTest, IdleConnectionThatIsResetIsForgotten) {
  BrokerWorld world(SpecOf(1));
  const ConnectionId connection = world.Connect(1);
  world.transport.Write(connection, FrameOf(1).substr(0, 7));
  world.Settle();
  world.transport.End(connection, EndReason::kReset);
  world.Settle();
  EXPECT_EQ(world.host->ConnectionCount(NodeId(1)), 0);
}

TEST(LoopTest, IdleConnectionIsClosed) {
  BrokerWorld world;
  const ConnectionId connection = world.Connect(1);
  world.Advance(std::chrono::minutes(9));
  world.SendFrame(connection, std::string_view(FrameOf(1)).substr(4));
  world.Advance(std::chrono::minutes(9));
  EXPECT_EQ(world.transport.closed(connection), std::nullopt);
  world.Advance(std::chrono::minutes(1));
  EXPECT_EQ(world.transport.closed(connection), Transport::CloseKind::kGraceful);
  EXPECT_EQ(world.notes.closed, std::vector<std::string>{"idle"});
}

TEST(LoopTest, TimersAndPostedFunctionsRunOnTheLoop) {
  BrokerWorld world;
  std::vector<int> ran;
  world.host->At(world.clock.Now() + milliseconds(3), [&] { ran.push_back(1); });
  world.host->Post([&] { ran.push_back(2); });
  EXPECT_GE(world.transport.wake_ups(), 1);
  world.Settle();
  EXPECT_EQ(ran, std::vector{2});
  EXPECT_EQ(world.transport.last_deadline(), world.clock.Now());
  world.Advance(milliseconds(3));
  EXPECT_EQ(ran, (std::vector{2, 1}));
}

TEST(LoopTest, StopEndsRunAndClosesEverything) {
  BrokerWorld world;
  const ConnectionId connection = world.Connect(1);
  world.host->Stop();
  world.host->Run();
  EXPECT_EQ(world.transport.closed(connection), Transport::CloseKind::kGraceful);
  EXPECT_EQ(world.transport.Connect(world.host->address(NodeId(1)).port), std::nullopt);
}

class HostileBytesTest : public ::testing::TestWithParam<std::int32_t> {};

// WP-01
TEST_P(HostileBytesTest, LengthThatNobodySendsEndsTheConnection) {
  BrokerWorld world;
  const ConnectionId connection = world.Connect(1);
  const auto length = static_cast<std::uint32_t>(GetParam());
  const std::string bytes = {static_cast<char>(length >> 24), static_cast<char>(length >> 16),
                             static_cast<char>(length >> 8), static_cast<char>(length)};
  world.transport.Write(connection, bytes + "xxxxxxxx");
  world.Settle();
  EXPECT_NE(world.transport.closed(connection), std::nullopt);
  EXPECT_EQ(world.notes.malformed.size(), 1U);
}
INSTANTIATE_TEST_SUITE_P(Lengths, HostileBytesTest, ::testing::Values(-1, 0, 1, 7, 104857601, INT32_MIN));

// Random bytes in whole frames, and good frames with random damage: a broker may close or answer, never fall over.
TEST(HostileBytesTest, NoBytesBringABrokerDown) {
  std::mt19937_64 random(20240611);
  BrokerWorld world;
  const std::string batch = BatchOf({"value-one", "value-two"});
  wire::GatherBytes produce;
  wire::EncodeRequestFrame(ProduceOf(batch), kProduce, 1, "test", produce);
  const std::string good = produce.Flatten();
  for (int round = 0; round < 1000; ++round) {
    const ConnectionId connection = world.Connect(1);
    std::string bytes = round % 3 == 0 ? FrameOf(1) : good;
    const std::uint64_t damages = 1 + random() % 4;
    for (std::uint64_t i = 0; i < damages; ++i) {
      // Mostly behind the length, else nearly all rounds would wait for bytes that never come.
      const std::size_t at = round % 10 == 0 ? random() % bytes.size() : 4 + random() % (bytes.size() - 4);
      bytes[at] = static_cast<char>(random());
    }
    if (round % 7 == 0) bytes.resize(random() % bytes.size());
    world.transport.Write(connection, bytes);
    world.Settle();
    world.transport.End(connection, EndReason::kReset);
    world.Settle();
  }
  EXPECT_EQ(world.host->ConnectionCount(NodeId(1)), 0);
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, ProduceOf(batch), kProduce);
  EXPECT_EQ(world.Answer<ProduceResponse>(connection, kProduce)->topics[0].partitions[0].error, ErrorCode::kNone);
}

}  // namespace
}  // namespace ktrial::sim
