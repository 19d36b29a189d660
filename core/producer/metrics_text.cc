#include "core/producer/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace ktrial {

namespace {

std::string Underscored(std::string_view text) {
  std::string name(text);
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

std::string PrometheusName(const Metric& metric) {
  std::string_view group = metric.group;
  if (group.ends_with("-metrics")) group.remove_suffix(std::string_view("-metrics").size());
  return fmt::format("kafka_{}_{}", Underscored(group), Underscored(metric.name));
}

// Inside quotes: a backslash, a quote and the end of a line are written with a backslash.
std::string Escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
    } else {
      if (c == '\\' || c == '"') text += '\\';
      text += c;
    }
  }
  return text;
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string Sample(const std::string& name, const Metric& metric) {
  std::string labels;
  const auto add = [&labels](std::string_view key, std::string_view value) {
    labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", Underscored(key), Escaped(value));
  };
  for (const auto& [key, value] : metric.tags) add(key, value);
  if (metric.text.empty()) return fmt::format("{}{{{}}} {}\n", name, labels, Number(metric.value));
  add(metric.name, metric.text);
  return fmt::format("{}{{{}}} 1\n", name, labels);
}

}  // namespace

std::string PrometheusText(const std::vector<MetricsSnapshot>& snapshots) {
  // All samples of a name have to stand together.
  std::map<std::string, std::string> samples;
  for (const MetricsSnapshot& snapshot : snapshots) {
    for (const Metric& metric : snapshot.metrics) {
      const std::string name = PrometheusName(metric);
      samples[name] += Sample(name, metric);
    }
  }
  std::string text;
  for (const auto& [name, lines] : samples) {
    text += fmt::format("# TYPE {} {}\n{}", name, name.ends_with("_total") ? "counter" : "gauge", lines);
  }
  return text;
}

std::string MetricsJson(const MetricsSnapshot& snapshot) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  const Metric* last = nullptr;
  for (const Metric& metric : snapshot.metrics) {
    nlohmann::ordered_json& group = all[metric.group];
    if (last == nullptr || last->group != metric.group || last->tags != metric.tags) {
      nlohmann::ordered_json tags = nlohmann::ordered_json::object();
      for (const auto& [key, value] : metric.tags) tags[key] = value;
      group.push_back({{"tags", std::move(tags)}, {"metrics", nlohmann::ordered_json::object()}});
    }
    nlohmann::ordered_json& value = group.back()["metrics"][metric.name];
    if (!metric.text.empty()) {
      value = metric.text;
    } else if (std::isfinite(metric.value)) {
      value = metric.value;
    }
    last = &metric;
  }
  // Names of topics and clients are bytes; what is not UTF-8 is replaced.
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ktrial
