// A client that has to say who it is before anything else, and again before its session ends.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/sasl_messages.h"
#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/broker/sasl.h"
#include "tests/core/network/client_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::ApiKey;
using wire::ErrorCode;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Answers SaslHandshake and SaslAuthenticate as a broker with the user alice does.
class SaslWorld : public ClientWorld {
 public:
  explicit SaslWorld(std::string password = "secret", SaslMechanism mechanism = SaslMechanism::kScramSha256)
      : ClientWorld(Config(std::move(password), mechanism)) {
    broker.versions.push_back({.api_key = 17, .min_version = 0, .max_version = 1});
    broker.versions.push_back({.api_key = 36, .min_version = 0, .max_version = 2});
    broker.intercept = [this](const ReceivedRequest& request) { return Intercept(request); };
  }

  // The order of what came, of one connection or several.
  std::vector<ApiKey> came;
  std::vector<std::int32_t> sasl_ids;
  std::int64_t lifetime_ms = 0;
  bool silent = false;  // Nothing of SASL is answered.
  // What came since it was silent is answered now.
  void Speak() {
    silent = false;
    for (const ReceivedRequest& request : std::exchange(unanswered_, {})) Answer(request);
  }

 private:
  static NetworkClientConfig Config(std::string password, SaslMechanism mechanism) {
    NetworkClientConfig config = ClientConfig();
    config.sasl = SaslSettings{.mechanism = mechanism, .user = "alice", .password = std::move(password)};
    return config;
  }
  bool Intercept(const ReceivedRequest& request) {
    came.push_back(request.api);
    if (request.api != ApiKey::kSaslHandshake && request.api != ApiKey::kSaslAuthenticate) return false;
    sasl_ids.push_back(request.correlation_id);
    if (silent) {
      unanswered_.push_back(request);
    } else {
      Answer(request);
    }
    return true;
  }
  void Answer(const ReceivedRequest& request) {
    if (request.api == ApiKey::kSaslHandshake) {
      const auto handshake = wire::Decode<wire::SaslHandshakeRequest>(request.body, request.version);
      KT_CHECK(handshake.ok());
      wire::SaslHandshakeResponse response{.mechanisms = access.mechanisms};
      if (!access.Has(handshake->mechanism)) {
        response.error = ErrorCode::kUnsupportedSaslMechanism;
      } else {
        servers[request.connection] = NewSaslServer(handshake->mechanism, access, "server");
      }
      broker.Answer(request, response);
      return;
    }
    const auto message = wire::Decode<wire::SaslAuthenticateRequest>(request.body, request.version);
    KT_CHECK(message.ok());
    wire::SaslAuthenticateResponse response;
    const auto step = servers.at(request.connection)->Next(message->auth_bytes, response.auth_bytes);
    if (step == sim::SaslServer::Step::kRefused) {
      response.error = ErrorCode::kSaslAuthenticationFailed;
      response.error_message = "invalid credentials";
    }
    if (step == sim::SaslServer::Step::kDone) response.session_lifetime_ms = lifetime_ms;
    broker.Answer(request, response);
  }

  std::vector<ReceivedRequest> unanswered_;

 public:
  sim::SaslAccess access{.mechanisms = {"SCRAM-SHA-256", "SCRAM-SHA-512"}, .users = {{"alice", "secret"}}};
  std::map<ConnectionId, std::unique_ptr<sim::SaslServer>> servers;
};

TEST(NetworkClientSaslTest, WhoItIsComesBeforeTheFirstRequest) {
  SaslWorld world;
  world.LearnCluster();
  EXPECT_THAT(world.came, ElementsAre(ApiKey::kApiVersions, ApiKey::kSaslHandshake, ApiKey::kSaslAuthenticate,
                                      ApiKey::kSaslAuthenticate, ApiKey::kMetadata));
}

// NC-20: the numbers that no other request has.
TEST(NetworkClientSaslTest, ItsCorrelationIdsAreTheReservedOnes) {
  SaslWorld world;
  world.LearnCluster();
  for (int id = 1; id <= 3; ++id) world.MakeReady(id);
  ASSERT_EQ(world.sasl_ids.size(), 12u);
  for (std::size_t i = 0; i < world.sasl_ids.size(); ++i) {
    EXPECT_EQ(world.sasl_ids[i], 2147483640 + static_cast<std::int32_t>(i % 8));
  }
}

// NC-44, MD-33, B114
TEST(NetworkClientSaslTest, AWrongPasswordIsAFatalErrorForWaitersAndBacksOff) {
  SaslWorld world("wrong");
  world.Settle();
  const absl::Status error = world.metadata.TakeErrors("any");
  EXPECT_EQ(wire::KafkaCode(error), ErrorCode::kSaslAuthenticationFailed);
  EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(error.message()), HasSubstr("the broker refused: invalid credentials"));
  const std::size_t opens = world.transport.opens().size();
  EXPECT_LE(opens, 2u);  // One of each bootstrap node.
  world.Run(10ms);       // Less than any backoff.
  EXPECT_EQ(world.transport.opens().size(), opens);
  world.Run(10s);
  EXPECT_GT(world.transport.opens().size(), opens);
  EXPECT_LT(world.transport.opens().size(), opens + 60);
  EXPECT_EQ(world.broker.count(ApiKey::kMetadata), 0);
}

TEST(NetworkClientSaslTest, AMechanismThatTheBrokerLacksIsToldWithThoseThatItHas) {
  SaslWorld world("secret", SaslMechanism::kPlain);
  world.Settle();
  const absl::Status error = world.metadata.TakeErrors("any");
  EXPECT_EQ(wire::KafkaCode(error), ErrorCode::kUnsupportedSaslMechanism);
  EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(error.message()),
              HasSubstr("the broker has no PLAIN (sasl.mechanism); it has: SCRAM-SHA-256, SCRAM-SHA-512"));
}

TEST(NetworkClientSaslTest, ABrokerThatDoesNotKnowTheRequestsIsToldAsOne) {
  SaslWorld world;
  world.broker.versions.pop_back();
  world.Settle();
  const absl::Status error = world.metadata.TakeErrors("any");
  EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(error.message()), HasSubstr("does not know SaslAuthenticate"));
}

// NC-08: it is a part of the setup.
TEST(NetworkClientSaslTest, ABrokerThatSaysNothingToItIsGivenUpWithTheSetup) {
  SaslWorld world;
  world.silent = true;
  world.Settle();
  const std::size_t opens = world.transport.opens().size();
  world.Run(9s);  // Setup: 10 s; a request: 30 s.
  EXPECT_EQ(world.transport.opens().size(), opens);
  world.Run(3s);
  EXPECT_GT(world.transport.opens().size(), opens);
}

// B113: what is in flight is answered, and nothing goes out until the broker has agreed again.
TEST(NetworkClientSaslTest, ASessionIsRenewedBehindWhatIsInFlightAndBeforeWhatComesNext) {
  SaslWorld world;
  world.LearnCluster();
  world.lifetime_ms = 10'000;
  world.MakeReady(1);
  const auto before = world.Send(1, {}, "before");
  const ReceivedRequest unanswered = world.broker.TakeRequest();
  world.Run(8400ms);  // Renewed between 8.5 and 9.5 s.
  EXPECT_TRUE(world.client.IsReady(NodeId(1), world.now()));
  world.Run(1200ms);
  EXPECT_FALSE(world.client.IsReady(NodeId(1), world.now()));
  world.came.clear();
  world.silent = true;
  EXPECT_FALSE(world.Ready(1));
  EXPECT_FALSE(world.Ready(1));  // Once is enough.
  world.Settle();
  EXPECT_THAT(world.came, ElementsAre(ApiKey::kSaslHandshake));
  EXPECT_EQ(world.client.LookAgainAt(NodeId(1), world.now()), Instant::Never());
  world.broker.Answer(unanswered, wire::InitProducerIdResponse{});
  world.Settle();
  EXPECT_EQ(before->outcome().kind, RequestOutcome::Kind::kAnswered);
  EXPECT_FALSE(world.client.IsReady(NodeId(1), world.now()));
}

TEST(NetworkClientSaslTest, ARenewedSessionGoesOnOnTheSameConnection) {
  SaslWorld world;
  world.LearnCluster();
  world.lifetime_ms = 10'000;
  world.MakeReady(1);
  const std::size_t opens = world.transport.opens().size();
  for (int i = 0; i < 3; ++i) {
    world.Run(9600ms);
    world.came.clear();
    EXPECT_FALSE(world.Ready(1));
    world.Settle();
    EXPECT_THAT(world.came, ElementsAre(ApiKey::kSaslHandshake, ApiKey::kSaslAuthenticate, ApiKey::kSaslAuthenticate));
    EXPECT_TRUE(world.client.IsReady(NodeId(1), world.now()));
  }
  EXPECT_EQ(world.transport.opens().size(), opens);
  EXPECT_TRUE(world.observer.disconnected.empty());
}

// PR-26
TEST(NetworkClientSaslTest, ObserversHearOnceOfEachConnectionThatItIsKnown) {
  SaslWorld world;
  world.LearnCluster();
  world.MakeReady(2);
  EXPECT_THAT(world.observer.accepted, ElementsAre(NodeId(-1), NodeId(2)));
  EXPECT_EQ(world.observer.accepted, world.observer.connected);
}

// PR-26: from the first message to the last answer.
TEST(NetworkClientSaslTest, ObserversHearHowLongARenewalTook) {
  SaslWorld world;
  world.LearnCluster();
  world.lifetime_ms = 10'000;
  world.MakeReady(1);
  const std::size_t accepted = world.observer.accepted.size();
  world.Run(9600ms);
  world.silent = true;
  EXPECT_FALSE(world.Ready(1));
  world.Run(7ms);
  EXPECT_TRUE(world.observer.renewed.empty());
  world.Speak();
  world.Settle();
  EXPECT_THAT(world.observer.renewed, ElementsAre(std::pair(NodeId(1), Duration(7ms))));
  EXPECT_EQ(world.observer.accepted.size(), accepted);
}

TEST(NetworkClientSaslTest, ARenewalThatIsRefusedEndsTheConnection) {
  SaslWorld world;
  world.LearnCluster();
  world.lifetime_ms = 10'000;
  world.MakeReady(1);
  world.Run(9600ms);
  world.access.users["alice"] = "changed";
  EXPECT_FALSE(world.Ready(1));
  world.Settle();
  EXPECT_EQ(wire::KafkaCode(world.metadata.TakeErrors("any")), ErrorCode::kSaslAuthenticationFailed);
  EXPECT_THAT(world.observer.not_renewed, ElementsAre(NodeId(1)));
}

}  // namespace
}  // namespace ktrial::testing
