// The messages that say who the client is, byte by byte, as the tables of Kafka's protocol have them.
#include <string>

#include "core/wire/sasl_messages.h"
#include "gtest/gtest.h"
#include "tests/core/wire/expect_bytes.h"

namespace ktrial::wire {
namespace {

TEST(CodecGoldenSaslTest, SaslHandshake) {
  const SaslHandshakeRequest request{.mechanism = "PLAIN"};
  ExpectBytes(request, 0, "0005 504c41494e");
  ExpectBytes(request, 1, "0005 504c41494e");
  const SaslHandshakeResponse response{.error = ErrorCode::kUnsupportedSaslMechanism, .mechanisms = {"PLAIN"}};
  ExpectBytes(response, 1, "0021 00000001 0005 504c41494e");
}

TEST(CodecGoldenSaslTest, SaslAuthenticate) {
  const SaslAuthenticateRequest request{.auth_bytes = std::string("a\0b", 3)};
  ExpectBytes(request, 0, "00000003 610062");
  ExpectBytes(request, 2, "04 610062 00");
  SaslAuthenticateResponse response{.error = ErrorCode::kSaslAuthenticationFailed, .error_message = "no", .auth_bytes = "x"};
  ExpectBytes(response, 0, "003a 0002 6e6f 00000001 78");
  response = {.session_lifetime_ms = 5000};
  ExpectBytes(response, 1, "0000 ffff 00000000 0000000000001388");
  ExpectBytes(response, 2, "0000 00 01 0000000000001388 00");
}

}  // namespace
}  // namespace ktrial::wire
