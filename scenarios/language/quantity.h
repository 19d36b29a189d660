// The quantities of the scenario language: durations, sizes, rates, ranges and distributions, and how they are written.
//
//   duration      "250ms", "2s", "1m", "1.5s"; units ns, us, ms, s, m, h
//   range         "200ms..2s": drawn anew each time, both ends included
//   distribution  { dist = "lognormal", median = "500us", p99 = "5ms" }
//   size          1024 or "16KiB"; units B, KB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024)
//   rate          "1000/s"; per ms, s, m or h
//
// The parsers take the whole text or nothing and allocate nothing. They are pure: any thread.
#ifndef SCENARIOS_LANGUAGE_QUANTITY_H_
#define SCENARIOS_LANGUAGE_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "sim/fault/fault_spec.h"

namespace ktrial::scenario {

using sim::DurationRange;

// A duration that is drawn for each packet or request.
struct Delay {
  enum class Shape : std::uint8_t {
    kRange,      // evenly from [low, high]; fixed where they are equal
    kLognormal,  // low is the median, high the 99th percentile
  };
  Shape shape = Shape::kRange;
  Duration low{};
  Duration high{};
  friend bool operator==(const Delay&, const Delay&) = default;
};

// `count` things in each `per`.
struct Rate {
  std::int64_t count = 0;
  Duration per{};
  friend bool operator==(const Rate&, const Rate&) = default;
};

// A number that is drawn evenly from [min, max].
struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

// Each returns nothing for text that is not exactly one such quantity, or that does not fit in 63 bits.
std::optional<Duration> ParseDuration(std::string_view text);
std::optional<DurationRange> ParseDurationRange(std::string_view text);
std::optional<std::int64_t> ParseSize(std::string_view text);
std::optional<IntegerRange> ParseSizeRange(std::string_view text);
std::optional<Rate> ParseRate(std::string_view text);

// The shortest text that ParseDuration reads back: "250ms", "1500us", "2s".
std::string FormatDuration(Duration duration);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_QUANTITY_H_
