// How fast whole worlds run: the real producer, brokers that parse its bytes, checkers and trace. Beside the bare event loop, to
// which the demands are scaled. Run from the project's root.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "bench/simulator/bare_loop.h"
#include "bench/simulator/rates.h"
#include "benchmark/benchmark.h"
#include "core/check.h"
#include "scenarios/language/parse.h"
#include "scenarios/runner/run.h"

namespace ktrial::scenario {
namespace {

using bench::BM_BareLoop;

BENCHMARK(BM_BareLoop);

Scenario Load(const std::string& file) {
  std::ifstream stream(file);
  KT_CHECK_MSG(stream.good(), "run it from the project's root: there is no " + file);
  std::stringstream text;
  text << stream.rdbuf();
  ParseResult parsed = ParseScenario(text.str(), file);
  KT_CHECK(parsed.scenario.has_value());
  return *std::move(parsed.scenario);
}

// Runs the scenario to its verdict, which must be good; `count` says how much of what is measured it did.
void RunFile(benchmark::State& state, const std::string& file, double (*count)(const RunReport&)) {
  const Scenario scenario = Load(file);
  double counted = 0;
  for (auto _ : state) {
    const absl::StatusOr<RunReport> report = RunScenario(scenario, {.seed = 1});
    KT_CHECK(report.ok() && report->passed);
    counted += count(*report);
  }
  state.counters["items_per_second"] = benchmark::Counter(counted, benchmark::Counter::kIsRate);
}

// Records a second.
void BM_Full(benchmark::State& state) {
  RunFile(state, "scenarios/bench/full.toml", [](const RunReport& report) { return report.Metric("records.acked"); });
}
BENCHMARK(BM_Full)->Unit(benchmark::kMillisecond);

// Virtual seconds a second.
void BM_Paced(benchmark::State& state) {
  RunFile(state, "scenarios/bench/paced.toml", [](const RunReport&) { return 600.0; });
}
BENCHMARK(BM_Paced)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ktrial::scenario

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  ktrial::bench::RateReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  for (const std::string suffix : {"", "_median"}) {
    const double speed = reporter.rates["BM_BareLoop" + suffix] / ktrial::bench::kBareLoopThere;
    const double full = reporter.rates["BM_Full" + suffix];
    const double paced = reporter.rates["BM_Paced" + suffix];
    if (speed == 0 || full == 0 || paced == 0) continue;
    std::printf("this machine's bare loop%s: %.2f of the reference\n", suffix.c_str(), speed);
    std::printf("full.toml%s: %.2f M records/s, scaled %.2f (at least 2)\n", suffix.c_str(), full / 1e6, full / 1e6 / speed);
    std::printf("paced.toml%s: %.0f virtual seconds a second, scaled %.0f (at least 800)\n", suffix.c_str(), paced, paced / speed);
  }
  return 0;
}
