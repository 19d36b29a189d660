// SaslSettings is what a configuration says about who the client is: sasl.* of Kafka's keys.
#ifndef CORE_SASL_SASL_SETTINGS_H_
#define CORE_SASL_SASL_SETTINGS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ktrial {

// kGssapi is Kafka's default, and kOauthbearer is known: both are refused.
enum class SaslMechanism : std::uint8_t { kGssapi, kOauthbearer, kPlain, kScramSha256, kScramSha512 };

// "SCRAM-SHA-256"
std::string_view SaslMechanismName(SaslMechanism mechanism);

struct SaslSettings {
  SaslMechanism mechanism = SaslMechanism::kGssapi;
  std::string user;
  std::string password;
  std::string
      login_module;  // The last part of the Java class that sasl.jaas.config names: "ScramLoginModule". Empty: none.
};

}  // namespace ktrial

#endif  // CORE_SASL_SASL_SETTINGS_H_
