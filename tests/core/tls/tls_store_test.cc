#include "core/tls/tls_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "core/tls/tls_context.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/sandbox.h"
#include "tests/core/tls/certificates.h"

namespace ktrial::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TlsStoreTest : public ::testing::Test {
 protected:
  // The error of a client with these settings, empty if there is none.
  std::string ErrorOf(const TlsSettings& settings) {
    sim::Sandbox sandbox;
    sim::SimEnv env(sandbox.kernel(), sandbox.network(), {.files = files_});
    const auto context = TlsContext::Create(TlsSide::kClient, settings, env, "test");
    EXPECT_TRUE(context.ok() || context.status().code() == absl::StatusCode::kInvalidArgument);
    return std::string(context.status().message());
  }
  TlsSettings WithOwn(TlsStore own, std::string key_password = {}) {
    TlsSettings settings = authority_.Client();
    settings.own = std::move(own);
    settings.key_password = std::move(key_password);
    return settings;
  }
  std::string ErrorOfTrust(TlsStore trust) { return ErrorOf({.trust = std::move(trust)}); }

  TestAuthority authority_{"authority"};
  const IssuedCertificate issued_ = authority_.Issue({});
  std::map<std::string, std::string, std::less<>> files_;
};

TEST_F(TlsStoreTest, PemIsReadFromAFileOrFromTheValue) {
  files_["ca.pem"] = "a comment\n" + authority_.certificate() + issued_.certificate;
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPem, .location = "ca.pem"}), "");
  EXPECT_EQ(ErrorOfTrust({.location = "ca.pem"}), "");
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPem, .certificates = authority_.certificate()}), "");
}

TEST_F(TlsStoreTest, PemInAValueNeedsNoLineEnds) {
  std::string line = authority_.certificate();
  std::ranges::replace(line, '\n', ' ');
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPem, .certificates = line}), "");
  std::erase_if(line, [&, dashes = 0](char c) mutable {
    dashes += c == '-';
    return c == ' ' && dashes > 10 && dashes < 15;  // In the body alone.
  });
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPem, .certificates = line}), "");
}

TEST_F(TlsStoreTest, KeyAndCertificateStandInOneFileInAnyOrder) {
  files_["a.pem"] = issued_.key + issued_.certificate;
  files_["b.pem"] = issued_.certificate + issued_.key;
  EXPECT_EQ(ErrorOf(WithOwn({.type = TlsStoreType::kPem, .location = "a.pem"})), "");
  EXPECT_EQ(ErrorOf(WithOwn({.type = TlsStoreType::kPem, .location = "b.pem"})), "");
}

TEST_F(TlsStoreTest, AnEncryptedKeyNeedsItsPassword) {
  files_["own.pem"] = authority_.EncryptedKey(issued_, "hunter2") + issued_.certificate;
  const TlsStore own{.type = TlsStoreType::kPem, .location = "own.pem"};
  EXPECT_EQ(ErrorOf(WithOwn(own, "hunter2")), "");
  EXPECT_EQ(ErrorOf(WithOwn(own)),
            "ssl.keystore.location = \"own.pem\" has an encrypted private key: ssl.key.password is needed");
  const std::string wrong = ErrorOf(WithOwn(own, "hunter3"));
  EXPECT_THAT(wrong, StartsWith("ssl.keystore.location = \"own.pem\" has a private key that cannot be read with "
                                "ssl.key.password: "));
  EXPECT_EQ(wrong.find("hunter"), std::string::npos);
}

TEST_F(TlsStoreTest, Pkcs12IsReadAlsoUnderTheNameOfJks) {
  files_["trust.p12"] = authority_.Pkcs12OfAuthority("changeit");
  files_["own.p12"] = authority_.Pkcs12(issued_, "changeit");
  for (const TlsStoreType type : {TlsStoreType::kPkcs12, TlsStoreType::kJks}) {
    EXPECT_EQ(ErrorOfTrust({.type = type, .location = "trust.p12", .password = "changeit"}), "");
    EXPECT_EQ(ErrorOf(WithOwn({.type = type, .location = "own.p12", .password = "changeit"})), "");
  }
}

TEST_F(TlsStoreTest, APasswordOfPkcs12ThatIsWrongOrMissingIsToldApart) {
  files_["own.p12"] = authority_.Pkcs12(issued_, "changeit");
  EXPECT_EQ(
      ErrorOf(WithOwn({.type = TlsStoreType::kPkcs12, .location = "own.p12", .password = "hunter2"})),
      "ssl.keystore.location = \"own.p12\" does not open with the password that was given: ssl.keystore.password is "
      "wrong");
  EXPECT_EQ(ErrorOf(WithOwn({.type = TlsStoreType::kPkcs12, .location = "own.p12"})),
            "ssl.keystore.location = \"own.p12\" does not open without a password: ssl.keystore.password is needed");
}

TEST_F(TlsStoreTest, JksIsRefusedWithTheWayOut) {
  files_["old.jks"] = std::string("\xFE\xED\xFE\xED\0\0\0\2", 8);
  EXPECT_EQ(
      ErrorOfTrust({.location = "old.jks", .password = "changeit"}),
      "ssl.truststore.location = \"old.jks\" is a JKS file, which only Java can read, allowed: PEM or PKCS12. Convert "
      "it: keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12, then "
      "ssl.truststore.type = PKCS12");
}

TEST_F(TlsStoreTest, AFileThatIsNotWhatItsTypeSaysIsRefused) {
  files_["ca.pem"] = authority_.certificate();
  files_["text"] = "neither";
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPkcs12, .location = "ca.pem"}),
            "ssl.truststore.location = \"ca.pem\" is PEM, but ssl.truststore.type is PKCS12");
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPem, .location = "text"}),
            "ssl.truststore.location = \"text\" is not PEM, but ssl.truststore.type is");
  EXPECT_EQ(ErrorOfTrust({.location = "text"}), "ssl.truststore.location = \"text\" is not a PKCS12 file");
  EXPECT_EQ(ErrorOfTrust({.location = "nowhere"}),
            "ssl.truststore.location = \"nowhere\" cannot be read: No such file or directory");
}

TEST_F(TlsStoreTest, AKeyThatIsNotThatOfTheCertificateIsRefused) {
  EXPECT_EQ(ErrorOf(WithOwn(
                {.type = TlsStoreType::kPem, .certificates = issued_.certificate, .key = authority_.Issue({}).key})),
            "ssl.keystore.certificate.chain: the first certificate is not that of the private key");
}

TEST_F(TlsStoreTest, PemWithoutWhatIsWantedIsRefused) {
  EXPECT_EQ(ErrorOfTrust({.type = TlsStoreType::kPem, .certificates = issued_.key}),
            "ssl.truststore.certificates has no certificate, allowed: PEM with -----BEGIN CERTIFICATE-----");
  EXPECT_EQ(
      ErrorOf(WithOwn({.type = TlsStoreType::kPem, .certificates = issued_.certificate, .key = issued_.certificate})),
      "ssl.keystore.key has no private key, allowed: PEM with -----BEGIN PRIVATE KEY-----");
  std::string broken = authority_.certificate();
  broken[broken.size() / 2] = '!';
  EXPECT_THAT(ErrorOfTrust({.type = TlsStoreType::kPem, .certificates = broken}),
              StartsWith("ssl.truststore.certificates has a certificate that is broken: "));
}

TEST_F(TlsStoreTest, WithoutATrustStoreTheSystemsAuthoritiesCount) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("ssl.truststore.location is needed"));
  files_["/etc/pki/tls/certs/ca-bundle.crt"] = authority_.certificate();
  EXPECT_EQ(ErrorOf({}), "");
}

TEST_F(TlsStoreTest, SettingsThatContradictEachOtherAreFoundWithoutReading) {
  const std::pair<TlsSettings, std::string> cases[] = {
      {{.trust = {.password = "p"}}, "ssl.truststore.password is given without ssl.truststore.location"},
      {{.trust = {.type = TlsStoreType::kPem, .location = "f", .password = "p"}},
       "ssl.truststore.password has no meaning with ssl.truststore.type = PEM"},
      {{.trust = {.type = TlsStoreType::kPkcs12, .certificates = "c"}},
       "ssl.truststore.certificates needs ssl.truststore.type = PEM"},
      {{.trust = {.location = "f", .certificates = "c"}},
       "ssl.truststore.certificates is given beside ssl.truststore.location, allowed: one of them"},
      {{.own = {.key = "k"}}, "ssl.keystore.key is given without ssl.keystore.certificate.chain"},
      {{.own = {.certificates = "c"}}, "ssl.keystore.certificate.chain is given without ssl.keystore.key"},
      {{.own = {.location = "f", .certificates = "c", .key = "k"}},
       "ssl.keystore.key is given beside ssl.keystore.location, allowed: one of them"},
      {{.own = {.type = TlsStoreType::kPkcs12, .certificates = "c", .key = "k"}},
       "ssl.keystore.key needs ssl.keystore.type = PEM"},
      {{.own = {.password = "p"}}, "ssl.keystore.password is given without ssl.keystore.location"},
      {{.own = {.type = TlsStoreType::kPem, .location = "f", .password = "p"}},
       "ssl.keystore.password has no meaning with ssl.keystore.type = PEM: ssl.key.password is for the key"},
      {{.cipher_suites = {"ROT13"}},
       "ssl.cipher.suites: \"ROT13\" is not known, allowed: names of suites of TLS 1.2 and 1.3 (openssl ciphers "
       "-stdname)"},
      {{.tls12 = false, .cipher_suites = {"ECDHE-RSA-AES128-GCM-SHA256"}},
       "ssl.cipher.suites has no suite of the protocols in ssl.enabled.protocols"},
      {{.tls12 = false, .tls13 = false}, "ssl.enabled.protocols is empty, allowed: TLSv1.2, TLSv1.3"},
  };
  for (const auto& [settings, text] : cases) {
    const auto problem = CheckTlsSettings(settings);
    ASSERT_TRUE(problem.has_value()) << text;
    EXPECT_EQ(problem->text, text);
    EXPECT_TRUE(text.starts_with(problem->key)) << problem->key;
  }
  EXPECT_FALSE(CheckTlsSettings({}).has_value());
}

}  // namespace
}  // namespace ktrial::testing
