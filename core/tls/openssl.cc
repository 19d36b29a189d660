#include "core/tls/openssl.h"

#include <openssl/err.h>

namespace ktrial {

std::string TakeOpenSslError() {
  // The first error is the cause, later ones say what could not be done because of it.
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "an error without a name" : reason;
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size <= 0 ? std::string() : std::string(data, static_cast<std::size_t>(size));
}

}  // namespace ktrial
