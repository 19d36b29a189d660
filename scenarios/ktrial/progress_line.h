// One line on standard error that is written over and over, for a person who waits: nothing where standard error is no
// terminal, and not more than a few times a second.
#ifndef SCENARIOS_KTRIAL_PROGRESS_LINE_H_
#define SCENARIOS_KTRIAL_PROGRESS_LINE_H_

#include <chrono>
#include <string>

#include "absl/functional/function_ref.h"

namespace ktrial::scenario {

// Thread safety: none.
class ProgressLine {
 public:
  // `on`: standard error is a terminal.
  explicit ProgressLine(bool on) : on_(on) {}
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool on() const { return on_; }
  // Shows the text unless something was shown a moment ago; it is only asked for where it is shown.
  void Show(absl::FunctionRef<std::string()> text);
  // Before anything else is written to the terminal.
  void Clear();

 private:
  const bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_PROGRESS_LINE_H_
