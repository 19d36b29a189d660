#include "scenarios/ktrial/line_transactions.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "core/producer/config.h"
#include "core/producer/text.h"
#include "core/producer/transaction.h"
#include "core/wire/error_code.h"
#include "core/wire/status.h"

namespace ktrial::scenario {

namespace {

using WallClock = std::chrono::steady_clock;

bool TimeRanOut(const absl::Status& status) { return wire::KafkaCode(status) == wire::ErrorCode::kRequestTimedOut; }

bool HasFailed(TransactionState state) {
  return state == TransactionState::kAbortableError || state == TransactionState::kFatalError;
}

void Say(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

}  // namespace

template <class Call>
absl::Status LineTransactions::Insist(const Call& call) const {
  const Duration limit = producer_.config().delivery_timeout;
  const WallClock::time_point begin = WallClock::now();
  for (;;) {
    absl::Status status = call();
    if (!TimeRanOut(status)) return status;
    // A record that was given up is an error of the same name. Or the call has failed meanwhile, and says so now.
    if (HasFailed(producer_.transaction_state())) return call();
    if (stopped_()) return status;
    if (WallClock::now() - begin >= limit) {
      return wire::KafkaError(
          wire::ErrorCode::kRequestTimedOut,
          fmt::format("brokers have not answered within {} ms (delivery.timeout.ms)", Millis(limit)));
    }
  }
}

std::string LineTransactions::Lines() const {
  const std::uint64_t last = first_line_ + static_cast<std::uint64_t>(lines_) - 1;
  return last == first_line_ ? fmt::format("line {}", last) : fmt::format("lines {} to {}", first_line_, last);
}

void LineTransactions::Close() { producer_.Close(Duration::zero()).IgnoreError(); }  // what it gave up is in the log

bool LineTransactions::Start() {
  const absl::Status status = Insist([this] { return producer_.InitTransactions(); });
  if (status.ok()) return true;
  Say(fmt::format("transactions cannot begin: {}", std::string(status.message())));
  if (TimeRanOut(status)) Close();  // It would go on.
  return false;
}

bool LineTransactions::BeforeLine(std::uint64_t line) {
  if (lines_ > 0) return true;
  const absl::Status status = producer_.BeginTransaction();
  if (!status.ok()) {
    Say(fmt::format("a transaction cannot begin: {}", std::string(status.message())));
    return false;
  }
  first_line_ = line;
  return true;
}

bool LineTransactions::AfterLine() {
  ++lines_;
  if (stopped_()) return true;  // Whoever reads the lines ends there, and says so with Abort.
  return lines_ < records_ && !HasFailed(producer_.transaction_state()) ? true : Commit();
}

bool LineTransactions::Commit() {
  if (lines_ == 0) return true;
  absl::Status status = Insist([this] { return producer_.CommitTransaction(); });
  const bool goes_on = !status.ok() && !HasFailed(producer_.transaction_state());
  if (goes_on) {
    Close();  // What is known of its end then stays.
    if (producer_.transaction_state() == TransactionState::kReady) status = absl::OkStatus();
  }
  if (!status.ok()) {
    Abort(std::string(status.message()));
    return false;
  }
  committed_lines_ += static_cast<std::uint64_t>(lines_);
  ++committed_;
  lines_ = 0;
  return !goes_on;
}

void LineTransactions::Abort(std::string_view why) {
  if (lines_ == 0) return;
  const bool unknown = producer_.MayBeCommitted();
  if (unknown) unknown_lines_ += static_cast<std::uint64_t>(lines_);
  const char* outcome = unknown      ? ": outcome unknown, readers may see this or not"
                        : lines_ > 1 ? " were not committed"
                                     : " was not committed";
  Say(fmt::format("{}{}: {}", Lines(), outcome, why));
  lines_ = 0;
  // If this fails, the coordinator aborts it after transaction.timeout.ms.
  const absl::Status status = producer_.AbortTransaction();
  if (TimeRanOut(status)) Close();  // It would go on.
}

}  // namespace ktrial::scenario
