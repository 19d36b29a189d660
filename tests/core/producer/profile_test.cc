#include "core/producer/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/producer/config.h"
#include "core/producer/config_keys.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Values = std::map<std::string, std::string>;

absl::StatusOr<ProducerConfig> ParseAs(std::string_view profile, Values values) {
  if (!values.contains("metadata.broker.list")) values.emplace("bootstrap.servers", "localhost:9092");
  return ProducerConfig::Parse(values, nullptr, FindProfile(profile));
}

ProducerConfig MustParseAs(std::string_view profile, const Values& values) {
  const absl::StatusOr<ProducerConfig> config = ParseAs(profile, values);
  EXPECT_TRUE(config.ok()) << config.status().message();
  return config.ok() ? *config : ProducerConfig();
}

std::string ErrorAs(std::string_view profile, const Values& values) {
  const absl::StatusOr<ProducerConfig> config = ParseAs(profile, values);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(config.status().message());
}

TEST(ProfileTest, TheseAreThere) {
  EXPECT_EQ(ProfileNames(), "java-0.9, java-2.8 or librdkafka-2");
  EXPECT_EQ(FindProfile("java-2.8")->client, "the Java client 2.8");
  EXPECT_EQ(FindProfile("java"), nullptr);
}

// A row that says what Kafka says anyway would only hide a change of the latter.
TEST(ProfileTest, EveryDefaultIsAValidOneThatKafkaDoesNotHave) {
  for (const ConfigProfile& profile : ConfigProfiles()) {
    EXPECT_TRUE(MustParseAs(profile.name, {}).warnings.empty()) << profile.name;
    for (const ProfileDefault& row : profile.defaults) {
      const ConfigKey* key = FindConfigKey(row.key);
      ASSERT_NE(key, nullptr) << row.key;
      EXPECT_EQ(key->support, ConfigSupport::kSupported) << row.key;
      EXPECT_NE(key->default_value, row.value) << profile.name << " " << row.key;
    }
  }
}

TEST(ProfileTest, EveryAliasMeansAKeyOrSaysWhyNot) {
  for (const ConfigProfile& profile : ConfigProfiles()) {
    EXPECT_TRUE(std::is_sorted(profile.aliases.begin(), profile.aliases.end(),
                               [](const ProfileAlias& a, const ProfileAlias& b) { return a.name < b.name; }));
    EXPECT_FALSE(profile.differences.empty());
    for (const ProfileAlias& alias : profile.aliases) {
      EXPECT_FALSE(alias.note.empty()) << alias.name;
      if (!alias.key.empty()) {
        EXPECT_NE(FindConfigKey(alias.key), nullptr) << alias.name;
      }
      // A name of Kafka's is only here if that client gives its values another meaning.
      if (FindConfigKey(alias.name) != nullptr) {
        EXPECT_NE(alias.translate, nullptr) << alias.name;
      }
    }
  }
}

TEST(ProfileTest, Java28HasItsDefaults) {
  const ProducerConfig config = MustParseAs("java-2.8", {});
  EXPECT_EQ(config.acks, Acks::kLeader);
  EXPECT_EQ(config.linger, milliseconds(0));
  EXPECT_EQ(config.retries, 2147483647);
  EXPECT_EQ(config.delivery_timeout, seconds(120));
  EXPECT_EQ(config.retry_backoff_max, milliseconds(100));
  EXPECT_EQ(config.metadata_recovery, MetadataRecovery::kNone);
  EXPECT_FALSE(config.enable_idempotence);
}

TEST(ProfileTest, Java09HasItsDefaults) {
  const ProducerConfig config = MustParseAs("java-0.9", {});
  EXPECT_EQ(config.acks, Acks::kLeader);
  EXPECT_EQ(config.retries, 0);
  EXPECT_EQ(config.linger, milliseconds(0));
  EXPECT_EQ(config.reconnect_backoff_max, milliseconds(50));
  EXPECT_GT(config.metadata_max_idle, std::chrono::hours(24 * 365));
}

// NC-39: its brokers never answer the question.
TEST(ProfileTest, Java09AsksNoBrokerForItsVersions) {
  EXPECT_FALSE(MustParseAs("java-0.9", {}).api_version_request);
  EXPECT_TRUE(MustParseAs("java-0.9", {{"api.version.request", "true"}}).api_version_request);
  EXPECT_TRUE(MustParseAs("java-2.8", {}).api_version_request);
}

// SASL without that question would be another protocol.
TEST(ProfileTest, Java09AsksForVersionsWhereItHasToSayWhoItIs) {
  const Values sasl = {{"security.protocol", "SASL_PLAINTEXT"},
                       {"sasl.mechanism", "PLAIN"},
                       {"sasl.jaas.config", "PlainLoginModule required username=\"a\" password=\"b\";"}};
  const ProducerConfig config = MustParseAs("java-0.9", sasl);
  EXPECT_TRUE(config.api_version_request);
  EXPECT_EQ(config.warnings,
            std::vector<std::string>{
                "api.version.request is set to true, because security.protocol = SASL_PLAINTEXT needs it"});
  Values given = sasl;
  given["api.version.request"] = "false";
  EXPECT_EQ(ErrorAs("java-0.9", given),
            "api.version.request = false is not allowed with security.protocol = SASL_PLAINTEXT");
}

TEST(ProfileTest, Librdkafka2HasItsDefaults) {
  const ProducerConfig config = MustParseAs("librdkafka-2", {});
  EXPECT_EQ(config.acks, Acks::kAll);
  EXPECT_EQ(config.linger, milliseconds(5));
  EXPECT_EQ(config.batch_size, 1000000);
  EXPECT_EQ(config.buffer_memory, 1073741824);
  EXPECT_EQ(config.max_request_size, 1000000);
  EXPECT_EQ(config.max_in_flight_requests_per_connection, 1000000);
  EXPECT_EQ(config.delivery_timeout, seconds(300));
  EXPECT_EQ(config.request_timeout, seconds(60));
  EXPECT_EQ(config.reconnect_backoff, milliseconds(100));
  EXPECT_EQ(config.reconnect_backoff_max, seconds(10));
  EXPECT_EQ(config.connection_setup_timeout_max, seconds(30));
  EXPECT_LT(config.connections_max_idle, Duration::zero());
  EXPECT_EQ(config.send_buffer_bytes, -1);
  EXPECT_EQ(config.partitioner_kind, PartitionerKind::kConsistentRandom);
  EXPECT_EQ(config.client_id, "rdkafka");
}

// KIP-1242 is younger than all of them.
TEST(ProfileTest, NoOtherClientTellsBrokersWhoIsMeant) {
  for (const ConfigProfile& profile : ConfigProfiles()) {
    EXPECT_FALSE(MustParseAs(profile.name, {}).metadata_cluster_check) << profile.name;
  }
}

TEST(ProfileTest, AnExplicitKeyWinsOverTheProfile) {
  const ProducerConfig config =
      MustParseAs("java-2.8", {{"acks", "all"}, {"linger.ms", "7"}, {"retry.backoff.max.ms", "900"}});
  EXPECT_EQ(config.acks, Acks::kAll);
  EXPECT_EQ(config.linger, milliseconds(7));
  EXPECT_EQ(config.retry_backoff_max, milliseconds(900));
}

// That client has one wait between tries, whatever it is.
TEST(ProfileTest, WithoutAMaximumOfItsOwnABackoffIsConstant) {
  const ProducerConfig config = MustParseAs("java-2.8", {{"retry.backoff.ms", "5000"}});
  EXPECT_EQ(config.retry_backoff, seconds(5));
  EXPECT_EQ(config.retry_backoff_max, seconds(5));
  EXPECT_TRUE(config.warnings.empty());
}

TEST(ProfileTest, LibrdkafkasNamesAreTaken) {
  const ProducerConfig config = MustParseAs("librdkafka-2", {{"metadata.broker.list", "a,b:1,[::1],PLAINTEXT://c"},
                                                             {"queue.buffering.max.ms", "50"},
                                                             {"queue.buffering.max.kbytes", "2048"},
                                                             {"message.timeout.ms", "0"},
                                                             {"message.send.max.retries", "3"},
                                                             {"message.max.bytes", "2000000"},
                                                             {"request.required.acks", "1"},
                                                             {"compression.codec", "zstd"},
                                                             {"compression.level", "7"},
                                                             {"partitioner", "murmur2_random"},
                                                             {"max.in.flight", "4"},
                                                             {"socket.timeout.ms", "9000"},
                                                             {"socket.send.buffer.bytes", "0"},
                                                             {"batch.num.messages", "1"},
                                                             {"topic.metadata.refresh.interval.ms", "1000"},
                                                             {"connections.max.idle.ms", "0"}});
  EXPECT_EQ(config.bootstrap_servers,
            (std::vector<BootstrapServer>{{"a", 9092}, {"b", 1}, {"::1", 9092}, {"c", 9092}}));
  EXPECT_EQ(config.linger, milliseconds(50));
  EXPECT_EQ(config.buffer_memory, 2048 * 1024);
  EXPECT_EQ(config.delivery_timeout, milliseconds(2147483647));
  EXPECT_EQ(config.retries, 3);
  EXPECT_EQ(config.max_request_size, 2000000);
  EXPECT_EQ(config.acks, Acks::kLeader);
  EXPECT_EQ(config.compression_type, Codec::kZstd);
  EXPECT_EQ(config.compression_zstd_level, 7);
  EXPECT_EQ(config.partitioner_kind, PartitionerKind::kMurmur2Random);
  EXPECT_EQ(config.max_in_flight_requests_per_connection, 4);
  EXPECT_EQ(config.request_timeout, seconds(9));
  EXPECT_EQ(config.send_buffer_bytes, -1);
  EXPECT_EQ(config.batch_size, 0);
  EXPECT_EQ(config.metadata_max_age, seconds(1));
  EXPECT_LT(config.connections_max_idle, Duration::zero());
}

TEST(ProfileTest, ALevelIsThatOfTheCodec) {
  EXPECT_EQ(
      MustParseAs("librdkafka-2", {{"compression.type", "gzip"}, {"compression.level", "9"}}).compression_gzip_level,
      9);
  EXPECT_EQ(
      MustParseAs("librdkafka-2", {{"compression.codec", "lz4"}, {"compression.level", "0"}}).compression_lz4_level, 9);
  EXPECT_EQ(
      MustParseAs("librdkafka-2", {{"compression.codec", "zstd"}, {"compression.level", "-1"}}).compression_zstd_level,
      3);
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"compression.codec", "gzip"}, {"compression.level", "12"}}),
            "compression.level = \"12\", which is compression.gzip.level = \"12\", is not allowed: 1 ... 9, or -1 for "
            "gzip's own choice "
            "(WP-15)");
}

TEST(ProfileTest, Java09sNamesAreTaken) {
  EXPECT_EQ(MustParseAs("java-0.9", {{"metadata.fetch.timeout.ms", "5"}}).max_block, milliseconds(5));
  EXPECT_EQ(MustParseAs("java-0.9", {{"timeout.ms", "700"}}).request_timeout, milliseconds(700));
  EXPECT_GT(MustParseAs("java-0.9", {{"block.on.buffer.full", "true"}}).max_block, std::chrono::hours(24 * 365));
  EXPECT_EQ(MustParseAs("java-0.9", {{"block.on.buffer.full", "false"}}).max_block, seconds(60));
  const std::string java = "org.apache.kafka.clients.producer.internals.DefaultPartitioner";
  EXPECT_EQ(MustParseAs("java-0.9", {{"partitioner.class", java}}).partitioner_kind, PartitionerKind::kBuiltIn);
}

TEST(ProfileTest, ANameWithoutCounterpartSaysSo) {
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"queue.buffering.max.messages", "5000"}}),
            "queue.buffering.max.messages has no counterpart here: records in memory have no limit by number, only "
            "buffer.memory; "
            "allowed: 0");
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"batch.num.messages", "500"}}),
            "batch.num.messages has no counterpart here: batches have no limit by number, batch.size counts bytes; 1 "
            "is batch.size = 0");
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"sticky.partitioning.linger.ms", "10"}}),
            "sticky.partitioning.linger.ms has no counterpart here: a record without a key stays with a partition for "
            "batch.size bytes, not "
            "for a time");
}

TEST(ProfileTest, SecretsAreNotShown) {
  const std::string text = ErrorAs("librdkafka-2", {{"sasl.password", "hunter2"}, {"sasl.kerberos.keytab", "hunter2"}});
  EXPECT_EQ(text, "sasl.kerberos.keytab has no counterpart here: of SASL, PLAIN and SCRAM are supported");
}

TEST(ProfileTest, WhatAsksForNothingIsTakenAndWhatDoesNotMatterIsAWarning) {
  const ProducerConfig config = MustParseAs(
      "librdkafka-2", {{"queue.buffering.max.messages", "0"}, {"socket.nagle.disable", "true"}, {"debug", "msg"}});
  EXPECT_EQ(config.warnings, (std::vector<std::string>{"debug has no effect: what is logged is the program's choice"}));
}

TEST(ProfileTest, AWrongValueIsReportedByTheNameThatWasWritten) {
  std::vector<ConfigProblem> problems;
  const Values values = {
      {"bootstrap.servers", "h:1"}, {"message.timeout.ms", "soon"}, {"queue.buffering.max.kbytes", "-5"}};
  EXPECT_EQ(ProducerConfig::Parse(values, &problems, FindProfile("librdkafka-2")).status().code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].key, "queue.buffering.max.kbytes");
  EXPECT_EQ(problems[0].text,
            "queue.buffering.max.kbytes = \"-5\", which is buffer.memory = \"-5\", is not allowed: 0 ... "
            "9223372036854775807 (BP-02)");
  EXPECT_EQ(problems[1].key, "message.timeout.ms");
}

// That client takes it, too.
TEST(ProfileTest, ALevelWithoutACodecThatHasLevelsHasNoEffectAndIsToldSo) {
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(MustParseAs("librdkafka-2", {{"compression.level", "7"}}).warnings,
            Warnings{"compression.level has no effect: compression.codec is not given"});
  EXPECT_EQ(MustParseAs("librdkafka-2", {{"compression.level", "1"}, {"compression.codec", "snappy"}}).warnings,
            Warnings{"compression.level has no effect: compression.codec is snappy"});
  EXPECT_TRUE(MustParseAs("librdkafka-2", {{"compression.level", "-1"}}).warnings.empty());
  for (const char* level : {"13", "-2", "high", ""}) {
    EXPECT_EQ(ErrorAs("librdkafka-2", {{"compression.level", level}}),
              "compression.level = \"" + std::string(level) + "\" is not allowed: -1 ... 12");
  }
}

TEST(ProfileTest, OneKeyByTwoNamesIsAnError) {
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"linger.ms", "5"}, {"queue.buffering.max.ms", "6"}}),
            "queue.buffering.max.ms and linger.ms are the same key, allowed: one of them");
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"compression.codec", "lz4"}, {"compression.type", "gzip"}}),
            "compression.type and compression.codec are the same key, allowed: one of them");
}

// PR-21
TEST(ProfileTest, DefaultsOfAnotherClientGiveWayToIdempotence) {
  const ProducerConfig librdkafka = MustParseAs("librdkafka-2", {{"enable.idempotence", "true"}});
  EXPECT_TRUE(librdkafka.enable_idempotence);
  EXPECT_EQ(librdkafka.max_in_flight_requests_per_connection, 5);
  const ProducerConfig java = MustParseAs("java-0.9", {{"enable.idempotence", "true"}});
  EXPECT_TRUE(java.enable_idempotence);
  EXPECT_EQ(java.acks, Acks::kAll);
  EXPECT_EQ(java.retries, 2147483647);
  EXPECT_TRUE(java.api_version_request);
  EXPECT_EQ(java.warnings.size(), 3u);
  EXPECT_EQ(ErrorAs("java-2.8", {{"enable.idempotence", "true"}, {"acks", "1"}}),
            "acks = \"1\" is not allowed with enable.idempotence = true: all (PR-21)");
}

// PR-21
TEST(ProfileTest, DefaultsOfAnotherClientGiveWayToTransactions) {
  const ProducerConfig java = MustParseAs("java-2.8", {{"transactional.id", "t"}});
  EXPECT_TRUE(java.enable_idempotence);
  EXPECT_EQ(java.acks, Acks::kAll);
  EXPECT_EQ(java.warnings,
            (std::vector<std::string>{"enable.idempotence is set to true, because transactional.id needs it (PR-21)",
                                      "acks is set to all, because enable.idempotence = true needs it (PR-21)"}));
  const ProducerConfig librdkafka = MustParseAs("librdkafka-2", {{"transactional.id", "t"}});
  EXPECT_TRUE(librdkafka.enable_idempotence);
  EXPECT_EQ(librdkafka.max_in_flight_requests_per_connection, 5);
}

// PR-21
TEST(ProfileTest, WhatIsGivenDoesNotGiveWayToTransactions) {
  EXPECT_EQ(ErrorAs("java-2.8", {{"transactional.id", "t"}, {"enable.idempotence", "false"}}),
            "enable.idempotence = \"false\" is not allowed with transactional.id = \"t\": only true (PR-21)");
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"transactional.id", "t"}, {"request.required.acks", "1"}}),
            "request.required.acks = \"1\" is not allowed with transactional.id: all (PR-21)");
}

TEST(ProfileTest, TheOldestClientHasNoTransactions) {
  EXPECT_EQ(ErrorAs("java-0.9", {{"transactional.id", "t"}}),
            "transactional.id is not allowed: this client has no transactions");
}

// PR-22
TEST(ProfileTest, TheDefaultDeliveryTimeoutOfAnotherClientIsRaisedToo) {
  const ProducerConfig config = MustParseAs("java-0.9", {{"request.timeout.ms", "70000"}});
  EXPECT_EQ(config.delivery_timeout, seconds(70));
  EXPECT_EQ(config.warnings,
            (std::vector<std::string>{"delivery.timeout.ms is raised from 60000 to 70000, the sum of linger.ms and "
                                      "request.timeout.ms (PR-22)"}));
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"message.timeout.ms", "1000"}, {"socket.timeout.ms", "1000"}}),
            "message.timeout.ms = \"1000\" is not allowed: at least linger.ms + request.timeout.ms = 5 + 1000 (PR-22)");
}

// PR-22. That client's requests wait no longer than their records may, and its users count on it.
TEST(ProfileTest, AMessageTimeoutBelowTheDefaultOfRequestsLowersThat) {
  const ProducerConfig config = MustParseAs("librdkafka-2", {{"message.timeout.ms", "10000"}});
  EXPECT_EQ(config.delivery_timeout, seconds(10));
  EXPECT_EQ(config.request_timeout, milliseconds(9995));
  EXPECT_EQ(config.warnings, (std::vector<std::string>{
                                 "request.timeout.ms is lowered from 60000 to 9995, what message.timeout.ms = 10000 "
                                 "leaves it (PR-22)"}));
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"message.timeout.ms", "5"}}),
            "message.timeout.ms = \"5\" is not allowed: at least linger.ms + request.timeout.ms = 5 + 60000 (PR-22)");
}

// PR-23
TEST(ProfileTest, AFirstReconnectBackoffAloneIsConstantOnlyForJava) {
  EXPECT_EQ(MustParseAs("java-2.8", {{"reconnect.backoff.ms", "200"}}).reconnect_backoff_max, milliseconds(200));
  EXPECT_EQ(MustParseAs("librdkafka-2", {{"reconnect.backoff.ms", "200"}}).reconnect_backoff_max, seconds(10));
}

TEST(ProfileTest, AMisspelledNameFindsTheClients) {
  EXPECT_EQ(ErrorAs("librdkafka-2", {{"queue.bufering.max.ms", "5"}}),
            "queue.bufering.max.ms is not a key of Kafka's producer or of librdkafka 2; did you mean "
            "queue.buffering.max.ms?");
}

TEST(ProfileTest, WithoutItAClientsNameLeadsToItsProfile) {
  const auto config = ProducerConfig::Parse({{"bootstrap.servers", "h:1"}, {"message.timeout.ms", "5"}});
  EXPECT_EQ(config.status().message(),
            "message.timeout.ms is not a key of Kafka's producer; it is one of librdkafka 2, for which there is the "
            "profile librdkafka-2");
}

TEST(ProfileTest, ADefaultIsFoundThroughItsLeader) {
  EXPECT_EQ(ProfileDefaultOf(*FindProfile("java-2.8"), "retry.backoff.max.ms"), "100");
  EXPECT_EQ(ProfileDefaultOf(*FindProfile("java-2.8"), "acks"), "1");
  EXPECT_EQ(ProfileDefaultOf(*FindProfile("java-2.8"), "retries"), "2147483647");
}

}  // namespace
}  // namespace ktrial
