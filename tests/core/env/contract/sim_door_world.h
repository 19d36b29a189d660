// The simulated doors as a world of the contract's tests, which each run in worlds of several seeds, with and without stalls: what the
// contract promises holds in all of them.
#ifndef TESTS_CORE_ENV_CONTRACT_SIM_DOOR_WORLD_H_
#define TESTS_CORE_ENV_CONTRACT_SIM_DOOR_WORLD_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"
#include "sim/sandbox.h"
#include "tests/core/env/contract/door_world.h"

namespace ktrial {

class SimDoorWorld : public DoorWorld {
 public:
  explicit SimDoorWorld(std::uint64_t seeds) : seeds_(seeds) {}

  void Run(absl::FunctionRef<void(Env&)> body) override {
    for (std::uint64_t seed = 1; seed <= seeds_; ++seed) {
      RunOnce(body, {.seed = seed, .strategy = sim::StrategyKind::kRoundRobin});
      RunOnce(body, {.seed = seed});
      RunOnce(body, {.seed = seed, .stalls = sim::StallMode::kOften});
    }
  }
  Address ListenAddress() override { return {"10.0.0.1", 0}; }
  std::optional<Address> SilentAddress() override { return Address{"10.9.9.9", 9092}; }

 private:
  // What stands between the doors of the world and those that are tested.
  virtual void RunIn(Env& env, absl::FunctionRef<void(Env&)> body) { body(env); }

  void RunOnce(absl::FunctionRef<void(Env&)> body, const sim::KernelOptions& options) {
    sim::NetworkOptions network;
    network.latency = sim::Distribution::Uniform(std::chrono::microseconds(0), std::chrono::microseconds(300));
    network.split_one_in = 4;
    sim::Sandbox sandbox(options, network);
    const sim::KernelResult result = sandbox.Run([&] { RunIn(sandbox.env(), body); });
    EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << "seed " << options.seed << ": " << result.text;
  }

  const std::uint64_t seeds_;
};

}  // namespace ktrial

#endif  // TESTS_CORE_ENV_CONTRACT_SIM_DOOR_WORLD_H_
