#include "core/wire/status.h"

#include <gtest/gtest.h>

#include <string>

namespace ktrial::wire {
namespace {

TEST(StatusTest, EveryCodeTravelsInAStatus) {
  for (int n = static_cast<int>(kFirstErrorCode); n <= static_cast<int>(kLastErrorCode); ++n) {
    const auto code = static_cast<ErrorCode>(n);
    if (code == ErrorCode::kNone) continue;
    EXPECT_EQ(KafkaCode(KafkaError(code)), code);
  }
}

TEST(StatusTest, MessageIsTheGivenOneOrTheCodesOwn) {
  EXPECT_EQ(KafkaError(ErrorCode::kMessageTooLarge, "5 MB").message(), "5 MB");
  EXPECT_EQ(std::string(KafkaError(ErrorCode::kMessageTooLarge).message()),
            std::string(DefaultMessage(ErrorCode::kMessageTooLarge)));
}

TEST(StatusTest, StatusWithoutACodeIsToldApart) {
  EXPECT_EQ(KafkaCode(absl::OkStatus()), ErrorCode::kNone);
  EXPECT_EQ(KafkaCode(absl::InternalError("x")), ErrorCode::kUnknownServerError);
  EXPECT_FALSE(HasKafkaCode(absl::InternalError("x")));
  EXPECT_TRUE(HasKafkaCode(KafkaError(ErrorCode::kUnknownServerError)));
}

TEST(StatusTest, CoarseClassFollowsTheCode) {
  EXPECT_EQ(KafkaError(ErrorCode::kRequestTimedOut).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(KafkaError(ErrorCode::kTopicAuthorizationFailed).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(KafkaError(ErrorCode::kNotLeaderOrFollower).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(KafkaError(ErrorCode::kProducerFenced).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(StatusDeathTest, ThereIsNoErrorNone) { EXPECT_DEATH(KafkaError(ErrorCode::kNone).IgnoreError(), "check failed"); }

}  // namespace
}  // namespace ktrial::wire
