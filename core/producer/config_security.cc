#include "core/producer/config_security.h"

#include <algorithm>
#include <string>

#include "core/producer/text.h"
#include "core/tls/tls_context.h"

namespace ktrial {

namespace {

bool StoreType(TlsStore& store, std::string_view text) {
  if (EqualsIgnoringCase(text, "PEM")) {
    store.type = TlsStoreType::kPem;
  } else if (EqualsIgnoringCase(text, "PKCS12")) {
    store.type = TlsStoreType::kPkcs12;
  } else if (EqualsIgnoringCase(text, "JKS")) {
    store.type = TlsStoreType::kJks;
  } else {
    return false;
  }
  return true;
}

// Still in many files, and never agreed on with a broker of today.
bool IsOldProtocol(std::string_view name) {
  constexpr std::string_view kNames[] = {"TLSv1.1", "TLSv1", "SSLv3", "SSLv2Hello"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

bool StoreSecurityProtocol(ProducerConfig& config, std::int64_t, std::string_view text) {
  if (EqualsIgnoringCase(text, "PLAINTEXT")) {
    config.security_protocol = SecurityProtocol::kPlaintext;
  } else if (EqualsIgnoringCase(text, "SSL")) {
    config.security_protocol = SecurityProtocol::kSsl;
  } else {
    return false;
  }
  return true;
}

bool StoreTlsVersions(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.tls.tls12 = config.tls.tls13 = false;
  for (const std::string_view name : SplitAtCommas(text)) {
    if (name == "TLSv1.2") {
      config.tls.tls12 = true;
    } else if (name == "TLSv1.3") {
      config.tls.tls13 = true;
    } else if (!IsOldProtocol(name)) {
      return false;
    }
  }
  return config.tls.tls12 || config.tls.tls13;
}

bool StoreTlsProtocol(ProducerConfig&, std::int64_t, std::string_view text) {
  return text == "TLSv1.3" || text == "TLSv1.2" || text == "TLS";
}

bool StoreCipherSuites(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.tls.cipher_suites.clear();
  for (const std::string_view name : SplitAtCommas(text)) config.tls.cipher_suites.emplace_back(name);
  return true;
}

bool StoreHostCheck(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.tls.verify_host = EqualsIgnoringCase(text, "https");
  return config.tls.verify_host || text.empty() || EqualsIgnoringCase(text, "none");
}

bool StoreTrustType(ProducerConfig& config, std::int64_t, std::string_view text) {
  return StoreType(config.tls.trust, text);
}
bool StoreOwnType(ProducerConfig& config, std::int64_t, std::string_view text) {
  return StoreType(config.tls.own, text);
}
bool StoreKeyPassword(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.tls.key_password = std::string(text);
  return true;
}

std::optional<TlsProblem> FindSecurityProblem(const ProducerConfig& config) {
  if (config.security_protocol == SecurityProtocol::kPlaintext) return std::nullopt;
  return CheckTlsSettings(config.tls);
}

bool IsTlsKey(std::string_view name) { return name.starts_with("ssl."); }

}  // namespace ktrial
