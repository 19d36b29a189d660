#include "sim/workload/record_sender.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "core/check.h"
#include "core/env/site.h"
#include "sim/broker/record_identity.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/metrics/metric_names.h"

namespace ktrial::sim {
namespace {

// What Send says once its producer is closed, among others.
constexpr std::int16_t kClosedError =
    kStatusErrorBase + static_cast<std::int16_t>(absl::StatusCode::kFailedPrecondition);

}  // namespace

RecordSender::RecordSender(AppWorld& world, ClientProducer& client, const Options& options)
    : world_(world),
      client_(client),
      options_(options),
      stream_(world.history.OpenStream({.workload = options.workload, .producer = client.index, .sender = this})),
      subject_(world.trace.AddSubject(options.workload)),
      mutex_(world.env.threads(), Site("workload.outstanding")),
      fewer_(world.env.threads()) {}

std::uint16_t RecordSender::TopicNumber(std::string_view topic) {
  if (topic != last_topic_) {
    const UncheckedSection unchecked;
    last_topic_ = topic;
    last_topic_number_ = world_.history.TopicIndex(topic);
  }
  return last_topic_number_;
}

RecordSender::Outcome RecordSender::Send(const Outgoing& record) {
  KT_CHECK(record.value_bytes >= SizeRange::kSmallest);
  const auto size = static_cast<std::size_t>(record.value_bytes);
  if (value_.size() < size) value_.resize(size, 'x');
  RecordEntry* const entry = world_.history.Call(stream_, TopicNumber(record.topic), record.scheduled);
  WriteIdentity(History::IdOf(*entry), value_);
  std::copy(record.value_tail.begin(), record.value_tail.end(), value_.begin() + kIdentityBytes);
  if (options_.counts_outstanding) {
    const MutexLock lock(mutex_);
    ++outstanding_;
  }
  const Instant called = world_.Now();
  refusal_ = 0;
  sending_thread_ = world_.env.threads().Current();
  sending_ = entry;
  client_.producer->Send({.topic = record.topic,
                          .partition = record.partition,
                          .key = record.key,
                          .value = std::string_view(value_.data(), size)},
                         RecordCallback{&RecordSender::OnComplete, entry});
  sending_ = nullptr;
  world_.history.Return(*entry, called, world_.Now());
  if (refusal_ == 0) return Outcome::kAccepted;
  return TakesNothingMore() ? Outcome::kClosed : Outcome::kRefused;
}

bool RecordSender::TakesNothingMore() const {
  // With a transactional.id the same is said of a record for which there is no transaction: later there may be one.
  const UncheckedSection unchecked;
  return refusal_ == kClosedError && (client_.closing || client_.producer->config().transactional_id.empty());
}

void RecordSender::OnComplete(void* context, const RecordMetadata& metadata, const absl::Status& status) {
  auto& entry = *static_cast<RecordEntry*>(context);
  History::StreamOf(entry).info().sender->Complete(entry, metadata, status);
}

void RecordSender::Complete(RecordEntry& entry, const RecordMetadata& metadata, const absl::Status& status) {
  // A refused record completes within its Send, on the same thread; an accepted one on the sender's thread, possibly
  // also before Send has returned.
  const bool refused = !status.ok() && IsBeingSentHere(entry);
  const std::int16_t error = ErrorNumber(status);
  History::Completion completion{.error = error, .partition = metadata.partition, .offset = metadata.offset};
  if (refused) {
    refusal_ = error;
    world_.NoteCall(client_, "send", status);
    completion.state = RecordState::kRefused;
  } else if (!status.ok()) {
    completion.state = client_.recorder->current_batch_was_sent() ? RecordState::kFailed : RecordState::kUnsent;
  }
  world_.history.Complete(entry, world_.Now(), completion);
  {
    const UncheckedSection unchecked;
    world_.trace.Note(TraceKind::kCompletion, subject_, History::IdOf(entry), static_cast<std::uint16_t>(error));
  }
  if (options_.counts_outstanding) {
    const MutexLock lock(mutex_);
    --outstanding_;
    fewer_.NotifyAll();
  }
  if (!refused) Act(entry, metadata);
}

bool RecordSender::IsBeingSentHere(const RecordEntry& entry) const {
  const UncheckedSection unchecked;
  return &entry == sending_ && world_.env.threads().Current() == sending_thread_;
}

void RecordSender::Act(const RecordEntry& entry, const RecordMetadata& metadata) {
  switch (options_.on_callback.kind) {
    case CallbackAction::Kind::kNothing:
      return;
    case CallbackAction::Kind::kSend:
      options_.echo->Send(
          {.topic = world_.history.topics()[entry.topic], .partition = metadata.partition, .scheduled = world_.Now()});
      return;
    case CallbackAction::Kind::kFlush:
      // Refused on this thread, at once: what is on trial is that it does not hang.
      client_.producer->Flush().IgnoreError();
      return;
    case CallbackAction::Kind::kClose:
      client_.closing = true;
      client_.producer->Close().IgnoreError();
      return;
    case CallbackAction::Kind::kThrow:
      throw std::runtime_error("thrown by the callback of a workload");
    case CallbackAction::Kind::kBlock:
      return Block(options_.on_callback.block);
  }
}

void RecordSender::Block(Duration length) {
  {
    const UncheckedSection unchecked;
    world_.callbacks_blocked += length;
  }
  world_.env.threads().SleepUntil(world_.Now() + length, Site("workload.callback_blocks"));
}

bool RecordSender::AwaitOutstandingBelow(std::int64_t limit, Instant deadline) {
  KT_CHECK(options_.counts_outstanding);
  const MutexLock lock(mutex_);
  return fewer_.Wait(
      mutex_, deadline,
      [&] {
        mutex_.AssertHeld();
        return outstanding_ < limit;
      },
      Site("workload.await_outstanding"));
}

}  // namespace ktrial::sim
