// Reads sasl.jaas.config, the form in which Java programs give a user and a password:
//
//   org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="secret";
#ifndef CORE_SASL_JAAS_H_
#define CORE_SASL_JAAS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial {

struct JaasLogin {
  std::string module;  // The class with its package.
  std::map<std::string, std::string> options;
};

// One login module. nullopt: it is not of that form. Values may be in double or single quotes, or be words; in quotes a backslash
// stands before a quote, a backslash, or one of n, r, t.
std::optional<JaasLogin> ParseJaas(std::string_view text);

}  // namespace ktrial

#endif  // CORE_SASL_JAAS_H_
