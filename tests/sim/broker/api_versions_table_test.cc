#include "sim/broker/api_versions_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire/messages.h"

namespace ktrial::sim {
namespace {

using wire::ApiKey;

TEST(ApiVersionsTableTest, EveryReleaseIsFoundByItsName) {
  for (const std::string_view name : {"0.9", "0.10", "0.11", "1.0", "2.0", "2.8", "3.9", "4.0", "4.4"}) {
    const BrokerRelease* release = FindBrokerRelease(name);
    ASSERT_NE(release, nullptr) << name;
    EXPECT_EQ(release->name, name);
  }
  EXPECT_EQ(FindBrokerRelease("0.8"), nullptr);
}

TEST(ApiVersionsTableTest, ListsAscendWithoutRepetition) {
  for (const BrokerRelease& release : BrokerReleases()) {
    for (std::size_t i = 1; i < release.apis.size(); ++i) {
      EXPECT_LT(release.apis[i - 1].api, release.apis[i].api) << release.name;
      EXPECT_LE(release.apis[i].versions.min, release.apis[i].versions.max) << release.name;
    }
  }
}

TEST(ApiVersionsTableTest, OfferedProduceVersions) {
  const auto produce = [](std::string_view name) { return FindBrokerRelease(name)->Range(ApiKey::kProduce); };
  EXPECT_EQ(produce("0.9"), (wire::VersionRange{0, 1}));
  EXPECT_EQ(produce("0.10"), (wire::VersionRange{0, 2}));
  EXPECT_EQ(produce("0.11"), (wire::VersionRange{0, 3}));
  EXPECT_EQ(produce("2.8"), (wire::VersionRange{0, 9}));
  EXPECT_EQ(produce("3.9"), (wire::VersionRange{0, 11}));
  // Listed from 0 for the sake of old clients that would otherwise not compress.
  EXPECT_EQ(produce("4.0"), (wire::VersionRange{0, 12}));
}

TEST(ApiVersionsTableTest, EveryReleaseOffersAVersionOfEachServedApiThatTheCodecKnows) {
  for (const BrokerRelease& release : BrokerReleases()) {
    for (const ApiKey api : {ApiKey::kProduce, ApiKey::kMetadata, ApiKey::kApiVersions, ApiKey::kInitProducerId}) {
      const auto offered = release.Range(api);
      const bool may_lack = api == ApiKey::kApiVersions || api == ApiKey::kInitProducerId;
      if (may_lack && release.producers == ProducerRules::kNone) continue;
      ASSERT_TRUE(offered.has_value()) << release.name;
      const wire::VersionRange known = *wire::CodecVersionRange(api);
      EXPECT_LE(std::max(offered->min, known.min), std::min(offered->max, known.max)) << release.name;
    }
  }
}

TEST(ApiVersionsTableTest, ApiThatAReleaseDoesNotHaveHasNoRange) {
  EXPECT_EQ(FindBrokerRelease("4.0")->Range(ApiKey::kLeaderAndIsr), std::nullopt);
  EXPECT_EQ(FindBrokerRelease("0.11")->Range(ApiKey::kDescribeCluster), std::nullopt);
}

TEST(ApiVersionsTableTest, OldestReleaseDoesNotKnowTheRequestThatLists) {
  EXPECT_EQ(FindBrokerRelease("0.9")->Range(ApiKey::kApiVersions), std::nullopt);
  EXPECT_EQ(FindBrokerRelease("0.10")->Range(ApiKey::kApiVersions), (wire::VersionRange{0, 0}));
}

// librdkafka writes format v2 only where both are offered.
TEST(ApiVersionsTableTest, EveryReleaseWithBatchesOffersFetchFour) {
  for (const BrokerRelease& release : BrokerReleases()) {
    if (release.Range(ApiKey::kProduce)->max < 3) continue;
    EXPECT_TRUE(release.Range(ApiKey::kFetch)->Contains(4)) << release.name;
  }
}

}  // namespace
}  // namespace ktrial::sim
