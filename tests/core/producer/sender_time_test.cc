// The sender and time: when it looks again, what expires, in what order things come, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/producer/sender.h"
#include "core/wire/status.h"
#include "tests/core/producer/sender_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::ErrorCode;

// Metadata known, connections open.
void Warm(SenderWorld& world, std::string_view topic, std::int32_t partitions) {
  for (std::int32_t i = 0; i < partitions; ++i) world.Append(topic, i, "warm");
  ASSERT_TRUE(world.RunUntil([&] {
    for (const ReceivedProduce& request : world.cluster.produces) world.cluster.Answer(request);
    world.cluster.produces.clear();
    return world.told.size() == static_cast<std::size_t>(partitions);
  }));
  world.told.clear();
  world.cluster.metadata_requests.clear();
}

// SN-02: with nothing else to do the loop sleeps exactly until the linger is over.
TEST(SenderTimeTest, SleepsUntilTheLingerIsOver) {
  SenderWorld world({.accumulator = {.linger = milliseconds(50)}});
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.Append("t", 0, "x");
  const Instant start = world.clock.Now();
  const int polls = world.transport.poll_count();
  world.AwaitProduce(1);
  EXPECT_EQ(world.clock.Now() - start, milliseconds(50));
  EXPECT_LE(world.transport.poll_count() - polls, 2);
}

// SN-02: a broker that cannot be connected to costs a turn per event, not a busy loop.
TEST(SenderTimeTest, DoesNotSpinWhileABrokerIsAway) {
  SenderWorld world({.accumulator = {.linger = Duration::zero(), .delivery_timeout = seconds(20)}});
  world.cluster.topics["t"] = {{1}, {2}};
  world.cluster.refusing.insert(2);
  world.Append("t", 1, "x");
  const int polls = world.transport.poll_count();
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }, 2000));
  EXPECT_EQ(world.told[0].code, ErrorCode::kRequestTimedOut);
  EXPECT_THAT(world.told[0].message, HasSubstr("broker 2"));
  // About one attempt a second, a refresh of the metadata for each, and a handful of turns for each of these.
  EXPECT_LE(world.transport.poll_count() - polls, 400);
}

// SN-08
TEST(SenderTimeTest, AnInvalidMetadataErrorAsksForMetadata) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.clock.Advance(seconds(5));
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kNotLeaderOrFollower);
  world.AwaitProduce(2);
  EXPECT_EQ(world.cluster.metadata_requests.size(), 1u);
}

// SN-08
TEST(SenderTimeTest, AnotherRetriableErrorDoesNot) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.clock.Advance(seconds(5));
  world.Append("t", 0, "x");
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kNotEnoughReplicas);
  world.AwaitProduce(2);
  EXPECT_THAT(world.cluster.metadata_requests, ElementsAre());
}

// SN-09, AC-15, MD-43: the hint is enough to go on; no backoff, no metadata needed first.
TEST(SenderTimeTest, ALeaderHintSendsAgainAtOnce) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1, 5}, {2, 5}};
  Warm(world, "t", 2);
  world.clock.Advance(seconds(5));
  world.Append("t", 0, "x");
  const ReceivedProduce first = world.AwaitProduce(1);
  const Instant failed = world.clock.Now();
  wire::ProduceResponse response = FakeCluster::ResponseTo(first, ErrorCode::kNotLeaderOrFollower);
  response.topics[0].partitions[0].current_leader = {.leader_id = 2, .leader_epoch = 6};
  response.node_endpoints = {{.node_id = 2, .host = "10.0.0.2", .port = 9092}};
  world.cluster.Answer(first, response);
  const ReceivedProduce& second = world.AwaitProduce(2);
  EXPECT_EQ(second.broker, 2);
  EXPECT_EQ(world.clock.Now(), failed);
  EXPECT_TRUE(world.RunUntil([&] { return world.cluster.metadata_requests.size() == 1; }));
  EXPECT_EQ(world.clock.Now(), failed);
}

// MD-43: 74628 would be 9092 in 16 bits.
TEST(SenderTimeTest, AHintWithAPortThatDoesNotExistNamesNoEndpoint) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1, 5}, {2, 5}};
  Warm(world, "t", 2);
  world.Append("t", 0, "x");
  const ReceivedProduce first = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(first, ErrorCode::kNotLeaderOrFollower);
  response.topics[0].partitions[0].current_leader = {.leader_id = 3, .leader_epoch = 6};
  response.node_endpoints = {{.node_id = 3, .host = "10.0.0.2", .port = 65536 + 9092}};
  world.cluster.Answer(first, response);
  EXPECT_EQ(world.AwaitProduce(2).broker, 1);
}

// SN-09: other errors carry none, whatever the field says.
TEST(SenderTimeTest, AHintBesideAnotherErrorIsIgnored) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1, 5}, {2, 5}};
  Warm(world, "t", 2);
  world.Append("t", 0, "x");
  const ReceivedProduce first = world.AwaitProduce(1);
  wire::ProduceResponse response = FakeCluster::ResponseTo(first, ErrorCode::kNotEnoughReplicas);
  response.topics[0].partitions[0].current_leader = {.leader_id = 2, .leader_epoch = 6};
  world.cluster.Answer(first, response);
  EXPECT_EQ(world.AwaitProduce(2).broker, 1);
}

// SN-06, AC-25: the last try ends with the delivery timeout, not with the last backoff.
TEST(SenderTimeTest, RetriesEndWithTheDeliveryTimeout) {
  SenderWorld world({.sender = {.delivery_timeout = milliseconds(250)},
                     .accumulator = {.linger = Duration::zero(), .delivery_timeout = milliseconds(250)}});
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  const Instant start = world.clock.Now();
  world.Append("t", 0, "x");
  std::size_t answered = 0;
  ASSERT_TRUE(world.RunUntil([&] {
    while (answered < world.cluster.produces.size()) {
      world.cluster.Answer(world.cluster.produces[answered++], ErrorCode::kNotEnoughReplicas);
    }
    return world.told.size() == 1;
  }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kRequestTimedOut);
  EXPECT_EQ(world.told[0].at - start, milliseconds(250));
}

// SN-18, SN-14: reported when its time is up; the answer that comes later changes nothing.
TEST(SenderTimeTest, ABatchExpiresInFlight) {
  SenderWorld world({.sender = {.delivery_timeout = seconds(2)},
                     .accumulator = {.linger = Duration::zero(), .delivery_timeout = seconds(2)}});
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  const Instant start = world.clock.Now();
  world.Append("t", 0, "x");
  const ReceivedProduce request = world.AwaitProduce(1);
  bool answered = false;
  world.transport.At(start + milliseconds(2500), [&] {
    world.cluster.Answer(request);
    answered = true;
  });
  ASSERT_TRUE(world.RunUntil([&] { return answered; }));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kRequestTimedOut));
  EXPECT_EQ(world.told[0].at - start, seconds(2));
  // Its connection is as good as before.
  world.Append("t", 0, "y");
  EXPECT_EQ(world.AwaitProduce(2).connection, request.connection);
}

// SN-06, SN-18
TEST(SenderTimeTest, ABatchThatHasExpiredIsNotTriedAgain) {
  SenderWorld world({.sender = {.delivery_timeout = seconds(2)},
                     .accumulator = {.linger = Duration::zero(), .delivery_timeout = seconds(2)}});
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.Append("t", 0, "x");
  const ReceivedProduce request = world.AwaitProduce(1);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  world.cluster.Answer(request, ErrorCode::kNotEnoughReplicas);
  world.clock.Advance(seconds(1));
  world.Turns(5);
  EXPECT_EQ(world.cluster.produces.size(), 1u);
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kRequestTimedOut));
}

// D-9: expiry precedes the wait in which the answer is found.
TEST(SenderTimeTest, AnAnswerInTheTurnOfTheTimeoutIsTooLate) {
  SenderWorld world({.sender = {.delivery_timeout = seconds(2)},
                     .accumulator = {.linger = Duration::zero(), .delivery_timeout = seconds(2)}});
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  const Instant start = world.clock.Now();
  world.Append("t", 0, "x");
  const ReceivedProduce request = world.AwaitProduce(1);
  world.clock.AdvanceTo(start + seconds(2));
  world.cluster.Answer(request);
  world.Turns(1);
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kRequestTimedOut));
}

// SN-17
TEST(SenderTimeTest, StrictOrderSendsOneBatchAtATime) {
  SenderWorld world({.sender = {.strict_order = true},
                     .accumulator = {.batch_size = 0, .linger = Duration::zero()},
                     .network = {.max_in_flight = 1}});
  world.cluster.topics["t"] = {{1}};
  for (const char* value : {"x", "y", "z"}) world.Append("t", 0, value);
  world.AwaitProduce(1);
  world.clock.Advance(seconds(1));
  world.Turns(3);
  // Refused and sent again: still the first.
  world.cluster.Answer(world.AwaitProduce(1), ErrorCode::kNotEnoughReplicas);
  EXPECT_THAT(world.AwaitProduce(2).values.begin()->second, ElementsAre("x"));
  world.cluster.Answer(world.AwaitProduce(2));
  EXPECT_THAT(world.AwaitProduce(3).values.begin()->second, ElementsAre("y"));
}

// SN-17: a batch that expired on the wire still bars the way, for it may be appended yet.
TEST(SenderTimeTest, StrictOrderWaitsForTheAnswerOfAnExpiredBatch) {
  SenderWorld world({.sender = {.delivery_timeout = seconds(2), .strict_order = true},
                     .accumulator = {.batch_size = 0, .linger = Duration::zero(), .delivery_timeout = seconds(2)},
                     .network = {.max_in_flight = 5}});  // So that only the muting can hold it back.
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.Append("t", 0, "x");
  const ReceivedProduce request = world.AwaitProduce(1);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  world.Append("t", 0, "y");
  world.Turns(3);
  EXPECT_EQ(world.cluster.produces.size(), 1u);
  world.cluster.Answer(request);
  EXPECT_THAT(world.AwaitProduce(2).values.begin()->second, ElementsAre("y"));
}

// SN-19, D-8
TEST(SenderTimeTest, AnExpiryCallbackMaySend) {
  SenderWorld world({.sender = {.delivery_timeout = seconds(2)},
                     .accumulator = {.linger = Duration::zero(), .delivery_timeout = seconds(2)}});
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.cluster.silent.insert(1);
  world.on_told = [&](const Told& told) {
    if (told.value == "x") world.Append("t", 0, "again");
  };
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_THAT(world.told_values(), ElementsAre("x", "again"));
}

// NC-14: a broker that hangs on a metadata request keeps nothing from the others.
TEST(SenderTimeTest, AHungMetadataRequestHoldsNobodyUp) {
  SenderWorld world({.network = {.max_in_flight = 5}});
  world.cluster.topics["t"] = {{1}, {2}};
  Warm(world, "t", 2);
  world.clock.Advance(seconds(5));
  // The scan for the least loaded broker starts in the middle of the list: broker 2.
  world.cluster.silent.insert(2);
  world.metadata.RequestUpdate(RefreshReason::kPeriodic);
  world.Append("t", 0, "x");
  const Instant start = world.clock.Now();
  EXPECT_EQ(world.AwaitProduce(1).broker, 1);
  EXPECT_EQ(world.clock.Now(), start);
}

// SN-01, AC-10, MD-37
TEST(SenderTimeTest, APartitionWithoutALeaderAsksForMetadataUntilItHasOne) {
  SenderWorld world;
  world.cluster.topics["t"] = {{-1}};
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.cluster.metadata_requests.size() == 4; }));
  world.cluster.topics["t"] = {{2}};
  EXPECT_EQ(world.AwaitProduce(1).broker, 2);
}

// MD-37
TEST(SenderTimeTest, ATopicWithRecordsThatWaitIsNotForgottenForIdleness) {
  SenderWorld world(
      {.metadata = {.bootstrap = {{.host = "10.0.0.1", .port = 9092}}, .max_age = seconds(1), .max_idle = seconds(1)}});
  world.cluster.topics["t"] = {{-1}};
  world.Append("t", 0, "x");
  const Instant start = world.clock.Now();
  ASSERT_TRUE(world.RunUntil([&] { return world.clock.Now() - start > seconds(20); }));
  world.cluster.topics["t"] = {{2}};
  EXPECT_EQ(world.AwaitProduce(1).broker, 2);
}

// PT-14: a node that has had something to send for too long and could not take it gets nothing that may go elsewhere.
TEST(SenderTimeTest, RecordsWithoutAPartitionKeepAwayFromANodeThatTakesNoRequest) {
  SenderWorld world({.accumulator = {.batch_size = 0,
                                     .linger = Duration::zero(),
                                     .partition_availability_timeout = milliseconds(100)},
                     .network = {.max_in_flight = 1}});
  world.cluster.topics["t"] = {{1}, {2}};
  Warm(world, "t", 2);
  world.entropy.Fix(DrawPurpose::kStickyPartition, 0);
  const auto sent_to = [&](std::int32_t partition, std::size_t number) {
    world.Append("t", partition, "x");
    return world.AwaitProduce(number).broker;
  };
  const auto answer = [&](std::size_t number) {
    world.cluster.Answer(world.cluster.produces.back());
    ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == number; }));
  };
  // Queues are measured for records that have no partition, once there has been one.
  ASSERT_EQ(sent_to(-1, 1), 1);
  answer(1);
  ASSERT_EQ(sent_to(1, 2), 2);  // In flight from here on.
  world.Append("t", 1, "waits");
  for (int turn = 0; turn < 2; ++turn) {
    world.clock.Advance(milliseconds(101));
    world.transport.WakeUp();  // A turn that does not wait for the answer.
    world.Turns(1);
  }
  world.entropy.Fix(DrawPurpose::kStickyPartition, 1000);  // The last one of those to choose from.
  for (std::size_t number = 3; number < 8; ++number) {
    EXPECT_EQ(sent_to(-1, number), 1);
    answer(number - 1);
  }
}

// SN-34: queued and in flight, all is completed before the loop ends; linger is over at once.
TEST(SenderTimeTest, AGracefulCloseCompletesEverything) {
  SenderWorld world({.accumulator = {.batch_size = 0, .linger = seconds(60)}});
  world.cluster.topics["t"] = {{1}, {2}};
  world.Append("t", 0, "x");
  world.Append("t", 1, "y");
  world.transport.At(world.clock.Now() + milliseconds(700), [&] {
    for (const ReceivedProduce& request : world.cluster.produces) world.cluster.Answer(request);
  });
  world.accumulator.Close();
  world.sender.StartClose();
  world.sender.Run();
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kNone, ErrorCode::kNone));
  EXPECT_EQ(world.transport.open_streams(), 0u);
  EXPECT_FALSE(world.accumulator.HasIncomplete());
}

// SN-34: batches end by their delivery timeout, and so does the close.
TEST(SenderTimeTest, AGracefulCloseEndsEvenIfNobodyAnswers) {
  SenderWorld world({.sender = {.delivery_timeout = seconds(3)},
                     .accumulator = {.linger = Duration::zero(), .delivery_timeout = seconds(3)}});
  world.cluster.silent = {1, 2};
  world.Append("t", 0, "x");
  const Instant start = world.clock.Now();
  world.accumulator.Close();
  world.sender.StartClose();
  world.sender.Run();
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kRequestTimedOut));
  EXPECT_EQ(world.clock.Now() - start, seconds(3));
}

// SN-35, BP-15: what is in flight is aborted, and its memory is held until its connection is closed.
TEST(SenderTimeTest, AForcedCloseCancelsWhatIsLeft) {
  SenderWorld world({.accumulator = {.batch_size = 0, .linger = Duration::zero()}});
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "in flight");
  world.AwaitProduce(1);
  world.Append("t", 0, "queued");
  world.accumulator.Close();
  world.sender.ForceClose();
  world.sender.Run();
  EXPECT_THAT(world.told_values(), ElementsAre("in flight", "queued"));
  EXPECT_THAT(world.told[0].message, HasSubstr("closed before"));
  EXPECT_EQ(world.transport.open_streams(), 0u);
  const BufferPoolStats pool = world.accumulator.buffer_pool_stats();
  EXPECT_EQ(pool.available_bytes, pool.total_bytes);
}

// SN-36: a call between the look at the queues and the wait is not lost.
TEST(SenderTimeTest, ACallDuringTheTurnCutsTheWaitShort) {
  SenderWorld world;
  world.cluster.topics["t"] = {{1}};
  Warm(world, "t", 1);
  world.Turns(2);
  // Runs inside the turn, before its wait: a callback of an expired batch, here played by the observer of the log.
  world.on_told = [&](const Told&) { world.sender.WakeUp(); };
  world.Append("t", 0, "x");
  world.clock.Advance(seconds(200));
  const Instant start = world.clock.Now();
  world.Turns(1);
  EXPECT_EQ(world.told.size(), 1u);
  EXPECT_EQ(world.transport.last_deadline(), start);
}

}  // namespace
}  // namespace ktrial::testing
