#include <string>

#include "fmt/format.h"
#include "sim/world.h"

namespace ktrial::sim {

std::string Summary(const RunResult& result) {
  std::string text = fmt::format("seed {}, {:.3f} virtual seconds, hash {:016x}\n", result.seed,
                                 static_cast<double>(result.virtual_time.count()) / 1e9, result.hash);
  for (const Violation& violation : result.violations) {
    text += fmt::format("violation of {} at {:.6f} s: {}\n", violation.checker,
                        static_cast<double>((violation.at - result.start).count()) / 1e9, violation.text);
  }
  for (const FaultOutcome& fault : result.faults) text += fmt::format("fault {}: fired {}\n", fault.kind, fault.fired);
  for (const CallOutcome& call : result.calls) {
    text += fmt::format("{} on {} at {:.6f} s took {:.6f} s: {}\n", call.call, call.thread,
                        static_cast<double>(call.at.count()) / 1e9, static_cast<double>(call.took.count()) / 1e9,
                        call.result);
  }
  for (const auto& [name, value] : result.metrics) {
    if (value != 0) text += fmt::format("{} = {}\n", name, value);
  }
  return text;
}

}  // namespace ktrial::sim
