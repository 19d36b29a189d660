#include "scenarios/language/expectation.h"

#include <array>
#include <charconv>

#include "scenarios/language/quantity.h"

namespace ktrial::scenario {
namespace {

using Relation = Condition::Relation;

struct Operator {
  std::string_view sign;
  Relation relation;
};
// Longer signs first: "<" begins "<=".
constexpr std::array kOperators = {
    Operator{"<=", Relation::kLessOrEqual}, Operator{">=", Relation::kGreaterOrEqual},
    Operator{"==", Relation::kEqual},       Operator{"!=", Relation::kNotEqual},
    Operator{"<", Relation::kLess},         Operator{">", Relation::kGreater},
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Number {
  double value = 0;
  bool is_duration = false;
};

std::optional<Number> ParseNumber(std::string_view text) {
  text = Trim(text);
  if (const std::optional<Duration> duration = ParseDuration(text)) {
    return Number{static_cast<double>(duration->count()) / 1e6, true};
  }
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return Number{value, false};
}

}  // namespace

bool Condition::Holds(double number) const {
  switch (relation) {
    case Relation::kEqual:
      return number == bound;
    case Relation::kNotEqual:
      return number != bound;
    case Relation::kLess:
      return number < bound;
    case Relation::kLessOrEqual:
      return number <= bound;
    case Relation::kGreater:
      return number > bound;
    case Relation::kGreaterOrEqual:
      return number >= bound;
    case Relation::kBetween:
      return number >= bound && number <= upper;
  }
  return false;
}

std::optional<Condition> ParseCondition(std::string_view text) {
  Condition condition;
  condition.text = std::string(Trim(text));
  std::string_view rest = condition.text;
  for (const Operator& candidate : kOperators) {
    if (!rest.starts_with(candidate.sign)) continue;
    const std::optional<Number> number = ParseNumber(rest.substr(candidate.sign.size()));
    if (!number) return std::nullopt;
    condition.relation = candidate.relation;
    condition.bound = number->value;
    condition.is_duration = number->is_duration;
    return condition;
  }
  const std::size_t dots = rest.find("..");
  const std::optional<Number> low = ParseNumber(rest.substr(0, dots));
  if (!low) return std::nullopt;
  condition.bound = low->value;
  condition.is_duration = low->is_duration;
  if (dots == std::string_view::npos) return condition;
  const std::optional<Number> high = ParseNumber(rest.substr(dots + 2));
  if (!high || high->value < low->value || high->is_duration != low->is_duration) return std::nullopt;
  condition.relation = Relation::kBetween;
  condition.upper = high->value;
  return condition;
}

std::string Expectation::Name() const {
  std::string name = query.metric;
  if (!query.where.empty()) {
    name += "{";
    for (const auto& [filter, value] : query.where) {
      if (name.back() != '{') name += ", ";
      name += std::string(sim::MetricFilterName(filter)) + "=" + value;
    }
    name += "}";
  }
  if (query.from == Duration(0) && query.to == Duration::max()) return name;
  const std::string to = query.to == Duration::max() ? "the end" : FormatDuration(query.to);
  return name + " in [" + FormatDuration(query.from) + ", " + to + ")";
}

}  // namespace ktrial::scenario
