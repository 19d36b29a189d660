// TlsContext is what the TLS connections of one side have in common: settings that were checked, and loaded certificates and keys.
//
// As it is set up: TLS 1.2 and 1.3 alone, no renegotiation, no compression, no resumption of sessions. The chain of a server is
// verified always, its name unless the settings say otherwise. A server asks its clients for certificates if it has a trust store.
#ifndef CORE_TLS_TLS_CONTEXT_H_
#define CORE_TLS_TLS_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/env/env.h"
#include "core/tls/openssl.h"
#include "core/tls/tls_library.h"
#include "core/tls/tls_settings.h"

namespace ktrial {

enum class TlsSide : std::uint8_t { kClient, kServer };

// What can be said of settings without reading files: suites that are not known, keys that contradict each other. nullopt: nothing.
std::optional<TlsProblem> CheckTlsSettings(const TlsSettings& settings);

// Thread safety: const after Create; its connections belong to one thread.
class TlsContext {
 public:
  // Reads the files that the settings name. `entity` names the owner of the random numbers. INVALID_ARGUMENT: a text that names the
  // key of the configuration that is wrong, and says what to do. A server must have a key store.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Create(TlsSide side, const TlsSettings& settings, Env& env,
                                                            std::string_view entity);

  TlsSide side() const { return side_; }
  bool verify_host() const { return verify_host_; }
  SSL_CTX* get() const { return context_.get(); }

 private:
  TlsContext(TlsSide side, bool verify_host, std::unique_ptr<TlsLibrary> library)
      : side_(side), verify_host_(verify_host), library_(std::move(library)) {}
  absl::Status Load(const TlsSettings& settings, Env& env);
  absl::Status SetProtocols(const TlsSettings& settings);

  const TlsSide side_;
  const bool verify_host_;
  // In the order in which they stand on each other.
  const std::unique_ptr<TlsLibrary> library_;
  SslContextPtr context_;
};

}  // namespace ktrial

#endif  // CORE_TLS_TLS_CONTEXT_H_
