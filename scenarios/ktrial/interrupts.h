// How `ktrial` is asked to end: the first SIGINT or SIGTERM asks, the second ends the program at once, with the status
// that the shell expects (130, 143).
#ifndef SCENARIOS_KTRIAL_INTERRUPTS_H_
#define SCENARIOS_KTRIAL_INTERRUPTS_H_

#include "scenarios/ktrial/exit_status.h"

namespace ktrial::scenario {

// From now on. Once, before other threads are started. Any thread may call the others.
void CatchInterrupts();
// The first signal that came; 0: none.
int InterruptSignal();
// What to end with after that signal.
ExitStatus InterruptStatus();
// A file descriptor that can be read from the first signal on, for poll(2): a signal that comes between a look at
// InterruptSignal and a wait is not missed. Nobody reads it.
int InterruptDescriptor();

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_INTERRUPTS_H_
