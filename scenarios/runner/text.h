// How reports write numbers and names for people.
#ifndef SCENARIOS_RUNNER_TEXT_H_
#define SCENARIOS_RUNNER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ktrial::scenario {

// "640 us", "6.2 ms", "1.93 s".
std::string FormatMillis(double millis);
// "12000", "0.41": whole numbers without a point, others with three digits.
std::string FormatNumber(double number);
// "1.2 M", "340 k", "12".
std::string FormatLarge(double number);
// As a POSIX shell reads it back as one word.
std::string ShellQuote(std::string_view word);
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
