#include "core/network/in_flight_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ktrial {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr NodeId kOne{1};
constexpr NodeId kTwo{2};
constexpr Instant At(Duration since) { return Instant::FromNanos(0) + since; }

InFlightRequest Request(std::int32_t id, Duration created = 0s, Duration timeout = 30s, bool written = true) {
  InFlightRequest request{.correlation_id = id, .created = At(created), .timeout = timeout};
  request.frame.owned() = "frame";
  request.written_bytes = written ? 5 : 4;
  return request;
}

// NC-13
TEST(InFlightRequestsTest, MoreMayBeSentWhenTheNewestIsWrittenAndThereIsRoom) {
  InFlightRequests requests(2);
  EXPECT_TRUE(requests.CanSendMore(kOne));
  requests.Add(kOne, Request(1, 0s, 30s, /*written=*/false));
  EXPECT_FALSE(requests.CanSendMore(kOne));
  EXPECT_TRUE(requests.CanSendMore(kTwo));
  requests.Newest(kOne)->written_bytes = 5;
  EXPECT_TRUE(requests.CanSendMore(kOne));
  requests.Add(kOne, Request(2));
  EXPECT_FALSE(requests.CanSendMore(kOne));
}

// NC-16
TEST(InFlightRequestsTest, OldestEndsFirst) {
  InFlightRequests requests(5);
  for (int i = 1; i <= 3; ++i) requests.Add(kOne, Request(i));
  requests.Add(kTwo, Request(4));
  EXPECT_EQ(requests.count(), 4u);
  EXPECT_EQ(requests.count(kOne), 3u);
  EXPECT_EQ(requests.Oldest(kOne)->correlation_id, 1);
  EXPECT_EQ(requests.Newest(kOne)->correlation_id, 3);
  EXPECT_EQ(requests.TakeOldest(kOne).correlation_id, 1);
  const std::vector<InFlightRequest> rest = requests.TakeAll(kOne);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].correlation_id, 2);
  EXPECT_EQ(requests.Oldest(kOne), nullptr);
  EXPECT_EQ(requests.count(), 1u);
}

// NC-45
TEST(InFlightRequestsTest, WrittenRequestsWithoutAResponseAreTaken) {
  InFlightRequests requests(5);
  requests.Add(kOne, Request(1));
  requests.Add(kOne, Request(2)).expects_response = false;
  InFlightRequest& last = requests.Add(kOne, Request(3, 0s, 30s, /*written=*/false));
  last.expects_response = false;
  std::vector<InFlightRequest> written = requests.TakeWritten(kOne);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].correlation_id, 2);
  EXPECT_EQ(requests.count(kOne), 2u);
}

// NC-21: any request, by its own timeout, strictly.
TEST(InFlightRequestsTest, ANodeIsLateWhenAnyRequestIs) {
  InFlightRequests requests(5);
  requests.Add(kOne, Request(1, 0s, 60s));
  requests.Add(kOne, Request(2, 5s, 20s));
  requests.Add(kTwo, Request(3, 0s, 30s));
  EXPECT_EQ(requests.NextTimeout(), At(25s + 1ns));
  EXPECT_THAT(requests.TimedOutNodes(At(25s)), IsEmpty());
  EXPECT_THAT(requests.TimedOutNodes(At(25s + 1ns)), ElementsAre(kOne));
  EXPECT_THAT(requests.TimedOutNodes(At(31s)), ElementsAre(kOne, kTwo));
}

// NC-23
TEST(InFlightRequestsTest, ThrottleTimeIsNotAge) {
  InFlightRequests requests(5);
  requests.Add(kOne, Request(1, 0s, 30s));
  requests.AddThrottle(kOne, 20s);
  requests.AddThrottle(kTwo, 20s);
  EXPECT_THAT(requests.TimedOutNodes(At(50s)), IsEmpty());
  EXPECT_THAT(requests.TimedOutNodes(At(50s + 1ns)), ElementsAre(kOne));
  requests.Add(kOne, Request(2, 20s, 30s));  // Came after the throttle.
  EXPECT_EQ(requests.NextTimeout(), At(50s + 1ns));
}

TEST(InFlightRequestsTest, NothingInFlightIsNeverLate) {
  const InFlightRequests requests(5);
  EXPECT_EQ(requests.NextTimeout(), Instant::Never());
}

// NC-16
TEST(InFlightRequestsDeathTest, WhereNothingIsInFlightNothingIsTaken) {
  InFlightRequests requests(5);
  EXPECT_DEATH(requests.TakeOldest(kOne), "check failed");
  requests.Add(kOne, Request(1));
  requests.TakeOldest(kOne);
  EXPECT_DEATH(requests.TakeOldest(kOne), "check failed");
}

}  // namespace
}  // namespace ktrial
