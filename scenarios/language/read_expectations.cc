#include <algorithm>

#include "scenarios/language/names.h"
#include "scenarios/language/sections.h"
#include "sim/checker/checker.h"
#include "sim/metrics/metric_names.h"

namespace ktrial::scenario {
namespace {

constexpr std::string_view kConditionAllowed = "a condition such as 0, \"<= 6s\", \">= 3\" or \"3..10\"";

// Reports a name that is no metric.
bool CheckMetric(Position position, std::string_view path, std::string_view name, Errors& errors) {
  if (sim::IsMetricName(name)) return true;
  const std::vector<std::string> known = sim::AllMetricNames();
  const std::vector<std::string_view> views(known.begin(), known.end());
  errors.Add(position, path,
             "there is no metric \"" + std::string(name) + "\", allowed: what --json prints" + Suggestion(name, views));
  return false;
}

// `position` and `path` are those of the value.
std::optional<Condition> ReadCondition(const Value& value, std::string_view path, std::string_view metric,
                                       Errors& errors) {
  const bool scalar =
      value.kind == Value::Kind::kString || value.kind == Value::Kind::kInteger || value.kind == Value::Kind::kFloat;
  std::optional<Condition> condition;
  if (scalar) condition = ParseCondition(value.text);
  if (!condition) {
    errors.Add(value.position, path, "found " + Describe(value) + ", allowed: " + std::string(kConditionAllowed));
    return std::nullopt;
  }
  if (condition->is_duration && !sim::MetricIsDuration(metric)) {
    errors.Add(value.position, path, "found a duration, allowed: a number, as " + std::string(metric) + " is none");
    return std::nullopt;
  }
  if (!condition->is_duration && sim::MetricIsDuration(metric)) {
    errors.Add(
        value.position, path,
        "found " + Describe(value) + ", which has no unit, allowed: a duration such as \"<= 6s\" or \"1ms..2s\"");
    return std::nullopt;
  }
  return condition;
}

void ReadViolations(TableReader& expect, Scenario& scenario) {
  const std::optional<std::vector<std::string>> names = expect.Strings("violations");
  if (!names) return;
  const std::vector<std::string_view>& known = sim::CheckerNames();
  for (const std::string& name : *names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    expect.Complain("violations",
                    "there is no checker \"" + name + "\", allowed: " + JoinAllowed(known) + Suggestion(name, known));
  }
  scenario.violations = *names;
  std::sort(scenario.violations->begin(), scenario.violations->end());
}

void ReadExpect(TableReader expect, Scenario& scenario) {
  ReadViolations(expect, scenario);
  std::vector<Expectation> expectations;
  for (const Member& member : expect.table().members) {
    if (member.key == "violations") continue;
    const std::string path = expect.Path(member.key);
    if (!CheckMetric(member.position, path, member.key, expect.errors())) continue;
    const std::optional<Condition> condition = ReadCondition(member.value, path, member.key, expect.errors());
    if (condition)
      expectations.push_back({member.position, {member.key, {}, Duration(0), Duration::max()}, *condition});
  }
  std::sort(expectations.begin(), expectations.end(), [](const Expectation& a, const Expectation& b) {
    if (a.position < b.position || b.position < a.position) return a.position < b.position;
    return a.query.metric < b.query.metric;
  });
  scenario.expectations.insert(scenario.expectations.end(), expectations.begin(), expectations.end());
}

// How many partitions the topic has that is named beside, or else the topic that has most.
std::int32_t PartitionsOf(const Value& where, const sim::WorldSpec& world) {
  const Member* topic = where.Find("topic");
  std::int32_t most = 0;
  for (const sim::TopicShape& shape : world.topics) {
    if (topic == nullptr || topic->value.text == shape.name) most = std::max(most, shape.partitions);
  }
  return most;
}

// What is wrong with the value of a filter, if anything. `partitions`: how many there are.
std::optional<std::string> CheckFilterValue(sim::MetricFilter filter, const std::string& value,
                                            const sim::WorldSpec& world, std::int32_t partitions) {
  const auto one_of = [&value](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), value) != names.end();
  };
  const bool is_number =
      !value.empty() && value.size() < 9 && value.find_first_not_of("0123456789") == std::string::npos;
  switch (filter) {
    case sim::MetricFilter::kBroker:
      if (is_number && std::stoi(value) >= 1 && std::stoi(value) <= world.cluster.brokers) return std::nullopt;
      return "there is no broker " + value + ", allowed: 1 to " + std::to_string(world.cluster.brokers);
    case sim::MetricFilter::kPartition:
      if (is_number && std::stoi(value) < partitions) return std::nullopt;
      return "there is no partition " + value + ", allowed: 0 to " + std::to_string(partitions - 1);
    case sim::MetricFilter::kTopic:
      if (FindTopic(world, value) != nullptr || !AllTopicsAreKnown(world)) return std::nullopt;
      return "there is no topic " + value + ", allowed: " + JoinNames(TopicNames(world));
    case sim::MetricFilter::kWorkload:
      if (one_of(ThreadNames(world))) return std::nullopt;
      return "there is no workload with the thread \"" + value + "\", allowed: " + JoinNames(ThreadNames(world));
    case sim::MetricFilter::kProducer:
      if (one_of(ProducerNames(world))) return std::nullopt;
      return "there is no producer \"" + value + "\", allowed: " + JoinNames(ProducerNames(world));
    case sim::MetricFilter::kError:
      if (sim::IsMetricName("errors." + value)) return std::nullopt;
      return "found \"" + value + "\", allowed: an error's name such as NOT_LEADER_OR_FOLLOWER";
  }
  return std::nullopt;
}

void ReadWhere(TableReader& expect, const sim::WorldSpec& world, sim::MetricQuery& query) {
  const Member* member = expect.Find("where");
  if (member == nullptr) return;
  TableReader where(member->value, "expect_that.where", expect.errors());
  for (const std::string_view name : {"partition", "topic", "broker", "workload", "producer", "error"}) {
    const Member* entry = where.Find(name);
    if (entry == nullptr) continue;
    const Value& value = entry->value;
    if (value.kind != Value::Kind::kString && value.kind != Value::Kind::kInteger) {
      where.Wrong(name, "a name or a number");
      continue;
    }
    const sim::MetricFilter filter = *sim::MetricFilterFromName(name);
    const std::int32_t partitions = PartitionsOf(member->value, world);
    // Of a topic that does not exist there is nothing more to say.
    const bool unknown_topic = filter == sim::MetricFilter::kPartition && partitions == 0;
    if (const auto complaint = CheckFilterValue(filter, value.text, world, partitions); complaint && !unknown_topic) {
      where.Complain(name, *complaint);
    }
    if (!sim::MetricHasFilter(query.metric, filter)) {
      where.Complain(name, query.metric + " is not counted by " + std::string(name));
    }
    query.where[filter] = value.text;
  }
  where.Finish();
}

void ReadExpectThat(TableReader expect, Scenario& scenario) {
  Expectation expectation;
  expectation.position = expect.position();
  expect.FindRequired("metric", "a metric's name");
  const std::optional<std::string> metric = expect.String("metric");
  const Member* holds = expect.FindRequired("holds", kConditionAllowed);
  const bool known =
      metric && CheckMetric(expect.Find("metric")->value.position, "expect_that.metric", *metric, expect.errors());
  if (known) {
    expectation.query.metric = *metric;
    ReadWhere(expect, scenario.world, expectation.query);
  } else {
    expect.Find("where");
  }
  expectation.query.from = expect.OneDuration("from").value_or(Duration(0));
  expectation.query.to = expect.OneDuration("to").value_or(Duration::max());
  if (expectation.query.from >= expectation.query.to) expect.Wrong("to", "later than from");
  const sim::WorldSpec& world = scenario.world;
  if (expectation.query.from > world.duration && expectation.query.from - world.duration >= world.settle) {
    expect.Wrong("from", "before the end of the run, " + FormatDuration(world.duration + world.settle) +
                             " (duration and settle)");
  }
  for (const std::string_view edge : {"from", "to"}) {
    if (known && expect.Has(edge) && !sim::MetricHasWindow(*metric)) {
      expect.Complain(edge, *metric + " is of the whole run, allowed: without from and to");
      break;
    }
  }
  expect.Finish();
  if (!known || holds == nullptr) return;
  const auto condition = ReadCondition(holds->value, "expect_that.holds", *metric, expect.errors());
  if (!condition) return;
  expectation.condition = *condition;
  scenario.expectations.push_back(std::move(expectation));
}

}  // namespace

void ReadExpectations(TableReader& root, Scenario& scenario) {
  if (const Member* member = root.Find("expect")) {
    ReadExpect(TableReader(member->value, "expect", root.errors()), scenario);
  }
  for (const Value* value : ReadTables(root, "expect_that")) {
    ReadExpectThat(TableReader(*value, "expect_that", root.errors()), scenario);
  }
}

}  // namespace ktrial::scenario
