// How reports write numbers and names for people.
#ifndef SCENARIOS_RUNNER_TEXT_H_
#define SCENARIOS_RUNNER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::scenario {

// "640 us", "6.2 ms", "1.93 s".
std::string FormatMillis(double millis);
// "12000", "0.41": whole numbers without a point, others with three digits.
std::string FormatNumber(double number);
// "1.2 M", "340 k", "12".
std::string FormatLarge(double number);
// As a POSIX shell reads it back as one word.
std::string ShellQuote(std::string_view word);
// The line that does the same again: "ktrial run orders.toml --seed 7 --set duration=5s". The text of a scenario that
// came from standard input is gone with that: a comment says what must be put there. `rest` is quoted and follows all.
struct ReproParts {
  std::string program;  // As it was called.
  std::string command;
  std::string file;
  std::uint64_t seed = 1;
  std::vector<std::string> overrides;
  std::vector<std::string> rest;
};
std::string ReproLine(const ReproParts& parts);
// Sixteen hexadecimal digits.
std::string FormatHash(std::uint64_t hash);

// Escape sequences, or nothing where they are off.
struct Style {
  std::string_view good;
  std::string_view bad;
  std::string_view faint;
  std::string_view bold;
  std::string_view off;
};
Style MakeStyle(bool color);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_RUNNER_TEXT_H_
