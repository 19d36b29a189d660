#include "scenarios/runner/text.h"

#include <fmt/format.h>

#include <cmath>

namespace ktrial::scenario {

std::string FormatMillis(double millis) {
  if (!std::isfinite(millis)) return "-";
  if (millis == 0) return "0 ms";
  if (millis < 1) return fmt::format("{:.0f} us", millis * 1000);
  if (millis < 100) return fmt::format("{:.1f} ms", millis);
  if (millis < 1000) return fmt::format("{:.0f} ms", millis);
  return fmt::format("{:.2f} s", millis / 1000);
}

std::string FormatNumber(double number) {
  if (!std::isfinite(number)) return "-";
  if (number == std::floor(number)) return fmt::format("{:.0f}", number);
  return fmt::format("{:.3g}", number);
}

std::string FormatLarge(double number) {
  if (number >= 1e9) return fmt::format("{:.1f} G", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.1f} M", number / 1e6);
  if (number >= 1e4) return fmt::format("{:.0f} k", number / 1e3);
  return fmt::format("{:.0f}", number);
}

std::string ShellQuote(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ReproLine(const ReproParts& parts) {
  std::string line =
      fmt::format("{} {} {} --seed {}", ShellQuote(parts.program), parts.command, ShellQuote(parts.file), parts.seed);
  for (const std::string& change : parts.overrides) line += " --set " + ShellQuote(change);
  for (const std::string& word : parts.rest) line += " " + ShellQuote(word);
  if (parts.file == "-") line += " < FILE  # FILE: save there what standard input held";
  return line;
}

std::string FormatHash(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

Style MakeStyle(bool color) {
  if (!color) return {};
  return {"\033[32m", "\033[31m", "\033[2m", "\033[1m", "\033[0m"};
}

}  // namespace ktrial::scenario
