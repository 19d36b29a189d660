// TLS above the simulated transport, under the contract of tests/core/env/contract/. The network splits what it carries, so records of
// TLS come in pieces.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "sim/sandbox.h"
#include "tests/core/env/contract/door_world.h"
#include "tests/core/tls/certificates.h"
#include "tests/core/tls/tls_env.h"

namespace ktrial {
namespace {

// The contract's tests name no host.
TlsSettings WithoutHosts(TlsSettings settings) {
  settings.verify_host = false;
  return settings;
}

using std::chrono::microseconds;

class SimWorld final : public DoorWorld {
 public:
  void Run(absl::FunctionRef<void(Env&)> body) override {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      RunOnce(body, {.seed = seed, .strategy = sim::StrategyKind::kRoundRobin});
      RunOnce(body, {.seed = seed});
      RunOnce(body, {.seed = seed, .stalls = sim::StallMode::kOften});
    }
  }
  Address ListenAddress() override { return {"10.0.0.1", 0}; }
  std::optional<Address> SilentAddress() override { return Address{"10.9.9.9", 9092}; }

 private:
  void RunOnce(absl::FunctionRef<void(Env&)> body, const sim::KernelOptions& options) {
    sim::NetworkOptions network;
    network.latency = sim::Distribution::Uniform(microseconds(0), microseconds(300));
    network.split_one_in = 4;
    sim::Sandbox sandbox(options, network);
    testing::TlsEnv env(sandbox.env(), WithoutHosts(authority_.Client()), authority_.Server());
    const sim::KernelResult result = sandbox.Run([&] { body(env); });
    EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << "seed " << options.seed << ": " << result.text;
  }

  testing::TestAuthority authority_{"authority"};
};

}  // namespace

std::unique_ptr<DoorWorld> NewDoorWorld() { return std::make_unique<SimWorld>(); }

}  // namespace ktrial
