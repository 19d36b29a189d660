// Where a scenario is wrong, and how that is said: one line, `FILE:LINE:COLUMN: key, what was found, what is allowed`.
#ifndef SCENARIOS_LANGUAGE_ERROR_H_
#define SCENARIOS_LANGUAGE_ERROR_H_

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "sim/spec_text.h"

namespace ktrial::scenario {

// A place in a scenario, counted from 1. Line 0 means an override from the command line: `column` is its index there.
struct Position {
  int line = 1;
  int column = 1;
  friend auto operator<=>(const Position&, const Position&) = default;
};

// `origin` is the file's name, or `--set KEY=VALUE` for an override; line and column are 0 then.
struct Error {
  std::string origin;
  int line = 0;
  int column = 0;
  std::string text;
  friend bool operator==(const Error&, const Error&) = default;
};

// "FILE:LINE:COLUMN: text", or "--set KEY=VALUE: text".
std::string ToString(const Error& error);

// Collects the errors of one scenario. A value that is reported is replaced by a harmless one by whoever reads it, so
// that one reading finds as many errors as possible.
class Errors {
 public:
  // `overrides` are the KEY=VALUE texts of --set, by their index.
  Errors(std::string file, std::vector<std::string> overrides)
      : file_(std::move(file)), overrides_(std::move(overrides)) {}

  // `key` is the full path ("cluster.brokers"); `text` goes on after it.
  void Add(Position position, std::string_view key, std::string_view text);
  bool empty() const { return errors_.empty(); }
  std::size_t size() const { return errors_.size(); }
  // In the order of the file, those of the command line last, without repetitions.
  std::vector<Error> Sorted() const;

 private:
  std::string file_;
  std::vector<std::string> overrides_;
  std::vector<std::pair<Position, Error>> errors_;
};

// What an error says of words that are allowed.
using sim::JoinAllowed;
using sim::Suggestion;

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_ERROR_H_
