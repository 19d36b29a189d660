// What is stored of the keys of security: security.protocol, sasl.* and ssl.*. For the table of keys (config_keys.cc), and the checks of the
// whole.
#ifndef CORE_PRODUCER_CONFIG_SECURITY_H_
#define CORE_PRODUCER_CONFIG_SECURITY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/producer/config.h"

namespace ktrial {

inline constexpr std::string_view kSecurityProtocolNames = "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL";
inline constexpr std::string_view kSaslMechanismNames = "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512";
inline constexpr std::string_view kJaasForm =
    "CLASS required username=\"...\" password=\"...\"; where CLASS is Kafka's PlainLoginModule or ScramLoginModule";
inline constexpr std::string_view kTlsVersionNames =
    "TLSv1.2, TLSv1.3; what is older may stand beside them and is left out";
inline constexpr std::string_view kTlsProtocolNames = "TLSv1.3, TLSv1.2 or TLS";
inline constexpr std::string_view kStoreTypeNames = "PEM, PKCS12 or JKS, which is what the file is, but JKS";
inline constexpr std::string_view kHostCheckNames = "https; empty or none: certificates may be for any host";

// As ConfigKey::store. Names are taken in any case.
bool StoreSecurityProtocol(ProducerConfig& config, std::int64_t, std::string_view text);
bool StoreSaslMechanism(ProducerConfig& config, std::int64_t, std::string_view text);
bool StoreJaas(ProducerConfig& config, std::int64_t, std::string_view text);
template <auto kField>
bool StoreSasl(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.sasl.*kField = std::string(text);
  return true;
}
bool StoreTlsVersions(ProducerConfig& config, std::int64_t, std::string_view text);
// Has no effect beside ssl.enabled.protocols, as in Java.
bool StoreTlsProtocol(ProducerConfig& config, std::int64_t, std::string_view text);
bool StoreCipherSuites(ProducerConfig& config, std::int64_t, std::string_view text);
bool StoreHostCheck(ProducerConfig& config, std::int64_t, std::string_view text);
bool StoreTrustType(ProducerConfig& config, std::int64_t, std::string_view text);
bool StoreOwnType(ProducerConfig& config, std::int64_t, std::string_view text);
template <auto kStore, auto kField>
bool StoreTls(ProducerConfig& config, std::int64_t, std::string_view text) {
  (config.tls.*kStore).*kField = std::string(text);
  return true;
}
bool StoreKeyPassword(ProducerConfig& config, std::int64_t, std::string_view text);

// What is wrong with the keys of security together; nullopt: nothing. Those of a protocol that is not used are not looked at.
std::optional<ConfigProblem> FindSecurityProblem(const ProducerConfig& config);
// Why a key of ssl.* or sasl.* has no effect with this protocol; empty: it has one, or is none of these.
std::string WithoutEffect(std::string_view name, SecurityProtocol protocol);

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_SECURITY_H_
