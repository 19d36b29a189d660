// Small operations on ASCII text for the configuration, and what messages have in common. (Debian's abseil has a string_view of its own that
// std::string_view does not convert to.)
#ifndef CORE_PRODUCER_TEXT_H_
#define CORE_PRODUCER_TEXT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"

namespace ktrial {

bool IsAsciiDigit(char c);
bool IsAsciiLetterOrDigit(char c);
char AsciiLower(char c);
std::string AsciiLower(std::string_view text);
bool EqualsIgnoringCase(std::string_view left, std::string_view right);
// Without spaces, tabs and line ends on both sides.
std::string_view Trimmed(std::string_view text);
// The parts between commas, trimmed; empty ones are left out.
std::vector<std::string_view> SplitAtCommas(std::string_view text);
// How many letters have to be put in, taken out, replaced or swapped with their neighbour to make one text of the other.
std::size_t EditDistance(std::string_view from, std::string_view to);
// "broker 2"; of an entry of the bootstrap list, whose ids are negative: "bootstrap server 1".
std::string NodeName(NodeId node);
// As keys and messages count: whole ones, without the rest.
inline std::int64_t Millis(Duration length) { return length / std::chrono::milliseconds(1); }

}  // namespace ktrial

#endif  // CORE_PRODUCER_TEXT_H_
