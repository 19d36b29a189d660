#include "core/producer/disposition.h"

#include <gtest/gtest.h>

namespace ktrial {
namespace {

using wire::ErrorCode;

// SN-06, WP-23: what may be sent again is what the table of codes calls retriable; the two lists are written apart.
TEST(DispositionTest, RetryIsWhatTheTableCallsRetriable) {
  for (int number = -1; number <= static_cast<int>(wire::kLastErrorCode); ++number) {
    const auto code = static_cast<ErrorCode>(number);
    EXPECT_EQ(Classify(code) == Disposition::kRetry, wire::IsRetriable(code)) << wire::ErrorCodeName(code);
  }
}

// SN-04, SN-10, SN-11
TEST(DispositionTest, TheOthersAreDoneSplitOrFailed) {
  EXPECT_EQ(Classify(ErrorCode::kNone), Disposition::kDone);
  EXPECT_EQ(Classify(ErrorCode::kDuplicateSequenceNumber), Disposition::kDoneElsewhere);
  EXPECT_EQ(Classify(ErrorCode::kMessageTooLarge), Disposition::kSplit);
  EXPECT_EQ(Classify(ErrorCode::kTopicAuthorizationFailed), Disposition::kFail);
  EXPECT_EQ(Classify(ErrorCode::kUnknownServerError), Disposition::kFail);
}

// SN-09
TEST(DispositionTest, OnlyALostLeadershipCarriesAHint) {
  EXPECT_TRUE(CarriesLeaderHint(ErrorCode::kNotLeaderOrFollower));
  EXPECT_TRUE(CarriesLeaderHint(ErrorCode::kFencedLeaderEpoch));
  EXPECT_FALSE(CarriesLeaderHint(ErrorCode::kUnknownTopicOrPartition));
}

}  // namespace
}  // namespace ktrial
