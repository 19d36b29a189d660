// TLS above the real transport, under the contract of tests/core/env/contract/.
#include "core/env/posix/posix_env.h"
#include "tests/core/env/contract/door_world.h"
#include "tests/core/tls/certificates.h"
#include "tests/core/tls/tls_env.h"

namespace ktrial {
namespace {

class PosixWorld final : public DoorWorld {
 public:
  void Run(absl::FunctionRef<void(Env&)> body) override { body(tls_env_); }
  Address ListenAddress() override { return {"127.0.0.1", 0}; }
  // Loopback always answers, and no other network can be counted on.
  std::optional<Address> SilentAddress() override { return std::nullopt; }

 private:
  const std::unique_ptr<Env> env_ = MakePosixEnv(1);
  testing::TestAuthority authority_{"authority"};
  testing::TlsEnv tls_env_{*env_, testing::WithoutHosts(authority_.Client()), authority_.Server()};
};

}  // namespace

std::unique_ptr<DoorWorld> NewDoorWorld() { return std::make_unique<PosixWorld>(); }

}  // namespace ktrial
