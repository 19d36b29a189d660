// What the filter does beyond the contract of a Transport, which tests/core/env proves above both worlds: who is refused, and what
// the user is told. In the simulated world, whose time of day is in November 2023.
#include "core/tls/tls_transport.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/sandbox.h"
#include "tests/core/env/contract/door_world.h"
#include "tests/core/tls/certificates.h"
#include "tests/core/tls/tls_env.h"

namespace ktrial::testing {
namespace {

using ::testing::HasSubstr;
using Kind = TransportEvent::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Site kSite("test.tls.poll");
constexpr std::int64_t kNow = 1'700'000'000;  // The world's time of day, in seconds.
constexpr std::int64_t kDay = 24 * 60 * 60;

void InWorld(const std::function<void(Env&)>& body, std::uint64_t seed = 1) {
  sim::NetworkOptions network;
  network.split_one_in = 4;
  sim::Sandbox sandbox({.seed = seed}, network);
  const sim::KernelResult result = sandbox.Run([&] { body(sandbox.env()); });
  EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text;
}

// Both ends of one connection to `host`, polled in turns.
class Pair {
 public:
  Pair(Env& env, std::unique_ptr<Transport> client, std::unique_ptr<Transport> server, std::string_view host)
      : env_(env), client_(std::move(client)), server_(std::move(server)) {
    const auto listening = server_->Listen({"10.0.0.1", 0}, {});
    KT_CHECK(listening.ok());
    client_id = client_->Open(listening->address, host, {});
  }
  Transport& client() { return *client_; }
  Transport& server() { return *server_; }
  // Polls both until the client has an event of that kind, or for a virtual second. An end is not passed over.
  std::optional<TransportEvent> Await(Kind kind) {
    std::vector<TransportEvent> events;
    const Instant give_up = env_.clock().Now() + seconds(1);
    while (env_.clock().Now() < give_up && !client_end.has_value()) {
      client_->Poll(env_.clock().Now() + milliseconds(1), events, kSite);
      std::optional<TransportEvent> found;
      for (TransportEvent& event : std::exchange(events, {})) {
        if (event.kind == Kind::kEnded) client_end = event;
        if (event.kind == kind) found = event;
      }
      if (found.has_value()) return found;
      server_->Poll(Instant(), events, kSite);
      for (TransportEvent& event : std::exchange(events, {})) {
        if (event.kind == Kind::kAccepted) server_id = event.connection;
        if (event.kind == Kind::kEnded) server_end = event;
      }
    }
    return std::nullopt;
  }
  ConnectionId client_id;
  ConnectionId server_id;
  std::optional<TransportEvent> client_end;
  std::optional<TransportEvent> server_end;

 private:
  Env& env_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Transport> server_;
};

// How the connection of such a client ends.
std::string EndOf(const TlsSettings& client, const TlsSettings& server, std::string_view host = "localhost") {
  std::string text = "it did not end";
  InWorld([&](Env& env) {
    TlsEnv tls(env, client, server);
    Pair pair(env, tls.NewTransport("client"), tls.NewTransport("server"), host);
    pair.client().Interest(pair.client_id, true, false);
    // Under TLS 1.3 the client is open before the server has judged it.
    if (pair.Await(Kind::kOpened).has_value() && pair.Await(Kind::kReadable).has_value()) {
      std::array<char, 8> buffer;
      pair.client().Receive(pair.client_id, buffer);
      pair.Await(Kind::kEnded);
    }
    if (!pair.client_end.has_value()) return;
    EXPECT_EQ(pair.client_end->reason, EndReason::kHandshake) << pair.client_end->text;
    text = pair.client_end->text;
  });
  return text;
}

bool Opens(const TlsSettings& client, const TlsSettings& server, std::string_view host = "localhost") {
  bool opened = false;
  InWorld([&](Env& env) {
    TlsEnv tls(env, client, server);
    Pair pair(env, tls.NewTransport("client"), tls.NewTransport("server"), host);
    opened = pair.Await(Kind::kOpened).has_value();
    EXPECT_FALSE(pair.server_end.has_value()) << pair.server_end->text;
  });
  return opened;
}

class TlsTransportTest : public ::testing::Test {
 protected:
  TestAuthority authority_{"authority"};
};

TEST_F(TlsTransportTest, ACertificateForTheHostIsTaken) {
  EXPECT_TRUE(Opens(authority_.Client(), authority_.Server()));
  EXPECT_TRUE(Opens(authority_.Client(), authority_.Server(), "b1.ktrial.example"));
  EXPECT_TRUE(Opens(authority_.Client(), authority_.Server(), "b1.ktrial.example."));
  EXPECT_TRUE(Opens(authority_.Client(), authority_.Server(), "127.0.0.1"));
}

TEST_F(TlsTransportTest, AWrongHostIsToldWithTheRightOnes) {
  EXPECT_EQ(EndOf(authority_.Client(), authority_.Server(), "b1.elsewhere"),
            "the certificate of b1.elsewhere (CN = broker) is not valid: hostname mismatch, it is for DNS:localhost, "
            "DNS:*.ktrial.example, IP Address:127.0.0.1 (ssl.endpoint.identification.algorithm)");
  EXPECT_THAT(EndOf(authority_.Client(), authority_.Server(), "10.0.0.1"), HasSubstr("IP address mismatch"));
  // A wildcard stands for one label.
  EXPECT_THAT(EndOf(authority_.Client(), authority_.Server(), "a.b.ktrial.example"), HasSubstr("hostname mismatch"));
}

TEST_F(TlsTransportTest, AHostThatNoCertificateCanBeForIsRefused) {
  for (const std::string_view host : {std::string_view(), std::string_view("local\0host", 10)}) {
    EXPECT_EQ(EndOf(authority_.Client(), authority_.Server(), host),
              "no certificate can be for a host without a name, or with a zero byte in it");
  }
}

TEST_F(TlsTransportTest, WithoutIdentificationAnyHostIsTakenButNotAnyCertificate) {
  TlsSettings client = authority_.Client();
  client.verify_host = false;
  EXPECT_TRUE(Opens(client, authority_.Server(), "b1.elsewhere"));
  TestAuthority other("other");
  EXPECT_THAT(EndOf(client, other.Server(), "b1.elsewhere"), HasSubstr("nothing in ssl.truststore vouches for it"));
}

// At the time of day of the world, not of the machine.
TEST_F(TlsTransportTest, AnExpiredCertificateIsToldWithItsDate) {
  EXPECT_EQ(
      EndOf(authority_.Client(), authority_.Server({.from = kNow - 2 * kDay, .until = kNow - kDay})),
      "the certificate of localhost (CN = broker) is not valid: certificate has expired, on Nov 13 22:13:20 2023 GMT");
  EXPECT_THAT(EndOf(authority_.Client(), authority_.Server({.from = kNow + kDay, .until = kNow + 2 * kDay})),
              HasSubstr("certificate is not yet valid, but from Nov 15 22:13:20 2023 GMT"));
}

TEST_F(TlsTransportTest, ASelfSignedCertificateIsRefusedUnlessItIsTrusted) {
  TestAuthority self("localhost");
  TlsSettings server = self.Server();
  EXPECT_THAT(EndOf(authority_.Client(), server), HasSubstr("nothing in ssl.truststore vouches for it"));
  TlsSettings client;
  client.trust = {.type = TlsStoreType::kPem, .certificates = server.own.certificates};
  EXPECT_TRUE(Opens(client, server));
}

TEST_F(TlsTransportTest, AServerThatWantsACertificateGetsOneOrSaysWhatItMisses) {
  TlsSettings server = authority_.Server();
  server.trust = authority_.Client().trust;
  TlsSettings client = authority_.Client();
  EXPECT_EQ(EndOf(client, server),
            "the peer refused: certificate required, of the certificate of this client (ssl.keystore.*)");
  client.own = authority_.Server({.common_name = "client"}).own;
  EXPECT_TRUE(Opens(client, server));
  TestAuthority other("other");
  client.own = other.Server({.common_name = "client"}).own;
  EXPECT_EQ(EndOf(client, server), "the peer refused: unknown CA, of the certificate of this client (ssl.keystore.*)");
  client.tls13 = false;
  EXPECT_EQ(EndOf(client, server), "the peer refused: unknown CA, of the certificate of this client (ssl.keystore.*)");
}

TEST_F(TlsTransportTest, WithoutACommonProtocolTheAlertIsTold) {
  TlsSettings client = authority_.Client();
  client.tls13 = false;
  TlsSettings server = authority_.Server();
  server.tls12 = false;
  EXPECT_EQ(EndOf(client, server), "the peer refused: protocol version");
}

TEST_F(TlsTransportTest, SuitesAreThoseThatWereNamed) {
  TlsSettings client = authority_.Client();
  client.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"};
  TlsSettings server = authority_.Server();
  EXPECT_TRUE(Opens(client, server));
  server.cipher_suites = {"ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_AES_128_GCM_SHA256"};
  EXPECT_TRUE(Opens(client, server));
  server.cipher_suites = {"TLS_AES_128_GCM_SHA256"};
  EXPECT_EQ(EndOf(client, server), "the peer refused: protocol version");
  server.cipher_suites = {"ECDHE-ECDSA-AES128-GCM-SHA256"};
  EXPECT_EQ(EndOf(client, server), "the peer refused: handshake failure");
}

TEST_F(TlsTransportTest, APeerWithoutTlsIsToldAsOne) {
  InWorld([&](Env& env) {
    TlsEnv tls(env, authority_.Client(), authority_.Server());
    Pair pair(env, tls.NewTransport("client"), env.NewTransport("server"), "localhost");
    while (pair.server_id == ConnectionId()) pair.Await(Kind::kOpened);
    ASSERT_TRUE(SendAll(env, pair.server(), pair.server_id, "SSH-2.0-OpenSSH_9.2\r\n"));
    const auto end = pair.Await(Kind::kEnded);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kHandshake);
    EXPECT_EQ(end->text, "what the peer says is not TLS (wrong version number): is it another listener?");
  });
}

// Whoever hangs up while hands are shaken has judged nothing: that is tried again as any other loss.
TEST_F(TlsTransportTest, AnEndDuringTheHandshakeIsALoss) {
  InWorld([&](Env& env) {
    TlsEnv tls(env, authority_.Client(), authority_.Server());
    Pair pair(env, tls.NewTransport("client"), env.NewTransport("server"), "localhost");
    while (pair.server_id == ConnectionId()) pair.Await(Kind::kOpened);
    pair.server().Close(pair.server_id);
    const auto end = pair.Await(Kind::kEnded);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kReset);
  });
}

// Between one record and the next a stream may be cut without that anybody saw: only the good bye says that it was all.
TEST_F(TlsTransportTest, AnEndWithoutGoodByeIsNotInOrder) {
  InWorld([&](Env& env) {
    TlsEnv tls(env, authority_.Client(), authority_.Server());
    Pair pair(env, tls.NewTransport("client"), tls.NewTransport("server"), "localhost");
    ASSERT_TRUE(pair.Await(Kind::kOpened).has_value());
    pair.Await(Kind::kResolved);  // Until the server is done, too.
    pair.server().Close(pair.server_id, Transport::CloseKind::kReset);
    pair.client().Interest(pair.client_id, true, false);
    std::array<char, 8> buffer;
    if (pair.Await(Kind::kReadable).has_value()) pair.client().Receive(pair.client_id, buffer);
    const auto end = pair.Await(Kind::kEnded);
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, EndReason::kReset);
  });
}

// NC-08: who listens and does not answer is no open connection.
TEST_F(TlsTransportTest, UntilTheHandshakeIsDoneItIsNotOpen) {
  InWorld([&](Env& env) {
    TlsEnv tls(env, authority_.Client(), authority_.Server());
    Pair pair(env, tls.NewTransport("client"), env.NewTransport("server"), "localhost");
    EXPECT_FALSE(pair.Await(Kind::kOpened).has_value());
    EXPECT_NE(pair.server_id, ConnectionId());
    const std::array<ConstBytes, 1> pieces = {"too early"};
    EXPECT_EQ(pair.client().Send(pair.client_id, pieces).kind, IoResult::Kind::kWouldBlock);
  });
}

// A record holds 16 KiB, a reader may want a byte: the rest is here, and nothing comes from below to say so.
TEST_F(TlsTransportTest, PollDoesNotWaitWhileBytesOfARecordAreLeft) {
  InWorld([&](Env& env) {
    TlsEnv tls(env, authority_.Client(), authority_.Server());
    Pair pair(env, tls.NewTransport("client"), tls.NewTransport("server"), "localhost");
    ASSERT_TRUE(pair.Await(Kind::kOpened).has_value());
    ASSERT_TRUE(SendAll(env, pair.server(), pair.server_id, "abc"));
    pair.client().Interest(pair.client_id, true, false);
    for (const char wanted : std::string("abc")) {
      ASSERT_TRUE(pair.Await(Kind::kReadable).has_value());
      std::array<char, 1> byte;
      ASSERT_EQ(pair.client().Receive(pair.client_id, byte).count, 1u);
      EXPECT_EQ(byte[0], wanted);
      const Instant before = env.clock().Now();
      std::vector<TransportEvent> events;
      pair.client().Poll(before + seconds(1), events, kSite);
      EXPECT_EQ(env.clock().Now() == before, wanted != 'c');
    }
  });
}

std::uint64_t HashOfOneTalk(TestAuthority& authority, std::uint64_t seed) {
  sim::Sandbox sandbox({.seed = seed});
  const TlsSettings server = TestAuthority("authority").Server();
  sandbox.Run([&] {
    TlsEnv tls(sandbox.env(), authority.Client(), server);
    Pair pair(sandbox.env(), tls.NewTransport("client"), tls.NewTransport("server"), "localhost");
    ASSERT_TRUE(pair.Await(Kind::kOpened).has_value());
    ASSERT_TRUE(SendAll(sandbox.env(), pair.server(), pair.server_id, "what is said"));
    EXPECT_EQ(ReceiveAll(sandbox.env(), pair.client(), pair.client_id, 12), "what is said");
  });
  return sandbox.trace().hash();
}

// The hash is over all bytes of the network, so over every random number and key of both ends.
TEST_F(TlsTransportTest, ItsBytesAreAFunctionOfTheSeed) {
  const std::uint64_t hash = HashOfOneTalk(authority_, 7);
  EXPECT_EQ(HashOfOneTalk(authority_, 7), hash);
  EXPECT_NE(HashOfOneTalk(authority_, 8), hash);
}

}  // namespace
}  // namespace ktrial::testing
