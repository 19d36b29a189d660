// The messages with which a client says who it is, as plain data like those of messages.h.
//
//   SaslHandshake      names a mechanism; the broker agrees, or lists those that it has
//   SaslAuthenticate   one message of the mechanism each way, as often as it needs
//
// SaslHandshake 0 is followed by messages of the mechanism without any header, and no SaslAuthenticate: brokers before Kafka 1.0.
#ifndef CORE_WIRE_SASL_MESSAGES_H_
#define CORE_WIRE_SASL_MESSAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/messages.h"

namespace ktrial::wire {

// --- SaslHandshake, 0 and 1 ---

struct SaslHandshakeRequest {
  static constexpr ApiKey kApi = ApiKey::kSaslHandshake;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string mechanism;
  friend bool operator==(const SaslHandshakeRequest&, const SaslHandshakeRequest&) = default;
};
struct SaslHandshakeResponse {
  static constexpr ApiKey kApi = ApiKey::kSaslHandshake;
  static constexpr Direction kDirection = Direction::kResponse;
  ErrorCode error = ErrorCode::kNone;
  std::vector<std::string> mechanisms;  // Those that the broker has.
  friend bool operator==(const SaslHandshakeResponse&, const SaslHandshakeResponse&) = default;
};

// --- SaslAuthenticate, 0 to 2 ---

struct SaslAuthenticateRequest {
  static constexpr ApiKey kApi = ApiKey::kSaslAuthenticate;
  static constexpr Direction kDirection = Direction::kRequest;
  std::string auth_bytes;
  friend bool operator==(const SaslAuthenticateRequest&, const SaslAuthenticateRequest&) = default;
};
struct SaslAuthenticateResponse {
  static constexpr ApiKey kApi = ApiKey::kSaslAuthenticate;
  static constexpr Direction kDirection = Direction::kResponse;
  ErrorCode error = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::string auth_bytes;
  std::int64_t session_lifetime_ms = 0;  // v1; 0: for as long as the connection lives.
  friend bool operator==(const SaslAuthenticateResponse&, const SaslAuthenticateResponse&) = default;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_SASL_MESSAGES_H_
