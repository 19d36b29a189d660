#include "core/wire/api_key.h"

#include <gtest/gtest.h>

namespace ktrial::wire {
namespace {

TEST(ApiKeyTest, NamesGoThereAndBack) {
  for (int n = 0; n <= static_cast<int>(kLastApiKey); ++n) {
    const auto api = static_cast<ApiKey>(n);
    EXPECT_EQ(ApiKeyFromName(ApiKeyName(api)), api) << n;
  }
  EXPECT_EQ(ApiKeyName(ApiKey::kInitProducerId), "InitProducerId");
  EXPECT_EQ(ApiKeyFromName("Telepathy"), std::nullopt);
}

TEST(ApiKeyTest, NumbersOutsideTheListAreUnknown) {
  for (const int n : {-1, static_cast<int>(kLastApiKey) + 1, 32767}) {
    EXPECT_FALSE(IsKnownApi(static_cast<ApiKey>(n)));
    EXPECT_EQ(ApiKeyName(static_cast<ApiKey>(n)), "Unknown");
    EXPECT_EQ(FirstFlexibleVersion(static_cast<ApiKey>(n)), kNeverFlexible);
  }
}

// WP-05
TEST(ApiKeyTest, FirstFlexibleVersionsOfTheProducersApis) {
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kProduce), 9);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kMetadata), 9);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kFindCoordinator), 3);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kApiVersions), 3);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kInitProducerId), 2);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kAddPartitionsToTxn), 3);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kAddOffsetsToTxn), 3);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kEndTxn), 3);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kTxnOffsetCommit), 3);
  EXPECT_EQ(FirstFlexibleVersion(ApiKey::kSaslHandshake), kNeverFlexible);
}

// WP-08, WP-21
TEST(ApiKeyTest, TheClientOffersEveryVersionThatIsEncoded) {
  EXPECT_EQ(CodecVersionRange(ApiKey::kMetadata), (VersionRange{0, 13}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kMetadata), (VersionRange{0, 13}));
  EXPECT_EQ(CodecVersionRange(ApiKey::kProduce), (VersionRange{0, 13}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kProduce), (VersionRange{0, 13}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kFetch), std::nullopt);
}

// WP-21
TEST(ApiKeyTest, VersionsOfTransactions) {
  EXPECT_EQ(CodecVersionRange(ApiKey::kFindCoordinator), (VersionRange{0, 6}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kFindCoordinator), (VersionRange{0, 6}));
  EXPECT_EQ(CodecVersionRange(ApiKey::kAddPartitionsToTxn), (VersionRange{0, 5}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kAddPartitionsToTxn), (VersionRange{0, 3}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kAddOffsetsToTxn), (VersionRange{0, 4}));
  EXPECT_EQ(CodecVersionRange(ApiKey::kTxnOffsetCommit), (VersionRange{0, 6}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kTxnOffsetCommit), (VersionRange{0, 5}));
  EXPECT_EQ(ClientVersionRange(ApiKey::kEndTxn), (VersionRange{0, 5}));
}

}  // namespace
}  // namespace ktrial::wire
