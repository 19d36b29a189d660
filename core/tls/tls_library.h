// TlsLibrary is an OpenSSL of its own: nothing that other code of the process does with OpenSSL changes it, and all its random bytes
// are those of one Entropy (Entropy::Secret). So a simulated world draws them from its seed, and production from the kernel, by the
// same code.
#ifndef CORE_TLS_TLS_LIBRARY_H_
#define CORE_TLS_TLS_LIBRARY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/env/entropy.h"
#include "core/tls/openssl.h"

namespace ktrial {

// Thread safety: as OpenSSL's OSSL_LIB_CTX, if the Entropy is thread-safe.
class TlsLibrary {
 public:
  // INTERNAL: OpenSSL could not be set up.
  static absl::StatusOr<std::unique_ptr<TlsLibrary>> Create(std::unique_ptr<Entropy> entropy);

  OSSL_LIB_CTX* get() const { return library_.get(); }

 private:
  explicit TlsLibrary(std::unique_ptr<Entropy> entropy) : entropy_(std::move(entropy)) {}

  // In the order in which they stand on each other.
  const std::unique_ptr<Entropy> entropy_;
  LibraryPtr library_;
  ProviderPtr algorithms_;
  ProviderPtr randomness_;
};

}  // namespace ktrial

#endif  // CORE_TLS_TLS_LIBRARY_H_
