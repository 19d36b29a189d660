#include "core/sasl/sasl_client.h"

#include <openssl/crypto.h>

#include <array>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "core/check.h"
#include "core/sasl/scram.h"

namespace ktrial {
namespace {

absl::Status Refuse(std::string_view why) {
  return absl::UnauthenticatedError(absl::string_view(why.data(), why.size()));
}

class PlainClient final : public SaslClient {
 public:
  explicit PlainClient(const SaslSettings& settings)
      : message_(std::string(1, '\0') + settings.user + '\0' + settings.password) {}
  std::string Start() override { return message_; }
  absl::StatusOr<std::optional<std::string>> Next(std::string_view) override { return std::optional<std::string>(); }

 private:
  const std::string message_;
};

std::string NewNonce(Entropy& entropy) {
  std::array<char, 24> bytes;
  entropy.Secret(bytes);
  return ScramEscape(std::string_view(bytes.data(), bytes.size()));
}

class ScramClient final : public SaslClient {
 public:
  ScramClient(const SaslSettings& settings, ScramHash hash, Entropy& entropy)
      : hash_(hash),
        password_(settings.password),
        nonce_(NewNonce(entropy)),
        first_bare_("n=" + ScramName(settings.user) + ",r=" + nonce_) {}

  // "n,,": no channel binding, and nobody speaks for another.
  std::string Start() override { return "n,," + first_bare_; }

  absl::StatusOr<std::optional<std::string>> Next(std::string_view challenge) override {
    ++step_;
    if (step_ == 1) return Prove(challenge);
    if (step_ == 2) return Verify(challenge);
    return Refuse("the broker says more than SCRAM has it");
  }

 private:
  absl::StatusOr<std::optional<std::string>> Prove(std::string_view challenge) {
    const auto nonce = ScramAttribute(challenge, 'r');
    const auto salt_text = ScramAttribute(challenge, 's');
    const auto count_text = ScramAttribute(challenge, 'i');
    if (!nonce || !salt_text || !count_text) return Refuse("the first answer of the broker is not one of SCRAM");
    // Both have to add to it: otherwise an old exchange could be played again.
    if (!nonce->starts_with(nonce_) || nonce->size() == nonce_.size()) {
      return Refuse("the broker's nonce of SCRAM does not begin with that of the client, or adds nothing to it");
    }
    const std::optional<std::string> salt = ScramUnescape(*salt_text);
    if (!salt.has_value() || salt->empty()) return Refuse("the broker's salt of SCRAM cannot be read");
    std::int32_t count = 0;
    const auto [end, error] = std::from_chars(count_text->data(), count_text->data() + count_text->size(), count);
    const bool number = error == std::errc() && end == count_text->data() + count_text->size();
    if (!number || count < kScramIterationsMin || count > kScramIterationsMax) {
      return Refuse("the broker asks for a number of iterations of SCRAM that is not from " +
                    std::to_string(kScramIterationsMin) + " to " + std::to_string(kScramIterationsMax));
    }
    const std::string without_proof = "c=biws,r=" + std::string(*nonce);  // biws: "n,,"
    const std::string auth_message = first_bare_ + "," + std::string(challenge) + "," + without_proof;
    const std::string salted = ScramSaltedPassword(hash_, password_, *salt, count);
    expected_ = ScramServerSignature(hash_, salted, auth_message);
    return std::optional<std::string>(without_proof +
                                      ",p=" + ScramEscape(ScramClientProof(hash_, salted, auth_message)));
  }

  absl::StatusOr<std::optional<std::string>> Verify(std::string_view challenge) {
    if (ScramAttribute(challenge, 'e').has_value()) return Refuse("the broker refused the proof of SCRAM");
    const auto text = ScramAttribute(challenge, 'v');
    const std::optional<std::string> signature = text.has_value() ? ScramUnescape(*text) : std::nullopt;
    const bool proved = signature.has_value() && signature->size() == expected_.size() &&
                        CRYPTO_memcmp(signature->data(), expected_.data(), expected_.size()) == 0;
    if (!proved) return Refuse("the broker did not prove that it knows the password (SCRAM)");
    return std::optional<std::string>();
  }

  const ScramHash hash_;
  const std::string password_;
  const std::string nonce_;
  const std::string first_bare_;
  std::string expected_;  // The signature of the server.
  int step_ = 0;
};

}  // namespace

std::string_view SaslMechanismName(SaslMechanism mechanism) {
  switch (mechanism) {
    case SaslMechanism::kGssapi:
      return "GSSAPI";
    case SaslMechanism::kOauthbearer:
      return "OAUTHBEARER";
    case SaslMechanism::kPlain:
      return "PLAIN";
    case SaslMechanism::kScramSha256:
      return "SCRAM-SHA-256";
    case SaslMechanism::kScramSha512:
      return "SCRAM-SHA-512";
  }
  CheckFailed("known mechanism", __FILE__, __LINE__);
}

std::unique_ptr<SaslClient> NewSaslClient(const SaslSettings& settings, Entropy& entropy) {
  switch (settings.mechanism) {
    case SaslMechanism::kPlain:
      return std::make_unique<PlainClient>(settings);
    case SaslMechanism::kScramSha256:
      return std::make_unique<ScramClient>(settings, ScramHash::kSha256, entropy);
    case SaslMechanism::kScramSha512:
      return std::make_unique<ScramClient>(settings, ScramHash::kSha512, entropy);
    case SaslMechanism::kGssapi:
    case SaslMechanism::kOauthbearer:
      break;
  }
  CheckFailed("a mechanism that is supported", __FILE__, __LINE__);
}

}  // namespace ktrial
