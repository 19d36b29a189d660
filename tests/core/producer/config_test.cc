#include "core/producer/config.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Values = std::map<std::string, std::string>;

absl::StatusOr<ProducerConfig> ParseWith(Values values) {
  values.emplace("bootstrap.servers", "localhost:9092");
  return ProducerConfig::Parse(values);
}

std::string ErrorOf(const Values& values, absl::StatusCode code) {
  const absl::StatusOr<ProducerConfig> config = ParseWith(values);
  EXPECT_EQ(config.status().code(), code);
  return std::string(config.status().message());
}

TEST(ConfigTest, DefaultsAreThoseOfKafka4) {
  const absl::StatusOr<ProducerConfig> config = ParseWith({});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->acks, Acks::kAll);
  EXPECT_EQ(config->linger, milliseconds(5));
  EXPECT_EQ(config->retries, 2147483647);
  EXPECT_EQ(config->delivery_timeout, seconds(120));
  EXPECT_TRUE(config->enable_idempotence);
  EXPECT_TRUE(config->warnings.empty());
}

// PR-20
TEST(ConfigTest, AcksTakesItsNamesAndNumbers) {
  EXPECT_EQ(ParseWith({{"acks", "all"}})->acks, Acks::kAll);
  EXPECT_EQ(ParseWith({{"acks", "-1"}})->acks, Acks::kAll);
  EXPECT_EQ(ParseWith({{"acks", " 1 "}})->acks, Acks::kLeader);
  EXPECT_EQ(ParseWith({{"acks", "0"}})->acks, Acks::kNone);
  EXPECT_EQ(ErrorOf({{"acks", "2"}}, absl::StatusCode::kInvalidArgument),
            "acks = \"2\" is not allowed: all, -1, 0 or 1 (PR-20)");
  EXPECT_EQ(ErrorOf({{"acks", "ALL"}}, absl::StatusCode::kInvalidArgument),
            "acks = \"ALL\" is not allowed: all, -1, 0 or 1 (PR-20)");
}

// PR-20
TEST(ConfigTest, LingerIsClampedToAnInt) {
  const auto config = ParseWith({{"linger.ms", "99999999999"}});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->linger, milliseconds(2147483647));
}

// PR-20
TEST(ConfigTest, NumbersOutsideTheirRangeAreRefused) {
  EXPECT_EQ(ErrorOf({{"max.in.flight.requests.per.connection", "0"}}, absl::StatusCode::kInvalidArgument),
            "max.in.flight.requests.per.connection = \"0\" is not allowed: 1 ... 2147483647 (SN-17)");
  EXPECT_EQ(ErrorOf({{"metadata.max.idle.ms", "4999"}}, absl::StatusCode::kInvalidArgument),
            "metadata.max.idle.ms = \"4999\" is not allowed: 5000 ... 9223372036854775807 (MD-36)");
  EXPECT_EQ(ErrorOf({{"batch.size", "-1"}}, absl::StatusCode::kInvalidArgument),
            "batch.size = \"-1\" is not allowed: 0 ... 2147483647 (AC-06)");
  EXPECT_EQ(ErrorOf({{"retries", "2147483648"}}, absl::StatusCode::kInvalidArgument),
            "retries = \"2147483648\" is not allowed: 0 ... 2147483647 (SN-06)");
  EXPECT_EQ(ErrorOf({{"send.buffer.bytes", "1k"}}, absl::StatusCode::kInvalidArgument),
            "send.buffer.bytes = \"1k\" is not allowed: -1 ... 2147483647");
}

TEST(ConfigTest, HugeTimesAreForeverAndNotThePast) {
  const auto config = ParseWith({{"metadata.max.age.ms", "9223372036854775807"}});
  ASSERT_TRUE(config.ok());
  EXPECT_GT(config->metadata_max_age, std::chrono::hours(24 * 365 * 70));
  EXPECT_GT(config->metadata_max_age + config->metadata_max_age, config->metadata_max_age);
}

TEST(ConfigTest, UnknownKeyNamesTheClosestOne) {
  EXPECT_EQ(ErrorOf({{"linger", "5"}}, absl::StatusCode::kInvalidArgument),
            "linger is not a key of Kafka's producer; did you mean linger.ms?");
}

// NC-11
TEST(ConfigTest, DnsLookupTakesItsTwoNames) {
  EXPECT_EQ(ParseWith({})->client_dns_lookup, DnsLookup::kAllIps);
  EXPECT_EQ(ParseWith({{"client.dns.lookup", "use_all_dns_ips"}})->client_dns_lookup, DnsLookup::kAllIps);
  EXPECT_EQ(ParseWith({{"client.dns.lookup", "resolve_canonical_bootstrap_servers_only"}})->client_dns_lookup,
            DnsLookup::kCanonicalBootstrap);
  EXPECT_EQ(ErrorOf({{"client.dns.lookup", "random.value"}}, absl::StatusCode::kInvalidArgument),
            "client.dns.lookup = \"random.value\" is not allowed: use_all_dns_ips or "
            "resolve_canonical_bootstrap_servers_only (NC-11)");
}

TEST(ConfigTest, AllocationStrategiesMayBeWrittenAsOneLikes) {
  EXPECT_FALSE(ParseWith({})->incremental_allocation);
  EXPECT_TRUE(ParseWith({{"buffer.memory.allocation.strategy", "INCREMENTAL"}})->incremental_allocation);
  EXPECT_FALSE(ParseWith({{"buffer.memory.allocation.strategy", "Full"}})->incremental_allocation);
  EXPECT_EQ(ErrorOf({{"buffer.memory.allocation.strategy", "half"}}, absl::StatusCode::kInvalidArgument),
            "buffer.memory.allocation.strategy = \"half\" is not allowed: full or incremental (BP-02)");
}

// PR-27
TEST(ConfigTest, RecordingLevelsAreKafkasThree) {
  for (const char* level : {"INFO", "DEBUG", "TRACE"}) {
    EXPECT_TRUE(ParseWith({{"metrics.recording.level", level}}).ok()) << level;
  }
  EXPECT_EQ(ErrorOf({{"metrics.recording.level", "debug"}}, absl::StatusCode::kInvalidArgument),
            "metrics.recording.level = \"debug\" is not allowed: INFO, DEBUG or TRACE (PR-27)");
}

TEST(ConfigTest, KnownButUnsupportedSaysSo) {
  EXPECT_EQ(ErrorOf({{"transaction.two.phase.commit.enable", "true"}}, absl::StatusCode::kUnimplemented),
            "transaction.two.phase.commit.enable = \"true\" is not supported yet (transactions that another system "
            "decides about): only false yet");
  EXPECT_EQ(ErrorOf({{"sasl.oauthbearer.scope", "all"}}, absl::StatusCode::kUnimplemented),
            "sasl.oauthbearer.scope = \"all\" is not supported yet (SASL): nothing yet");
}

// PR-21
TEST(ConfigTest, IdempotenceThatIsAskedForNeedsAllReplicasRetriesAndFiveInFlightAtMost) {
  EXPECT_EQ(
      ErrorOf({{"enable.idempotence", "true"},
               {"acks", "1"},
               {"retries", "0"},
               {"max.in.flight.requests.per.connection", "6"}},
              absl::StatusCode::kInvalidArgument),
      "acks = \"1\" is not allowed with enable.idempotence = true: all (PR-21)\n"
      "retries = \"0\" is not allowed with enable.idempotence = true: at least 1 (PR-21)\n"
      "max.in.flight.requests.per.connection = \"6\" is not allowed with enable.idempotence = true: at most 5 (PR-21)");
}

// PR-21
TEST(ConfigTest, IdempotenceThatIsOnByDefaultGivesWayWithAWord) {
  const std::map<std::string, std::string> contradictions = {
      {"acks", "1"}, {"retries", "0"}, {"api.version.request", "false"}};
  for (const auto& [key, value] : contradictions) {
    const absl::StatusOr<ProducerConfig> config = ParseWith({{key, value}});
    ASSERT_TRUE(config.ok()) << key;
    EXPECT_FALSE(config->enable_idempotence) << key;
    ASSERT_EQ(config->warnings.size(), 1u) << key;
    EXPECT_EQ(config->warnings[0].find("enable.idempotence is set to false, because " + key + " = " + value), 0u)
        << config->warnings[0];
  }
}

// PR-21
TEST(ConfigTest, MoreThanFiveInFlightHaveToBeAskedForWithoutIdempotence) {
  EXPECT_EQ(
      ErrorOf({{"max.in.flight.requests.per.connection", "6"}}, absl::StatusCode::kInvalidArgument),
      "max.in.flight.requests.per.connection = \"6\" is not allowed with enable.idempotence = true, the default: at "
      "most 5 (PR-21)");
  EXPECT_TRUE(ParseWith({{"max.in.flight.requests.per.connection", "6"}, {"enable.idempotence", "false"}}).ok());
}

// PR-21
TEST(ConfigTest, IdempotenceThatIsAskedForIsOn) {
  const absl::StatusOr<ProducerConfig> config = ParseWith({{"enable.idempotence", "true"}});
  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config->enable_idempotence);
}

// As where a variable is empty: without the name there would be no transactions, and nobody would know.
TEST(ConfigTest, AnEmptyTransactionalIdIsAnErrorWhereThatClientTakesNone) {
  EXPECT_EQ(ErrorOf({{"transactional.id", ""}}, absl::StatusCode::kInvalidArgument),
            "transactional.id is empty: a text, or leave it out");
}

// WP-15
// PR-21
TEST(ConfigTest, TransactionsNeedWhatIdempotenceNeeds) {
  EXPECT_EQ(ErrorOf({{"transactional.id", "t"}, {"enable.idempotence", "false"}}, absl::StatusCode::kInvalidArgument),
            "enable.idempotence = \"false\" is not allowed with transactional.id = \"t\": only true (PR-21)");
  EXPECT_EQ(ErrorOf({{"transactional.id", "t"}, {"acks", "1"}, {"retries", "0"}}, absl::StatusCode::kInvalidArgument),
            "acks = \"1\" is not allowed with transactional.id: all (PR-21)\n"
            "retries = \"0\" is not allowed with transactional.id: at least 1 (PR-21)");
}

TEST(ConfigTest, CodecsAndTheirLevels) {
  const absl::StatusOr<ProducerConfig> config =
      ParseWith({{"compression.type", "zstd"}, {"compression.zstd.level", "-7"}, {"compression.gzip.level", "9"}});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->compression_type, Codec::kZstd);
  EXPECT_EQ(config->compression_zstd_level, -7);
  EXPECT_EQ(config->compression_gzip_level, 9);
  EXPECT_EQ(config->compression_lz4_level, 9);
}

// WP-15
TEST(ConfigTest, ACodecOrALevelThatDoesNotExistIsRefused) {
  EXPECT_EQ(ErrorOf({{"compression.type", "bzip2"}}, absl::StatusCode::kInvalidArgument),
            "compression.type = \"bzip2\" is not allowed: none, gzip, snappy, lz4 or zstd (WP-15)");
  EXPECT_EQ(ErrorOf({{"compression.gzip.level", "0"}}, absl::StatusCode::kInvalidArgument),
            "compression.gzip.level = \"0\" is not allowed: 1 ... 9, or -1 for gzip's own choice (WP-15)");
  EXPECT_EQ(ErrorOf({{"compression.lz4.level", "18"}}, absl::StatusCode::kInvalidArgument),
            "compression.lz4.level = \"18\" is not allowed: 1 ... 17 (WP-15)");
}

TEST(ConfigTest, UnsupportedKeyMayAskForNothing) {
  EXPECT_TRUE(ParseWith({{"sasl.kerberos.kinit.cmd", "/usr/bin/kinit"}}).ok());
}

TEST(ConfigTest, SecretsAreNotShown) {
  const std::string text =
      ErrorOf({{"sasl.oauthbearer.client.credentials.client.secret", "hunter2"}}, absl::StatusCode::kUnimplemented);
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  const std::string jaas = ErrorOf({{"sasl.jaas.config", "password=hunter2"}}, absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      jaas,
      "the value of sasl.jaas.config is not allowed: CLASS required username=\"...\" password=\"...\"; where CLASS is "
      "Kafka's PlainLoginModule or ScramLoginModule");
}

TEST(ConfigTest, KeysOfAnotherClientAreAWarning) {
  const auto config = ParseWith({{"key.serializer", "org.example.S"}, {"value.serializer", "org.example.S"}});
  ASSERT_TRUE(config.ok());
  const std::string why =
      " has no effect: Java classes; serializers are objects here (core/producer/serializing_producer.h)";
  EXPECT_EQ(config->warnings, (std::vector<std::string>{"key.serializer" + why, "value.serializer" + why}));
}

TEST(ConfigTest, AllProblemsAreFound) {
  std::vector<ConfigProblem> problems;
  const auto config = ProducerConfig::Parse({{"acks", "x"}, {"compression.type", "lz5"}, {"foo", "1"}}, &problems);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].key, "acks");
  EXPECT_EQ(problems[1].key, "compression.type");
  EXPECT_EQ(problems[2].key, "foo");
  EXPECT_EQ(problems[3].key, "bootstrap.servers");
}

// PR-22
TEST(ConfigTest, ExplicitDeliveryTimeoutBelowItsPartsIsAnError) {
  EXPECT_EQ(
      ErrorOf({{"delivery.timeout.ms", "30004"}}, absl::StatusCode::kInvalidArgument),
      "delivery.timeout.ms = \"30004\" is not allowed: at least linger.ms + request.timeout.ms = 5 + 30000 (PR-22)");
  EXPECT_TRUE(ParseWith({{"delivery.timeout.ms", "30005"}}).ok());
}

// PR-22
TEST(ConfigTest, DefaultDeliveryTimeoutIsRaised) {
  const auto config = ParseWith({{"linger.ms", "100000"}});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->delivery_timeout, milliseconds(130000));
  ASSERT_EQ(config->warnings.size(), 1u);
  EXPECT_EQ(config->warnings[0],
            "delivery.timeout.ms is raised from 120000 to 130000, the sum of linger.ms and request.timeout.ms (PR-22)");
}

// PR-23
TEST(ConfigTest, ReconnectBackoffAloneIsConstant) {
  const auto config = ParseWith({{"reconnect.backoff.ms", "200"}});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->reconnect_backoff, milliseconds(200));
  EXPECT_EQ(config->reconnect_backoff_max, milliseconds(200));
  EXPECT_EQ(config->warnings.size(), 1u);
}

// PR-23
TEST(ConfigTest, BackoffAboveItsMaximumIsTheMaximum) {
  const auto config = ParseWith({{"retry.backoff.ms", "5000"}});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->retry_backoff, milliseconds(1000));
  EXPECT_EQ(config->retry_backoff_max, milliseconds(1000));
  EXPECT_EQ(config->warnings.size(), 1u);
}

// BP-04
TEST(ConfigTest, BatchSizeFitsIntoBufferMemory) {
  EXPECT_EQ(ErrorOf({{"batch.size", "16384"}, {"buffer.memory", "1000"}}, absl::StatusCode::kInvalidArgument),
            "batch.size = \"16384\" is not allowed: at most buffer.memory = 1000 (BP-04)");
  const auto adapted = ParseWith({{"buffer.memory", "1000"}});
  ASSERT_TRUE(adapted.ok());
  EXPECT_EQ(adapted->batch_size, 1000);
  EXPECT_EQ(adapted->warnings.size(), 1u);
}

TEST(BootstrapServerTest, HostsLiteralsAndListenersAreTaken) {
  EXPECT_EQ(ParseBootstrapServer("broker-1.example:9092"), (BootstrapServer{"broker-1.example", 9092}));
  EXPECT_EQ(ParseBootstrapServer("127.0.0.1:1"), (BootstrapServer{"127.0.0.1", 1}));
  EXPECT_EQ(ParseBootstrapServer("[::1]:65535"), (BootstrapServer{"::1", 65535}));
  EXPECT_EQ(ParseBootstrapServer("[fe80::1%eth0]:9092"), (BootstrapServer{"fe80::1%eth0", 9092}));
  EXPECT_EQ(ParseBootstrapServer("PLAINTEXT://h:9092"), (BootstrapServer{"h", 9092}));
}

TEST(BootstrapServerTest, WrongFormsAreRefused) {
  for (const char* text : {"", ":", "h", "h:", ":9092", "h:0", "h:65536", "h:-1", "h:+1", "h:9092x", "::1:9092", "[]:1",
                           "[h]:1", "a b:1", "h:99999999999999999999"}) {
    EXPECT_EQ(ParseBootstrapServer(text), std::nullopt) << text;
  }
}

// PR-20
TEST(ConfigTest, BootstrapServersIsAListInOrder) {
  const auto config = ProducerConfig::Parse({{"bootstrap.servers", "b:2, a:1,,[::1]:3"}});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->bootstrap_servers, (std::vector<BootstrapServer>{{"b", 2}, {"a", 1}, {"::1", 3}}));
}

// PR-20
TEST(ConfigTest, BootstrapServersWithoutAServerIsAnError) {
  for (const char* text : {"", " , ", "h", "h:1,x"}) {
    EXPECT_EQ(ProducerConfig::Parse({{"bootstrap.servers", text}}).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

// Names are looked up when they are needed, again and again; here only the syntax counts.
TEST(ConfigTest, HostThatDoesNotResolveIsNoError) {
  EXPECT_TRUE(ProducerConfig::Parse({{"bootstrap.servers", "no-such-host.invalid:9092"}}).ok());
}

}  // namespace
}  // namespace ktrial
