// Every property of metadata_refresh_rules.h can fail: each is given what a real run left behind, with one thing
// changed that a defect of that kind would have changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include "tests/property/metadata_refresh_rules.h"
#include "tests/property/metadata_refresh_world.h"

namespace ktrial::property {
namespace {

using namespace std::chrono_literals;
using Kind = RefreshEvent::Kind;
using Result = RefreshWait::Result;
using ::testing::HasSubstr;

// Three brokers, one of which is cut off for a while; waits that succeed, time out, fail and are closed.
RefreshPlan StoryPlan() {
  return {.brokers = 3,
          .bootstrap = 2,
          .topics = 3,
          .partitions = 2,
          .threads = 3,
          .max_age_ms = 20'000,
          .steps = {{.after_ms = 10, .kind = StepKind::kUse, .target = 0, .length_ms = 5'000},
                    {.after_ms = 500, .kind = StepKind::kRequest},
                    {.after_ms = 500, .kind = StepKind::kRequest},
                    {.after_ms = 2'000, .kind = StepKind::kCrash, .target = 0, .length_ms = 4'000},
                    {.after_ms = 100, .kind = StepKind::kConnect, .target = 1, .length_ms = 3'000},
                    {.after_ms = 3'000, .kind = StepKind::kUse, .target = 1, .length_ms = 5'000},
                    {.after_ms = 2'000, .kind = StepKind::kUse, .target = 1, .length_ms = 0},
                    {.after_ms = 2'000, .kind = StepKind::kFatal},
                    {.after_ms = 1'000, .kind = StepKind::kUse, .target = 2, .length_ms = 5'000}}};
}

class MetadataRefreshMutantsTest : public ::testing::Test {
 protected:
  std::vector<RefreshEvent>& events() { return history_.events; }
  // The first event of that kind from `begin` on; it must exist.
  std::size_t Find(Kind kind, std::size_t begin = 0) {
    for (std::size_t i = begin; i < events().size(); ++i) {
      if (events()[i].kind == kind) return i;
    }
    ADD_FAILURE() << "the story has no such event";
    return 0;
  }
  RefreshWait& FindWait(Result result) {
    const auto found = std::ranges::find(history_.waits, result, &RefreshWait::result);
    if (found == history_.waits.end()) ADD_FAILURE() << "the story has no such wait";
    return *found;
  }
  void Insert(std::size_t before, Kind kind, Instant at) {
    events().insert(events().begin() + static_cast<std::ptrdiff_t>(before), RefreshEvent{.at = at, .kind = kind});
  }

  RefreshHistory history_ = PlayRefresh(StoryPlan());
};

TEST_F(MetadataRefreshMutantsTest, TheStoryItselfIsFine) {
  EXPECT_EQ(NothingWasFound(history_), "");
  EXPECT_EQ(RefreshesKeepTheirDistance(history_), "");
  EXPECT_EQ(AgeIsBounded(history_), "");
  EXPECT_EQ(ForcedRefreshIsNotLost(history_), "");
  EXPECT_EQ(VersionCountsUpdates(history_), "");
  EXPECT_EQ(WaitsEndForAReason(history_), "");
  EXPECT_EQ(OneRefreshInFlight(history_), "");
  EXPECT_EQ(SnapshotsAreWhole(history_), "");
  EXPECT_EQ(SenderDoesNotSpin(history_), "");
}

// No backoff after a success.
TEST_F(MetadataRefreshMutantsTest, DistanceMissesABackoffAfterASuccess) {
  const std::size_t updated = Find(Kind::kUpdated, Find(Kind::kUpdated) + 1);
  Insert(updated + 1, Kind::kRequest, events()[updated].at + 79ms);
  EXPECT_THAT(RefreshesKeepTheirDistance(history_), HasSubstr("79 ms after the last attempt, not 80 ms"));
}

// No growth with failures.
TEST_F(MetadataRefreshMutantsTest, DistanceMissesGrowthWithFailures) {
  const std::size_t updated = Find(Kind::kUpdated, Find(Kind::kUpdated) + 1);
  const Instant at = events()[updated].at;
  for (int i = 0; i < 3; ++i) Insert(updated + 1, Kind::kFailed, at);
  Insert(updated + 4, Kind::kRequest, at + 319ms);
  EXPECT_THAT(RefreshesKeepTheirDistance(history_), HasSubstr("319 ms after the last attempt, not 320 ms"));
}

// No growth with answers that teach nothing.
TEST_F(MetadataRefreshMutantsTest, DistanceMissesGrowthWithEqualAnswers) {
  const std::size_t updated = Find(Kind::kUpdated, Find(Kind::kUpdated) + 1);
  const Instant at = events()[updated].at;
  const std::int64_t version = events()[updated].version;
  std::size_t place = updated + 1;
  for (int i = 0; i <= 3; ++i) {
    Insert(place++, Kind::kAnswerWas, at);
    events()[place - 1].equal = i > 0;
    Insert(place++, Kind::kUpdated, at);
    events()[place - 1].version = version + i;
  }
  Insert(place, Kind::kRequest, at + 319ms);
  EXPECT_THAT(RefreshesKeepTheirDistance(history_), HasSubstr("319 ms after the last attempt, not 320 ms"));
}

// MD-07: a new topic may pass the backoff; without one the same request may not.
TEST_F(MetadataRefreshMutantsTest, DistanceAllowsOnlyNewTopicsToPass) {
  const std::size_t updated = Find(Kind::kUpdated, Find(Kind::kUpdated) + 1);
  const Instant at = events()[updated].at;
  Insert(updated + 1, Kind::kRequest, at + 1ms);
  Insert(updated + 1, Kind::kNewTopicEnd, at + 1ms);
  Insert(updated + 1, Kind::kNewTopicBegin, at + 1ms);
  EXPECT_EQ(RefreshesKeepTheirDistance(history_), "");
  events()[updated + 1].kind = Kind::kForget;
  events()[updated + 2].kind = Kind::kForget;
  EXPECT_THAT(RefreshesKeepTheirDistance(history_), HasSubstr("1 ms after the last attempt"));
}

// Partial answers count as if they were full.
TEST_F(MetadataRefreshMutantsTest, AgeMissesThePeriodicRefresh) {
  for (RefreshEvent& event : events()) {
    if (event.at > history_.healed) event.partial = true;
  }
  EXPECT_THAT(AgeIsBounded(history_), HasSubstr("metadata of age"));
}

// The client never gets its first metadata.
TEST_F(MetadataRefreshMutantsTest, AgeMissesTheFirstRefresh) {
  std::erase_if(events(), [](const RefreshEvent& event) { return event.kind == Kind::kUpdated; });
  EXPECT_THAT(AgeIsBounded(history_), HasSubstr("metadata of age"));
}

// Only a partial answer came after the request.
TEST_F(MetadataRefreshMutantsTest, ForcedMissesALostRequest) {
  history_.plan.max_age_ms = 1'000'000;
  const std::size_t asked = Find(Kind::kAsked);
  for (std::size_t i = asked; i < events().size(); ++i) {
    events()[i].partial = true;
    events()[i].next_update = history_.start;
  }
  EXPECT_THAT(ForcedRefreshIsNotLost(history_), HasSubstr("asked, and not answered"));
}

// The flag is gone before the answer came.
TEST_F(MetadataRefreshMutantsTest, ForcedMissesAForgottenFlag) {
  const std::size_t asked = Find(Kind::kAsked);
  events()[Find(Kind::kSample, asked)].next_update = events()[asked].at + 5min;
  EXPECT_THAT(ForcedRefreshIsNotLost(history_), HasSubstr("forgotten"));
}

TEST_F(MetadataRefreshMutantsTest, VersionMissesAStepOfTwo) {
  const std::size_t updated = Find(Kind::kUpdated);
  for (std::size_t i = updated; i < events().size(); ++i) ++events()[i].version;
  EXPECT_THAT(VersionCountsUpdates(history_), HasSubstr("the version went to 3"));
}

// A failure counts as an update.
TEST_F(MetadataRefreshMutantsTest, VersionMissesAStepWithoutAnUpdate) {
  const std::size_t sample = Find(Kind::kSample, Find(Kind::kUpdated));
  for (std::size_t i = sample; i < events().size(); ++i) ++events()[i].version;
  EXPECT_THAT(VersionCountsUpdates(history_), HasSubstr("the version is 3"));
}

TEST_F(MetadataRefreshMutantsTest, VersionMissesAnUpdateThatNobodyAskedFor) {
  events().erase(events().begin() + static_cast<std::ptrdiff_t>(Find(Kind::kRequest)));
  EXPECT_THAT(VersionCountsUpdates(history_), HasSubstr("nobody asked for"));
}

// A forgotten notification: the waiter is rescued by its deadline.
TEST_F(MetadataRefreshMutantsTest, WaitMissesAForgottenNotification) {
  RefreshWait& wait = FindWait(Result::kNewer);
  wait.result = Result::kTimedOut;
  wait.end = wait.deadline;
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("slept through an update"));
}

TEST_F(MetadataRefreshMutantsTest, WaitMissesALateEnd) {
  FindWait(Result::kNewer).end = FindWait(Result::kNewer).end + 1ns;
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("late or early"));
}

TEST_F(MetadataRefreshMutantsTest, WaitMissesASpuriousEnd) {
  RefreshWait& wait = FindWait(Result::kNewer);
  wait.version_after = wait.last_version;
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("without a newer one"));
}

TEST_F(MetadataRefreshMutantsTest, WaitMissesAnEarlyTimeout) {
  FindWait(Result::kTimedOut).deadline = FindWait(Result::kTimedOut).end + 1ns;
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("before its deadline"));
}

TEST_F(MetadataRefreshMutantsTest, WaitMissesAnErrorThatTwoGet) {
  history_.waits.push_back(FindWait(Result::kFatal));
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("an error that another one took"));
}

TEST_F(MetadataRefreshMutantsTest, WaitMissesACloseThatWasNot) {
  FindWait(Result::kNewer).result = Result::kClosed;
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("a close that was not"));
}

TEST_F(MetadataRefreshMutantsTest, WaitMissesAnEndlessWait) {
  history_.waits.push_back({.begin = history_.start, .deadline = Instant::Never()});
  EXPECT_THAT(WaitsEndForAReason(history_), HasSubstr("did not end"));
}

TEST_F(MetadataRefreshMutantsTest, InFlightMissesASecondRequest) {
  const std::size_t sent = Find(Kind::kWireSent);
  Insert(sent, Kind::kWireSent, events()[sent].at);
  EXPECT_THAT(OneRefreshInFlight(history_), HasSubstr("a second request"));
}

TEST_F(MetadataRefreshMutantsTest, SnapshotMissesATornOne) {
  events()[Find(Kind::kSnapshot)].text = "led by a node that is not there";
  EXPECT_THAT(SnapshotsAreWhole(history_), HasSubstr("led by a node"));
}

TEST_F(MetadataRefreshMutantsTest, SpinMissesATurningSender) {
  const std::size_t loop = Find(Kind::kLoop);
  const Instant at = events()[loop].at;
  for (int i = 0; i < 200; ++i) Insert(loop, Kind::kLoop, at);
  EXPECT_THAT(SenderDoesNotSpin(history_), HasSubstr("without waiting"));
}

}  // namespace
}  // namespace ktrial::property
