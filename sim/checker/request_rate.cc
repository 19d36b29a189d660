// request_rate: a producer in trouble does not hammer the cluster. In no second does it
//   - open more connections to one broker than reconnect.backoff.ms allows,
//   - ask for metadata more often than retry.backoff.ms allows (a request for a topic that is new to it may go out at
//   once),
//   - put one batch into more requests than twice what retry.backoff.ms allows (a newer leader is tried without a
//   backoff),
//   - turn its loop more than a thousand times without anything else happening.
// Backoffs are counted at their smallest, jitter included. One that is configured as 0 bounds nothing.
#include <deque>
#include <map>
#include <utility>

#include "core/observer.h"
#include "fmt/format.h"
#include "sim/checker/checkers.h"
#include "sim/metrics/event_log.h"

namespace ktrial::sim {
namespace {

constexpr Duration kWindow = std::chrono::seconds(1);
constexpr std::int64_t kSlack = 3;  // The first attempt, and one at each border of the window.
constexpr std::int64_t kIdleTurns = 1000;

// How many attempts with such a backoff between them fit into a window; negative: any number.
std::int64_t Allowed(Duration backoff, std::int64_t factor) {
  if (backoff <= Duration::zero()) return -1;
  return factor * (kWindow / backoff) + kSlack;
}

// Counts moments within the last second.
class SlidingCount {
 public:
  std::int64_t Add(std::int64_t at_nanos) {
    Forget(at_nanos);
    moments_.push_back(at_nanos);
    return size();
  }
  std::int64_t At(std::int64_t now_nanos) {
    Forget(now_nanos);
    return size();
  }

 private:
  void Forget(std::int64_t now_nanos) {
    while (!moments_.empty() && moments_.front() <= now_nanos - kWindow.count()) moments_.pop_front();
  }
  std::int64_t size() const { return static_cast<std::int64_t>(moments_.size()); }
  std::deque<std::int64_t> moments_;
};

// What is counted of one producer.
struct ProducerCounts {
  std::map<std::int32_t, SlidingCount> connects;  // By broker.
  SlidingCount metadata;
  SlidingCount metadata_for_new_topics;
  std::map<std::int64_t, SlidingCount> attempts;  // By batch; only those that were sent again.
  std::int64_t idle_turns = 0;
  std::int64_t idle_since_nanos = 0;
};

class RequestRateChecker final : public Checker {
 public:
  std::string_view name() const override { return "request_rate"; }

  void Judge(const Evidence& evidence, ViolationSink& sink) const override {
    std::vector<ProducerCounts> counts(evidence.producers.size());
    for (const EventRow& row : evidence.events->rows()) {
      const auto index = static_cast<std::size_t>(row.producer);
      JudgeRow(row, evidence.producers[index], counts[index], sink);
    }
  }

 private:
  static void JudgeRow(const EventRow& row, const ProducerEvidence& producer, ProducerCounts& counts,
                       ViolationSink& sink) {
    if (row.kind != EventKind::kLoopIteration) counts.idle_turns = 0;
    const auto judge = [&](std::int64_t count, std::int64_t allowed, std::string_view what, std::int64_t which = -1) {
      // Reported when the bound is passed, not again for each one more.
      if (allowed < 0 || count != allowed + 1) return;
      sink.Report(Instant::FromNanos(row.at_nanos), [&] {
        const std::string place = which < 0 ? std::string() : fmt::format(" {}", which);
        return fmt::format("{}: {} {}{} within a second, where {} are allowed", producer.name, count, what, place,
                           allowed);
      });
    };
    switch (row.kind) {
      case EventKind::kConnecting:
        judge(counts.connects[row.broker].Add(row.at_nanos), Allowed(producer.reconnect_backoff, 1),
              "connects to broker", row.broker);
        break;
      case EventKind::kMetadataRequest: {
        // One for a new topic also makes the next full refresh due at once (MD-07), so each allows one more.
        const bool new_topic = row.detail == static_cast<std::uint8_t>(RefreshReason::kNewTopic) ||
                               row.detail == static_cast<std::uint8_t>(RefreshReason::kInitial);
        const std::int64_t for_new_topics = new_topic ? counts.metadata_for_new_topics.Add(row.at_nanos)
                                                      : counts.metadata_for_new_topics.At(row.at_nanos);
        if (new_topic) break;
        const std::int64_t allowed = Allowed(producer.retry_backoff, 1);
        judge(counts.metadata.Add(row.at_nanos), allowed < 0 ? allowed : allowed + for_new_topics, "metadata requests");
        break;
      }
      case EventKind::kBatchDrained:
        if (row.detail == 0) break;
        judge(counts.attempts[row.value].Add(row.at_nanos), Allowed(producer.retry_backoff, 2),
              "attempts of one batch of partition", row.partition);
        break;
      case EventKind::kLoopIteration:
        if (counts.idle_turns++ == 0) counts.idle_since_nanos = row.at_nanos;
        if (row.at_nanos - counts.idle_since_nanos >= kWindow.count()) {
          counts.idle_turns = 1;
          counts.idle_since_nanos = row.at_nanos;
        }
        judge(counts.idle_turns, kIdleTurns, "turns of the loop with nothing to do");
        break;
      default:
        break;
    }
  }
};

}  // namespace

std::unique_ptr<Checker> MakeRequestRateChecker() { return std::make_unique<RequestRateChecker>(); }

}  // namespace ktrial::sim
