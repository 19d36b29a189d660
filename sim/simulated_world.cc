#include "sim/simulated_world.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "fmt/format.h"
#include "sim/broker/transaction_coordinator.h"
#include "sim/checker/describe.h"
#include "sim/kernel/context.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/metrics/metric_names.h"
#include "sim/stall_meter.h"
#include "sim/workload/app_thread.h"

namespace ktrial::sim {
namespace {

// How long closing may take once everything has settled: far longer than anything in it.
constexpr Duration kCloseTimeout = std::chrono::minutes(5);
// After a finding the world goes on for so many events, so that its threads can end.
constexpr std::int64_t kEventsAfterFinding = 1'000'000;
// How often a listener is told: so many times while faults fall, and then once in so many events.
constexpr std::int64_t kProgressSteps = 100'000;
constexpr std::int64_t kProgressEvents = 10'000;
// A few names are enough to look for the rest.
constexpr int kUnsettledNamed = 3;

std::unique_ptr<Strategy> StrategyOf(const WorldSpec& spec, Trace& trace, Duration& stalled) {
  const ScheduleSpec& schedule = spec.schedule;
  auto strategy = MakeStrategy(schedule.strategy, schedule.stalls, Stream(spec.seed, "kernel", "schedule", trace));
  if (schedule.stalls == StallMode::kNone) return strategy;
  return std::make_unique<StallMeter>(std::move(strategy), stalled);
}

NetworkOptions NetworkOf(const WorldSpec& spec) {
  NetworkOptions options{.latency = spec.network.latency, .bytes_per_second = spec.network.bytes_per_second};
  if (!spec.network.splits) {
    options.split_one_in = 0;
    options.early_return_one_in = 0;
  }
  return options;
}

// From a simulated thread, for who drives the kernel: the order is the kernel's, which ThreadSanitizer does not see.
void Note(bool& flag) {
  const UncheckedSection unchecked;
  flag = true;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

SimulatedWorld::SimulatedWorld(const WorldSpec& spec, const RunOptions& options)
    : spec_(spec),
      kernel_({.seed = spec.seed}, trace_, StrategyOf(spec, trace_, stalled_)),
      network_(kernel_, NetworkOf(spec)),
      env_(kernel_, network_),
      broker_clock_(kernel_, "brokers", SimEnvOptions().wall_start),
      record_(std::make_shared<RunRecord>()),
      tap_(broker_clock_, trace_),
      app_{.seed = spec.seed, .env = env_, .clock = env_.clock(), .history = record_->history, .trace = trace_},
      progress_(options.progress) {
  trace_.SetSink(options.trace_sink);
}

SimulatedWorld::~SimulatedWorld() {
  const bool threads_ended = std::all_of(threads_.begin(), threads_.end(), [](const auto& one) {
    return one->thread == nullptr || one->thread->Join(Instant());
  });
  const bool closed = closer_ == nullptr ? app_.producers.empty() : closer_->Join(Instant());
  if (threads_ended && closed && brokers_ended_) return;
  // Their threads stand somewhere inside; taking them apart would pull the ground from under stacks that stay.
  for (const auto& client : app_.producers) KeepForGood(client->producer.release());
  if (!kernel_.abandoned()) kernel_.Abandon();
}

int SimulatedWorld::StallUntil(std::string_view name, Instant until) {
  int stalled = 0;
  for (const auto& client : app_.producers) {
    if (client->name != name && client->group != name) continue;
    stalled += kernel_.StallThreads(client->producer->client_id() + " sender", until);
  }
  return stalled + kernel_.StallThreads(name, until);
}

RunResult SimulatedWorld::Run() {
  StartThreads();
  RunFaultPhase();
  if (!spins_) RunSettlePhase();
  if (!spins_) CloseProducers();
  if (!spins_) AwaitMarkers();
  if (!spins_) StopBrokers();
  return MakeResult();
}

void SimulatedWorld::StartThreads() {
  broker_thread_ = kernel_.SpawnDaemon("brokers", [this] {
    host_->Run();
    Note(brokers_ended_);
  });
  for (const auto& one : threads_) {
    AppThread* const thread = one.get();
    const auto spec = std::find_if(spec_.threads.begin(), spec_.threads.end(),
                                   [&](const ThreadSpec& candidate) { return candidate.name == thread->name; });
    const ThreadSpec* const body = spec == spec_.threads.end() ? nullptr : &*spec;
    thread->thread = kernel_.threads().Spawn(thread->name, [this, thread, body] {
      if (body != nullptr) {
        thread->context->SleepUntil(body->start);
        body->body(*thread->context);
      }
      RunSources(env_, thread->sources);
      Note(thread->ended);
    });
  }
}

void SimulatedWorld::RunFaultPhase() {
  if (progress_ == nullptr) return Advance(kernel_.RunUntil(app_.stop));
  // Stopping on the way is nothing that the world could notice.
  const Duration step = std::max(spec_.duration / kProgressSteps, Duration(1));
  for (Instant until = app_.start; until < app_.stop && !failed_;) {
    until = std::min(until + step, app_.stop);
    Advance(kernel_.RunUntil(until));
    TellProgress();
  }
}

void SimulatedWorld::TellProgress() { progress_->OnProgress(kernel_.Now() - app_.start, record_->history.called()); }

void SimulatedWorld::RunSettlePhase() {
  // By its own timer, at the end of the first phase, unless that ended early. Never from here: the brokers' thread may
  // have lost the CPU in the middle of something.
  host_->Post([this] { faults_->HealAll(); });
  std::int64_t events_left = failed_ ? kEventsAfterFinding : INT64_MAX;
  const Instant deadline = std::max(kernel_.Now(), app_.stop) + spec_.settle;
  const auto over = [&] {
    if (progress_ != nullptr && events_left % kProgressEvents == 0) TellProgress();
    return --events_left < 0 || (faults_->healed() && Settled());
  };
  Advance(kernel_.RunUntil(over, deadline));
  if (!Settled() && !failed_) ReportUnsettled();
}

// A finding ends the phase. The first one is the story; what follows from it is not told.
void SimulatedWorld::Advance(KernelResult result) {
  spins_ |= result.end == KernelEnd::kLivelock;
  if (!result.is_finding() || failed_) return;
  failed_ = true;
  std::string checker(KernelEndName(result.end));
  if (result.end == KernelEnd::kCheckFailed) checker = "invariant";
  trace_.NoteText(TraceKind::kViolation, Subject::kNone, 0, checker);
  violations_.push_back({std::move(checker), kernel_.Now(), std::move(result.text)});
}

bool SimulatedWorld::Settled() const {
  return record_->history.pending() == 0 &&
         std::all_of(threads_.begin(), threads_.end(), [](const auto& one) { return one->ended; });
}

void SimulatedWorld::ReportUnsettled() {
  const History& history = record_->history;
  std::string names;
  int named = 0;
  for (const auto& stream : history.streams()) {
    for (std::int64_t i = 0; i < stream->size() && named < kUnsettledNamed; ++i) {
      if (stream->at(i).completions > 0) continue;
      names += (named++ == 0 ? ": " : ", ") + Describe(history, *stream, i);
    }
  }
  if (history.pending() > 0) {
    violations_.push_back({"completion", kernel_.Now(),
                           fmt::format("{} records are not complete {} s after everything healed{}", history.pending(),
                                       spec_.settle.count() / 1'000'000'000, names)});
  }
  for (const auto& one : threads_) {
    if (one->ended) continue;
    violations_.push_back({"completion", kernel_.Now(),
                           fmt::format("thread {} has not ended {} s after everything healed", one->name,
                                       spec_.settle.count() / 1'000'000'000)});
  }
}

void SimulatedWorld::CloseProducers() {
  const bool settled = Settled();
  closer_ = kernel_.threads().Spawn("world.close", [this, settled] {
    for (const auto& client : app_.producers) {
      // What has not completed by now is told: no more time for it. No call of the application.
      client->closing = true;
      client->producer->Close(settled ? kCloseTimeout : Duration::zero()).IgnoreError();
      record_->history.ProducerClosed(client->index);
    }
    Note(closer_ended_);
  });
  std::int64_t events_left = kEventsAfterFinding;
  Advance(kernel_.RunUntil([&] { return closer_ended_ || --events_left < 0; }, kernel_.Now() + kCloseTimeout * 2));
  if (!closer_ended_) {
    if (!failed_) violations_.push_back({"completion", kernel_.Now(), "Close does not return"});
    return;
  }
  for (std::size_t i = 0; i < app_.producers.size(); ++i) {
    producer_evidence_[i].closed = true;
    producer_evidence_[i].buffer_used_at_end = app_.producers[i]->recorder->buffer_used();
    producer_evidence_[i].waiters_at_end = app_.producers[i]->recorder->buffer_waiters();
  }
  // Threads that were stuck in a call end now that it fails; then nobody uses the producers any more.
  events_left = kEventsAfterFinding;
  Advance(kernel_.RunUntil([&] { return Settled() || --events_left < 0; }, kernel_.Now() + kCloseTimeout));
  if (!Settled()) return;
  closer_ended_ = false;
  std::unique_ptr<Thread> destroyer = kernel_.threads().Spawn("world.destroy", [this] {
    for (const auto& client : app_.producers) client->producer.reset();
    Note(closer_ended_);
  });
  Advance(kernel_.RunUntil([&] { return closer_ended_; }, kernel_.Now() + kCloseTimeout));
  closer_->Join(Instant());
  closer_ = std::move(destroyer);
}

// A transaction is committed when its coordinator says so, and readers see it once the markers are there.
void SimulatedWorld::AwaitMarkers() {
  const auto ending = [this] {
    return std::ranges::any_of(host_->transactions().transactions().all(),
                               [](const auto& one) { return one.second.ending(); });
  };
  if (failed_ || !ending()) return;
  Advance(kernel_.RunUntil([&] { return !ending(); }, kernel_.Now() + kCloseTimeout));
}

void SimulatedWorld::StopBrokers() {
  host_->Stop();
  Advance(kernel_.RunUntil([this] { return brokers_ended_; }, kernel_.Now() + kCloseTimeout));
}

Evidence SimulatedWorld::MakeEvidence() {
  const auto add = [this](const Topic& topic, bool deleted) {
    for (const auto& partition : topic.partitions) {
      record_->partitions.push_back({topic.name, partition->index(), &partition->log(), deleted});
    }
  };
  for (const auto& [name, topic] : cluster_->topics()) add(*topic, false);
  for (const auto& topic : cluster_->deleted_topics()) add(*topic, true);
  record_->group_offsets = host_->transactions().group_offsets();
  record_->log_owner = cluster_;
  record_->index.emplace(record_->history, record_->partitions);
  record_->start = app_.start;
  record_->end = kernel_.Now();
  record_->heals = faults_->heals();
  return {.history = &record_->history,
          .events = &record_->events,
          .index = &*record_->index,
          .producers = producer_evidence_,
          .partitions = record_->partitions,
          .group_offsets = record_->group_offsets,
          .stall_budget = stalled_ + faults_->stalled() + app_.callbacks_blocked,
          .end = record_->end};
}

void SimulatedWorld::AddFailures(RunResult& result) const {
  for (const auto& client : app_.producers) {
    result.failed_calls.insert(result.failed_calls.end(), client->failed_calls.begin(), client->failed_calls.end());
    const auto& failure = client->recorder->failure();
    if (!failure) continue;
    result.failed_producers.push_back({.producer = client->name,
                                       .error = ErrorMetricName(ErrorNumber(failure->why)),
                                       .text = std::string(failure->why.message()),
                                       .at = failure->at - app_.start});
  }
  std::ranges::sort(result.failed_calls, {},
                    [](const FailedCalls& one) { return std::tie(one.first, one.producer, one.call, one.error); });
  std::ranges::sort(result.failed_producers, {},
                    [](const FailedProducer& one) { return std::tie(one.at, one.producer); });
}

RunResult SimulatedWorld::MakeResult() {
  RunResult result;
  // When the kernel has found something, the rest is what a world leaves that was stopped in the middle.
  const Evidence evidence = MakeEvidence();
  result.violations = std::move(violations_);
  result.violations.insert(result.violations.end(), tap_.violations().begin(), tap_.violations().end());
  if (!failed_) {
    for (Violation& violation : JudgeAll(evidence)) result.violations.push_back(std::move(violation));
  }
  for (const Violation& violation : result.violations) {
    trace_.NoteText(TraceKind::kViolation, Subject::kNone, 0, violation.checker + ": " + FirstLine(violation.text));
  }
  result.seed = spec_.seed;
  result.faults = faults_->outcomes();
  result.calls = std::move(app_.calls);
  AddFailures(result);
  result.metrics = CountMetrics(*record_, {});
  result.start = app_.start;
  result.hash = trace_.hash();
  result.virtual_time = kernel_.Now() - app_.start;
  result.events = kernel_.counts().events + kernel_.counts().switches;
  result.warnings = std::move(warnings_);
  result.warnings.insert(result.warnings.end(), tap_.warnings().begin(), tap_.warnings().end());
  result.record = record_;
  trace_.SetSink(nullptr);
  return result;
}

}  // namespace ktrial::sim
