#include "tests/core/producer/concurrent_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "core/env/sync.h"
#include "core/wire/error_code.h"
#include "core/wire/status.h"
#include "sim/broker/record_identity.h"
#include "sim/checker/log_index.h"
#include "sim/metrics/event_log.h"
#include "sim/workload/app_world.h"

namespace ktrial::testing {

namespace {

using std::chrono::milliseconds;
using Action = ProgramLedger::Action;
using Close = ProgramOptions::Close;
using Entry = ProgramLedger::Entry;
using Stream = ProgramLedger::Stream;

constexpr std::int32_t kPartitions = 3;
constexpr std::string_view kTopic = "t";
constexpr std::size_t kMaxRequestSize = 3000;
constexpr int kTooLargeEach = 20;  // Which record of a sender is larger than that.

constexpr std::array kActions = {Action::kNothing, Action::kSend,    Action::kFlush,
                                 Action::kAsk,     Action::kMetrics, Action::kGet,
                                 Action::kThrow,   Action::kNothing, Action::kAskForUnknown};

}  // namespace

class ConcurrentProgram {
 public:
  ConcurrentProgram(Env& env, Producer& producer, ProgramLedger& ledger)
      : env_(env),
        producer_(producer),
        ledger_(ledger),
        options_(ledger.options()),
        closing_(env.threads(), Site("test.program.closing"), false),
        closed_(env.threads(), Site("test.program.closed"), false) {}

  void Run();

 private:
  struct Choice {
    Action action = Action::kNothing;
    int number = 0;  // The partition, or the lack of one, follows from it.
    int sender = ProgramLedger::kNoSender;
    std::size_t bytes = 40;
  };

  void SendAll(int sender);
  void CallBetween(int sender, const Future& future, const Entry& entry);
  void Watch();
  void Ask();
  Future Send(Stream& stream, const Choice& choice);
  static void OnRecord(void* context, const RecordMetadata& at, const absl::Status& status);
  void Complete(Entry& entry, const RecordMetadata& at, const absl::Status& status);
  void ActOnSenderThread(Action action);
  void CloseIt();
  bool forced() const { return options_.close == Close::kAtOnce || options_.close == Close::kByCallback; }
  // What a call may say to a thread that came too late.
  bool IsClosing(const absl::Status& status) const {
    const bool may_be = options_.close != Close::kWhenAllIsSent || closing_.Load();
    return may_be && (absl::IsFailedPrecondition(status) || absl::IsCancelled(status));
  }

  Env& env_;
  Producer& producer_;
  ProgramLedger& ledger_;
  const ProgramOptions& options_;
  Atomic<bool> closing_;  // All is sent; who still only watches comes too late in any case.
  Atomic<bool> closed_;
  std::vector<std::unique_ptr<Thread>> senders_;
};

void ConcurrentProgram::Run() {
  // Else a close that comes early would find nothing but threads that wait for the topic.
  EXPECT_EQ(producer_.PartitionsFor(kTopic).status().code(), absl::StatusCode::kOk);
  const Instant start = env_.clock().Now();
  for (int sender = 0; sender < options_.senders; ++sender) {
    senders_.push_back(env_.threads().Spawn("sender-" + std::to_string(sender), [this, sender] { SendAll(sender); }));
  }
  const std::unique_ptr<Thread> watcher = env_.threads().Spawn("watcher", [this] { Watch(); });
  if (options_.close == Close::kWhileSending || options_.close == Close::kAtOnce) {
    env_.threads().SleepUntil(start + options_.close_after, Site("test.program.before_close"));
    CloseIt();
  }
  for (const auto& sender : senders_) EXPECT_TRUE(sender->Join(Instant::Never()));
  if (options_.close == Close::kWhenAllIsSent) {
    EXPECT_EQ(producer_.Flush().code(), absl::StatusCode::kOk);
  }
  closing_.Store(true);
  // In all cases, once more: after this nothing may complete.
  CloseIt();
  closed_.Store(true);
  EXPECT_TRUE(watcher->Join(Instant::Never()));
  EXPECT_EQ(producer_.Send({.topic = kTopic, .value = "too late"}).Get().status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(producer_.Flush().code(), absl::StatusCode::kOk);
  const MetricsSnapshot metrics = producer_.Metrics();
  EXPECT_EQ(metrics.Value("buffer-available-bytes"), metrics.Value("buffer-total-bytes"));
  EXPECT_EQ(metrics.Value("waiting-threads"), 0);
}

void ConcurrentProgram::CloseIt() {
  if (!forced()) {
    EXPECT_EQ(producer_.Close().code(), absl::StatusCode::kOk);
    return;
  }
  // Two at once, without time; it is known only afterwards whether anything was given up.
  const auto close = [this] {
    const absl::Status status = producer_.Close(Duration::zero());
    EXPECT_TRUE(status.ok() || absl::IsDeadlineExceeded(status)) << status.message();
  };
  const std::unique_ptr<Thread> other = env_.threads().Spawn("closer", close);
  close();
  EXPECT_TRUE(other->Join(Instant::Never()));
}

void ConcurrentProgram::SendAll(int sender) {
  Stream& stream = ledger_.sends(sender);
  for (int i = 0; i < options_.records; ++i) {
    Choice choice{.action = kActions[static_cast<std::size_t>(i + 2 * sender) % kActions.size()],
                  .number = i,
                  .sender = sender,
                  .bytes = 40 + static_cast<std::size_t>(i) * 37 % 200};
    if (i % kTooLargeEach == kTooLargeEach - 1) choice.bytes = kMaxRequestSize;
    if (options_.close == Close::kByCallback && sender == 0 && i == options_.records / 2) {
      choice.action = Action::kClose;
    }
    const Future future = Send(stream, choice);
    CallBetween(sender, future, stream.entries.back());
    if (i % 8 == 7 && options_.pause > Duration::zero()) {
      env_.threads().SleepUntil(env_.clock().Now() + options_.pause, Site("test.program.pause"));
    }
  }
}

void ConcurrentProgram::CallBetween(int sender, const Future& future, const Entry& entry) {
  const std::int64_t i = entry.index;
  if (i % 16 == 5) {
    // Whoever has the answer has it after the callback, so what that noted may be read.
    const absl::Status status = future.Get().status();
    EXPECT_EQ(entry.completions, 1) << i;
    EXPECT_EQ(sim::ErrorNumber(status), entry.completion.error) << i;
  } else if (i % 16 == 11) {
    EXPECT_EQ(producer_.Flush().code(), absl::StatusCode::kOk);
    for (const Entry& before : ledger_.sends(sender).entries) EXPECT_EQ(before.completions, 1) << before.index;
  } else if (i % 16 == 13) {
    Ask();
  }
}

// Goes on after the close: asking does no harm then.
void ConcurrentProgram::Watch() {
  for (int i = 0; i < options_.records / 4; ++i) {
    EXPECT_GE(producer_.Metrics().Value("record-send-total"), 0);
    Ask();
    const absl::Status status = producer_.Flush(milliseconds(i % 3));
    EXPECT_TRUE(status.ok() || absl::IsDeadlineExceeded(status)) << status.message();
  }
}

void ConcurrentProgram::Ask() {
  const absl::StatusOr<std::vector<PartitionInfo>> partitions = producer_.PartitionsFor(kTopic);
  if (partitions.ok()) {
    EXPECT_EQ(partitions->size(), kPartitions);
  } else {
    EXPECT_TRUE(IsClosing(partitions.status())) << partitions.status().message();
  }
}

Future ConcurrentProgram::Send(Stream& stream, const Choice& choice) {
  stream.entries.push_back({.index = static_cast<std::int64_t>(stream.entries.size()),
                            .program = this,
                            .action = choice.action,
                            .sender = choice.sender,
                            .too_large = choice.bytes >= kMaxRequestSize,
                            .sending_thread = env_.threads().Current()});
  Entry& entry = stream.entries.back();
  std::string value(choice.bytes, 'v');
  sim::WriteIdentity(stream.told.id(entry.index), value);
  const std::string key = std::to_string(choice.number);
  Record record{.topic = kTopic, .value = value};
  if (choice.number % 4 == 1) record.key = key;
  if (choice.number % 4 >= 2) record.partition = PartitionIndex(choice.number % kPartitions);
  entry.called = env_.clock().Now();
  Future future = producer_.Send(record, RecordCallback{.function = &ConcurrentProgram::OnRecord, .context = &entry});
  entry.returned = env_.clock().Now();
  return future;
}

void ConcurrentProgram::OnRecord(void* context, const RecordMetadata& at, const absl::Status& status) {
  Entry& entry = *static_cast<Entry*>(context);
  entry.program->Complete(entry, at, status);
}

void ConcurrentProgram::Complete(Entry& entry, const RecordMetadata& at, const absl::Status& status) {
  // Only the thread that sends knows whether its Send has returned, and only a refused record completes on it within that.
  const bool refused = env_.threads().Current() == entry.sending_thread && !entry.returned.has_value();
  ++entry.completions;
  entry.completed = env_.clock().Now();
  entry.late = !refused && closed_.Load();
  entry.completion = {.state = sim::RecordState::kAcked,
                      .error = sim::ErrorNumber(status),
                      .partition = at.partition,
                      .offset = at.offset};
  if (refused) {
    entry.completion.state = sim::RecordState::kRefused;
    const bool echo = entry.sender == ProgramLedger::kNoSender;  // It would have had to wait for memory, perhaps.
    EXPECT_TRUE(entry.too_large ? wire::KafkaCode(status) == wire::ErrorCode::kMessageTooLarge || IsClosing(status)
                                : IsClosing(status) || (echo && absl::IsFailedPrecondition(status)))
        << status.message();
    // This is the sender's own thread: it may wait.
    if (entry.too_large) {
      Send(ledger_.resends(entry.sender), {.number = static_cast<int>(entry.index)});
      EXPECT_EQ(producer_.Flush().code(), absl::StatusCode::kOk);
    }
    return;
  }
  if (!status.ok()) {
    entry.completion.state = ledger_.current_batch_was_sent() ? sim::RecordState::kFailed : sim::RecordState::kUnsent;
    EXPECT_TRUE(forced() && absl::IsCancelled(status)) << status.message();
  }
  ActOnSenderThread(entry.action);
}

void ConcurrentProgram::ActOnSenderThread(Action action) {
  switch (action) {
    case Action::kNothing:
      return;
    case Action::kSend:
      Send(ledger_.echoes(), {});
      return;
    case Action::kGet: {  // Of a record that is not done, or of one that was refused.
      const absl::Status status = Send(ledger_.echoes(), {.number = 3}).Get().status();
      EXPECT_TRUE(absl::IsFailedPrecondition(status) || IsClosing(status)) << status.message();
      return;
    }
    case Action::kFlush:
      EXPECT_EQ(producer_.Flush().code(), absl::StatusCode::kFailedPrecondition);
      return;
    case Action::kAsk:
      return Ask();
    case Action::kAskForUnknown:
      EXPECT_EQ(producer_.PartitionsFor("unknown").status().code(), absl::StatusCode::kFailedPrecondition);
      return;
    case Action::kMetrics:
      EXPECT_GE(producer_.Metrics().Value("record-send-total"), 0);
      return;
    case Action::kThrow:
      throw std::runtime_error("thrown by a callback");
    case Action::kClose:
      EXPECT_EQ(producer_.Close().code(), absl::StatusCode::kOk);
      return;
  }
}

ProgramLedger::ProgramLedger(sim::History& history, std::int32_t producer, const ProgramOptions& options)
    : history_(history), producer_(producer), options_(options), echoes_(OpenStream("callbacks")) {
  for (int sender = 0; sender < options.senders; ++sender) {
    sends_.push_back(OpenStream("sender-" + std::to_string(sender)));
    resends_.push_back(OpenStream("refusals of sender-" + std::to_string(sender)));
  }
}

std::unique_ptr<ProgramLedger::Stream> ProgramLedger::OpenStream(const std::string& name) {
  return std::make_unique<Stream>(Stream{.told = history_.OpenStream({.workload = name, .producer = producer_})});
}

void ProgramLedger::Tell() {
  std::vector<std::pair<sim::RecordEntry*, const Entry*>> late;
  const auto tell = [&](const Stream& stream) {
    for (const Entry& entry : stream.entries) {
      sim::RecordEntry* const record = history_.Call(stream.told, history_.TopicIndex(kTopic), entry.called);
      if (entry.returned) history_.Return(*record, entry.called, *entry.returned);
      if (entry.late) {
        late.emplace_back(record, &entry);
        continue;
      }
      for (int i = 0; i < entry.completions; ++i) history_.Complete(*record, entry.completed, entry.completion);
    }
  };
  for (const auto& stream : sends_) tell(*stream);
  for (const auto& stream : resends_) tell(*stream);
  tell(*echoes_);
  history_.ProducerClosed(producer_);
  for (const auto& [record, entry] : late) history_.Complete(*record, entry->completed, entry->completion);
}

void ProgramLedger::OnBatchDrained(const BatchView& batch, NodeId) { sent_batches_.insert(batch.id); }

void ProgramLedger::OnBatchDone(const BatchView& batch, const absl::Status&, Offset) {
  current_batch_was_sent_ = sent_batches_.erase(batch.id) > 0;
}

std::map<std::string, std::string> ProgramConfig() {
  return {{"linger.ms", "1"},         {"batch.size", "1000"},
          {"buffer.memory", "20000"}, {"max.request.size", std::to_string(kMaxRequestSize)},
          {"retry.backoff.ms", "5"},  {"reconnect.backoff.ms", "5"}};
}

void RunProgram(Env& env, Producer& producer, ProgramLedger& ledger) { ConcurrentProgram(env, producer, ledger).Run(); }

sim::ProducerEvidence ProgramEvidence(const ProducerConfig& config) {
  return {.name = config.client_id,
          .acks = static_cast<std::int32_t>(config.acks),
          .max_in_flight = config.max_in_flight_requests_per_connection,
          .idempotent = config.enable_idempotence,
          .delivery_timeout = config.delivery_timeout,
          .closed = true};
}

std::vector<sim::Violation> JudgeProgram(const sim::History& history, std::vector<sim::ProducerEvidence> producers,
                                         std::span<const sim::PartitionEvidence> partitions, Instant end) {
  const sim::EventLog no_events;
  const sim::LogIndex index(history, partitions);
  return sim::JudgeAll({.history = &history,
                        .events = &no_events,
                        .index = &index,
                        .producers = std::move(producers),
                        .partitions = {partitions.begin(), partitions.end()},
                        .end = end});
}

}  // namespace ktrial::testing
