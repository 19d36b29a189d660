// A program of many threads that use one producer at once and get into each other's way: they send, flush, wait, ask and close, and
// their callbacks call the producer again, on its sender thread and on their own. It is written against the doors, so the same
// program runs over sockets with the threads of the operating system, and in a simulated world.
//
//   sim::History history;
//   ProgramLedger ledger(history, 0, {.close = ProgramOptions::Close::kByCallback});
//   auto producer = Producer::Create(config, env, &ledger);   // for a topic "t" with three partitions
//   RunProgram(env, **producer, ledger);                      // on any thread but the producer's own
//   ledger.Tell();                                            // once the producer is closed: the history is complete
//   EXPECT_THAT(JudgeProgram(history, {...}, partitions), IsEmpty());
//
// What no call may return is an EXPECT on the spot; what became of the records is for the checkers of simulated worlds, which judge
// both runs. The notes are taken without locks, which would order the threads and so hide from a sanitizer what is on trial.
#ifndef TESTS_CORE_PRODUCER_CONCURRENT_PROGRAM_H_
#define TESTS_CORE_PRODUCER_CONCURRENT_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/accumulator/record_callback.h"
#include "core/env/clock.h"
#include "core/env/env.h"
#include "core/env/threads.h"
#include "core/observer.h"
#include "core/producer/producer.h"
#include "core/types.h"
#include "sim/checker/checker.h"
#include "sim/checker/history.h"

namespace ktrial::testing {

class ConcurrentProgram;  // Of RunProgram.

struct ProgramOptions {
  enum class Close : std::uint8_t {
    kWhenAllIsSent,  // After a flush: everything is acknowledged.
    kWhileSending,   // With time: what was accepted is acknowledged, the rest is refused.
    kAtOnce,         // Without time, by two threads.
    kByCallback,     // From the sender thread, while others send.
  };
  int senders = 3;
  int records = 40;  // Of each sender; those of callbacks come on top.
  Close close = Close::kWhenAllIsSent;
  Duration close_after{0};  // Since the start; kWhileSending and kAtOnce.
  Duration pause{0};        // Of a sender after each eighth record.
};

// What the program was told, as the producer's observer too. Outlives the producer.
class ProgramLedger final : public ProducerObserver {
 public:
  // What the callback of a record does, besides taking notes.
  enum class Action : std::uint8_t {
    kNothing,
    kSend,
    kGet,
    kFlush,
    kAsk,
    kAskForUnknown,
    kMetrics,
    kThrow,
    kClose,
  };
  struct Entry {
    std::int64_t index = 0;
    // By the thread that sends.
    ConcurrentProgram* program = nullptr;
    Action action = Action::kNothing;
    int sender = kNoSender;  // Whose it is; of none: an echo.
    bool too_large = false;
    ThreadId sending_thread;
    Instant called;
    std::optional<Instant> returned;
    // By the thread that completes.
    Instant completed;
    sim::History::Completion completion;
    int completions = 0;
    bool late = false;  // Close had returned.
  };
  static constexpr int kNoSender = -1;
  // The records of one thread, in the order in which it sent them. Entries do not move.
  struct Stream {
    sim::RecordStream& told;
    std::deque<Entry> entries;
  };

  // Several ledgers may share a history, each for a producer of its own number.
  ProgramLedger(sim::History& history, std::int32_t producer, const ProgramOptions& options);

  const ProgramOptions& options() const { return options_; }
  // Writes it all into the history. When the producer is closed and all threads have ended.
  void Tell();

  // --- For the program ---
  Stream& sends(int sender) { return *sends_[static_cast<std::size_t>(sender)]; }
  // Of the callbacks of records that were refused, which run on the thread of their sender.
  Stream& resends(int sender) { return *resends_[static_cast<std::size_t>(sender)]; }
  // Of callbacks on the sender thread.
  Stream& echoes() { return *echoes_; }
  bool current_batch_was_sent() const { return current_batch_was_sent_; }

  // On the sender thread.
  void OnBatchDrained(const BatchView& batch, NodeId node) override;
  void OnBatchDone(const BatchView& batch, const absl::Status& status, Offset base_offset) override;

 private:
  std::unique_ptr<Stream> OpenStream(const std::string& name);

  sim::History& history_;
  const std::int32_t producer_;
  const ProgramOptions options_;
  std::vector<std::unique_ptr<Stream>> sends_;
  std::vector<std::unique_ptr<Stream>> resends_;
  std::unique_ptr<Stream> echoes_;
  // Of the sender thread.
  std::set<std::uint64_t> sent_batches_;
  bool current_batch_was_sent_ = false;
};

// What the producer of the program must be given, besides brokers: batches and memory so small that threads wait for it.
std::map<std::string, std::string> ProgramConfig();

// Runs the program to its end, close included. `producer` was made with the ledger as its observer and has not been used.
void RunProgram(Env& env, Producer& producer, ProgramLedger& ledger);

// What the checkers of lost, doubled, reordered, unfinished and late records say; `producers` as in sim::Evidence.
std::vector<sim::Violation> JudgeProgram(const sim::History& history, std::vector<sim::ProducerEvidence> producers,
                                         std::span<const sim::PartitionEvidence> partitions, Instant end);
sim::ProducerEvidence ProgramEvidence(const ProducerConfig& config);

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_CONCURRENT_PROGRAM_H_
