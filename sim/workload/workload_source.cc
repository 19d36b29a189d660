#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/check.h"
#include "core/env/site.h"
#include "core/wire/status.h"
#include "sim/kernel/draws.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/workload/app_source.h"
#include "sim/workload/arrivals.h"
#include "sim/workload/record_sender.h"

namespace ktrial::sim {
namespace {

// How long an application without a pace of its own pauses after a Send that failed at once. Without it such a workload
// would go round for ever in one moment.
constexpr Duration kPauseAfterRefusal = std::chrono::milliseconds(1);

// Which topic the next record goes to: one of a list in turn, or any, drawn.
class TopicChoice {
 public:
  TopicChoice(const TopicSelector& selector, const AppWorld& world) {
    for (const std::string& term : selector.terms) {
      if (term == "any") drawn_ = true;
      if (term == "*" || term == "any") {
        topics_.insert(topics_.end(), world.topics.begin(), world.topics.end());
      } else {
        topics_.push_back(term);
      }
    }
    KT_CHECK_MSG(!topics_.empty(), "a workload without a topic");
  }
  const std::string& Next(Stream& draws) {
    if (topics_.size() == 1) return topics_[0];
    if (drawn_) return topics_[draws.Below(topics_.size())];
    const std::size_t turn = next_;
    next_ = (next_ + 1) % topics_.size();
    return topics_[turn];
  }

 private:
  std::vector<std::string> topics_;
  bool drawn_ = false;
  std::size_t next_ = 0;
};

class WorkloadSource final : public AppSource {
 public:
  WorkloadSource(const WorkloadSpec& spec, const std::string& thread, AppWorld& world, ClientProducer& client)
      : spec_(spec),
        world_(world),
        client_(client),
        draws_(world.seed, thread, "workload", world.trace),
        topic_(spec.topic, world),
        begin_(world.start + spec.start),
        stop_(spec.stop ? std::min(world.stop, world.start + *spec.stop) : world.stop),
        not_before_(begin_) {
    if (spec.on_callback.kind == CallbackAction::Kind::kSend) {
      echo_.emplace(world, client, RecordSender::Options{.workload = thread});
    }
    sender_.emplace(world, client,
                    RecordSender::Options{.workload = thread,
                                          .on_callback = spec.on_callback,
                                          .echo = echo_ ? &*echo_ : nullptr,
                                          .counts_outstanding = spec.closed.has_value()});
    if (spec.rate) arrivals_.emplace(*spec.rate, spec.arrival, begin_, draws_);
  }

  Instant Due() const override {
    if (done_) return Instant::Never();
    // Nobody waits for an arrival that is no longer to come: at its end a workload looks once more, and is done.
    return arrivals_ ? std::min(std::max(arrivals_->next(), not_before_), stop_) : not_before_;
  }

  bool waits() const override { return full_; }
  void Wait(Instant deadline) override {
    full_ = !sender_->AwaitOutstandingBelow(*spec_.closed, std::min(deadline, stop_));
    if (full_ && world_.Now() >= stop_) full_ = false;  // Run sees that it is over.
  }

  void Run() override {
    // An arrival that was due before the end is sent however late; a workload without arrivals is over when its time
    // is.
    const Instant scheduled = arrivals_ ? arrivals_->next() : world_.Now();
    if (scheduled >= stop_ || sent_ == spec_.count.value_or(INT64_MAX)) return Finish();
    if (spec_.closed && !sender_->AwaitOutstandingBelow(*spec_.closed, Instant())) {
      full_ = true;
      return;
    }
    if (spec_.transactions && !BeginTransaction()) return;
    const RecordSender::Outcome outcome = SendOne(scheduled);
    ++sent_;
    if (arrivals_) arrivals_->Advance();
    if (outcome == RecordSender::Outcome::kClosed) return Finish();
    if (spec_.transactions) AfterRecord(outcome);
    if (done_) return;
    if (outcome == RecordSender::Outcome::kRefused && !arrivals_) not_before_ = world_.Now() + kPauseAfterRefusal;
    if (sent_ == spec_.count.value_or(INT64_MAX)) Finish();
  }

 private:
  RecordSender::Outcome SendOne(Instant scheduled) { return sender_->Send(NextRecord(scheduled)); }

  RecordSender::Outgoing NextRecord(Instant scheduled) {
    const UncheckedSection unchecked;
    RecordSender::Outgoing record{.topic = topic_.Next(draws_), .scheduled = scheduled};
    if (spec_.partition) record.partition = Partition(record.topic);
    if (spec_.key_cardinality) {
      const std::uint64_t number = draws_.Below(static_cast<std::uint64_t>(*spec_.key_cardinality));
      const auto end = std::to_chars(key_.data(), key_.data() + key_.size(), number).ptr;
      record.key = std::string_view(key_.data(), static_cast<std::size_t>(end - key_.data()));
    }
    record.value_bytes = spec_.value.min;
    if (spec_.value.max > spec_.value.min) {
      record.value_bytes = static_cast<std::int32_t>(draws_.Between(spec_.value.min, std::int64_t{spec_.value.max}));
    }
    return record;
  }

  PartitionIndex Partition(std::string_view topic) {
    if (spec_.partition->kind == PartitionSelector::Kind::kList) {
      const std::vector<PartitionIndex>& list = spec_.partition->list;
      return list[static_cast<std::size_t>(sent_) % list.size()];
    }
    const auto count = static_cast<std::uint64_t>(world_.PartitionsOf(topic));
    const std::uint64_t index = spec_.partition->kind == PartitionSelector::Kind::kAny
                                    ? draws_.Below(count)
                                    : static_cast<std::uint64_t>(sent_) % count;
    return PartitionIndex(static_cast<std::int32_t>(index));
  }

  // A transaction is open, or the workload pauses, or it is over.
  bool BeginTransaction() {
    if (in_transaction_) return true;
    const absl::Status status = world_.BeginTransaction(client_);
    in_transaction_ = status.ok();
    if (in_transaction_) return true;
    if (client_.producer->transaction_state() == TransactionState::kAbortableError) {
      world_.EndTransaction(client_, /*commit=*/false).IgnoreError();
    }
    not_before_ = world_.Now() + kPauseAfterRefusal;
    if (IsOver(status)) Finish();
    return false;
  }

  void AfterRecord(RecordSender::Outcome outcome) {
    const bool spoiled = outcome == RecordSender::Outcome::kRefused;
    if (!spoiled && ++in_this_ < spec_.transactions->records) return;
    EndTransaction(spoiled);
  }

  void EndTransaction(bool spoiled) {
    const std::int64_t abort_every = spec_.transactions->abort_every;
    in_transaction_ = false;
    in_this_ = 0;
    bool commit = !spoiled && (abort_every == 0 || ++transactions_ % abort_every != 0);
    if (spec_.transactions->offsets && !spoiled) {
      const absl::Status status = world_.SendOffsets(client_, *spec_.transactions->offsets, Offset(sent_));
      if (IsOver(status)) return Finish();
      // Whatever is wrong with them, time that ran out included: an application that is not sure aborts.
      if (!status.ok()) commit = false;
    }
    for (;;) {
      const absl::Status status = world_.EndTransaction(client_, commit);
      if (status.ok()) return;
      if (IsOver(status)) return Finish();
      // Its time ran out: the same again. A commit that failed: only an abort helps.
      if (client_.producer->transaction_state() == TransactionState::kAbortableError) commit = false;
    }
  }

  // The producer will not do any more transactions.
  bool IsOver(const absl::Status& status) const {
    return (absl::IsFailedPrecondition(status) && !wire::HasKafkaCode(status)) || absl::IsCancelled(status) ||
           client_.producer->transaction_state() == TransactionState::kFatalError;
  }

  void Finish() {
    if (in_transaction_) EndTransaction(/*spoiled=*/false);
    if (done_) return;
    done_ = true;
    full_ = false;
    switch (spec_.then) {
      case AfterLastSend::kNothing:
        return;
      case AfterLastSend::kFlush:
        world_.Flush(client_, Duration::max()).IgnoreError();
        return;
      case AfterLastSend::kClose:
        world_.CloseProducer(client_, Duration::max()).IgnoreError();
        return;
    }
  }

  const WorkloadSpec spec_;
  AppWorld& world_;
  ClientProducer& client_;
  Stream draws_;
  TopicChoice topic_;
  const Instant begin_;
  const Instant stop_;
  std::optional<RecordSender> echo_;
  std::optional<RecordSender> sender_;
  std::optional<Arrivals> arrivals_;
  Instant not_before_;
  std::int64_t sent_ = 0;
  bool full_ = false;  // `closed` are outstanding.
  bool done_ = false;
  bool in_transaction_ = false;
  std::int64_t in_this_ = 0;       // Records of the transaction so far.
  std::int64_t transactions_ = 0;  // That were to be ended, in all.
  std::array<char, 20> key_{};
};

}  // namespace

std::unique_ptr<AppSource> MakeWorkloadSource(const WorkloadSpec& spec, const std::string& thread, AppWorld& world,
                                              ClientProducer& client) {
  return std::make_unique<WorkloadSource>(spec, thread, world, client);
}

}  // namespace ktrial::sim
