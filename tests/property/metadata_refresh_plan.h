// What one case of the metadata refresh properties is made of: a cluster, a client's timing, and a list of calls and
// faults. Plain data, so that rapidcheck can generate, show and shrink it; metadata_refresh_world.h plays it.
#ifndef TESTS_PROPERTY_METADATA_REFRESH_PLAN_H_
#define TESTS_PROPERTY_METADATA_REFRESH_PLAN_H_

#include <rapidcheck.h>

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace ktrial::property {

// Broker 1 is the anchor: no fault ever takes it away, so "a broker is reachable" holds throughout.
enum class StepKind : std::uint8_t {
  // What applications and the sender do.
  kAdd,         // track a topic
  kUse,         // track a topic, ask for it, and wait for at most `length`
  kRequest,     // ask for a full update
  kRequestNew,  // the same, forgetting equal answers
  kHint,        // a produce response names a newer leader
  kConnect,     // the sender wants to send to a broker, for `length`
  kFatal,       // a fatal error comes up
  // What happens to the cluster. Each lasts for `length`.
  kMoveLeader,
  kNoLeader,
  kDisconnect,
  kCrash,
  kPause,
  kBlackhole,
  kDropConnect,
  kRefuseConnect,
  kTopicError,         // one topic has an error in all answers
  kDemandRebootstrap,  // answers of one broker, which may be the anchor, demand a new bootstrap
};
inline constexpr int kStepKindCount = 17;

struct Step {
  std::int32_t after_ms = 0;  // since the step before
  StepKind kind = StepKind::kAdd;
  std::int32_t target = 0;  // topic or broker, by the kind; any number
  std::int32_t length_ms = 0;
};

struct RefreshPlan {
  std::uint64_t seed = 1;
  std::int32_t brokers = 1;
  std::int32_t bootstrap = 1;  // how many of them are on the bootstrap list, the anchor first
  std::int32_t topics = 1;
  std::int32_t partitions = 1;
  std::int32_t threads = 1;
  std::int32_t latency_ms = 5;  // One way, at most.
  bool stalls = false;          // Threads lose the CPU at any point. Then only what does not depend on time is judged.
  std::int32_t retry_backoff_ms = 100;
  std::int32_t retry_backoff_max_ms = 1000;
  std::int32_t reconnect_backoff_ms = 50;
  std::int32_t reconnect_backoff_max_ms = 1000;
  std::int32_t max_age_ms = 300'000;
  std::int32_t max_idle_ms = 300'000;
  std::int32_t setup_timeout_ms = 10'000;
  std::int32_t setup_timeout_max_ms = 30'000;
  std::int32_t request_timeout_ms = 30'000;
  std::int32_t connections_max_idle_ms = 540'000;
  bool rebootstrap = true;
  std::int32_t rebootstrap_trigger_ms = 300'000;
  std::vector<Step> steps;
};

rc::Gen<RefreshPlan> AnyRefreshPlan();
void showValue(const RefreshPlan& plan, std::ostream& out);  // NOLINT: the name that rapidcheck looks for
void showValue(const Step& step, std::ostream& out);         // NOLINT

}  // namespace ktrial::property

#endif  // TESTS_PROPERTY_METADATA_REFRESH_PLAN_H_
