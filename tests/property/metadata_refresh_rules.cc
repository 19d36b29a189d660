#include "tests/property/metadata_refresh_rules.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace ktrial::property {
namespace {

using std::chrono::milliseconds;
using Kind = RefreshEvent::Kind;

// What the network of the simulated world costs: a look-up, an open, two exchanges, and pieces of them that come apart.
Duration Slack(const RefreshPlan& plan) { return milliseconds(100 + 12 * plan.latency_ms); }

std::string At(const RefreshHistory& history, Instant moment) {
  std::ostringstream out;
  out << "at " << static_cast<double>((moment - history.start).count()) / 1e9 << " s: ";
  return out.str();
}

std::string Millis(Duration length) {
  std::ostringstream out;
  out << static_cast<double>(length.count()) / 1e6 << " ms";
  return out.str();
}

// The least that a backoff can be after `failures` failures.
Duration LeastBackoff(const RefreshPlan& plan, std::int64_t failures) {
  const Duration base = milliseconds(plan.retry_backoff_ms);
  const Duration max = milliseconds(plan.retry_backoff_max_ms);
  if (max <= base) return std::min(base, max);
  Duration grown = base;
  for (std::int64_t i = 0; i < failures && grown < max; ++i) grown *= 2;
  return std::min(grown, max) * 4 / 5;
}

Duration MostBackoff(const RefreshPlan& plan) {
  return plan.retry_backoff_max_ms <= plan.retry_backoff_ms
             ? milliseconds(std::min(plan.retry_backoff_ms, plan.retry_backoff_max_ms))
             : milliseconds(plan.retry_backoff_max_ms);
}

Duration MostSetup(const RefreshPlan& plan) {
  return plan.setup_timeout_max_ms <= plan.setup_timeout_ms
             ? milliseconds(std::min(plan.setup_timeout_ms, plan.setup_timeout_max_ms))
             : milliseconds(plan.setup_timeout_max_ms);
}

// How many nodes may have been unusable at some time in [from, to]: a broker counts once for each time that it went,
// and after each new bootstrap it may be met again under another id.
int UnusableNodes(const RefreshHistory& history, Instant from, Instant to) {
  // An attempt that began during an episode may end long after it: the connection is dead, the answer lost.
  const Duration aftermath = MostSetup(history.plan) + milliseconds(history.plan.request_timeout_ms);
  int episodes = 0;
  for (const FaultEpisode& episode : history.episodes) episodes += episode.from <= to && episode.to + aftermath >= from;
  int bootstraps = 1;
  for (const RefreshEvent& event : history.events) {
    bootstraps += event.kind == Kind::kRebootstrap && event.at >= from && event.at <= to;
  }
  return episodes * bootstraps;
}

// How long it may take from the moment at which an update is due to its success.
Duration MostDelay(const RefreshHistory& history, Instant from, Instant to) {
  const RefreshPlan& plan = history.plan;
  const int unusable = UnusableNodes(history, from, to);
  return MostBackoff(plan) + (MostSetup(plan) + milliseconds(plan.request_timeout_ms)) * unusable +
         milliseconds(std::max(plan.reconnect_backoff_ms, plan.reconnect_backoff_max_ms)) + Slack(plan);
}

}  // namespace

std::string RefreshesKeepTheirDistance(const RefreshHistory& history) {
  if (history.plan.stalls) return {};
  std::optional<Instant> ended;       // The last attempt.
  std::optional<Instant> full_since;  // The last full success.
  Duration least{};                   // From there on.
  std::int64_t failures = 0;
  std::int64_t equal_answers = 0;
  bool new_topic = false;      // Since the last request.
  bool being_tracked = false;  // Right now.
  int tracking = 0;
  bool partial = false;
  bool rebootstrap = false;
  bool equal = false;
  for (const RefreshEvent& event : history.events) {
    switch (event.kind) {
      case Kind::kNewTopicBegin:
        ++tracking;
        new_topic = true;
        equal_answers = 0;
        break;
      case Kind::kNewTopicEnd:
        --tracking;
        new_topic = true;
        equal_answers = 0;
        break;
      case Kind::kForget:
        equal_answers = 0;
        break;
      case Kind::kRequest: {
        const bool aged = !full_since.has_value() || event.at >= *full_since + milliseconds(history.plan.max_age_ms);
        if (equal_answers > 0 && !aged) least = std::max(least, LeastBackoff(history.plan, equal_answers - 1));
        being_tracked = tracking > 0;
        if (ended.has_value() && !new_topic && event.at - *ended < least) {
          return At(history, event.at) + "a refresh " + Millis(event.at - *ended) + " after the last attempt, not " +
                 Millis(least);
        }
        partial = event.partial;
        new_topic = being_tracked;
        if (aged) equal_answers = 0;
        break;
      }
      case Kind::kRebootstrap:
        rebootstrap = true;
        break;
      case Kind::kAnswerWas:
        equal = event.equal;
        break;
      case Kind::kUpdated:
        if (rebootstrap) {
          rebootstrap = false;
          break;
        }
        ended = event.at;
        if (!partial) full_since = event.at;
        failures = 0;
        equal_answers = equal ? equal_answers + 1 : 0;
        least = LeastBackoff(history.plan, 0);
        break;
      case Kind::kFailed:
        ended = event.at;
        ++failures;
        equal_answers = 0;
        least = LeastBackoff(history.plan, failures - 1);
        break;
      default:
        break;
    }
  }
  return {};
}

namespace {

// The moments of full successes.
std::vector<Instant> FullSuccesses(const RefreshHistory& history) {
  std::vector<Instant> moments;
  bool partial = false;
  bool rebootstrap = false;
  for (const RefreshEvent& event : history.events) {
    if (event.kind == Kind::kRequest) partial = event.partial;
    if (event.kind == Kind::kRebootstrap) rebootstrap = true;
    if (event.kind != Kind::kUpdated) continue;
    if (!std::exchange(rebootstrap, false) && !partial) moments.push_back(event.at);
  }
  return moments;
}

}  // namespace

std::string AgeIsBounded(const RefreshHistory& history) {
  if (history.plan.stalls) return {};
  std::vector<Instant> moments = FullSuccesses(history);
  moments.push_back(history.end);
  Instant last = history.start;
  bool known = false;  // Before the first success an update is due at once.
  for (const Instant moment : moments) {
    const Duration age = known ? milliseconds(history.plan.max_age_ms) : Duration(0);
    const Duration bound = age + MostDelay(history, last + age, moment);
    if (moment - last > bound)
      return At(history, moment) + "metadata of age " + Millis(moment - last) + ", more than " + Millis(bound);
    last = moment;
    known = true;
  }
  return {};
}

namespace {

// A request that was forgotten shows at once: the next update is not due.
std::string ForcedRefreshStaysDue(const RefreshHistory& history) {
  std::optional<RefreshEvent> asked;  // And not answered yet.
  std::int64_t full_version = 1;      // Of the last full success.
  bool partial = false;
  bool rebootstrap = false;
  for (const RefreshEvent& event : history.events) {
    switch (event.kind) {
      case Kind::kAsked:
        // An answer that came between the call and this note has done it.
        if (event.version >= full_version) asked = event;
        break;
      case Kind::kRequest:
        partial = event.partial;
        break;
      case Kind::kRebootstrap:
        rebootstrap = true;
        break;
      case Kind::kUpdated:
        if (std::exchange(rebootstrap, false) || partial) break;
        full_version = event.version;
        asked.reset();
        break;
      case Kind::kSample:
        if (asked.has_value() && event.next_update > event.at + MostBackoff(history.plan)) {
          return At(history, asked->at) + "asked; then " + At(history, event.at) + "forgotten";
        }
        break;
      default:
        break;
    }
  }
  return {};
}

}  // namespace

std::string ForcedRefreshIsNotLost(const RefreshHistory& history) {
  if (std::string forgotten = ForcedRefreshStaysDue(history); !forgotten.empty()) return forgotten;
  if (history.plan.stalls) return {};
  const std::vector<Instant> successes = FullSuccesses(history);
  for (const RefreshEvent& event : history.events) {
    if (event.kind != Kind::kAsked) continue;
    // One that came in the same moment may have come before.
    const auto next = std::ranges::lower_bound(successes, event.at);
    const Instant answered = next == successes.end() ? history.end : *next;
    const Duration bound = MostDelay(history, event.at, answered);
    if (answered - event.at > bound) return At(history, event.at) + "asked, and not answered within " + Millis(bound);
  }
  return {};
}

std::string VersionCountsUpdates(const RefreshHistory& history) {
  std::int64_t version = 1;
  int requests = 0;
  bool rebootstrap = false;
  for (const RefreshEvent& event : history.events) {
    switch (event.kind) {
      case Kind::kRequest:
        ++requests;
        break;
      case Kind::kRebootstrap:
        rebootstrap = true;
        break;
      case Kind::kUpdated:
        if (event.version != version + 1)
          return At(history, event.at) + "the version went to " + std::to_string(event.version);
        if (!std::exchange(rebootstrap, false) && requests-- <= 0)
          return At(history, event.at) + "an update that nobody asked for";
        version = event.version;
        break;
      case Kind::kFailed:
        requests = 0;
        break;
      case Kind::kSample:
        if (event.version != version) return At(history, event.at) + "the version is " + std::to_string(event.version);
        break;
      default:
        break;
    }
  }
  return {};
}

std::string WaitsEndForAReason(const RefreshHistory& history) {
  using Result = RefreshWait::Result;
  std::int64_t fatal_left = 0;
  std::optional<Instant> closed;
  std::map<std::int64_t, Instant> reached;  // By version.
  for (const RefreshEvent& event : history.events) {
    fatal_left += event.kind == Kind::kFatal;
    if (event.kind == Kind::kClosed) closed = event.at;
    if (event.kind == Kind::kUpdated) reached.emplace(event.version, event.at);
  }
  for (const RefreshWait& wait : history.waits) {
    const std::string where =
        At(history, wait.begin) + "a wait for more than version " + std::to_string(wait.last_version);
    const auto newer = reached.upper_bound(wait.last_version);
    std::optional<Instant> due;
    if (newer != reached.end()) due = std::max(newer->second, wait.begin);
    switch (wait.result) {
      case Result::kNewer:
        if (wait.version_after <= wait.last_version) return where + " ended without a newer one";
        if (!history.plan.stalls && due != wait.end) return where + " ended late or early";
        break;
      case Result::kTimedOut:
        if (wait.end < wait.deadline) return where + " ended before its deadline";
        if (!history.plan.stalls && wait.end != std::max(wait.deadline, wait.begin))
          return where + " ended after its deadline";
        if (!history.plan.stalls && due.has_value() && *due < wait.end) return where + " slept through an update";
        break;
      case Result::kFatal:
        if (fatal_left-- == 0) return where + " got an error that another one took";
        break;
      case Result::kClosed:
        if (!closed.has_value() || wait.end < *closed) return where + " was told of a close that was not";
        break;
      case Result::kOther:
        return where + (wait.end == Instant::Never() ? " did not end" : " ended strangely");
    }
  }
  return {};
}

std::string OneRefreshInFlight(const RefreshHistory& history) {
  int in_flight = 0;
  for (const RefreshEvent& event : history.events) {
    if (event.kind == Kind::kWireSent && ++in_flight > 1)
      return At(history, event.at) + "a second request beside the first";
    if (event.kind == Kind::kWireEnded && --in_flight < 0) return At(history, event.at) + "an end without a request";
  }
  return {};
}

std::string SnapshotsAreWhole(const RefreshHistory& history) {
  for (const RefreshEvent& event : history.events) {
    if (event.kind == Kind::kSnapshot && !event.text.empty()) {
      return At(history, event.at) + "snapshot " + std::to_string(event.version) + ": " + event.text;
    }
  }
  return {};
}

std::string SenderDoesNotSpin(const RefreshHistory& history) {
  if (history.plan.stalls) return {};
  constexpr int kTurnsMax = 100;
  Instant moment = history.start;
  int turns = 0;
  for (const RefreshEvent& event : history.events) {
    if (event.kind != Kind::kLoop) continue;
    turns = event.at == moment ? turns + 1 : 1;
    moment = event.at;
    if (turns > kTurnsMax) return At(history, moment) + "the sender turns without waiting";
  }
  return {};
}

std::string NothingWasFound(const RefreshHistory& history) { return history.finding; }

}  // namespace ktrial::property
