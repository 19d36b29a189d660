// Cuts standard input into lines, without a copy of each line.
#ifndef SCENARIOS_KTRIAL_LINE_READER_H_
#define SCENARIOS_KTRIAL_LINE_READER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"

namespace ktrial::scenario {

// Reads a file descriptor until its end, an error, or until it is told to stop.
class LineReader {
 public:
  // Once `stop` can be read, nothing more is read from `descriptor`; -1: nobody stops it. Neither is closed.
  explicit LineReader(int descriptor, int stop = -1) : descriptor_(descriptor), stop_(stop) {}
  // Called each time that so long nothing could be read, from within Next. Before the first Next.
  void CallWhenIdle(int millis, absl::AnyInvocable<void()> function) {
    idle_millis_ = millis;
    when_idle_ = std::move(function);
  }
  // The next line without its end; valid until the next call. A last line needs no end. Nothing at the end.
  std::optional<std::string_view> Next();
  // Empty, or why reading stopped before the end.
  const std::string& error() const { return error_; }

 private:
  bool Fill();
  // False if it was told to stop first.
  bool AwaitInput();

  const int descriptor_;
  const int stop_;
  int idle_millis_ = -1;
  absl::AnyInvocable<void()> when_idle_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the next line
  std::size_t scanned_ = 0;  // no line end before here
  bool at_end_ = false;
  std::string error_;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_LINE_READER_H_
