// Kernel::ThreadReport.
#include <algorithm>
#include <string>

#include "sim/kernel/fiber.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/sim_sync.h"

namespace ktrial::sim {
namespace {

std::string Seconds(Duration length) {
  const std::int64_t micros = length.count() / 1000;
  std::string digits = std::to_string(micros % 1'000'000);
  digits.insert(0, 6 - digits.size(), '0');
  return std::to_string(micros / 1'000'000) + "." + digits + " s";
}

std::string Describe(const Fiber& fiber, Instant now) {
  switch (fiber.state) {
    case Fiber::State::kRunnable:
      return " can run";
    case Fiber::State::kRunning:
      return " runs";
    case Fiber::State::kStalled:
      return " has no CPU for another " + Seconds(fiber.stalled_until - now);
    case Fiber::State::kDead:
      return " stands at a failed check for good";
    case Fiber::State::kEnded:
      return " has ended";
    case Fiber::State::kParked:
      break;
  }
  std::string text = std::string(" waits for ") + fiber.wait.what;
  if (!fiber.wait.object.empty()) text.append(" ").append(fiber.wait.object);
  if (fiber.wait.owner != nullptr && *fiber.wait.owner != nullptr) {
    text.append(" of \"").append((*fiber.wait.owner)->name).append("\"");
  }
  if (fiber.deadline == Instant::Never()) return text.append(", without a deadline");
  return text.append(", at most another ").append(Seconds(fiber.deadline - now));
}

}  // namespace

// One line a thread:
//   "producer-1.sender" at sender.poll waits for poll, at most another 0.500000 s; holds accumulator.queue, metadata
std::string Kernel::ThreadReport() const {
  std::string report = "threads " + Seconds(now_ - options_.start) + " after the start:\n";
  for (const std::unique_ptr<Fiber>& fiber : fibers_) {
    report.append("  \"").append(fiber->name).append("\"");
    if (fiber->daemon) report.append(" (daemon)");
    report.append(" at ").append(fiber->site.name()).append(Describe(*fiber, now_));
    for (std::size_t i = 0; i < fiber->held.size(); ++i) {
      report.append(i == 0 ? "; holds " : ", ").append(fiber->held[i]->name.name());
    }
    report.append("\n");
  }
  return report;
}

}  // namespace ktrial::sim
