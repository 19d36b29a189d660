// Certificates for tests, made here: an authority, and what it signs. The same calls give the same bytes in every process.
#ifndef TESTS_CORE_TLS_CERTIFICATES_H_
#define TESTS_CORE_TLS_CERTIFICATES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/tls/openssl.h"
#include "core/tls/tls_library.h"
#include "core/tls/tls_settings.h"

namespace ktrial::testing {

struct CertificateSpec {
  std::string common_name = "broker";
  std::string names =
      "DNS:localhost,DNS:*.ktrial.example,IP:127.0.0.1";  // As openssl.cnf has a subjectAltName. Empty: none.
  std::int64_t from = 1577836800;                         // 2020, in seconds since 1970.
  std::int64_t until = 4102444800;                        // 2100
};

struct IssuedCertificate {
  std::string certificate;  // PEM
  std::string key;
};

class TestAuthority {
 public:
  explicit TestAuthority(std::string_view name);
  // Its own certificate, in PEM.
  const std::string& certificate() const { return own_.certificate; }
  IssuedCertificate Issue(const CertificateSpec& spec);

  // The settings of a server with such a certificate, and of a client that trusts this authority.
  TlsSettings Server(const CertificateSpec& spec = {});
  TlsSettings Client() const;

  // The same as PKCS12 files. Without a key: a trust store.
  std::string Pkcs12(const IssuedCertificate& issued, const std::string& password);
  std::string Pkcs12OfAuthority(const std::string& password);
  // The key as encrypted PEM.
  std::string EncryptedKey(const IssuedCertificate& issued, const std::string& password);

 private:
  KeyPtr ReadKey(const std::string& pem);
  CertificatePtr ReadCertificate(const std::string& pem);
  IssuedCertificate Make(const CertificateSpec& spec, const std::string& issuer, EVP_PKEY* issuer_key);

  const std::unique_ptr<TlsLibrary> library_;
  const std::string name_;
  std::int64_t serial_ = 0;
  IssuedCertificate own_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_TLS_CERTIFICATES_H_
