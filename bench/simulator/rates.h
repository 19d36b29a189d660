// Reports to the console as usual and keeps the rates, so that a program can print ratios of them at its end.
#ifndef BENCH_SIMULATOR_RATES_H_
#define BENCH_SIMULATOR_RATES_H_

#include <map>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

namespace ktrial::bench {

class RateReporter final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.counters.contains("items_per_second")) rates[run.benchmark_name()] = run.counters.at("items_per_second");
    }
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> rates;
};

}  // namespace ktrial::bench

#endif  // BENCH_SIMULATOR_RATES_H_
