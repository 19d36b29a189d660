#include "core/producer/config_security.h"

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "core/producer/config.h"
#include "core/producer/config_check.h"
#include "core/producer/profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Values = std::map<std::string, std::string>;

absl::StatusOr<ProducerConfig> ParseWith(Values values, const char* profile = nullptr) {
  values["bootstrap.servers"] = "h:1";
  return ProducerConfig::Parse(values, nullptr, profile == nullptr ? nullptr : FindProfile(profile));
}

std::string ErrorOf(const Values& values, const char* profile = nullptr) {
  const auto config = ParseWith(values, profile);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(config.status().message());
}

TEST(ConfigSecurityTest, TlsIsConfiguredByKafkasKeys) {
  const auto config = ParseWith({{"security.protocol", "ssl"},
                                 {"ssl.enabled.protocols", "TLSv1.3,TLSv1.1"},
                                 {"ssl.endpoint.identification.algorithm", ""},
                                 {"ssl.cipher.suites", "TLS_AES_256_GCM_SHA384, TLS_AES_128_GCM_SHA256"},
                                 {"ssl.truststore.location", "/ca.p12"},
                                 {"ssl.truststore.password", "t"},
                                 {"ssl.truststore.type", "pkcs12"},
                                 {"ssl.keystore.type", "PEM"},
                                 {"ssl.keystore.key", "k"},
                                 {"ssl.keystore.certificate.chain", "c"},
                                 {"ssl.key.password", "p"}});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->security_protocol, SecurityProtocol::kSsl);
  EXPECT_FALSE(config->tls.tls12);
  EXPECT_TRUE(config->tls.tls13);
  EXPECT_FALSE(config->tls.verify_host);
  EXPECT_THAT(config->tls.cipher_suites, ElementsAre("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"));
  EXPECT_EQ(config->tls.trust.type, TlsStoreType::kPkcs12);
  EXPECT_EQ(config->tls.trust.location, "/ca.p12");
  EXPECT_EQ(config->tls.trust.password, "t");
  EXPECT_EQ(config->tls.own.type, TlsStoreType::kPem);
  EXPECT_EQ(config->tls.own.key, "k");
  EXPECT_EQ(config->tls.own.certificates, "c");
  EXPECT_EQ(config->tls.key_password, "p");
  EXPECT_TRUE(config->warnings.empty());
}

TEST(ConfigSecurityTest, WhatIsNotAllowedIsSaidWithWhatIs) {
  EXPECT_EQ(ErrorOf({{"ssl.enabled.protocols", "TLSv1.1"}}),
            "ssl.enabled.protocols = \"TLSv1.1\" is not allowed: TLSv1.2, TLSv1.3; what is older may stand beside them "
            "and is left out");
  EXPECT_EQ(ErrorOf({{"ssl.truststore.type", "BCFKS"}}),
            "ssl.truststore.type = \"BCFKS\" is not allowed: PEM, PKCS12 or JKS, which is what the file is, but JKS");
  EXPECT_EQ(ErrorOf({{"ssl.endpoint.identification.algorithm", "ldaps"}}),
            "ssl.endpoint.identification.algorithm = \"ldaps\" is not allowed: https; empty or none: certificates may "
            "be for any host");
  EXPECT_EQ(ErrorOf({{"ssl.protocol", "SSL"}}), "ssl.protocol = \"SSL\" is not allowed: TLSv1.3, TLSv1.2 or TLS");
}

TEST(ConfigSecurityTest, KeysThatContradictEachOtherAreAnErrorAtTheirPlace) {
  const auto config = ProducerConfig::FromProperties(
      "bootstrap.servers=h:1\nsecurity.protocol=SSL\nssl.keystore.password=hunter2\n", "p.properties");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(config.status().message()),
            "p.properties:3: ssl.keystore.password is given without ssl.keystore.location");
}

// A struct that a program filled has no text to parse.
TEST(ConfigSecurityTest, AStructIsCheckedAsATextIs) {
  ProducerConfig config;
  config.bootstrap_servers = {{.host = "h", .port = 1}};
  config.security_protocol = SecurityProtocol::kSsl;
  config.tls.tls12 = config.tls.tls13 = false;
  EXPECT_EQ(CheckConfig(config).code(), absl::StatusCode::kInvalidArgument);
  config.security_protocol = SecurityProtocol::kPlaintext;
  EXPECT_TRUE(CheckConfig(config).ok());
}

TEST(ConfigSecurityTest, WithoutTlsItsKeysAreAWarning) {
  const auto config = ParseWith({{"ssl.truststore.location", "/ca.pem"}, {"ssl.key.password", "hunter2"}});
  ASSERT_TRUE(config.ok());
  EXPECT_THAT(config->warnings, ElementsAre("ssl.key.password has no effect: security.protocol is PLAINTEXT",
                                            "ssl.truststore.location has no effect: security.protocol is PLAINTEXT"));
}

constexpr char kPlainJaas[] =
    "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" password=\"hunter2\";";
constexpr char kScramJaas[] =
    "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"alice\" password=\"hunter2\";";

TEST(ConfigSecurityTest, SaslIsConfiguredByKafkasKeys) {
  const auto config = ParseWith(
      {{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", "SCRAM-SHA-512"}, {"sasl.jaas.config", kScramJaas}});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_TRUE(UsesTls(config->security_protocol));
  EXPECT_TRUE(UsesSasl(config->security_protocol));
  EXPECT_EQ(config->sasl.mechanism, SaslMechanism::kScramSha512);
  EXPECT_EQ(config->sasl.user, "alice");
  EXPECT_EQ(config->sasl.password, "hunter2");
}

TEST(ConfigSecurityTest, UserAndPasswordMayBeKeysOfTheirOwn) {
  const Values values = {
      {"security.protocol", "sasl_plaintext"}, {"sasl.username", "alice"}, {"sasl.password", "hunter2"}};
  Values kafka = values;
  kafka["sasl.mechanism"] = "PLAIN";
  Values rdkafka = values;
  rdkafka["sasl.mechanisms"] = "PLAIN";
  for (const auto& config : {ParseWith(kafka), ParseWith(rdkafka, "librdkafka-2")}) {
    ASSERT_TRUE(config.ok()) << config.status().message();
    EXPECT_EQ(config->security_protocol, SecurityProtocol::kSaslPlaintext);
    EXPECT_EQ(config->sasl.mechanism, SaslMechanism::kPlain);
    EXPECT_EQ(config->sasl.user, "alice");
    EXPECT_EQ(config->sasl.password, "hunter2");
  }
  kafka["sasl.jaas.config"] = kPlainJaas;
  EXPECT_EQ(ErrorOf(kafka), "sasl.jaas.config is given beside sasl.username or sasl.password, allowed: one of them");
}

TEST(ConfigSecurityTest, AMechanismThatIsNotSupportedSaysSo) {
  for (const char* mechanism : {"GSSAPI", "OAUTHBEARER"}) {
    const auto config = ParseWith({{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", mechanism}});
    EXPECT_EQ(config.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(
        std::string(config.status().message()),
        HasSubstr(
            "is not supported, allowed with security.protocol = SASL_SSL: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"));
  }
}

TEST(ConfigSecurityTest, WhoItIsMustBeSaidAndFitTheMechanism) {
  const Values plain = {{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", "PLAIN"}};
  EXPECT_EQ(ErrorOf(plain),
            "sasl.jaas.config with a user and a password is required with security.protocol = SASL_SSL");
  Values other = plain;
  other["sasl.jaas.config"] = kScramJaas;
  EXPECT_EQ(ErrorOf(other),
            "sasl.jaas.config names ScramLoginModule, but sasl.mechanism = PLAIN needs PlainLoginModule");
  for (const char* jaas : {"com.example.OtherLoginModule required username=\"a\" password=\"hunter2\";",
                           "PlainLoginModule required username=\"a\";", "password=hunter2",
                           "ScramLoginModule required username=\"a\" password=\"hunter2\" tokenauth=\"true\";"}) {
    other["sasl.jaas.config"] = jaas;
    const std::string error = ErrorOf(other);
    EXPECT_THAT(error, HasSubstr("the value of sasl.jaas.config is not allowed: ")) << jaas;
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << jaas;
  }
  Values old = plain;
  old["sasl.jaas.config"] = kPlainJaas;
  old["api.version.request"] = "false";
  old["enable.idempotence"] = "false";
  EXPECT_EQ(ErrorOf(old), "api.version.request = false is not allowed with security.protocol = SASL_SSL");
}

TEST(ConfigSecurityTest, NamesOfLibrdkafkaMeanTheSame) {
  const auto config = ParseWith({{"security.protocol", "ssl"},
                                 {"ssl.ca.location", "/ca.pem"},
                                 {"ssl.certificate.pem", "c"},
                                 {"ssl.key.pem", "k"},
                                 {"ssl.endpoint.identification.algorithm", "none"}},
                                "librdkafka-2");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->tls.trust.location, "/ca.pem");
  EXPECT_EQ(config->tls.own.certificates, "c");
  EXPECT_EQ(config->tls.own.key, "k");
  EXPECT_FALSE(config->tls.verify_host);
  EXPECT_THAT(ErrorOf({{"ssl.key.location", "/k.pem"}}, "librdkafka-2"), HasSubstr("into one file in PEM"));
  EXPECT_THAT(ErrorOf({{"enable.ssl.certificate.verification", "false"}}, "librdkafka-2"),
              HasSubstr("certificates are always verified"));
}

}  // namespace
}  // namespace ktrial
