// The client's half against the fake broker's, and against a server that lies.
#include "core/sasl/sasl_client.h"

#include <memory>
#include <string>

#include "core/sasl/scram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/broker/sasl.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using sim::SaslServer;
using ::testing::HasSubstr;

constexpr SaslMechanism kScrams[] = {SaslMechanism::kScramSha256, SaslMechanism::kScramSha512};

class SaslClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<SaslClient> Client(SaslMechanism mechanism, std::string user = "alice",
                                     std::string password = "secret") {
    return NewSaslClient({.mechanism = mechanism, .user = std::move(user), .password = std::move(password)}, entropy_);
  }
  // What the client says when a server answers its first message with that.
  static absl::Status After(SaslClient& client, const std::string& challenge) {
    client.Start();
    return client.Next(challenge).status();
  }
  std::string NonceOf(const std::string& first) { return std::string(*ScramAttribute(first.substr(3), 'r')); }

  testing::FakeEntropy entropy_;
  const sim::SaslAccess access_{.mechanisms = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"},
                                .users = {{"alice", "secret"}, {"a,b=c", "p=w,d"}}};
};

TEST_F(SaslClientTest, PlainIsUserAndPasswordBetweenZeros) {
  const auto client = Client(SaslMechanism::kPlain);
  EXPECT_EQ(client->Start(), std::string("\0alice\0secret", 13));
  const auto answer = client->Next("");
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->has_value());
}

TEST_F(SaslClientTest, EveryMechanismComesToAnEndWithTheRightPasswordAlone) {
  for (const SaslMechanism mechanism :
       {SaslMechanism::kPlain, SaslMechanism::kScramSha256, SaslMechanism::kScramSha512}) {
    for (const auto& [user, password, right] :
         {std::tuple("alice", "secret", true), std::tuple("a,b=c", "p=w,d", true), std::tuple("alice", "Secret", false),
          std::tuple("bob", "secret", false)}) {
      const auto client = Client(mechanism, user, password);
      const auto server = NewSaslServer(SaslMechanismName(mechanism), access_, "server");
      std::string message = client->Start();
      std::string answer;
      SaslServer::Step step = SaslServer::Step::kGoesOn;
      while (true) {
        step = server->Next(message, answer);
        if (step == SaslServer::Step::kRefused) break;
        const auto next = client->Next(answer);
        ASSERT_EQ(next.status().message(), "");
        if (!next->has_value()) break;
        message = **next;
      }
      EXPECT_EQ(step == SaslServer::Step::kDone, right) << SaslMechanismName(mechanism) << " " << user;
    }
  }
}

TEST_F(SaslClientTest, AServerThatDoesNotKnowThePasswordIsFoundOut) {
  for (const SaslMechanism mechanism : kScrams) {
    const auto client = Client(mechanism);
    const std::string nonce = NonceOf(client->Start());
    ASSERT_TRUE(client->Next("r=" + nonce + "server,s=c2FsdA==,i=4096").ok());
    const auto end =
        client->Next("v=" + ScramEscape(std::string(mechanism == SaslMechanism::kScramSha256 ? 32 : 64, 'x')));
    EXPECT_EQ(end.status().code(), absl::StatusCode::kUnauthenticated);
    EXPECT_THAT(std::string(end.status().message()), HasSubstr("did not prove that it knows the password"));
  }
}

TEST_F(SaslClientTest, TheServersNonceMustGoOnFromTheClients) {
  const auto client = Client(SaslMechanism::kScramSha256);
  const std::string nonce = NonceOf(client->Start());
  for (const std::string& bad : {std::string("other"), nonce, nonce.substr(1) + "more"}) {
    const absl::Status error = After(*Client(SaslMechanism::kScramSha256), "r=" + bad + ",s=c2FsdA==,i=4096");
    EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated) << bad;
    EXPECT_THAT(std::string(error.message()), HasSubstr("nonce")) << bad;
  }
}

TEST_F(SaslClientTest, IterationsHaveBounds) {
  const std::string nonce = NonceOf(Client(SaslMechanism::kScramSha256)->Start());
  for (const char* count : {"0", "-1", "4095", "131073", "99999999999", "4096x", ""}) {
    const absl::Status error =
        After(*Client(SaslMechanism::kScramSha256), "r=" + nonce + "s,s=c2FsdA==,i=" + std::string(count));
    EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated) << count;
    EXPECT_THAT(std::string(error.message()), HasSubstr("from 4096 to 131072")) << count;
  }
}

TEST_F(SaslClientTest, NonsenseIsAnError) {
  const std::string nonce = NonceOf(Client(SaslMechanism::kScramSha256)->Start());
  const std::string cases[] = {"", "e=other-error", "r=" + nonce + "s,i=4096", "r=" + nonce + "s,s=!!,i=4096"};
  for (const std::string& challenge : cases) {
    EXPECT_EQ(After(*Client(SaslMechanism::kScramSha256), challenge).code(), absl::StatusCode::kUnauthenticated)
        << challenge;
  }
}

}  // namespace
}  // namespace ktrial
