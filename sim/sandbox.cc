#include "sim/sandbox.h"

#include <memory>
#include <utility>

namespace ktrial::sim {

Sandbox::Sandbox(const KernelOptions& kernel, const NetworkOptions& network)
    : kernel_(kernel, trace_), network_(kernel_, network), env_(kernel_, network_) {}

Sandbox::~Sandbox() {
  for (const std::unique_ptr<Thread>& body : bodies_) {
    if (!kernel_.abandoned() && !body->Join(Instant())) kernel_.Abandon();
  }
}

KernelResult Sandbox::Run(absl::AnyInvocable<void()> body) {
  bodies_.push_back(kernel_.threads().Spawn("main", std::move(body)));
  return kernel_.Run();
}

}  // namespace ktrial::sim
