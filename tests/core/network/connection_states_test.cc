#include "core/network/connection_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr NodeId kOne{1};
constexpr NodeId kTwo{2};
constexpr Instant At(Duration since) { return Instant::FromNanos(5'000'000'000'000) + since; }

class ConnectionStatesTest : public ::testing::Test {
 protected:
  void Connect(NodeId id, Duration at, std::string_view host = "h") {
    states_.Connecting(id, host, At(at));
    if (states_.CurrentAddress(id).empty()) states_.Resolved(id, {"10.0.0.1"});
  }
  void MakeReady(NodeId id, Duration at) {
    Connect(id, at);
    states_.CheckingVersions(id);
    states_.Ready(id);
  }

  testing::FakeEntropy entropy_;
  ConnectionStates states_{ExponentialBackoff(50ms, 1000ms), ExponentialBackoff(10s, 30s), entropy_};
};

// NC-01, NC-03, NC-09
TEST_F(ConnectionStatesTest, LifeOfAConnection) {
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kDisconnected);
  EXPECT_TRUE(states_.MayConnect(kOne, At(0s)));
  EXPECT_FALSE(states_.HasFailed(kOne));
  EXPECT_LE(states_.LookAgainAt(kOne, At(0s)), At(0s));

  Connect(kOne, 0s);
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kConnecting);
  EXPECT_TRUE(states_.IsPreparing(kOne));
  EXPECT_FALSE(states_.MayConnect(kOne, At(1h)));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(0s)), At(10s + 1ns));

  states_.CheckingVersions(kOne);
  EXPECT_TRUE(states_.IsPreparing(kOne));
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kCheckingVersions);
  EXPECT_FALSE(states_.MaySend(kOne, At(0s)));

  states_.Ready(kOne);
  EXPECT_FALSE(states_.IsPreparing(kOne));
  EXPECT_TRUE(states_.MaySend(kOne, At(0s)));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(0s)), Instant::Never());

  states_.Disconnected(kOne, At(1s));
  EXPECT_TRUE(states_.HasFailed(kOne));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(1s)), At(1050ms));
  EXPECT_EQ(states_.StateOf(kTwo), ConnectionState::kDisconnected);
}

// NC-03, NC-05: from the disconnect on, and the limit itself will do.
TEST_F(ConnectionStatesTest, BackoffRunsFromTheDisconnect) {
  MakeReady(kOne, 0s);
  states_.Disconnected(kOne, At(20s));
  EXPECT_FALSE(states_.MayConnect(kOne, At(20s + 50ms - 1ns)));
  EXPECT_TRUE(states_.MayConnect(kOne, At(20s + 50ms)));
}

// NC-04, NC-06: TCP alone, and a failed exchange of versions, do not reset it.
TEST_F(ConnectionStatesTest, BackoffGrowsUntilTheNodeWasReady) {
  Duration now = 0s;
  for (const Duration backoff : {50ms, 100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
    Connect(kOne, now);
    states_.CheckingVersions(kOne);
    states_.Disconnected(kOne, At(now));
    EXPECT_EQ(states_.LookAgainAt(kOne, At(now)), At(now + backoff));
    now += backoff;
  }
  MakeReady(kOne, now);
  states_.Disconnected(kOne, At(now));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(now)), At(now + 50ms));
}

// NC-04: never above the maximum, whatever the jitter.
TEST_F(ConnectionStatesTest, BackoffNeverPassesTheMaximum) {
  entropy_.Fix(DrawPurpose::kReconnectBackoff, 1000);
  Duration now = 0s;
  for (int i = 0; i < 100; ++i) {
    Connect(kOne, now);
    states_.Disconnected(kOne, At(now));
    const Duration backoff = states_.LookAgainAt(kOne, At(now)) - At(now);
    ASSERT_GE(backoff, 50ms);
    ASSERT_LE(backoff, 1000ms);
    now += backoff;
  }
}

// NC-04
TEST_F(ConnectionStatesTest, WithoutRoomToGrowTheBackoffIsConstant) {
  entropy_.Fix(DrawPurpose::kReconnectBackoff, 1000);
  ConnectionStates states(ExponentialBackoff(50ms, 50ms), ExponentialBackoff(10s, 10s), entropy_);
  Duration now = 0s;
  for (int i = 0; i < 5; ++i) {
    states.Connecting(kOne, "h", At(now));
    states.Disconnected(kOne, At(now));
    EXPECT_EQ(states.LookAgainAt(kOne, At(now)), At(now + 50ms));
    EXPECT_FALSE(states.MayConnect(kOne, At(now + 50ms - 1ns)));
    now += 50ms;
    EXPECT_TRUE(states.MayConnect(kOne, At(now)));
  }
}

// NC-01
TEST_F(ConnectionStatesTest, EachNodeHasAStateOfItsOwn) {
  MakeReady(kOne, 0s);
  EXPECT_TRUE(states_.MayConnect(kTwo, At(0s)));
  Connect(kTwo, 0s);
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kReady);
  EXPECT_EQ(states_.StateOf(kTwo), ConnectionState::kConnecting);
  states_.Disconnected(kOne, At(1s));
  EXPECT_EQ(states_.StateOf(kTwo), ConnectionState::kConnecting);
  states_.CheckingVersions(kTwo);
  states_.Ready(kTwo);
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kDisconnected);
  states_.Remove(kOne);
  EXPECT_EQ(states_.StateOf(kTwo), ConnectionState::kReady);
}

// NC-07: strictly more than the timeout.
TEST_F(ConnectionStatesTest, SetupTimesOutAfterItsTime) {
  Connect(kOne, 0s);
  Connect(kTwo, 1s);
  EXPECT_EQ(states_.NextSetupTimeout(), At(10s + 1ns));
  EXPECT_THAT(states_.SetupsTimedOut(At(10s)), IsEmpty());
  EXPECT_THAT(states_.SetupsTimedOut(At(10s + 1ns)), ElementsAre(kOne));
  EXPECT_THAT(states_.SetupsTimedOut(At(12s)), ElementsAre(kOne, kTwo));
  states_.CheckingVersions(kOne);
  states_.Ready(kTwo);
  EXPECT_THAT(states_.SetupsTimedOut(At(1h)), IsEmpty());
  EXPECT_EQ(states_.NextSetupTimeout(), Instant::Never());
}

// NC-07
TEST_F(ConnectionStatesTest, SetupTimeoutGrowsWithFailedSetupsOnly) {
  Duration now = 0s;
  for (const Duration timeout : {10s, 20s, 30s, 30s}) {
    Connect(kOne, now);
    EXPECT_EQ(states_.NextSetupTimeout(), At(now + timeout + 1ns));
    states_.Disconnected(kOne, At(now));
    now += 10s;
  }
  Connect(kOne, now);
  states_.CheckingVersions(kOne);
  states_.Disconnected(kOne, At(now));
  now += 10s;
  Connect(kOne, now);
  EXPECT_EQ(states_.NextSetupTimeout(), At(now + 10s + 1ns));
}

// NC-28
TEST_F(ConnectionStatesTest, ARemovedNodeHasNoBackoff) {
  Connect(kOne, 0s);
  states_.Disconnected(kOne, At(0s));
  EXPECT_FALSE(states_.MayConnect(kOne, At(0s)));
  states_.Remove(kOne);
  EXPECT_TRUE(states_.MayConnect(kOne, At(0s)));
  Connect(kOne, 0s);
  states_.Disconnected(kOne, At(0s));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(0s)), At(50ms));
}

// NC-10, NC-43
TEST_F(ConnectionStatesTest, ThrottleBlocksSendingAndNeverMovesBack) {
  MakeReady(kOne, 0s);
  states_.Throttle(kOne, At(10s));
  states_.Throttle(kOne, At(5s));
  EXPECT_FALSE(states_.MaySend(kOne, At(10s - 1ns)));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(9s)), At(10s));
  EXPECT_TRUE(states_.MaySend(kOne, At(10s)));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(10s)), Instant::Never());
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kReady);
}

// NC-44
TEST_F(ConnectionStatesTest, AuthenticationFailureBacksOffLikeADisconnect) {
  Connect(kOne, 0s);
  states_.AuthenticationFailed(kOne, At(0s));
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kAuthenticationFailed);
  EXPECT_TRUE(states_.HasFailed(kOne));
  EXPECT_FALSE(states_.MayConnect(kOne, At(49ms)));
  Connect(kOne, 50ms);
  states_.CheckingVersions(kOne);
  states_.Ready(kOne);
  EXPECT_EQ(states_.StateOf(kOne), ConnectionState::kReady);
}

// NC-11
TEST_F(ConnectionStatesTest, EachAttemptTakesTheNextAddressThenLooksUpAgain) {
  states_.Connecting(kOne, "h", At(0s));
  EXPECT_EQ(states_.CurrentAddress(kOne), "");
  states_.Resolved(kOne, {"10.0.0.1", "10.0.0.2"});
  EXPECT_EQ(states_.CurrentAddress(kOne), "10.0.0.1");
  states_.Disconnected(kOne, At(0s));
  states_.Connecting(kOne, "h", At(1s));
  EXPECT_EQ(states_.CurrentAddress(kOne), "10.0.0.2");
  states_.Disconnected(kOne, At(1s));
  states_.Connecting(kOne, "h", At(2s));
  EXPECT_EQ(states_.CurrentAddress(kOne), "");
  states_.Resolved(kOne, {"10.0.0.3"});
  EXPECT_EQ(states_.CurrentAddress(kOne), "10.0.0.3");
}

// NC-11
TEST_F(ConnectionStatesTest, AfterALostConnectionTheHostIsLookedUpAndItsAddressSkipped) {
  states_.Connecting(kOne, "h", At(0s));
  states_.Resolved(kOne, {"10.0.0.1", "10.0.0.2"});
  states_.CheckingVersions(kOne);
  states_.Ready(kOne);
  states_.Disconnected(kOne, At(1s));
  states_.Connecting(kOne, "h", At(2s));
  EXPECT_EQ(states_.CurrentAddress(kOne), "");
  states_.Resolved(kOne, {"10.0.0.1", "10.0.0.2"});
  EXPECT_EQ(states_.CurrentAddress(kOne), "10.0.0.2");
}

// NC-11
TEST_F(ConnectionStatesTest, TheOnlyAddressIsNotSkipped) {
  states_.Connecting(kOne, "h", At(0s));
  states_.Resolved(kOne, {"10.0.0.1"});
  states_.Ready(kOne);
  states_.Disconnected(kOne, At(1s));
  states_.Connecting(kOne, "h", At(2s));
  states_.Resolved(kOne, {"10.0.0.1"});
  EXPECT_EQ(states_.CurrentAddress(kOne), "10.0.0.1");
}

// NC-11
TEST_F(ConnectionStatesTest, AnotherHostNameStartsFromNothing) {
  for (int i = 0; i < 4; ++i) {
    Connect(kOne, std::chrono::seconds(i));
    states_.Disconnected(kOne, At(std::chrono::seconds(i)));
  }
  states_.Connecting(kOne, "elsewhere", At(10s));
  EXPECT_EQ(states_.CurrentAddress(kOne), "");
  EXPECT_EQ(states_.NextSetupTimeout(), At(20s + 1ns));
  states_.Disconnected(kOne, At(10s));
  EXPECT_EQ(states_.LookAgainAt(kOne, At(10s)), At(10s + 50ms));
}

// D-4
TEST_F(ConnectionStatesTest, BackoffIsDrawnOncePerDisconnect) {
  Connect(kOne, 0s);
  states_.Disconnected(kOne, At(0s));
  for (int i = 0; i < 10; ++i) states_.MayConnect(kOne, At(1s));
  EXPECT_EQ(entropy_.draws(DrawPurpose::kReconnectBackoff), 1);
  EXPECT_EQ(entropy_.draws(DrawPurpose::kConnectionSetupTimeout), 1);
}

}  // namespace
}  // namespace ktrial
