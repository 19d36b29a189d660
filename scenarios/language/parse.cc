#include "scenarios/language/parse.h"

#include <map>

#include "scenarios/language/document.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/sections.h"

namespace ktrial::scenario {
namespace {

constexpr Duration kDefaultSettle = std::chrono::seconds(180);

const FlatPaths& Flat() {
  static const FlatPaths paths = {"producer", "cluster.settings", "broker.settings", "topic.settings", "expect"};
  return paths;
}

// Calls `flatten` for every table at `path`, through lists of tables.
void ForEachTable(Value& value, std::string_view path, const auto& flatten) {
  if (value.kind == Value::Kind::kArray) {
    for (Value& item : value.items) ForEachTable(item, path, flatten);
    return;
  }
  if (value.kind != Value::Kind::kTable) return;
  if (path.empty()) return flatten(value);
  const std::size_t dot = path.find('.');
  for (Member& member : value.members) {
    if (member.key != path.substr(0, dot)) continue;
    ForEachTable(member.value, dot == std::string_view::npos ? "" : path.substr(dot + 1), flatten);
  }
}

void ReadHead(TableReader& root, Scenario& scenario) {
  root.FindRequired("title", "a line of text");
  const std::optional<std::string> title = root.String("title");
  if (title && title->find_first_not_of(" \t\n") == std::string::npos) root.Wrong("title", "a line of text");
  scenario.title = title.value_or("");
  scenario.symptoms = root.Strings("symptoms").value_or(std::vector<std::string>());
  root.FindRequired("duration", "a duration such as \"60s\"");
  std::optional<Duration> duration = root.OneDuration("duration");
  if (duration == Duration(0)) {
    root.Wrong("duration", "more than 0s");
    duration.reset();
  }
  // Without one, no moment is too late.
  scenario.world.duration = duration.value_or(std::chrono::hours(1'000'000));
  scenario.world.settle = root.OneDuration("settle").value_or(kDefaultSettle);
}

// Whether --set has made threads lose the CPU.
bool StallsOnTop(const Value& document) {
  const Member* schedule = document.Find("schedule");
  const Member* stalls = schedule == nullptr ? nullptr : schedule->value.Find("stalls");
  return stalls != nullptr && stalls->value.overridden() && stalls->value.text != "none";
}

}  // namespace

void ReadSchedule(TableReader& root, sim::WorldSpec& world) {
  const Member* member = root.Find("schedule");
  if (member == nullptr) return;
  TableReader schedule(member->value, "schedule", root.errors());
  const std::optional<std::string> strategy = schedule.String("strategy");
  if (strategy == "pct") {
    schedule.Complain("strategy", "\"pct\" is not supported yet by this build, allowed: random or round_robin");
  } else if (const auto choice = schedule.Choice("strategy", {"random", "round_robin"})) {
    world.schedule.strategy = *choice == 0 ? sim::StrategyKind::kRandomWalk : sim::StrategyKind::kRoundRobin;
  }
  schedule.NotSupported("depth");
  if (const auto choice = schedule.Choice("stalls", {"none", "rare", "often"})) {
    constexpr sim::StallMode kStalls[] = {sim::StallMode::kNone, sim::StallMode::kRare, sim::StallMode::kOften};
    world.schedule.stalls = kStalls[*choice];
  }
  schedule.Finish();
}

ParseResult ParseScenario(std::string_view text, std::string_view file, const ParseOptions& options) {
  Errors errors{std::string(file), options.overrides};
  std::optional<Value> document = ParseDocument(text, errors);
  if (!document) return {std::nullopt, errors.Sorted()};
  for (const std::string_view path : Flat()) {
    ForEachTable(*document, path, [&](Value& table) { Flatten(table, path, errors); });
  }
  for (std::size_t i = 0; i < options.overrides.size(); ++i) {
    ApplyOverride(*document, options.overrides[i], static_cast<int>(i), Flat(), errors);
  }
  Scenario scenario;
  scenario.file = std::string(file);
  TableReader root(*document, "", errors);
  ReadHead(root, scenario);
  ReadCluster(root, scenario.world);
  ReadProducers(root, scenario.world);
  ReadApplication(root, scenario.world);
  const bool acts = !scenario.world.workloads.empty() || !scenario.world.calls.empty();
  if (options.purpose == Purpose::kRun && !acts) {
    errors.Add(root.position(), "workload", "missing, required: a [[workload]] or a [[call]]");
  }
  ReadFaults(root, scenario.world);
  ReadSchedule(root, scenario.world);
  ReadExpectations(root, scenario);
  scenario.stalls_on_top = StallsOnTop(*document);
  for (const std::string_view later : {"cost", "random", "replay"}) root.NotSupported(later);
  root.Finish();
  if (errors.empty()) {
    const bool foreign_client = options.purpose == Purpose::kServe || (options.purpose == Purpose::kCheck && !acts);
    CheckFaults(root, foreign_client, scenario.world);
    if (!foreign_client) CheckWorkloads(root, scenario.world);
  }
  if (!errors.empty()) return {std::nullopt, errors.Sorted()};
  return {std::move(scenario), {}};
}

}  // namespace ktrial::scenario
