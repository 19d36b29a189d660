// How errors speak of a world that is described: lengths of time, lists of what is allowed, and what was probably meant.
// Pure functions.
#ifndef SIM_SPEC_TEXT_H_
#define SIM_SPEC_TEXT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"

namespace ktrial::sim {

// Short and exact: "250ms", "1500us", "2s", "-1s".
std::string FormatDuration(Duration duration);

// " (did you mean "X"?)" where one of `allowed` is at most two edits away (one for words under five letters), else
// nothing.
std::string Suggestion(std::string_view found, std::span<const std::string_view> allowed);

// "a, b or c"; "none" of no words.
std::string JoinAllowed(std::span<const std::string_view> words);
// Of names, which may be many: the first few.
std::string JoinNames(const std::vector<std::string>& names);

}  // namespace ktrial::sim

#endif  // SIM_SPEC_TEXT_H_
