#include "sim/broker/sasl.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/sasl/jaas.h"
#include "core/sasl/scram.h"

namespace ktrial::sim {
namespace {

constexpr std::array<std::string_view, 3> kMechanisms = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};
constexpr std::int32_t kIterations = 4096;  // Kafka's default, and the fewest that clients take.

class PlainServer final : public SaslServer {
 public:
  explicit PlainServer(const SaslAccess& access) : access_(access) {}

  Step Next(std::string_view message, std::string& answer) override {
    answer.clear();
    const std::size_t first = message.find('\0');
    const std::size_t second = first == std::string_view::npos ? first : message.find('\0', first + 1);
    if (second == std::string_view::npos) return Step::kRefused;
    const auto user = access_.users.find(message.substr(first + 1, second - first - 1));
    return user != access_.users.end() && user->second == message.substr(second + 1) ? Step::kDone : Step::kRefused;
  }

 private:
  const SaslAccess& access_;
};

class ScramServer final : public SaslServer {
 public:
  ScramServer(ScramHash hash, const SaslAccess& access, std::string nonce, bool checks_nonce)
      : hash_(hash), access_(access), checks_nonce_(checks_nonce), nonce_(std::move(nonce)) {}

  Step Next(std::string_view message, std::string& answer) override {
    return first_answer_.empty() ? Begin(message, answer) : Verify(message, answer);
  }

 private:
  Step Begin(std::string_view message, std::string& answer) {
    if (!message.starts_with("n,,")) return Step::kRefused;
    first_bare_ = message.substr(3);
    const auto name = ScramAttribute(first_bare_, 'n');
    const auto nonce = ScramAttribute(first_bare_, 'r');
    if (!name || !nonce) return Step::kRefused;
    const auto user = std::ranges::find_if(access_.users, [&](const auto& it) { return ScramName(it.first) == *name; });
    if (user == access_.users.end()) return Step::kRefused;
    nonce_ = std::string(*nonce) + nonce_;
    const std::string salt = "salt of " + user->first;
    salted_ = ScramSaltedPassword(hash_, user->second, salt, kIterations);
    first_answer_ = "r=" + nonce_ + ",s=" + ScramEscape(salt) + ",i=" + std::to_string(kIterations);
    answer = first_answer_;
    return Step::kGoesOn;
  }

  Step Verify(std::string_view message, std::string& answer) {
    const auto nonce = ScramAttribute(message, 'r');
    const auto proof = ScramAttribute(message, 'p');
    if (!nonce || (checks_nonce_ && *nonce != nonce_) || !proof) return Step::kRefused;
    const std::string without_proof(message.substr(0, message.find(",p=")));
    const std::string auth_message = first_bare_ + "," + first_answer_ + "," + without_proof;
    if (ScramUnescape(*proof) != ScramClientProof(hash_, salted_, auth_message)) return Step::kRefused;
    answer = "v=" + ScramEscape(ScramServerSignature(hash_, salted_, auth_message));
    return Step::kDone;
  }

  const ScramHash hash_;
  const SaslAccess& access_;
  const bool checks_nonce_;
  std::string nonce_;
  std::string first_bare_;
  std::string first_answer_;
  std::string salted_;
};

}  // namespace

bool SaslAccess::Has(std::string_view mechanism) const {
  return std::ranges::find(mechanisms, mechanism) != mechanisms.end();
}

bool IsSaslMechanism(std::string_view name) { return std::ranges::find(kMechanisms, name) != kMechanisms.end(); }

std::optional<std::map<std::string, std::string, std::less<>>> ParseSaslUsers(std::string_view jaas) {
  constexpr std::string_view kPrefix = "user_";
  const std::optional<JaasLogin> login = ParseJaas(jaas);
  if (!login.has_value()) return std::nullopt;
  std::map<std::string, std::string, std::less<>> users;
  for (const auto& [option, value] : login->options) {
    if (option.starts_with(kPrefix)) users.emplace(option.substr(kPrefix.size()), value);
  }
  return users;
}

std::unique_ptr<SaslServer> NewSaslServer(std::string_view mechanism, const SaslAccess& access, std::string nonce,
                                          bool checks_nonce) {
  if (mechanism == "PLAIN") return std::make_unique<PlainServer>(access);
  const ScramHash hash = mechanism == "SCRAM-SHA-256" ? ScramHash::kSha256 : ScramHash::kSha512;
  return std::make_unique<ScramServer>(hash, access, std::move(nonce), checks_nonce);
}

}  // namespace ktrial::sim
