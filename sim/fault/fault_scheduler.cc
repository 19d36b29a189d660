#include "sim/fault/fault_scheduler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/check.h"
#include "fmt/format.h"
#include "sim/broker/broker_host.h"
#include "sim/fault/resolve.h"
#include "sim/kernel/draws.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

// One fault of the plan, and where it is.
class FaultScheduler::Entry {
 public:
  Entry(const FaultSpec& the_spec, const std::string& name, std::uint64_t seed, Trace& trace)
      : spec(the_spec),
        fault(MakeFault(the_spec.action)),
        moments(seed, name, "moments", trace),
        choices(seed, name, "choices", trace),
        subject(trace.AddSubject(name)) {}

  bool exhausted() const { return spec.trigger.times && begun >= *spec.trigger.times; }

  const FaultSpec spec;
  const std::unique_ptr<Fault> fault;
  // When, and for how long, is drawn apart from what: a fault that is never begun shifts no other, and the moments of
  // one do not depend on how many brokers it had to choose from.
  Stream moments;
  Stream choices;
  const Subject subject;

  Instant next;              // `every`: when it is due.
  std::int64_t matches = 0;  // `on`: requests that fit so far.
  std::int64_t begun = 0;
  bool active = false;        // An episode lasts.
  std::uint64_t episode = 0;  // Its number, so that the timer of an earlier one ends nothing.
  std::uint64_t request = 0;  // The request that it ends with; 0: none.
  std::int64_t fired = 0;
  bool counted = false;  // This episode is in `fired`.
};

FaultScheduler::FaultScheduler(std::vector<FaultSpec> plan, std::uint64_t seed, Duration duration,
                               const FaultWorld& world)
    : world_(world), duration_(duration) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const FaultTrigger& trigger = plan[i].trigger;
    KT_CHECK_MSG(trigger.at.has_value() + trigger.every.has_value() + trigger.on.has_value() == 1,
                 "a fault has exactly one trigger");
    const std::string name = fmt::format("fault-{}:{}", i + 1, FaultKindName(plan[i].action));
    entries_.push_back(std::make_unique<Entry>(plan[i], name, seed, world_.trace));
  }
}

FaultScheduler::~FaultScheduler() {
  if (has_hook_) world_.host.RemoveHook(*this);
}

Instant FaultScheduler::Now() const { return world_.host.clock().Now(); }

void FaultScheduler::Start(Instant start) {
  KT_CHECK(!started_);
  started_ = true;
  start_ = start;
  for (const auto& entry : entries_) {
    const FaultTrigger& trigger = entry->spec.trigger;
    if (trigger.at) {
      const Instant when = start_ + entry->moments.Between(trigger.at->min, trigger.at->max);
      if (when - start_ < duration_) {
        world_.host.At(when, [this, one = entry.get()] { Begin(*one, nullptr); });
      }
    } else if (trigger.every) {
      entry->next = start_;
      ScheduleNext(*entry);
    }
    // Errors and triggers meet requests; hooks cost each request a call, so only those who need it have one.
    has_hook_ |= trigger.on.has_value() || std::holds_alternative<ErrorAnswer>(entry->spec.action);
  }
  if (has_hook_) world_.host.AddHook(*this);
  world_.host.At(start_ + duration_, [this] { HealAll(); });
}

void FaultScheduler::ScheduleNext(Entry& entry) {
  if (entry.exhausted()) return;
  const DurationRange& every = *entry.spec.trigger.every;
  // At least a nanosecond on: an interval of zero would never let time pass.
  entry.next = entry.next + std::max(Duration(1), entry.moments.Between(every.min, every.max));
  if (entry.next - start_ >= duration_) return;
  world_.host.At(entry.next, [this, &entry] {
    if (healed_) return;
    Begin(entry, nullptr);
    ScheduleNext(entry);
  });
}

void FaultScheduler::Begin(Entry& entry, const RequestPoint* point) {
  if (healed_) return;
  End(entry);
  const FaultTrigger& trigger = entry.spec.trigger;
  const Instant heal = start_ + duration_;
  Instant until = heal;
  if (trigger.lasting) {
    until = std::min(heal, Now() + entry.moments.Between(trigger.lasting->min, trigger.lasting->max));
  }
  ++entry.begun;
  ++entry.episode;
  world_.trace.NoteText(TraceKind::kFault, entry.subject, 1, FaultKindName(entry.spec.action));
  entry.counted = entry.fault->Begin(world_, entry.choices, point, until);
  if (entry.counted) ++entry.fired;
  if (std::holds_alternative<StallThread>(entry.spec.action)) stalled_ += until - Now();
  const bool of_this_request = point != nullptr && !trigger.lasting && entry.fault->is_of_one_request();
  entry.active = trigger.lasting.has_value() || entry.fault->is_state() || of_this_request;
  entry.request = of_this_request ? point->request.id : 0;
  if (!entry.active || !trigger.lasting) return;
  world_.host.At(until, [this, &entry, episode = entry.episode] {
    if (entry.episode == episode) End(entry);
  });
}

void FaultScheduler::End(Entry& entry) {
  if (!entry.active) return;
  entry.active = false;
  world_.trace.NoteText(TraceKind::kFault, entry.subject, 0, FaultKindName(entry.spec.action));
  if (entry.fault->End(world_) && !entry.counted) ++entry.fired;
  heals_.push_back(Now());
}

void FaultScheduler::HealAll() {
  if (healed_) return;
  healed_ = true;
  // In reverse, so that what lies on top is taken off first.
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) End(**entry);
  heals_.push_back(Now());
}

bool FaultScheduler::MeetsTrigger(Entry& entry, const RequestPoint& point) {
  const std::optional<RequestTrigger>& on = entry.spec.trigger.on;
  if (!on || point.phase != on->phase) return false;
  if (entry.begun >= entry.spec.trigger.times.value_or(1)) return false;
  if (on->request && *on->request != point.request.api) return false;
  if (!Selects(on->broker, point.request.broker, world_.cluster, entry.choices)) return false;
  return ++entry.matches % on->nth == 0;
}

void FaultScheduler::OnRequest(RequestPhase phase, const RequestView& request, RequestControl& control) {
  if (healed_) return;
  const RequestPoint point{phase, request, control};
  for (const auto& entry : entries_) {
    if (entry->active) entry->fault->OnRequest(world_, entry->choices, point);
    if (MeetsTrigger(*entry, point)) Begin(*entry, &point);
    if (entry->active && entry->request == request.id && phase == RequestPhase::kBeforeResponse) End(*entry);
  }
}

std::vector<FaultOutcome> FaultScheduler::outcomes() const {
  std::vector<FaultOutcome> outcomes;
  for (const auto& entry : entries_) {
    outcomes.push_back({.kind = std::string(FaultKindName(entry->spec.action)),
                        .fired = entry->fired,
                        .may_not_fire = entry->spec.may_not_fire});
  }
  return outcomes;
}

}  // namespace ktrial::sim
