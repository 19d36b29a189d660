#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/version.h"
#include "scenarios/runner/report.h"

namespace ktrial::scenario {
namespace {

// Keys in the order in which they are written; a reader finds the verdict near the front.
using Json = nlohmann::ordered_json;

// Counters are whole numbers and look like it. NaN (a mean of nothing) has no place in JSON.
Json Number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

std::string Hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

// Text of scenarios and brokers may hold any bytes; replacing beats failing.
std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string RenderJsonListing(const Scenario& scenario) {
  Json json;
  json["scenario"] = scenario.file;
  json["title"] = scenario.title;
  json["symptoms"] = scenario.symptoms;
  return Dump(json);
}

std::string RenderJson(const RunReport& report) {
  Json json;
  json["schema"] = 1;
  json["version"] = kSoftwareVersion;
  json["scenario"] = report.scenario;
  json["seed"] = std::to_string(report.seed);
  json["verdict"] = report.passed ? "pass" : "fail";
  json["hash"] = Hex(report.result.hash);
  json["virtual_seconds"] = Seconds(report.result.virtual_time);
  json["wall_seconds"] = report.wall_seconds;
  json["events"] = report.result.events;
  json["violations"] = Json::array();
  for (const sim::Violation& violation : report.result.violations) {
    json["violations"].push_back(
        {{"checker", violation.checker}, {"at", report.SecondsOf(violation)}, {"text", violation.text}});
  }
  json["expectations"] = Json::array();
  for (const ExpectationOutcome& outcome : report.expectations) {
    json["expectations"].push_back(
        {{"name", outcome.name}, {"want", outcome.want}, {"got", Number(outcome.got)}, {"holds", outcome.holds}});
  }
  json["faults"] = Json::array();
  for (const sim::FaultOutcome& fault : report.result.faults) {
    json["faults"].push_back({{"kind", fault.kind}, {"fired", fault.fired}});
  }
  json["failed_producers"] = Json::array();
  for (const sim::FailedProducer& failed : report.result.failed_producers) {
    json["failed_producers"].push_back(
        {{"producer", failed.producer}, {"at", Seconds(failed.at)}, {"error", failed.error}, {"text", failed.text}});
  }
  json["failed_calls"] = Json::array();
  for (const sim::FailedCalls& failed : report.result.failed_calls) {
    json["failed_calls"].push_back({{"call", failed.call},
                                    {"producer", failed.producer},
                                    {"error", failed.error},
                                    {"count", failed.count},
                                    {"first", Seconds(failed.first)},
                                    {"text", failed.text}});
  }
  json["metrics"] = Json::object();
  for (const auto& [name, value] : report.result.metrics) json["metrics"][name] = Number(value);
  json["repro"] = report.repro;
  return Dump(json);
}

std::string RenderJsonError(const Error& error) {
  Json json;
  json["error"] = error.text;
  json["file"] = error.origin;
  json["line"] = error.line;
  json["column"] = error.column;
  return Dump(json);
}

}  // namespace ktrial::scenario
