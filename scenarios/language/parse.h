// From the text of a scenario file to a Scenario, or to all the errors in it.
#ifndef SCENARIOS_LANGUAGE_PARSE_H_
#define SCENARIOS_LANGUAGE_PARSE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/error.h"
#include "scenarios/language/scenario.h"

namespace ktrial::scenario {

// What a scenario is read for: `run` needs something that acts; for `serve` the requests come from somebody else's
// client.
enum class Purpose : std::uint8_t { kRun, kCheck, kServe };

struct ParseOptions {
  // KEY=VALUE each, applied over the file before it is read: "producer.linger.ms=5", "schedule.stalls=rare",
  // "duration=30s". The value is read as TOML where it is TOML and as a string otherwise. Where the key goes through a
  // list of tables
  // ([[workload]]), all its members are changed; `workload.2.rate` changes the second.
  std::vector<std::string> overrides;
  Purpose purpose = Purpose::kRun;
};

// Either a scenario, or at least one error.
struct ParseResult {
  std::optional<Scenario> scenario;
  std::vector<Error> errors;
};

// `file` is only a name for messages. Pure; any thread. What is checked here: syntax, keys, types, ranges, names of
// brokers, topics, partitions, producers, threads and metrics, contradictions, and faults that certainly cannot fire.
ParseResult ParseScenario(std::string_view text, std::string_view file, const ParseOptions& options = {});

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_PARSE_H_
