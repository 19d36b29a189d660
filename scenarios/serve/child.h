// The command that `ktrial serve` runs: a child process whose standard output goes to our standard error.
#ifndef SCENARIOS_SERVE_CHILD_H_
#define SCENARIOS_SERVE_CHILD_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ktrial::scenario {

class Child {
 public:
  // Starts `command` (looked up in PATH) with `variable` ("NAME=value") added to the environment. INVALID_ARGUMENT if
  // there is no such program.
  static absl::StatusOr<Child> Start(const std::vector<std::string>& command, const std::string& variable);
  // Waits for its end. Its exit status; 128 + N if signal N ended it; -1 if a signal handler of ours ran, and it goes
  // on.
  int Wait();
  void Signal(int signal);

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_SERVE_CHILD_H_
