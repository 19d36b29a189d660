#include "core/network/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr NodeId kOne{1};
constexpr NodeId kTwo{2};

// What was read and written, call by call, and how long was waited.
class IoObserver : public ProducerObserver {
 public:
  void OnBytesReceived(NodeId id, std::int64_t bytes) override { reads.emplace_back(id, bytes); }
  void OnBytesWritten(NodeId id, std::int64_t bytes) override { writes.emplace_back(id, bytes); }
  void OnWaited(Instant from, Instant to) override { waits.push_back(to - from); }
  std::vector<std::pair<NodeId, std::int64_t>> reads, writes;
  std::vector<Duration> waits;
};

class ChannelsTest : public ::testing::Test {
 protected:
  ConnectionId Open(NodeId id) {
    channels_.Open(id, {"10.0.0.1", 9092}, "h", clock_.Now());
    const ConnectionId connection = transport_.last_open();
    transport_.Accept(connection);
    EXPECT_THAT(channels_.Poll(clock_.Now(), clock_).opened, ElementsAre(id));
    return connection;
  }
  ChannelEvents Poll() { return channels_.Poll(clock_.Now(), clock_); }
  std::vector<std::string> Frames(NodeId id) {
    std::vector<std::string> frames;
    EXPECT_EQ(channels_.Receive(id,
                                [&](std::string_view frame) {
                                  frames.emplace_back(frame);
                                  return absl::OkStatus();
                                }),
              absl::OkStatus());
    return frames;
  }

  ManualClock clock_;
  FakeTransport transport_{clock_};
  IoObserver observer_;
  Channels channels_{transport_, observer_, {}, /*frame_bytes_max=*/1000, 10s};
};

const std::string kFrameA("\0\0\0\1A", 5);
const std::string kFrameB("\0\0\0\2BB", 6);

// WP-01
TEST_F(ChannelsTest, FramesComeWholeHoweverTheBytesAreSplit) {
  const ConnectionId connection = Open(kOne);
  transport_.Deliver(connection, kFrameA + kFrameB.substr(0, 5));
  EXPECT_THAT(Poll().readable, ElementsAre(kOne));
  EXPECT_THAT(Frames(kOne), ElementsAre("A"));
  transport_.Deliver(connection, kFrameB.substr(5));
  Poll();
  EXPECT_THAT(Frames(kOne), ElementsAre("BB"));
}

// PR-26
TEST_F(ChannelsTest, TheObserverHearsOfEachReadWriteAndWait) {
  const ConnectionId connection = Open(kOne);
  observer_.waits.clear();
  transport_.At(clock_.Now() + 3s, [&] { transport_.Deliver(connection, kFrameA + kFrameB.substr(0, 5)); });
  EXPECT_THAT(channels_.Poll(clock_.Now() + 1h, clock_).readable, ElementsAre(kOne));
  EXPECT_THAT(observer_.waits, ElementsAre(3s));
  Frames(kOne);
  Frames(kOne);  // Nothing came, so nothing is told.
  EXPECT_THAT(observer_.reads, ElementsAre(Pair(kOne, 10)));
  const std::string batch = "batch";
  wire::GatherBytes frame;
  frame.Refer(batch);
  frame.Seal();
  std::size_t written = 0;
  transport_.stream(connection).room = 3;
  channels_.Write(kOne, frame, written, clock_.Now());
  transport_.stream(connection).room = 100;
  channels_.Write(kOne, frame, written, clock_.Now());
  EXPECT_THAT(observer_.writes, ElementsAre(Pair(kOne, 3), Pair(kOne, 2)));
}

TEST_F(ChannelsTest, AFrameThatIsTooLongIsAnError) {
  const ConnectionId connection = Open(kOne);
  transport_.Deliver(connection, std::string("\0\0\x03\xe9", 4));  // 1001
  Poll();
  EXPECT_EQ(channels_.Receive(kOne, [](std::string_view) { return absl::OkStatus(); }).code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(ChannelsTest, WhatIsNotTakenIsOfferedAgainFromTheSameMemory) {
  const ConnectionId connection = Open(kOne);
  const std::string batch = "batch";
  wire::GatherBytes frame;
  frame.owned() = "head";
  frame.Refer(batch);
  frame.owned() += "tail";
  frame.Seal();
  std::size_t written = 0;
  for (std::size_t expected = 0; expected <= frame.size(); ++expected) {
    transport_.stream(connection).room = expected == 0 ? 0 : 1;
    channels_.Write(kOne, frame, written, clock_.Now());
    ASSERT_EQ(written, expected);
    ASSERT_EQ(transport_.stream(connection).wants_write, expected < frame.size());
    if (expected == 0) continue;
  }
  EXPECT_EQ(transport_.stream(connection).sent, "headbatchtail");
}

TEST_F(ChannelsTest, AnEndIsReportedOnceAfterWhatCameBefore) {
  const ConnectionId connection = Open(kOne);
  transport_.Deliver(connection, kFrameA);
  transport_.EndConnection(connection, EndReason::kEnd);
  ChannelEvents events = Poll();
  EXPECT_THAT(events.readable, ElementsAre(kOne));
  EXPECT_THAT(events.ended, IsEmpty());
  EXPECT_THAT(Frames(kOne), ElementsAre("A"));
  events = Poll();
  ASSERT_EQ(events.ended.size(), 1u);
  EXPECT_EQ(events.ended[0].id, kOne);
  EXPECT_TRUE(events.ended[0].was_open);
}

TEST_F(ChannelsTest, AFailedOpenAndAFailedLookUpEndUnopened) {
  channels_.Open(kOne, {"10.0.0.1", 9092}, "h", clock_.Now());
  transport_.EndConnection(transport_.last_open(), EndReason::kRefused);
  transport_.hosts["nowhere"] = {};
  channels_.Resolve(kTwo, "nowhere");
  const ChannelEvents events = Poll();
  ASSERT_EQ(events.ended.size(), 2u);
  EXPECT_FALSE(events.ended[0].was_open);
  EXPECT_FALSE(events.ended[1].was_open);
  EXPECT_FALSE(channels_.Exists(kTwo));
}

TEST_F(ChannelsTest, AnAnswerToALookUpThatWasGivenUpIsIgnored) {
  channels_.Resolve(kOne, "slow");
  channels_.Close(kOne);
  transport_.AnswerResolve("slow", {"10.0.0.1"});
  EXPECT_THAT(Poll().resolved, IsEmpty());
}

TEST_F(ChannelsTest, AClosedChannelIsGoneAtOnceAndNotReported) {
  const ConnectionId connection = Open(kOne);
  transport_.Deliver(connection, kFrameA);
  channels_.Close(kOne);
  EXPECT_TRUE(transport_.stream(connection).closed);
  const ChannelEvents events = Poll();
  EXPECT_THAT(events.readable, IsEmpty());
  EXPECT_THAT(events.ended, IsEmpty());
}

// NC-37: strictly longer, the quietest first.
TEST_F(ChannelsTest, TheQuietestChannelIsTooIdleAfterItsTime) {
  Open(kOne);
  clock_.Advance(1s);
  Open(kTwo);
  const Instant due = clock_.Now() + 9s;
  EXPECT_EQ(channels_.NextIdleAt(), due + 1ns);
  EXPECT_EQ(channels_.TooIdle(due), std::nullopt);
  EXPECT_EQ(channels_.TooIdle(due + 1ns), kOne);
  EXPECT_EQ(channels_.TooIdle(due + 1min), kOne);
  channels_.Close(kOne);
  EXPECT_EQ(channels_.TooIdle(due + 1min), kTwo);
}

// NC-37
TEST_F(ChannelsTest, EveryEventIsActivity) {
  const ConnectionId connection = Open(kOne);
  clock_.Advance(9s);
  transport_.Deliver(connection, "x");
  Poll();
  EXPECT_EQ(channels_.NextIdleAt(), clock_.Now() + 10s + 1ns);
}

}  // namespace
}  // namespace ktrial::testing
