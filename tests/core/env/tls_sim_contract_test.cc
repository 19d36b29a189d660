// TLS above the simulated transport, under the contract of tests/core/env/contract/. The network splits what it carries, so records of
// TLS come in pieces.
#include "tests/core/env/contract/sim_door_world.h"
#include "tests/core/tls/certificates.h"
#include "tests/core/tls/tls_env.h"

namespace ktrial {
namespace {

class TlsSimWorld final : public SimDoorWorld {
 public:
  TlsSimWorld() : SimDoorWorld(2) {}

 private:
  void RunIn(Env& env, absl::FunctionRef<void(Env&)> body) override {
    testing::TlsEnv tls_env(env, testing::WithoutHosts(authority_.Client()), authority_.Server());
    body(tls_env);
  }

  testing::TestAuthority authority_{"authority"};
};

}  // namespace

std::unique_ptr<DoorWorld> NewDoorWorld() { return std::make_unique<TlsSimWorld>(); }

}  // namespace ktrial
