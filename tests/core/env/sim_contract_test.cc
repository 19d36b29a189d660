// The simulated doors under the contract of tests/core/env/contract/. Each test runs in worlds of several seeds, with and without
// stalls: what the contract promises holds in all of them.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "sim/sandbox.h"
#include "tests/core/env/contract/door_world.h"

namespace ktrial {
namespace {

using std::chrono::microseconds;

class SimWorld final : public DoorWorld {
 public:
  void Run(absl::FunctionRef<void(Env&)> body) override {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      RunOnce(body, {.seed = seed, .strategy = sim::StrategyKind::kRoundRobin});
      RunOnce(body, {.seed = seed});
      RunOnce(body, {.seed = seed, .stalls = sim::StallMode::kOften});
    }
  }
  Address ListenAddress() override { return {"10.0.0.1", 0}; }
  std::optional<Address> SilentAddress() override { return Address{"10.9.9.9", 9092}; }

 private:
  static void RunOnce(absl::FunctionRef<void(Env&)> body, const sim::KernelOptions& options) {
    sim::NetworkOptions network;
    network.latency = sim::Distribution::Uniform(microseconds(0), microseconds(300));
    network.split_one_in = 4;
    sim::Sandbox sandbox(options, network);
    const sim::KernelResult result = sandbox.Run([&] { body(sandbox.env()); });
    EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << "seed " << options.seed << ": " << result.text;
  }
};

}  // namespace

std::unique_ptr<DoorWorld> NewDoorWorld() { return std::make_unique<SimWorld>(); }

}  // namespace ktrial
