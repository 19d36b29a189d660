// The producer over TLS, with real sockets, real threads and brokers of its own: what is configured is what happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"
#include "tests/core/producer/loopback_brokers.h"
#include "tests/core/tls/certificates.h"
#include "tests/core/tls/tls_env.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class TlsSocketsTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Producer>> Create(std::map<std::string, std::string> values) {
    values["bootstrap.servers"] = brokers_.bootstrap();
    values["security.protocol"] = "SSL";
    values["reconnect.backoff.ms"] = "20";
    values["reconnect.backoff.max.ms"] = "20";
    auto config = ProducerConfig::Parse(values);
    if (!config.ok()) return config.status();
    return Producer::Create(*config, *env_);
  }

  const std::unique_ptr<Env> env_ = MakePosixEnv(1);
  TestAuthority authority_{"authority"};
  TlsEnv tls_{*env_, authority_.Client(), authority_.Server()};
  LoopbackBrokers brokers_{tls_, {}};
};

TEST_F(TlsSocketsTest, NothingIsLostWhileConnectionsBreak) {
  auto producer = Create({{"ssl.truststore.type", "PEM"},
                          {"ssl.truststore.certificates", authority_.certificate()},
                          {"linger.ms", "1"},
                          {"batch.size", "20000"},
                          {"retry.backoff.ms", "5"}});
  ASSERT_EQ(producer.status().message(), "");
  std::int64_t completed = 0;
  const std::string value(3000, 'v');
  for (int i = 0; i < 3000; ++i) {
    const RecordCallback count = {.function =
                                      [](void* context, const RecordMetadata&, const absl::Status& status) {
                                        if (status.ok()) ++*static_cast<std::int64_t*>(context);
                                      },
                                  .context = &completed};
    (*producer)->Send({.topic = "t", .value = value}, count);
    if (i % 500 == 0) {
      brokers_.host().Post([this, i] { brokers_.host().Disconnect(NodeId(1 + i % 3), Transport::CloseKind::kReset); });
    }
  }
  ASSERT_TRUE((*producer)->Close(seconds(60)).ok());
  EXPECT_EQ(completed, 3000);
}

// NC-44, MD-33, B114: the waiting call fails at once and with the reason, and attempts come at the pace of the backoff.
TEST_F(TlsSocketsTest, ABrokerThatIsNotTrustedFailsTheWaitingSendAtOnce) {
  TestAuthority other("other");
  auto producer = Create({{"ssl.truststore.type", "PEM"}, {"ssl.truststore.certificates", other.certificate()}});
  ASSERT_EQ(producer.status().message(), "");
  const Instant start = env_->clock().Now();
  const absl::Status error = (*producer)->Send({.topic = "t", .value = "v"}).Get().status();
  EXPECT_EQ(error.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(error.message()), HasSubstr("nothing in ssl.truststore vouches for it"));
  // Not with max.block.ms, which is a minute.
  EXPECT_LT(env_->clock().Now() - start, seconds(20));
  env_->threads().SleepUntil(env_->clock().Now() + milliseconds(200), Site("test.tls_sleep"));
  // Three brokers, each every 16 ms at the soonest.
  const double attempts = (*producer)->Metrics().Value("failed-authentication-total");
  EXPECT_GE(attempts, 1);
  EXPECT_LE(attempts, 3 * (env_->clock().Now() - start) / milliseconds(16) + 3);
}

// PR-26
TEST_F(TlsSocketsTest, EachHandshakeCountsAsAnAuthentication) {
  auto producer = Create({{"ssl.truststore.type", "PEM"}, {"ssl.truststore.certificates", authority_.certificate()}});
  ASSERT_EQ(producer.status().message(), "");
  ASSERT_TRUE((*producer)->Send({.topic = "t", .value = "v"}).Get().ok());
  const MetricsSnapshot metrics = (*producer)->Metrics();
  EXPECT_GE(metrics.Value("successful-authentication-total"), 2);  // A bootstrap server and a broker.
  EXPECT_EQ(metrics.Value("failed-authentication-total"), 0);
}

TEST_F(TlsSocketsTest, AStoreThatCannotBeReadIsAnErrorOfCreate) {
  const auto producer = Create({{"ssl.truststore.location", "/nowhere/ca.pem"}});
  EXPECT_EQ(producer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(producer.status().message()),
            "ssl.truststore.location = \"/nowhere/ca.pem\" cannot be read: No such file or directory");
}

}  // namespace
}  // namespace ktrial::testing
