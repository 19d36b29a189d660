#include "sim/sim_env.h"

#include <utility>

#include "absl/status/status.h"

namespace ktrial::sim {

SimEnv::SimEnv(Kernel& kernel, SimNetwork& network, SimEnvOptions options)
    : kernel_(kernel),
      network_(network),
      options_(std::move(options)),
      clock_(kernel, options_.name, options_.wall_start) {}

std::unique_ptr<Transport> SimEnv::NewTransport(std::string_view entity) {
  return network_.NewTransport(entity, options_.ip);
}

std::unique_ptr<Entropy> SimEnv::NewEntropy(std::string_view entity) {
  UncheckedSection unchecked;
  return std::make_unique<SimEntropy>(kernel_, entity);
}

std::int64_t SimEnv::NextProducerNumber() {
  UncheckedSection unchecked;
  return ++producer_number_;
}

absl::StatusOr<std::string> SimEnv::ReadFile(std::string_view path) {
  UncheckedSection unchecked;
  const auto found = options_.files.find(path);
  if (found == options_.files.end()) return absl::NotFoundError("No such file or directory");
  return found->second;
}

}  // namespace ktrial::sim
