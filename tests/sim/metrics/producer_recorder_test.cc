#include "sim/metrics/producer_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire/status.h"

namespace ktrial::sim {
namespace {

class StillClock final : public Clock {
 public:
  Instant Now() const override { return Instant(); }
  WallTime WallNow() const override { return WallTime::FromMillis(1); }
};

class ProducerRecorderTest : public ::testing::Test {
 protected:
  std::int64_t Count(EventKind kind) const {
    return std::count_if(events_.rows().begin(), events_.rows().end(),
                         [kind](const EventRow& row) { return row.kind == kind; });
  }

  StillClock clock_;
  EventLog events_;
  Trace trace_;
  ProducerRecorder recorder_{{.name = "p"}, clock_, events_, trace_};
};

TEST_F(ProducerRecorderTest, WhatWasOpenedIsDisconnectedOnce) {
  recorder_.OnConnecting(NodeId(1), {});
  recorder_.OnConnected(NodeId(1));
  recorder_.OnDisconnected(NodeId(1), "reset");
  EXPECT_EQ(Count(EventKind::kConnecting), 1);
  EXPECT_EQ(Count(EventKind::kDisconnected), 1);
}

TEST_F(ProducerRecorderTest, AHostWithoutAnAddressIsNothingToDisconnect) {
  recorder_.OnDisconnected(NodeId(-1), "the host name was not resolved");
  EXPECT_EQ(Count(EventKind::kDisconnected), 0);
}

TEST_F(ProducerRecorderTest, EachBrokerIsKeptApart) {
  recorder_.OnConnecting(NodeId(1), {});
  recorder_.OnDisconnected(NodeId(2), "the host name was not resolved");
  recorder_.OnDisconnected(NodeId(1), "refused");
  EXPECT_EQ(Count(EventKind::kDisconnected), 1);
}

TEST_F(ProducerRecorderTest, TheEndOfAProducerIsKeptAndIsNoPartOfTheTrace) {
  EXPECT_FALSE(recorder_.failure().has_value());
  const std::uint64_t before = trace_.hash();
  recorder_.OnFailedForGood(wire::KafkaError(wire::ErrorCode::kProducerFenced, "another has taken over"));
  ASSERT_TRUE(recorder_.failure().has_value());
  EXPECT_EQ(wire::KafkaCode(recorder_.failure()->why), wire::ErrorCode::kProducerFenced);
  EXPECT_EQ(trace_.hash(), before);
}

}  // namespace
}  // namespace ktrial::sim
