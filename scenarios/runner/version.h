// The version of ktrial: `--version`, and what reports and traces begin with.
#ifndef SCENARIOS_RUNNER_VERSION_H_
#define SCENARIOS_RUNNER_VERSION_H_

namespace ktrial::scenario {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace ktrial::scenario

#endif  // SCENARIOS_RUNNER_VERSION_H_
