// What happened in one case: the only thing that the properties look at. So a property can be shown to fail by changing
// a history by hand, and cannot pass because the code that it judges helps it.
#ifndef TESTS_PROPERTY_METADATA_REFRESH_HISTORY_H_
#define TESTS_PROPERTY_METADATA_REFRESH_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "core/wire/error_code.h"
#include "tests/property/metadata_refresh_plan.h"

namespace ktrial::property {

struct RefreshEvent {
  enum class Kind : std::uint8_t {
    kRequest,        // a metadata request goes out; partial
    kUpdated,        // its answer was taken over, or a re-bootstrap was done; version
    kFailed,         // an attempt came to nothing
    kRebootstrap,    // kUpdated follows
    kAnswerWas,      // comes before kUpdated of an answer: `equal` to the snapshot before
    kSample,         // the sender looks: version, and when the next update is due
    kNewTopicBegin,  // a topic is about to be tracked anew, or may be
    kNewTopicEnd,
    kForget,     // equal answers so far are forgotten, or may be
    kAsked,      // a full update was asked for; version at that time
    kWireSent,   // the request was handed to a connection
    kWireEnded,  // answered or given up
    kFatal,      // a fatal error came up
    kClosed,     // the metadata was closed
    kLoop,       // one turn of the sender
    kSnapshot,   // some thread looked at a snapshot: generation, text if something is wrong with it
  };
  Instant at;
  Kind kind = Kind::kSample;
  std::int64_t version = 0;  // or generation
  bool partial = false;
  bool equal = false;
  Instant next_update;
  std::string text;
};

// One AwaitUpdate.
struct RefreshWait {
  Instant begin;
  std::int64_t last_version = 0;
  Instant deadline;
  Instant end = Instant::Never();  // Never(): it did not end.
  enum class Result : std::uint8_t { kNewer, kTimedOut, kFatal, kClosed, kOther };
  Result result = Result::kOther;
  std::int64_t version_after = 0;
};

// Something was wrong with a broker.
struct FaultEpisode {
  std::int32_t broker = 0;
  Instant from;
  Instant to;
};

struct RefreshHistory {
  RefreshPlan plan;
  Instant start;
  Instant healed;  // From here on nothing is wrong and nobody asks for anything.
  Instant end;     // The metadata was closed.
  std::vector<RefreshEvent> events;
  std::vector<RefreshWait> waits;
  std::vector<FaultEpisode> episodes;
  std::string finding;  // What the simulator itself found: deadlock, failed check.
};

}  // namespace ktrial::property

#endif  // TESTS_PROPERTY_METADATA_REFRESH_HISTORY_H_
