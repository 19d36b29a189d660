#include "scenarios/language/quantity.h"

#include <array>
#include <limits>

namespace ktrial::scenario {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array kTimeUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60 * std::int64_t{1'000'000'000}},
    Unit{"h", 3600 * std::int64_t{1'000'000'000}},
};
constexpr std::array kSizeUnits = {
    Unit{"", 1},
    Unit{"B", 1},
    Unit{"KB", 1'000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"KiB", std::int64_t{1} << 10},
    Unit{"MiB", std::int64_t{1} << 20},
    Unit{"GiB", std::int64_t{1} << 30},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A decimal number, exact: digits / 10^scale.
struct Decimal {
  __int128 digits = 0;
  __int128 scale = 1;
};

// Takes a number off the front of `text`. At most 18 digits: more do not fit in 63 bits with any unit.
std::optional<Decimal> TakeDecimal(std::string_view& text) {
  Decimal number;
  std::size_t at = 0;
  int count = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at, ++count) number.digits = number.digits * 10 + (text[at] - '0');
  if (count == 0) return std::nullopt;
  if (at < text.size() && text[at] == '.' && at + 1 < text.size() && IsDigit(text[at + 1])) {
    for (++at; at < text.size() && IsDigit(text[at]); ++at, ++count) {
      number.digits = number.digits * 10 + (text[at] - '0');
      number.scale *= 10;
    }
  }
  if (count > 18) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

template <std::size_t N>
std::optional<std::int64_t> ParseWithUnit(std::string_view text, const std::array<Unit, N>& units) {
  const std::optional<Decimal> number = TakeDecimal(text);
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    const __int128 scaled = number->digits * unit.factor;
    if (scaled % number->scale != 0) return std::nullopt;  // "0.5ns", "1.5" bytes
    const __int128 result = scaled / number->scale;
    if (result > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(result);
  }
  return std::nullopt;
}

// The two sides of "a..b", or the same text twice.
struct Sides {
  std::string_view low;
  std::string_view high;
};
Sides SplitRange(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {text, text};
  return {text.substr(0, dots), text.substr(dots + 2)};
}

}  // namespace

std::optional<Duration> ParseDuration(std::string_view text) {
  const std::optional<std::int64_t> nanos = ParseWithUnit(text, kTimeUnits);
  if (!nanos) return std::nullopt;
  return Duration(*nanos);
}

std::optional<sim::DurationRange> ParseDurationRange(std::string_view text) {
  const Sides sides = SplitRange(text);
  const std::optional<Duration> low = ParseDuration(sides.low);
  const std::optional<Duration> high = ParseDuration(sides.high);
  if (!low || !high || *low > *high) return std::nullopt;
  return sim::DurationRange{*low, *high};
}

std::optional<std::int64_t> ParseSize(std::string_view text) { return ParseWithUnit(text, kSizeUnits); }

std::optional<sim::SizeRange> ParseSizeRange(std::string_view text) {
  const Sides sides = SplitRange(text);
  const std::optional<std::int64_t> low = ParseSize(sides.low);
  const std::optional<std::int64_t> high = ParseSize(sides.high);
  if (!low || !high || *low > *high || *high > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return sim::SizeRange{static_cast<std::int32_t>(*low), static_cast<std::int32_t>(*high)};
}

std::optional<sim::Rate> ParseRate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view number = text.substr(0, slash);
  const std::optional<Decimal> count = TakeDecimal(number);
  if (!count || !number.empty() || count->digits == 0) return std::nullopt;
  for (const Unit& unit : kTimeUnits) {
    if (unit.factor < 1'000'000 || unit.name != text.substr(slash + 1)) continue;
    // "0.5/s" is one in two seconds: the scale goes into the interval.
    const __int128 per = unit.factor * count->scale;
    if (per > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return sim::Rate{static_cast<std::int64_t>(count->digits), Duration(static_cast<std::int64_t>(per))};
  }
  return std::nullopt;
}

}  // namespace ktrial::scenario
