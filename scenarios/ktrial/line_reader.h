// Cuts standard input into lines, without a copy of each line.
#ifndef SCENARIOS_KTRIAL_LINE_READER_H_
#define SCENARIOS_KTRIAL_LINE_READER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial::scenario {

// Reads a file descriptor until its end, an error, or a signal that interrupts the read (EINTR counts as the end: the program
// was asked to stop).
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  // The next line without its end; valid until the next call. A last line needs no end. Nothing at the end.
  std::optional<std::string_view> Next();
  // Empty, or why reading stopped before the end.
  const std::string& error() const { return error_; }

 private:
  bool Fill();

  const int descriptor_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the next line
  std::size_t scanned_ = 0;  // no line end before here
  bool at_end_ = false;
  std::string error_;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_LINE_READER_H_
