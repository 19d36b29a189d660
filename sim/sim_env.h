// SimEnv is one client process in a simulated world: the Env that a producer is given there.
//
// All clients of a world share the kernel's time and its network; each has its own IP address and time of day.
//
// Thread safety: as Env, for simulated threads.
#ifndef SIM_SIM_ENV_H_
#define SIM_SIM_ENV_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/env/env.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/sim_threads.h"
#include "sim/network/sim_network.h"

namespace ktrial::sim {

struct SimEnvOptions {
  std::string name = "client";
  std::string ip = "10.1.0.1";
  // The time of day when it is made: 2023-11-14 and a bit, nothing like the kernel's clock.
  WallTime wall_start = WallTime::FromMillis(1'700'000'000'123);
  std::map<std::string, std::string, std::less<>> files;  // Content by path.
};

class SimEnv final : public Env {
 public:
  // Kernel and network outlive the Env.
  SimEnv(Kernel& kernel, SimNetwork& network, SimEnvOptions options = {});

  SimClock& clock() override { return clock_; }
  Threads& threads() override { return kernel_.threads(); }
  std::unique_ptr<Transport> NewTransport(std::string_view entity) override;
  std::unique_ptr<Entropy> NewEntropy(std::string_view entity) override;
  std::int64_t NextProducerNumber() override;
  // Of `files`: the file system of the machine is not part of the world.
  absl::StatusOr<std::string> ReadFile(std::string_view path) override;

 private:
  Kernel& kernel_;
  SimNetwork& network_;
  const SimEnvOptions options_;
  SimClock clock_;
  std::int64_t producer_number_ = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_SIM_ENV_H_
