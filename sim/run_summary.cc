#include <string>

#include "fmt/format.h"
#include "sim/world.h"

namespace ktrial::sim {
namespace {

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

}  // namespace

std::string Summary(const RunResult& result) {
  std::string text = fmt::format("seed {}, {:.3f} virtual seconds, hash {:016x}\n", result.seed,
                                 Seconds(result.virtual_time), result.hash);
  for (const Violation& violation : result.violations) {
    text += fmt::format("violation of {} at {:.6f} s: {}\n", violation.checker, Seconds(violation.at - result.start),
                        violation.text);
  }
  for (const FaultOutcome& fault : result.faults) text += fmt::format("fault {}: fired {}\n", fault.kind, fault.fired);
  for (const CallOutcome& call : result.calls) {
    text += fmt::format("{} on {} at {:.6f} s took {:.6f} s: {}\n", call.call, call.thread, Seconds(call.at),
                        Seconds(call.took), call.result);
  }
  for (const FailedCalls& failed : result.failed_calls) text += Describe(failed) + "\n";
  for (const FailedProducer& failed : result.failed_producers) text += Describe(failed) + "\n";
  for (const auto& [name, value] : result.metrics) {
    if (value != 0) text += fmt::format("{} = {}\n", name, value);
  }
  return text;
}

}  // namespace ktrial::sim
