// Sandbox is the smallest world: a kernel, a network, one client. For tests of what needs no brokers, or makes its own.
#ifndef SIM_SANDBOX_H_
#define SIM_SANDBOX_H_

#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "sim/kernel/kernel.h"
#include "sim/network/sim_network.h"
#include "sim/sim_env.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

class Sandbox {
 public:
  explicit Sandbox(const KernelOptions& kernel = {}, const NetworkOptions& network = {});
  // Abandons the kernel if a body could not end.
  ~Sandbox();

  Kernel& kernel() { return kernel_; }
  SimNetwork& network() { return network_; }
  SimEnv& env() { return env_; }
  Trace& trace() { return trace_; }
  // Runs `body` as a thread named "main" until nothing is left to do.
  KernelResult Run(absl::AnyInvocable<void()> body);

 private:
  Trace trace_;
  Kernel kernel_;
  SimNetwork network_;
  SimEnv env_;
  std::vector<std::unique_ptr<Thread>> bodies_;
};

}  // namespace ktrial::sim

#endif  // SIM_SANDBOX_H_
