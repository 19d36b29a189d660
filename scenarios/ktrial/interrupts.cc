#include "scenarios/ktrial/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "core/check.h"

namespace ktrial::scenario {
namespace {

// A handler has nothing else to reach. The pipe is made before it is installed.
volatile std::sig_atomic_t first_signal = 0;
int pipe_ends[2] = {-1, -1};

ExitStatus StatusOf(int signal) { return signal == SIGTERM ? kTerminated : kInterrupted; }

void OnInterrupt(int signal) {
  if (first_signal != 0) _exit(StatusOf(signal));
  first_signal = signal;
  const int error = errno;
  // A pipe that is full can be read already.
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], "", 1);
  errno = error;
}

}  // namespace

void CatchInterrupts() {
  KT_CHECK(pipe_ends[0] < 0);
  KT_CHECK(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0);
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // Without SA_RESTART: whoever waits for a child looks whether it was asked to end.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int InterruptSignal() { return first_signal; }
ExitStatus InterruptStatus() { return StatusOf(first_signal); }
int InterruptDescriptor() { return pipe_ends[0]; }

}  // namespace ktrial::scenario
