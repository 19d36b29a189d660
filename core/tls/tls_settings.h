// TlsSettings is what a configuration says about TLS: ssl.* of Kafka's keys. TlsContext::Create checks it and loads what it names.
#ifndef CORE_TLS_TLS_SETTINGS_H_
#define CORE_TLS_TLS_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ktrial {

// How a store is written. kJks, Kafka's default: as its content says, for Java takes PKCS12 under this name, too; a real JKS file is
// refused.
enum class TlsStoreType : std::uint8_t { kJks, kPkcs12, kPem };

// Certificates, and maybe a private key, from a file or given as text.
struct TlsStore {
  TlsStoreType type = TlsStoreType::kJks;
  std::string location;      // A path for Env::ReadFile; empty: none.
  std::string password;      // Of a PKCS12 file. Empty: none.
  std::string certificates;  // PEM: ssl.truststore.certificates, ssl.keystore.certificate.chain.
  std::string key;           // PEM: ssl.keystore.key. Its line ends may be missing.
};

struct TlsSettings {
  bool tls12 = true;
  bool tls13 = true;
  // Names of the TLS standard or of OpenSSL; empty: OpenSSL's choice.
  std::vector<std::string> cipher_suites;
  // The certificate of the peer must be for the host that was asked for. The chain is verified always.
  bool verify_host = true;
  TlsStore trust;            // Empty: the authorities that the system trusts.
  TlsStore own;              // Our certificate and its key. Empty: none.
  std::string key_password;  // Of a private key in PEM.
};

// A setting that cannot be: the key of the configuration, and a text that begins with it.
struct TlsProblem {
  std::string key;
  std::string text;
};

}  // namespace ktrial

#endif  // CORE_TLS_TLS_SETTINGS_H_
