// What `ktrial` tells the shell.
#ifndef SCENARIOS_KTRIAL_EXIT_STATUS_H_
#define SCENARIOS_KTRIAL_EXIT_STATUS_H_

#include <algorithm>

namespace ktrial::scenario {

enum ExitStatus : int {
  kHolds = 0,
  kFails = 1,          // an expectation or an invariant; a record that was not acknowledged; a command that failed
  kWrongInput = 2,     // files or arguments; results that could not be written
  kDefect = 3,         // of the simulator itself
  kInterrupted = 130,  // by SIGINT
  kTerminated = 143,   // by SIGTERM
};

// What to say of two things together: the worse.
inline ExitStatus Worse(ExitStatus a, ExitStatus b) { return std::max(a, b); }

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_EXIT_STATUS_H_
