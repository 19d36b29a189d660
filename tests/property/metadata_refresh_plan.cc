#include "tests/property/metadata_refresh_plan.h"

#include <algorithm>
#include <ostream>

namespace ktrial::property {
namespace {

constexpr const char* kStepNames[kStepKindCount] = {"add",
                                                    "use",
                                                    "request",
                                                    "request_new",
                                                    "hint",
                                                    "connect",
                                                    "fatal",
                                                    "move_leader",
                                                    "no_leader",
                                                    "disconnect",
                                                    "crash",
                                                    "pause",
                                                    "blackhole",
                                                    "drop_connect",
                                                    "refuse_connect",
                                                    "topic_error",
                                                    "demand_rebootstrap"};

rc::Gen<Step> AnyStep() {
  using rc::gen::inRange;
  return rc::gen::build<Step>(
      // Mostly close together, sometimes far apart: backoffs are short, ages and timeouts are long.
      rc::gen::set(&Step::after_ms, rc::gen::weightedOneOf<std::int32_t>(
                                        {{5, inRange(0, 50)}, {4, inRange(0, 2'000)}, {1, inRange(0, 60'000)}})),
      rc::gen::set(&Step::kind,
                   rc::gen::map(inRange(0, kStepKindCount), [](int kind) { return static_cast<StepKind>(kind); })),
      rc::gen::set(&Step::target, inRange(0, 12)),
      rc::gen::set(&Step::length_ms,
                   rc::gen::weightedOneOf<std::int32_t>({{1, inRange(0, 3'000)}, {2, inRange(0, 90'000)}})));
}

rc::Gen<std::int32_t> Millis(std::int32_t low, std::int32_t high) { return rc::gen::inRange(low, high + 1); }

}  // namespace

rc::Gen<RefreshPlan> AnyRefreshPlan() {
  using rc::gen::set;
  const auto plan = rc::gen::build<RefreshPlan>(
      set(&RefreshPlan::seed, rc::gen::inRange<std::uint64_t>(1, 1'000'000)),                                    //
      set(&RefreshPlan::brokers, rc::gen::weightedOneOf<std::int32_t>({{1, Millis(1, 2)}, {3, Millis(3, 5)}})),  //
      set(&RefreshPlan::bootstrap, Millis(1, 3)),                                                                //
      set(&RefreshPlan::topics, Millis(1, 8)),                                                                   //
      set(&RefreshPlan::partitions, Millis(1, 3)),                                                               //
      set(&RefreshPlan::threads, Millis(1, 3)),
      // Long enough for calls to fall into the flight of a request.
      set(&RefreshPlan::latency_ms, rc::gen::oneOf(Millis(0, 5), Millis(5, 100))),  //
      set(&RefreshPlan::stalls, rc::gen::weightedElement<bool>({{4, false}, {1, true}})),
      set(&RefreshPlan::retry_backoff_ms, Millis(1, 500)),        //
      set(&RefreshPlan::retry_backoff_max_ms, Millis(1, 2'000)),  //
      set(&RefreshPlan::reconnect_backoff_ms, Millis(1, 500)),    //
      set(&RefreshPlan::reconnect_backoff_max_ms, Millis(1, 2'000)),
      set(&RefreshPlan::max_age_ms, rc::gen::oneOf(Millis(100, 5'000), Millis(10'000, 300'000))),
      set(&RefreshPlan::max_idle_ms, rc::gen::oneOf(Millis(100, 5'000), Millis(10'000, 300'000))),
      set(&RefreshPlan::setup_timeout_ms, Millis(2'000, 10'000)),      //
      set(&RefreshPlan::setup_timeout_max_ms, Millis(2'000, 30'000)),  //
      set(&RefreshPlan::request_timeout_ms, Millis(2'000, 30'000)),    //
      // Often short: only a client that has to connect again meets a node that is gone.
      set(&RefreshPlan::connections_max_idle_ms,
          rc::gen::weightedOneOf<std::int32_t>({{1, Millis(300, 5'000)}, {1, Millis(5'000, 540'000)}})),
      set(&RefreshPlan::rebootstrap, rc::gen::arbitrary<bool>()),
      set(&RefreshPlan::rebootstrap_trigger_ms, Millis(1'000, 300'000)),
      set(&RefreshPlan::steps, rc::gen::container<std::vector<Step>>(AnyStep())));
  return rc::gen::map(plan, [](RefreshPlan made) {
    made.bootstrap = std::min(made.bootstrap, made.brokers);
    return made;
  });
}

void showValue(const Step& step, std::ostream& out) {
  out << "+" << step.after_ms << "ms " << kStepNames[static_cast<int>(step.kind)] << "(" << step.target << ", "
      << step.length_ms << "ms)";
}

void showValue(const RefreshPlan& plan, std::ostream& out) {
  out << "{seed=" << plan.seed << " brokers=" << plan.brokers << " bootstrap=" << plan.bootstrap
      << " topics=" << plan.topics << " partitions=" << plan.partitions << " threads=" << plan.threads
      << " latency=" << plan.latency_ms << " stalls=" << plan.stalls << "\n retry_backoff=" << plan.retry_backoff_ms
      << ".." << plan.retry_backoff_max_ms << " reconnect_backoff=" << plan.reconnect_backoff_ms << ".."
      << plan.reconnect_backoff_max_ms << " max_age=" << plan.max_age_ms << " max_idle=" << plan.max_idle_ms
      << "\n setup_timeout=" << plan.setup_timeout_ms << ".." << plan.setup_timeout_max_ms
      << " request_timeout=" << plan.request_timeout_ms << " connections_max_idle=" << plan.connections_max_idle_ms
      << " rebootstrap=" << (plan.rebootstrap ? plan.rebootstrap_trigger_ms : -1);
  for (const Step& step : plan.steps) {
    out << "\n ";
    showValue(step, out);
  }
  out << "}";
}

}  // namespace ktrial::property
