// Env bundles the doors of one world. A program has one for the real world (core/env/posix/posix_env.h); each simulated world is
// another. Nothing in core/ is process-wide: what other clients count per process counts per Env.
#ifndef CORE_ENV_ENV_H_
#define CORE_ENV_ENV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/threads.h"
#include "core/env/transport.h"

namespace ktrial {

// Thread safety: all operations may be called from any thread. Outlives everything that it made.
class Env {
 public:
  virtual ~Env() = default;
  virtual Clock& clock() = 0;
  virtual Threads& threads() = 0;
  // `entity` names the owner ("producer-1"): reports show it, and its draws depend on it.
  virtual std::unique_ptr<Transport> NewTransport(std::string_view entity) = 0;
  virtual std::unique_ptr<Entropy> NewEntropy(std::string_view entity) = 0;
  // 1, 2, 3, ...: the N of the default client.id "producer-N" (PR-20).
  virtual std::int64_t NextProducerNumber() = 0;
  // All of a file, for what a configuration names by its path: certificates and keys. The error's text says why not, without the
  // path. May block as long as the file system does, so never on the sender thread.
  virtual absl::StatusOr<std::string> ReadFile(std::string_view path) = 0;
};

}  // namespace ktrial

#endif  // CORE_ENV_ENV_H_
