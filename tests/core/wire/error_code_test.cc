#include "core/wire/error_code.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ktrial::wire {
namespace {

std::vector<ErrorCode> AllCodes() {
  std::vector<ErrorCode> codes;
  for (int n = static_cast<int>(kFirstErrorCode); n <= static_cast<int>(kLastErrorCode); ++n) {
    codes.push_back(static_cast<ErrorCode>(n));
  }
  return codes;
}

// WP-23
TEST(ErrorCodeTest, NamesGoThereAndBack) {
  std::set<std::string> names;
  for (const ErrorCode code : AllCodes()) {
    EXPECT_EQ(ErrorCodeFromName(ErrorCodeName(code)), code);
    names.emplace(ErrorCodeName(code));
  }
  EXPECT_EQ(names.size(), AllCodes().size());
  EXPECT_EQ(ErrorCodeName(ErrorCode::kNotLeaderOrFollower), "NOT_LEADER_OR_FOLLOWER");
  EXPECT_EQ(ErrorCodeFromName("NO_SUCH_CODE"), std::nullopt);
}

// WP-23
TEST(ErrorCodeTest, RetriableCodesAreTheseAndNoOthers) {
  const std::set<int> metadata = {3, 5, 6, 9, 13, 56, 72, 74, 80, 83, 84, 100, 103};
  const std::set<int> only_retriable = {2, 7, 14, 15, 16, 19, 20, 41, 51, 70, 71, 75, 78, 88, 89, 106, 122, 123, 133};
  for (const ErrorCode code : AllCodes()) {
    const int number = static_cast<int>(code);
    EXPECT_EQ(IsInvalidMetadata(code), metadata.contains(number)) << number;
    EXPECT_EQ(IsRetriable(code), metadata.contains(number) || only_retriable.contains(number)) << number;
  }
}

// WP-23
TEST(ErrorCodeTest, UnknownNumbersAreTheFinalUnknownServerError) {
  for (const int number : {-32768, -2, static_cast<int>(kLastErrorCode) + 1, 32767}) {
    EXPECT_EQ(ErrorCodeFromWire(static_cast<std::int16_t>(number)), ErrorCode::kUnknownServerError) << number;
  }
  EXPECT_EQ(ErrorCodeFromWire(6), ErrorCode::kNotLeaderOrFollower);
  EXPECT_FALSE(IsRetriable(ErrorCode::kUnknownServerError));
}

TEST(ErrorCodeTest, EveryCodeSaysWhatItMeans) {
  for (const ErrorCode code : AllCodes()) {
    EXPECT_GT(DefaultMessage(code).size(), 5U);
    EXPECT_NE(DefaultMessage(code).back(), '.');
  }
}

}  // namespace
}  // namespace ktrial::wire
