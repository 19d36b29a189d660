#include "core/wire/status.h"

#include <charconv>
#include <string>

#include "absl/strings/cord.h"
#include "core/check.h"

namespace ktrial::wire {
namespace {

constexpr char kPayloadUrl[] = "ktrial/kafka-error-code";

absl::StatusCode CoarseCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kRequestTimedOut:
      return absl::StatusCode::kDeadlineExceeded;
    case ErrorCode::kTopicAuthorizationFailed:
    case ErrorCode::kGroupAuthorizationFailed:
    case ErrorCode::kClusterAuthorizationFailed:
    case ErrorCode::kTransactionalIdAuthorizationFailed:
    case ErrorCode::kDelegationTokenAuthorizationFailed:
      return absl::StatusCode::kPermissionDenied;
    case ErrorCode::kSaslAuthenticationFailed:
    case ErrorCode::kUnsupportedSaslMechanism:
    case ErrorCode::kIllegalSaslState:
      return absl::StatusCode::kUnauthenticated;
    case ErrorCode::kMessageTooLarge:
    case ErrorCode::kRecordListTooLarge:
    case ErrorCode::kInvalidTopicException:
    case ErrorCode::kInvalidRequest:
    case ErrorCode::kInvalidRecord:
    case ErrorCode::kInvalidTimestamp:
    case ErrorCode::kInvalidRequiredAcks:
      return absl::StatusCode::kInvalidArgument;
    case ErrorCode::kUnsupportedVersion:
      return absl::StatusCode::kUnimplemented;
    case ErrorCode::kCorruptMessage:
      return absl::StatusCode::kDataLoss;
    case ErrorCode::kUnknownServerError:
      return absl::StatusCode::kUnknown;
    default:
      return IsRetriable(code) ? absl::StatusCode::kUnavailable : absl::StatusCode::kFailedPrecondition;
  }
}

}  // namespace

absl::Status KafkaError(ErrorCode code, std::string_view message) {
  KT_CHECK(code != ErrorCode::kNone);
  const std::string_view text = message.empty() ? DefaultMessage(code) : message;
  absl::Status status(CoarseCode(code), absl::string_view(text.data(), text.size()));
  // From a view: the constructor of Cord that takes a string has another mangled name in newer compilers than in the library.
  const std::string number = std::to_string(static_cast<int>(code));
  status.SetPayload(kPayloadUrl, absl::Cord(absl::string_view(number)));
  return status;
}

ErrorCode KafkaCode(const absl::Status& status) {
  if (status.ok()) return ErrorCode::kNone;
  const auto payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return ErrorCode::kUnknownServerError;
  const std::string text(*payload);
  int number = static_cast<int>(ErrorCode::kUnknownServerError);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return static_cast<ErrorCode>(number);
}

bool HasKafkaCode(const absl::Status& status) { return status.GetPayload(kPayloadUrl).has_value(); }

}  // namespace ktrial::wire
