// The transactions of `ktrial produce`: which lines are committed together. What stops them is said on standard error, in one
// line and with which lines: "lines 11 to 20 were not committed: WHY", or "outcome unknown" where a request to commit was
// sent whose answer never came.
//
// A call whose time ran out (max.block.ms) is made again, until delivery.timeout.ms have passed. Then, as its end would be
// waited for without end, the producer is closed.
//
// Thread safety: none; one thread.
#ifndef SCENARIOS_KTRIAL_LINE_TRANSACTIONS_H_
#define SCENARIOS_KTRIAL_LINE_TRANSACTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/producer/producer.h"

namespace ktrial::scenario {

class LineTransactions {
 public:
  // The producer has a transactional.id, and outlives this. `stopped`: the user has had enough; nothing is tried again
  // then.
  LineTransactions(Producer& producer, std::int64_t records, bool (*stopped)())
      : producer_(producer), records_(records), stopped_(stopped) {}

  // --- All but the last: false if no more lines are to be sent ---
  // Before the first line. Whoever had the transactional.id before is fenced off.
  bool Start();
  // Before and after a line was given to Send; lines count from 1.
  bool BeforeLine(std::uint64_t line);
  bool AfterLine();
  // What is open, if anything, is complete.
  bool Commit();
  // What is open, if anything, must not be seen; `why` is said.
  void Abort(std::string_view why);

  std::uint64_t committed_lines() const { return committed_lines_; }
  std::uint64_t committed() const { return committed_; }
  // Of a transaction whose commit was asked for and not answered.
  std::uint64_t unknown_lines() const { return unknown_lines_; }

 private:
  // The same call until its time does not run out, or has for too long.
  template <class Call>
  absl::Status Insist(const Call& call) const;
  std::string Lines() const;  // "lines 11 to 20": those of the transaction that is open.
  void Close();

  Producer& producer_;
  const std::int64_t records_;
  bool (*const stopped_)();
  std::uint64_t first_line_ = 0;  // Of the transaction that is open.
  std::int64_t lines_ = 0;        // In it; 0: none is open.
  std::uint64_t committed_lines_ = 0;
  std::uint64_t committed_ = 0;
  std::uint64_t unknown_lines_ = 0;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_LINE_TRANSACTIONS_H_
