// An Env whose transports have TLS: a world of any kind with the filter above its network.
#ifndef TESTS_CORE_TLS_TLS_ENV_H_
#define TESTS_CORE_TLS_TLS_ENV_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/env/env.h"
#include "core/tls/tls_context.h"
#include "core/tls/tls_transport.h"

namespace ktrial::testing {

// For tests that name no host, as those of the contract.
inline TlsSettings WithoutHosts(TlsSettings settings) {
  settings.verify_host = false;
  return settings;
}

class TlsEnv final : public Env {
 public:
  // `env` outlives this. Each transport opens and accepts with these settings.
  TlsEnv(Env& env, TlsSettings client, TlsSettings server)
      : env_(env), client_(std::move(client)), server_(std::move(server)) {}

  Clock& clock() override { return env_.clock(); }
  Threads& threads() override { return env_.threads(); }
  std::unique_ptr<Transport> NewTransport(std::string_view entity) override {
    return NewTlsTransport(
        env_.NewTransport(entity),
        {.client = Context(TlsSide::kClient, client_, entity), .server = Context(TlsSide::kServer, server_, entity)},
        env_.clock());
  }
  std::unique_ptr<Entropy> NewEntropy(std::string_view entity) override { return env_.NewEntropy(entity); }
  std::int64_t NextProducerNumber() override { return env_.NextProducerNumber(); }
  absl::StatusOr<std::string> ReadFile(std::string_view path) override { return env_.ReadFile(path); }

 private:
  std::unique_ptr<TlsContext> Context(TlsSide side, const TlsSettings& settings, std::string_view entity) {
    auto context = TlsContext::Create(side, settings, env_, entity);
    KT_CHECK_MSG(context.ok(), std::string(context.status().message()));
    return *std::move(context);
  }

  Env& env_;
  const TlsSettings client_;
  const TlsSettings server_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_TLS_TLS_ENV_H_
