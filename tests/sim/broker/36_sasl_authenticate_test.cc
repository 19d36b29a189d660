#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "core/sasl/scram.h"
#include "core/wire/sasl_messages.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::seconds;
using wire::ErrorCode;
using wire::SaslAuthenticateRequest;
using wire::SaslAuthenticateResponse;
using wire::SaslHandshakeRequest;
using wire::SaslHandshakeResponse;

ClusterSpec Guarded(std::string_view session_ms = "0") {
  ClusterSpec spec = SpecOf(1);
  spec.settings = {{"sasl.enabled.mechanisms", "PLAIN"},
                   {"sasl.jaas.config", "PlainLoginModule required user_alice=secret;"},
                   {"connections.max.reauth.ms", std::string(session_ms)}};
  return spec;
}

SaslAuthenticateResponse LogIn(BrokerWorld& world, ConnectionId connection, std::string_view password = "secret") {
  world.Send(connection, SaslHandshakeRequest{.mechanism = "PLAIN"}, 1);
  EXPECT_EQ(world.Answer<SaslHandshakeResponse>(connection, 1)->error, ErrorCode::kNone);
  const std::string message = std::string("\0alice\0", 7) + std::string(password);
  world.Send(connection, SaslAuthenticateRequest{.auth_bytes = message}, 2);
  return world.Answer<SaslAuthenticateResponse>(connection, 2).value_or(SaslAuthenticateResponse{});
}

bool IsServed(BrokerWorld& world, ConnectionId connection) {
  world.Send(connection, wire::MetadataRequest{}, 12);
  return world.Answer<wire::MetadataResponse>(connection, 12).has_value();
}

TEST(SaslAuthenticateTest, WhoIsKnownIsServedForAsLongAsTheConnectionLives) {
  BrokerWorld world(Guarded());
  const ConnectionId connection = world.Connect(1);
  const SaslAuthenticateResponse answer = LogIn(world, connection);
  EXPECT_EQ(answer.error, ErrorCode::kNone);
  EXPECT_EQ(answer.session_lifetime_ms, 0);
  world.Advance(seconds(500));
  EXPECT_TRUE(IsServed(world, connection));
}

TEST(SaslAuthenticateTest, AWrongPasswordIsRefusedAndNothingIsServed) {
  BrokerWorld world(Guarded());
  const ConnectionId connection = world.Connect(1);
  EXPECT_EQ(LogIn(world, connection, "wrong").error, ErrorCode::kSaslAuthenticationFailed);
  EXPECT_FALSE(IsServed(world, connection));
  EXPECT_EQ(world.notes.malformed.size(), 1U);
}

// As librdkafka does before 2.6.1: its own nonce stands in front of that of both.
ErrorCode LogInWithAnotherNonce(const std::string& release) {
  ClusterSpec spec = Guarded();
  spec.settings["sasl.enabled.mechanisms"] = "SCRAM-SHA-256";
  for (BrokerSpec& broker : spec.brokers) broker.release = release;
  BrokerWorld world(spec);
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, SaslHandshakeRequest{.mechanism = "SCRAM-SHA-256"}, 1);
  EXPECT_EQ(world.Answer<SaslHandshakeResponse>(connection, 1)->error, ErrorCode::kNone);
  const std::string first = "n=alice,r=mine";
  world.Send(connection, SaslAuthenticateRequest{.auth_bytes = "n,," + first}, 1);
  const std::string answer = world.Answer<SaslAuthenticateResponse>(connection, 1)->auth_bytes;
  const std::string salt = *ScramUnescape(*ScramAttribute(answer, 's'));
  const std::string salted = ScramSaltedPassword(ScramHash::kSha256, "secret", salt, 4096);
  const std::string last = "c=biws,r=mine" + std::string(*ScramAttribute(answer, 'r'));
  const std::string proof = ScramClientProof(ScramHash::kSha256, salted, first + "," + answer + "," + last);
  world.Send(connection, SaslAuthenticateRequest{.auth_bytes = last + ",p=" + ScramEscape(proof)}, 1);
  return world.Answer<SaslAuthenticateResponse>(connection, 1)->error;
}

TEST(SaslAuthenticateTest, AnotherNonceIsNoticedSince39) {
  EXPECT_EQ(LogInWithAnotherNonce("2.8"), ErrorCode::kNone);
  EXPECT_EQ(LogInWithAnotherNonce("3.9"), ErrorCode::kSaslAuthenticationFailed);
}

TEST(SaslAuthenticateTest, WhoHasNotSaidWhoItIsIsNotServed) {
  BrokerWorld world(Guarded());
  EXPECT_FALSE(IsServed(world, world.Connect(1)));
  EXPECT_EQ(world.notes.malformed.size(), 1U);
}

TEST(SaslAuthenticateTest, WithoutAHandshakeTheStateIsIllegal) {
  BrokerWorld world(Guarded());
  const ConnectionId connection = world.Connect(1);
  world.Send(connection, SaslAuthenticateRequest{.auth_bytes = "x"}, 2);
  EXPECT_EQ(world.Answer<SaslAuthenticateResponse>(connection, 2)->error, ErrorCode::kIllegalSaslState);
}

// KIP-368. What was sent in time may have waited for longer than the session had left, so the client is not to blame.
TEST(SaslAuthenticateTest, ASessionThatIsOverEndsTheConnectionWithoutBlame) {
  BrokerWorld world(Guarded("10000"));
  const ConnectionId connection = world.Connect(1);
  EXPECT_EQ(LogIn(world, connection).session_lifetime_ms, 10000);
  world.Advance(seconds(9));
  EXPECT_TRUE(IsServed(world, connection));
  world.Advance(seconds(1));
  EXPECT_FALSE(IsServed(world, connection));
  EXPECT_TRUE(world.notes.malformed.empty());
}

// KIP-368
TEST(SaslAuthenticateTest, ASessionThatIsRenewedBeginsAnew) {
  BrokerWorld world(Guarded("10000"));
  const ConnectionId connection = world.Connect(1);
  LogIn(world, connection);
  world.Advance(seconds(9));
  EXPECT_EQ(LogIn(world, connection).error, ErrorCode::kNone);
  world.Advance(seconds(9));
  EXPECT_TRUE(IsServed(world, connection));
}

}  // namespace
}  // namespace ktrial::sim
