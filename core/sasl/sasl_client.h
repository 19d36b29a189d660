// SaslClient is the client's half of one mechanism, without a network: what it says first, and what it answers.
//
//   PLAIN (RFC 4616)                    user and password as they are: for connections with TLS
//   SCRAM-SHA-256, -512 (RFC 5802, 7677)  a proof of the password, and a proof of the server that it knows it, too
#ifndef CORE_SASL_SASL_CLIENT_H_
#define CORE_SASL_SASL_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/env/entropy.h"
#include "core/sasl/sasl_settings.h"

namespace ktrial {

// A server may ask for as much work as it likes, on the thread that serves all brokers: Kafka's own limits are 4096 and 16384.
inline constexpr std::int32_t kScramIterationsMin = 4096;
inline constexpr std::int32_t kScramIterationsMax = 131072;

// Thread safety: none. One authentication each.
class SaslClient {
 public:
  virtual ~SaslClient() = default;
  // What the client says first.
  virtual std::string Start() = 0;
  // What it answers; nullopt: the server has proved all that it has to. UNAUTHENTICATED: it has not, or makes no sense. No text
  // shows what was exchanged.
  virtual absl::StatusOr<std::optional<std::string>> Next(std::string_view challenge) = 0;
};

// The mechanism is PLAIN or one of SCRAM. Nonces are Secret's of `entropy`, which outlives the result.
std::unique_ptr<SaslClient> NewSaslClient(const SaslSettings& settings, Entropy& entropy);

}  // namespace ktrial

#endif  // CORE_SASL_SASL_CLIENT_H_
