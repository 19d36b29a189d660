// What a scenario expects of a number: "<= 6s", ">= 3", "0", "3..10".
#ifndef SCENARIOS_LANGUAGE_EXPECTATION_H_
#define SCENARIOS_LANGUAGE_EXPECTATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "core/types.h"
#include "scenarios/language/error.h"

namespace ktrial::scenario {

// A test of one number. Durations are written with a unit and compared in milliseconds, the unit of metrics.
struct Condition {
  enum class Relation : std::uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kBetween };
  Relation relation = Relation::kEqual;
  double bound = 0;  // kBetween: the lower end
  double upper = 0;  // kBetween only; both ends are included
  std::string text;  // as written

  bool Holds(double number) const;
};

// "5", "== 5", "!= 5", "< 5", "<= 5", "> 5", ">= 5", "3..10"; each number may have a unit of time. Nothing for other
// text.
std::optional<Condition> ParseCondition(std::string_view text);

// The part of a run that a metric is taken of. Absent members do not restrict it.
struct Where {
  std::optional<NodeId> broker;
  std::optional<std::string> topic;
  std::optional<PartitionIndex> partition;
  std::optional<std::string> workload;  // the name of its thread
  std::optional<std::string> producer;
  std::optional<std::string> error;  // "NOT_LEADER_OR_FOLLOWER"
};

// One metric must meet one condition, over [from, to) of the run.
struct Expectation {
  Position position;
  std::string metric;
  Condition condition;
  bool windowed = false;  // of [[expect_that]]
  Where where;
  std::optional<Duration> from;
  std::optional<Duration> to;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_EXPECTATION_H_
