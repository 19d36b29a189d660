#include "scenarios/ktrial/line_transactions.h"

#include <cstdio>
#include <string>
#include <utility>

#include "core/wire/status.h"

namespace ktrial::scenario {

template <class Call>
absl::Status LineTransactions::Insist(const Call& call) const {
  for (;;) {
    const TransactionState before = producer_.transaction_state();
    absl::Status status = call();
    // A record that was given up is an error of the same name, and changes the state.
    const bool again = wire::KafkaCode(status) == wire::ErrorCode::kRequestTimedOut &&
                       producer_.transaction_state() != TransactionState::kAbortableError &&
                       before != TransactionState::kFatalError;
    if (!again || stopped_()) return status;
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  }
}

bool LineTransactions::Fail(const char* what, const absl::Status& status) {
  if (lines_ > 0) {
    std::fprintf(stderr, "lines %llu to %llu were not committed: ", static_cast<unsigned long long>(first_line_),
                 static_cast<unsigned long long>(first_line_) + static_cast<unsigned long long>(lines_) - 1);
  } else {
    std::fprintf(stderr, "%s: ", what);
  }
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  Abort();
  return false;
}

bool LineTransactions::Start() {
  const absl::Status status = Insist([this] { return producer_.InitTransactions(); });
  return status.ok() || Fail("transactions cannot begin", status);
}

bool LineTransactions::BeforeLine(std::uint64_t line) {
  if (lines_ > 0) return true;
  const absl::Status status = producer_.BeginTransaction();
  if (!status.ok()) return Fail("a transaction cannot begin", status);
  first_line_ = line;
  return true;
}

bool LineTransactions::AfterLine() {
  ++lines_;
  const TransactionState state = producer_.transaction_state();
  const bool failed = state == TransactionState::kAbortableError || state == TransactionState::kFatalError;
  return lines_ < records_ && !failed ? true : Commit();
}

bool LineTransactions::Commit() {
  if (lines_ == 0) return true;
  const absl::Status status = Insist([this] { return producer_.CommitTransaction(); });
  if (!status.ok()) return Fail("", status);
  committed_lines_ += static_cast<std::uint64_t>(lines_);
  ++committed_;
  lines_ = 0;
  return true;
}

void LineTransactions::Abort() {
  if (std::exchange(lines_, 0) == 0) return;
  // If this fails, the coordinator aborts it after transaction.timeout.ms.
  producer_.AbortTransaction().IgnoreError();
}

}  // namespace ktrial::scenario
