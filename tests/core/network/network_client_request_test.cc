// How a NetworkClient carries requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/network/network_client.h"
#include "tests/core/network/client_world.h"

namespace ktrial::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = RequestOutcome::Kind;

class NetworkClientRequestTest : public ::testing::Test {
 protected:
  NetworkClientRequestTest() {
    world_.LearnCluster();
    connection_ = world_.MakeReady(1);
  }
  FakeTransport::Stream& stream() { return world_.transport.stream(connection_); }
  void AnswerNext(std::int32_t throttle_ms = 0) {
    world_.broker.Answer(world_.broker.TakeRequest(),
                         wire::InitProducerIdResponse{.throttle_time_ms = throttle_ms, .producer_id = 7});
  }

  ClientWorld world_;
  ConnectionId connection_;
};

// NC-02, NC-16
TEST_F(NetworkClientRequestTest, AnAnswerReachesItsRequest) {
  const auto fate = world_.Send(1);
  EXPECT_EQ(world_.client.in_flight_count(NodeId(1)), 1u);
  world_.clock.Advance(3ms);
  AnswerNext();
  world_.Poll();
  EXPECT_EQ(fate->outcome().kind, Kind::kAnswered);
  EXPECT_EQ(fate->outcome().node, NodeId(1));
  EXPECT_EQ(fate->outcome().version, 5);
  EXPECT_EQ(fate->outcome().ended - fate->outcome().created, 3ms);
  EXPECT_TRUE(fate->parsed);
  EXPECT_TRUE(fate->destroyed);
  EXPECT_EQ(world_.client.in_flight_count(), 0u);
}

// NC-16: whatever the requests are, answers go to the oldest.
TEST_F(NetworkClientRequestTest, AnswersCompleteInTheOrderOfSending) {
  std::vector<std::string> order;
  world_.Send(1, {.order = &order}, "first");
  world_.Send(1, {.order = &order}, "second");
  AnswerNext();
  AnswerNext();
  world_.Poll();
  EXPECT_THAT(order, ElementsAre("first", "second"));
}

// NC-12, NC-13
TEST_F(NetworkClientRequestTest, APartlyWrittenRequestMakesTheNodeUnready) {
  stream().room = 10;
  const auto fate = world_.Send(1);
  EXPECT_FALSE(world_.client.IsReady(NodeId(1), world_.now()));
  EXPECT_TRUE(stream().wants_write);
  stream().room = 5;
  world_.Poll();
  EXPECT_FALSE(world_.client.IsReady(NodeId(1), world_.now()));
  stream().room = std::numeric_limits<std::size_t>::max();
  world_.Poll();
  EXPECT_TRUE(world_.client.IsReady(NodeId(1), world_.now()));
  EXPECT_FALSE(stream().wants_write);
  AnswerNext();
  world_.Poll();
  EXPECT_EQ(fate->outcome().kind, Kind::kAnswered);
}

// NC-13
TEST_F(NetworkClientRequestTest, MaxInFlightMakesTheNodeUnready) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(world_.client.IsReady(NodeId(1), world_.now()));
    world_.Send(1);
  }
  EXPECT_FALSE(world_.client.IsReady(NodeId(1), world_.now()));
  AnswerNext();
  world_.Poll();
  EXPECT_TRUE(world_.client.IsReady(NodeId(1), world_.now()));
}

// NC-15
TEST_F(NetworkClientRequestTest, SendingToAnUnreadyNodeIsADefect) { EXPECT_DEATH(world_.Send(2), "CanSend"); }

// NC-20
TEST_F(NetworkClientRequestTest, CorrelationIdsCountUpAcrossNodes) {
  world_.MakeReady(2);
  const std::int32_t next = 4;  // Versions of three nodes and one Metadata came before.
  const auto first = world_.Send(1);
  const auto second = world_.Send(2);
  EXPECT_EQ(world_.broker.TakeRequest().correlation_id, next);
  EXPECT_EQ(world_.broker.TakeRequest().correlation_id, next + 1);
}

// Instead of NC-19.
TEST_F(NetworkClientRequestTest, AWrongCorrelationIdClosesTheConnectionAndEndsItsRequests) {
  std::vector<std::string> order;
  const auto first = world_.Send(1, {.order = &order}, "first");
  const auto second = world_.Send(1, {.order = &order}, "second");
  ReceivedRequest request = world_.broker.TakeRequest();
  request.correlation_id += 1;
  world_.broker.Answer(request, wire::InitProducerIdResponse{});
  world_.Poll();
  EXPECT_TRUE(stream().closed);
  EXPECT_EQ(first->outcome().kind, Kind::kDisconnected);
  EXPECT_EQ(second->outcome().kind, Kind::kDisconnected);
  EXPECT_FALSE(first->parsed);
  EXPECT_THAT(order, ElementsAre("first", "second"));
  world_.Run(1s);
  EXPECT_THAT(world_.observer.reasons, Contains(RefreshReason::kConnectionLost));
}

TEST_F(NetworkClientRequestTest, AnAnswerThatNobodyAskedForClosesTheConnection) {
  world_.transport.Deliver(connection_, std::string("\0\0\0\4\0\0\0\0", 8));
  world_.Poll();
  EXPECT_TRUE(stream().closed);
}

TEST_F(NetworkClientRequestTest, AnAnswerThatCannotBeDecodedClosesTheConnection) {
  const auto bad = world_.Send(1, {.parse = absl::DataLossError("nonsense")});
  const auto other = world_.Send(1);
  AnswerNext();
  AnswerNext();
  world_.Poll();
  EXPECT_TRUE(stream().closed);
  EXPECT_EQ(bad->outcome().kind, Kind::kDisconnected);
  EXPECT_EQ(other->outcome().kind, Kind::kDisconnected);
}

TEST_F(NetworkClientRequestTest, ALengthBelowZeroClosesTheConnection) {
  const auto fate = world_.Send(1);
  world_.transport.Deliver(connection_, "\xff\xff\xff\xff");
  world_.Poll();
  EXPECT_EQ(fate->outcome().kind, Kind::kDisconnected);
}

// BP-15: the bytes of a request that is still being written must stay; an early answer would let go of them.
TEST_F(NetworkClientRequestTest, AnAnswerToAHalfWrittenRequestClosesTheConnection) {
  stream().room = 12;
  const auto fate = world_.Send(1);
  world_.transport.Deliver(connection_, std::string("\0\0\0\5\0\0\0\3\0", 9));
  world_.Poll();
  EXPECT_TRUE(stream().closed);
  EXPECT_EQ(fate->outcome().kind, Kind::kDisconnected);
}

// NC-21, NC-22, NC-18
TEST_F(NetworkClientRequestTest, ATimedOutRequestClosesTheConnectionAndEndsAllOfIt) {
  const auto slow = world_.Send(1, {.timeout = 60s});
  const auto late = world_.Send(1);
  const Instant start = world_.now();
  world_.Wait(1h);
  EXPECT_EQ(world_.now(), start + 30s + 1ns);
  EXPECT_TRUE(stream().closed);
  EXPECT_EQ(slow->outcome().kind, Kind::kTimedOut);
  EXPECT_EQ(late->outcome().kind, Kind::kTimedOut);
  world_.Settle();
  EXPECT_THAT(world_.observer.reasons, Contains(RefreshReason::kRequestTimeout));
}

// NC-21
TEST_F(NetworkClientRequestTest, ExactlyTheTimeoutIsNotTooLate) {
  const auto fate = world_.Send(1);
  world_.Run(30s);
  EXPECT_THAT(fate->outcomes, IsEmpty());
}

// D-9, NC-17
TEST_F(NetworkClientRequestTest, AnAnswerWinsOverATimeoutInTheSamePoll) {
  const auto fate = world_.Send(1);
  world_.clock.Advance(31s);
  AnswerNext();
  world_.Poll();
  EXPECT_EQ(fate->outcome().kind, Kind::kAnswered);
  EXPECT_FALSE(stream().closed);
}

// D-9, NC-38
TEST_F(NetworkClientRequestTest, AnswersBeforeTheEndAreDelivered) {
  const auto first = world_.Send(1);
  const auto second = world_.Send(1);
  const auto third = world_.Send(1);
  AnswerNext();
  AnswerNext();
  world_.transport.EndConnection(connection_, EndReason::kEnd);
  world_.Settle();
  EXPECT_EQ(first->outcome().kind, Kind::kAnswered);
  EXPECT_EQ(second->outcome().kind, Kind::kAnswered);
  EXPECT_EQ(third->outcome().kind, Kind::kDisconnected);
}

// NC-38: half an answer is none.
TEST_F(NetworkClientRequestTest, AnAnswerCutShortByTheEndIsNotDelivered) {
  const auto first = world_.Send(1);
  const auto second = world_.Send(1);
  AnswerNext();
  const std::string bytes =
      ScriptedBroker::Bytes(world_.broker.TakeRequest(), wire::InitProducerIdResponse{.producer_id = 7});
  world_.transport.Deliver(connection_, std::string_view(bytes).substr(0, bytes.size() - 1));
  world_.transport.EndConnection(connection_, EndReason::kEnd);
  world_.Settle();
  EXPECT_EQ(first->outcome().kind, Kind::kAnswered);
  EXPECT_EQ(second->outcome().kind, Kind::kDisconnected);
  EXPECT_FALSE(second->parsed);
}

// NC-24
TEST_F(NetworkClientRequestTest, ALostConnectionEndsItsRequestsOldestFirst) {
  std::vector<std::string> order;
  for (const char* name : {"a", "b", "c"}) world_.Send(1, {.order = &order}, name);
  world_.transport.EndConnection(connection_, EndReason::kReset);
  world_.Poll();
  EXPECT_THAT(order, ElementsAre("a", "b", "c"));
}

// NC-23, NC-43
TEST_F(NetworkClientRequestTest, ThrottleBlocksSendingAndDoesNotCountAsAge) {
  world_.Send(1);
  const auto waiting = world_.Send(1);
  const Instant start = world_.now();
  AnswerNext(/*throttle_ms=*/20'000);
  world_.Poll();
  EXPECT_FALSE(world_.client.IsReady(NodeId(1), world_.now()));
  EXPECT_EQ(world_.client.LookAgainAt(NodeId(1), world_.now()), start + 20s);
  world_.Run(20s);
  EXPECT_TRUE(world_.client.IsReady(NodeId(1), world_.now()));
  world_.Run(30s);
  EXPECT_THAT(waiting->outcomes, IsEmpty());
  world_.Run(1ms);
  EXPECT_EQ(waiting->outcome().kind, Kind::kTimedOut);
}

// NC-43
TEST_F(NetworkClientRequestTest, ThrottleOfAnOldVersionWasTheBrokersBusiness) {
  world_.Send(1, {.versions = {.min = 0, .max = 0}});
  AnswerNext(/*throttle_ms=*/20'000);
  world_.Poll();
  EXPECT_TRUE(world_.client.IsReady(NodeId(1), world_.now()));
}

// NC-41
TEST_F(NetworkClientRequestTest, TheNewestCommonVersionIsUsed) {
  world_.Send(1, {.versions = {.min = 0, .max = 3}});
  EXPECT_EQ(world_.broker.TakeRequest().version, 3);
}

// NC-42
TEST_F(NetworkClientRequestTest, AVersionThatTheNodeDoesNotSpeakIsReportedByTheNextPoll) {
  const std::size_t sent = stream().sent.size();
  const auto fate = world_.Send(1, {.versions = {.min = 6, .max = 9}});
  EXPECT_EQ(stream().sent.size(), sent);
  EXPECT_EQ(world_.client.in_flight_count(), 0u);
  const int polls = world_.transport.poll_count();
  world_.Wait(1h);
  EXPECT_EQ(world_.transport.poll_count(), polls);
  EXPECT_EQ(fate->outcome().kind, Kind::kUnsupportedVersion);
}

// NC-45
TEST_F(NetworkClientRequestTest, WithoutAnAnswerARequestEndsWhenItIsWritten) {
  const auto fate = world_.Send(1, {.acks0 = true});
  EXPECT_THAT(fate->outcomes, IsEmpty());
  const Instant start = world_.now();
  world_.Wait(1h);  // Does not wait.
  EXPECT_EQ(world_.now(), start);
  EXPECT_EQ(fate->outcome().kind, Kind::kWritten);
}

// NC-45
TEST_F(NetworkClientRequestTest, WithoutAnAnswerAHalfWrittenRequestEndsWithTheConnection) {
  stream().room = 12;
  const auto fate = world_.Send(1, {.acks0 = true});
  world_.Poll();
  EXPECT_THAT(fate->outcomes, IsEmpty());
  world_.transport.EndConnection(connection_, EndReason::kReset);
  world_.Poll();
  EXPECT_EQ(fate->outcome().kind, Kind::kDisconnected);
}

// NC-45: it is the newest, behind one that waits for its answer.
TEST_F(NetworkClientRequestTest, AnAnswerlessRequestMayEndBeforeAnOlderOne) {
  const auto asked = world_.Send(1);
  const auto told = world_.Send(1, {.acks0 = true});
  world_.Poll();
  EXPECT_THAT(asked->outcomes, IsEmpty());
  EXPECT_EQ(told->outcome().kind, Kind::kWritten);
  AnswerNext();
  world_.Poll();
  EXPECT_EQ(asked->outcome().kind, Kind::kAnswered);
}

// BP-15: not before the last byte is written or the connection is gone.
TEST_F(NetworkClientRequestTest, ARequestLivesUntilItEnds) {
  stream().room = 12;
  const auto fate = world_.Send(1, {.acks0 = true});
  world_.Poll();
  EXPECT_FALSE(fate->destroyed);
  world_.client.Close();
  EXPECT_TRUE(stream().closed);
  EXPECT_TRUE(fate->destroyed);
  EXPECT_THAT(fate->outcomes, IsEmpty());
}

// D-8: a completion may send, disconnect and close.
TEST_F(NetworkClientRequestTest, ACompletionMaySendAgain) {
  std::shared_ptr<Fate> second;
  world_.Send(1, {.on_complete = [&] { second = world_.Send(1); }});
  AnswerNext();
  world_.Poll();
  ASSERT_NE(second, nullptr);
  AnswerNext();
  world_.Poll();
  EXPECT_EQ(second->outcome().kind, Kind::kAnswered);
}

TEST_F(NetworkClientRequestTest, WhatACompletionEndsIsForTheNextPoll) {
  std::shared_ptr<Fate> other;
  world_.Send(1, {.on_complete = [&] { world_.client.Disconnect(NodeId(1), world_.now()); }});
  other = world_.Send(1);
  AnswerNext();
  world_.Poll();
  EXPECT_THAT(other->outcomes, IsEmpty());
  world_.Poll();
  EXPECT_EQ(other->outcome().kind, Kind::kDisconnected);
}

TEST_F(NetworkClientRequestTest, ACompletionMayCloseTheClient) {
  world_.Send(1, {.on_complete = [&] { world_.client.Close(); }});
  const auto other = world_.Send(1);
  AnswerNext();
  AnswerNext();
  world_.Poll();
  EXPECT_THAT(other->outcomes, IsEmpty());
  world_.Poll();
  world_.client.Close();
}

// NC-47
TEST_F(NetworkClientRequestTest, WakeUpEndsTheNextWait) {
  const Instant start = world_.now();
  world_.client.WakeUp();
  world_.Wait(1s);
  EXPECT_EQ(world_.now(), start);
  world_.Wait(1s);
  EXPECT_EQ(world_.now(), start + 1s);
}

}  // namespace
}  // namespace ktrial::testing
