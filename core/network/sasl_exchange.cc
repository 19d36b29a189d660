#include "core/network/sasl_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/wire/error_code.h"
#include "core/wire/status.h"

namespace ktrial {
namespace {

// A lifetime is a number of the broker's: not more than a moment can be later than another.
constexpr std::int64_t kLifetimeMillisMax = Duration::max() / std::chrono::milliseconds(4);

}  // namespace

SaslExchange::SaslExchange(const SaslSettings& settings, Entropy& entropy)
    : mechanism_(settings.mechanism),
      client_(NewSaslClient(settings, entropy)),
      next_(std::make_unique<SaslHandshakeCall>(
          wire::SaslHandshakeRequest{.mechanism = std::string(SaslMechanismName(settings.mechanism))})) {}

absl::Status SaslExchange::Check(const ApiVersions& versions) {
  for (const wire::ApiKey api : {wire::ApiKey::kSaslHandshake, wire::ApiKey::kSaslAuthenticate}) {
    const std::optional<wire::VersionRange> ours = wire::ClientVersionRange(api);
    if (ours.has_value() && versions.Choose(api, *ours).has_value()) continue;
    return absl::UnauthenticatedError(
        fmt::format("the broker does not know {} as brokers since Kafka 1.0 do", wire::ApiKeyName(api)));
  }
  return absl::OkStatus();
}

absl::Status SaslExchange::Answered(wire::ApiKey api, const OutgoingRequest& request) {
  if (api == wire::ApiKey::kSaslHandshake) {
    return OnHandshake(static_cast<const SaslHandshakeCall&>(request).response());
  }
  KT_CHECK(api == wire::ApiKey::kSaslAuthenticate);
  return OnAuthenticate(static_cast<const SaslAuthenticateCall&>(request).response());
}

absl::Status SaslExchange::OnHandshake(const wire::SaslHandshakeResponse& response) {
  if (response.error == wire::ErrorCode::kUnsupportedSaslMechanism) {
    return wire::KafkaError(
        response.error,
        fmt::format("the broker has no {} (sasl.mechanism); it has: {}", SaslMechanismName(mechanism_),
                    response.mechanisms.empty() ? "none" : fmt::format("{}", fmt::join(response.mechanisms, ", "))));
  }
  if (response.error == wire::ErrorCode::kIllegalSaslState) {
    return wire::KafkaError(response.error, "the listener wants no SASL (security.protocol)");
  }
  if (response.error != wire::ErrorCode::kNone) {
    return wire::KafkaError(response.error,
                            fmt::format("the broker refused the mechanism: {}", wire::ErrorCodeName(response.error)));
  }
  next_ = std::make_unique<SaslAuthenticateCall>(wire::SaslAuthenticateRequest{.auth_bytes = client_->Start()});
  return absl::OkStatus();
}

absl::Status SaslExchange::OnAuthenticate(const wire::SaslAuthenticateResponse& response) {
  if (response.error != wire::ErrorCode::kNone) {
    const std::string why = response.error_message.value_or(std::string(wire::DefaultMessage(response.error)));
    return wire::KafkaError(response.error, fmt::format("the broker refused: {}", why));
  }
  absl::StatusOr<std::optional<std::string>> answer = client_->Next(response.auth_bytes);
  if (!answer.ok()) return answer.status();
  if (answer->has_value()) {
    next_ = std::make_unique<SaslAuthenticateCall>(wire::SaslAuthenticateRequest{.auth_bytes = **std::move(answer)});
    return absl::OkStatus();
  }
  done_ = true;
  if (response.session_lifetime_ms > 0) {
    session_lifetime_ = std::chrono::milliseconds(std::min(response.session_lifetime_ms, kLifetimeMillisMax));
  }
  return absl::OkStatus();
}

Duration ReauthenticateAfter(Duration session_lifetime, Entropy& entropy) {
  const auto thousandths = static_cast<std::int64_t>(850 + DrawBelow(entropy, DrawPurpose::kReauthentication, 100));
  // Of the whole first: a product could be too large.
  return session_lifetime / 1000 * thousandths;
}

}  // namespace ktrial
