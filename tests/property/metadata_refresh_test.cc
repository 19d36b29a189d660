// The rules of metadata refresh as properties, over generated clusters, timings, calls and faults. rapidcheck shrinks
// what fails and prints a line to paste (RC_PARAMS="reproduce=...").
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/property/metadata_refresh_plan.h"
#include "tests/property/metadata_refresh_rules.h"
#include "tests/property/metadata_refresh_world.h"

namespace ktrial::property {
namespace {

using Property = std::string (*)(const RefreshHistory&);
constexpr std::pair<const char*, Property> kProperties[] = {
    {"nothing was found by the simulator", NothingWasFound},
    {"refreshes keep their distance", RefreshesKeepTheirDistance},
    {"the age is bounded", AgeIsBounded},
    {"a forced refresh is not lost", ForcedRefreshIsNotLost},
    {"the version counts updates", VersionCountsUpdates},
    {"waits end for a reason", WaitsEndForAReason},
    {"one refresh is in flight", OneRefreshInFlight},
    {"snapshots are whole", SnapshotsAreWhole},
    {"the sender does not spin", SenderDoesNotSpin},
};

// rapidcheck prints how many cases had each of these: a generator that never gets there proves nothing.
void Classify(const RefreshHistory& history) {
  using Kind = RefreshEvent::Kind;
  const auto had = [&](Kind kind) {
    return std::ranges::find(history.events, kind, &RefreshEvent::kind) != history.events.end();
  };
  const auto waited = [&](RefreshWait::Result result) {
    return std::ranges::find(history.waits, result, &RefreshWait::result) != history.waits.end();
  };
  RC_CLASSIFY(history.plan.stalls, "stalls");
  RC_CLASSIFY(had(Kind::kFailed), "an attempt failed");
  RC_CLASSIFY(had(Kind::kRebootstrap), "bootstrapped again");
  RC_CLASSIFY(std::ranges::any_of(history.events, &RefreshEvent::partial), "a partial update");
  RC_CLASSIFY(std::ranges::any_of(history.events, &RefreshEvent::equal), "an answer that taught nothing");
  RC_CLASSIFY(waited(RefreshWait::Result::kNewer), "a wait saw a newer version");
  RC_CLASSIFY(waited(RefreshWait::Result::kTimedOut), "a wait timed out");
  RC_CLASSIFY(waited(RefreshWait::Result::kFatal), "a wait took an error");
}

RC_GTEST_PROP(MetadataRefreshTest, AllPropertiesHold, ()) {
  const RefreshPlan plan = *AnyRefreshPlan();
  const RefreshHistory history = PlayRefresh(plan);
  Classify(history);
  for (const auto& [name, property] : kProperties) {
    const std::string broken = property(history);
    if (!broken.empty()) RC_FAIL(std::string(name) + ": " + broken);
  }
}

}  // namespace
}  // namespace ktrial::property
