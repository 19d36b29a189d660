// What a scenario expects of a number: "<= 6s", ">= 3", "0", "3..10".
#ifndef SCENARIOS_LANGUAGE_EXPECTATION_H_
#define SCENARIOS_LANGUAGE_EXPECTATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/language/error.h"
#include "sim/run_result.h"

namespace ktrial::scenario {

// A test of one number. Durations are written with a unit and compared in milliseconds, the unit of metrics.
struct Condition {
  enum class Relation : std::uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kBetween };
  Relation relation = Relation::kEqual;
  double bound = 0;  // kBetween: the lower end
  double upper = 0;  // kBetween only; both ends are included
  bool is_duration = false;
  std::string text;  // as written

  bool Holds(double number) const;
};

// "5", "== 5", "!= 5", "< 5", "<= 5", "> 5", ">= 5", "3..10"; each number may have a unit of time. Nothing for other
// text.
std::optional<Condition> ParseCondition(std::string_view text);

// One metric must meet one condition: over the whole run for a line of [expect], over a window and for a part for
// [[expect_that]].
struct Expectation {
  Position position;
  sim::MetricQuery query;
  Condition condition;

  // "lost", "metadata.requests{broker=2} in [10s, 610s)": how reports call it.
  std::string Name() const;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_EXPECTATION_H_
