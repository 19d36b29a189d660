// What several commands do with the same arguments.
#ifndef SCENARIOS_KTRIAL_ARGUMENTS_H_
#define SCENARIOS_KTRIAL_ARGUMENTS_H_

#include <optional>
#include <string>

#include "core/producer/profile.h"
#include "scenarios/ktrial/commands.h"

namespace ktrial::scenario {

// A wrong argument: a line on standard error or, with json, an object on standard output.
void ReportArgument(const std::string& text, const Output& output);

// --profile NAME; null for an empty name. Nothing if there is none of that name, which is reported.
std::optional<const ConfigProfile*> ProfileByName(const std::string& name, const Output& output);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_ARGUMENTS_H_
