#include "core/producer/config_security.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/producer/text.h"
#include "core/sasl/jaas.h"
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

constexpr std::string_view kPlainModule = "PlainLoginModule";
constexpr std::string_view kScramModule = "ScramLoginModule";

std::optional<ConfigProblem> FindSaslProblem(const ProducerConfig& config) {
  const SaslSettings& sasl = config.sasl;
  const std::string_view protocol = SecurityProtocolName(config.security_protocol);
  const std::string_view mechanism = SaslMechanismName(sasl.mechanism);
  if (sasl.mechanism == SaslMechanism::kGssapi || sasl.mechanism == SaslMechanism::kOauthbearer) {
    return ConfigProblem{
        .key = "sasl.mechanism",
        .text = fmt::format("sasl.mechanism = \"{}\"{} is not supported, allowed with security.protocol = {}: {}",
                            mechanism, sasl.mechanism == SaslMechanism::kGssapi ? ", the default," : "", protocol,
                            kSaslMechanismNames),
        .unsupported = true};
  }
  if (sasl.user.empty() || sasl.password.empty()) {
    return ConfigProblem{
        .key = "sasl.jaas.config",
        .text = fmt::format("sasl.jaas.config with a user and a password is required with security.protocol = {}",
                            protocol)};
  }
  // They are parts of one message, which a zero byte ends.
  if (sasl.user.find('\0') != std::string::npos || sasl.password.find('\0') != std::string::npos) {
    return ConfigProblem{.key = "sasl.jaas.config",
                         .text = "sasl.jaas.config: a user or a password with a zero byte is not allowed"};
  }
  const std::string_view module = sasl.mechanism == SaslMechanism::kPlain ? kPlainModule : kScramModule;
  if (!sasl.login_module.empty() && sasl.login_module != module) {
    return ConfigProblem{.key = "sasl.jaas.config",
                         .text = fmt::format("sasl.jaas.config names {}, but sasl.mechanism = {} needs {}",
                                             sasl.login_module, mechanism, module)};
  }
  if (!config.api_version_request) {
    return ConfigProblem{
        .key = "api.version.request",
        .text = fmt::format("api.version.request = false is not allowed with security.protocol = {}", protocol)};
  }
  return std::nullopt;
}

}  // namespace

bool StoreSecurityProtocol(ProducerConfig& config, std::int64_t, std::string_view text) {
  for (const SecurityProtocol protocol : {SecurityProtocol::kPlaintext, SecurityProtocol::kSsl,
                                          SecurityProtocol::kSaslPlaintext, SecurityProtocol::kSaslSsl}) {
    if (!EqualsIgnoringCase(text, SecurityProtocolName(protocol))) continue;
    config.security_protocol = protocol;
    return true;
  }
  return false;
}

// The two that are known and not supported are said to be so only if the mechanism is needed: GSSAPI is the default.
bool StoreSaslMechanism(ProducerConfig& config, std::int64_t, std::string_view text) {
  for (const SaslMechanism mechanism : {SaslMechanism::kGssapi, SaslMechanism::kOauthbearer, SaslMechanism::kPlain,
                                        SaslMechanism::kScramSha256, SaslMechanism::kScramSha512}) {
    if (!EqualsIgnoringCase(text, SaslMechanismName(mechanism))) continue;
    config.sasl.mechanism = mechanism;
    return true;
  }
  return false;
}

bool StoreJaas(ProducerConfig& config, std::int64_t, std::string_view text) {
  const std::optional<JaasLogin> login = ParseJaas(text);
  if (!login.has_value()) return false;
  const std::string module = login->module.substr(login->module.rfind('.') + 1);
  if (module != kPlainModule && module != kScramModule) return false;
  const auto user = login->options.find("username");
  const auto password = login->options.find("password");
  const auto token = login->options.find("tokenauth");
  const bool by_token = token != login->options.end() && EqualsIgnoringCase(token->second, "true");
  if (user == login->options.end() || password == login->options.end() || by_token) return false;
  config.sasl.user = user->second;
  config.sasl.password = password->second;
  config.sasl.login_module = module;
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

std::optional<ConfigProblem> FindSecurityProblem(const ProducerConfig& config) {
  if (UsesTls(config.security_protocol)) {
    if (std::optional<TlsProblem> problem = CheckTlsSettings(config.tls)) {
      return ConfigProblem{.key = std::move(problem->key), .text = std::move(problem->text)};
    }
  }
  return UsesSasl(config.security_protocol) ? FindSaslProblem(config) : std::nullopt;
}

std::string WithoutEffect(std::string_view name, SecurityProtocol protocol) {
  const bool tls = name.starts_with("ssl.") && !UsesTls(protocol);
  const bool sasl = name.starts_with("sasl.") && !UsesSasl(protocol);
  return tls || sasl ? fmt::format("security.protocol is {}", SecurityProtocolName(protocol)) : std::string();
}

std::string_view SecurityProtocolName(SecurityProtocol protocol) {
  switch (protocol) {
    case SecurityProtocol::kPlaintext:
      return "PLAINTEXT";
    case SecurityProtocol::kSsl:
      return "SSL";
    case SecurityProtocol::kSaslPlaintext:
      return "SASL_PLAINTEXT";
    case SecurityProtocol::kSaslSsl:
      return "SASL_SSL";
  }
  CheckFailed("known protocol", __FILE__, __LINE__);
}

}  // namespace ktrial
