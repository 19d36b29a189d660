// Short scenarios for tests of the language.
#ifndef TESTS_SCENARIOS_LANGUAGE_HELPERS_H_
#define TESTS_SCENARIOS_LANGUAGE_HELPERS_H_

#include <string>
#include <string_view>

#include "scenarios/language/parse.h"

namespace ktrial::scenario {

// What a scenario needs to be one, on lines 1 to 10.
inline constexpr std::string_view kLeast = R"(title = "t"
duration = "60s"
[cluster]
brokers = 3
[[topic]]
name = "orders"
partitions = 6
[[topic]]
name = "solo"
replication = 1
)";
// The same and a workload that sends to "orders", on lines 1 to 12.
inline constexpr std::string_view kActing = R"(title = "t"
duration = "60s"
cluster = { brokers = 3 }
[[topic]]
name = "orders"
partitions = 6
[[topic]]
name = "solo"
replication = 1
[[workload]]
topic = "orders"
rate = "1000/s"
)";

// The errors in a file called "f.toml", a line each; "" if there are none.
std::string ErrorsOf(std::string_view text, const ParseOptions& options = {});
// The same for kActing followed by `added`, which begins with line 13.
std::string ErrorsOfAdded(std::string_view added, const ParseOptions& options = {});
// The scenario of kActing followed by `added`. Fails the test if that has errors.
Scenario Parsed(std::string_view added, const ParseOptions& options = {});

}  // namespace ktrial::scenario

#endif  // TESTS_SCENARIOS_LANGUAGE_HELPERS_H_
