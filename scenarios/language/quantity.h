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
#include "sim/spec_text.h"
#include "sim/workload/workload_spec.h"

namespace ktrial::scenario {

// Each returns nothing for text that is not exactly one such quantity, or that does not fit its type.
std::optional<Duration> ParseDuration(std::string_view text);
std::optional<sim::DurationRange> ParseDurationRange(std::string_view text);
std::optional<std::int64_t> ParseSize(std::string_view text);
std::optional<sim::SizeRange> ParseSizeRange(std::string_view text);
std::optional<sim::Rate> ParseRate(std::string_view text);

// The shortest text that ParseDuration reads back: "250ms", "1500us", "2s".
using sim::FormatDuration;

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_QUANTITY_H_
