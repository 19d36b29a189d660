// Reads certificates and keys from what TlsSettings names: PEM and PKCS12.
#ifndef CORE_TLS_TLS_STORE_H_
#define CORE_TLS_TLS_STORE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/env/env.h"
#include "core/tls/openssl.h"
#include "core/tls/tls_settings.h"

namespace ktrial {

// The first certificate belongs to the key, the others are those that vouch for it.
struct OwnCertificate {
  KeyPtr key;
  std::vector<CertificatePtr> chain;
};

// What can be said of the two stores without reading files, as Java's client has it.
std::optional<TlsProblem> CheckTlsStores(const TlsStore& trust, const TlsStore& own);

// Both need stores without such a problem. INVALID_ARGUMENT with a text that names the key of the configuration and says what to do. No text shows a password, or what
// is in a file.
//
// The certificates of ssl.truststore.*, at least one.
absl::StatusOr<std::vector<CertificatePtr>> ReadTrustStore(const TlsStore& store, Env& env, OSSL_LIB_CTX* library);
// The key and certificates of ssl.keystore.*; without a key if the store is empty.
absl::StatusOr<OwnCertificate> ReadKeyStore(const TlsStore& store, std::string_view key_password, Env& env,
                                            OSSL_LIB_CTX* library);

}  // namespace ktrial

#endif  // CORE_TLS_TLS_STORE_H_
