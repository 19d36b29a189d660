#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/observer.h"
#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RequestRateTest : public ::testing::Test {
 protected:
  RequestRateTest() {
    run_.AppendAll();
    run_.AckAll();
  }
  // So many rows of a kind, so far apart.
  void Add(EventRow row, int count, std::int64_t every_millis) {
    for (int i = 0; i < count; ++i) {
      row.at_nanos = GoodRun::At(i * every_millis).nanos();
      run_.events.Add(row);
    }
  }
  GoodRun run_;
};

TEST_F(RequestRateTest, ConnectsAtTheBackoffAreNoFault) {
  Add({.broker = 1, .kind = EventKind::kConnecting}, 100, 40);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

TEST_F(RequestRateTest, ConnectsFasterThanTheBackoffAreAFault) {
  Add({.broker = 1, .kind = EventKind::kConnecting}, 100, 20);
  EXPECT_THAT(run_.Objections(), ElementsAre("request_rate"));
}

TEST_F(RequestRateTest, ConnectsToSeveralBrokersCountApart) {
  for (int broker = 1; broker <= 3; ++broker) Add({.broker = broker, .kind = EventKind::kConnecting}, 20, 40);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

TEST_F(RequestRateTest, ABackoffOfZeroBoundsNothing) {
  run_.producer.reconnect_backoff = Duration(0);
  Add({.broker = 1, .kind = EventKind::kConnecting}, 500, 1);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

TEST_F(RequestRateTest, MetadataAtTheBackoffIsNoFault) {
  Add({.kind = EventKind::kMetadataRequest, .detail = static_cast<std::uint8_t>(RefreshReason::kProduceError)}, 100,
      80);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

TEST_F(RequestRateTest, MetadataFasterThanTheBackoffIsAFault) {
  Add({.kind = EventKind::kMetadataRequest, .detail = static_cast<std::uint8_t>(RefreshReason::kProduceError)}, 100,
      40);
  EXPECT_THAT(run_.Objections(), ElementsAre("request_rate"));
}

TEST_F(RequestRateTest, MetadataForNewTopicsMayFollowAtOnce) {
  Add({.kind = EventKind::kMetadataRequest, .detail = static_cast<std::uint8_t>(RefreshReason::kNewTopic)}, 100, 1);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

TEST_F(RequestRateTest, RetriesWithoutABackoffAreAFault) {
  Add({.value = 17, .partition = 0, .kind = EventKind::kBatchDrained, .detail = 1}, 100, 2);
  EXPECT_THAT(run_.Objections(), ElementsAre("request_rate"));
}

TEST_F(RequestRateTest, ManyBatchesAreNoRetries) {
  Add({.value = 17, .partition = 0, .kind = EventKind::kBatchDrained, .detail = 0}, 1000, 0);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

TEST_F(RequestRateTest, ALoopThatTurnsForNothingIsAFault) {
  Add({.kind = EventKind::kLoopIteration}, 2000, 0);
  EXPECT_THAT(run_.Objections(), ElementsAre("request_rate"));
}

TEST_F(RequestRateTest, ALoopThatTurnsOnceAMillisecondIsNoFault) {
  Add({.kind = EventKind::kLoopIteration}, 5000, 1);
  EXPECT_THAT(run_.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
