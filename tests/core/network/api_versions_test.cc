#include "core/network/api_versions.h"

#include <gtest/gtest.h>

namespace ktrial {
namespace {

using wire::ApiKey;

wire::ApiVersionsResponse Listing(std::vector<wire::ApiVersion> apis) { return {.api_keys = std::move(apis)}; }

// NC-41
TEST(ApiVersionsTest, TheNewestCommonVersionIsChosen) {
  const ApiVersions versions(Listing({{.api_key = 0, .min_version = 3, .max_version = 9}}));
  EXPECT_EQ(versions.Choose(ApiKey::kProduce, {.min = 3, .max = 12}), 9);
  EXPECT_EQ(versions.Choose(ApiKey::kProduce, {.min = 3, .max = 7}), 7);
  EXPECT_EQ(versions.Choose(ApiKey::kProduce, {.min = 9, .max = 12}), 9);
}

// NC-41
TEST(ApiVersionsTest, WithoutACommonVersionThereIsNone) {
  const ApiVersions versions(Listing({{.api_key = 0, .min_version = 3, .max_version = 9}}));
  EXPECT_EQ(versions.Choose(ApiKey::kProduce, {.min = 10, .max = 12}), std::nullopt);
  EXPECT_EQ(versions.Choose(ApiKey::kProduce, {.min = 0, .max = 2}), std::nullopt);
  EXPECT_EQ(versions.Choose(ApiKey::kMetadata, {.min = 0, .max = 13}), std::nullopt);
}

TEST(ApiVersionsTest, ARangeThatIsNoneIsIgnored) {
  const ApiVersions versions(Listing(
      {{.api_key = 0, .min_version = 5, .max_version = 2}, {.api_key = 3, .min_version = -1, .max_version = 2}}));
  EXPECT_EQ(versions.Find(ApiKey::kProduce), std::nullopt);
  EXPECT_EQ(versions.Find(ApiKey::kMetadata), std::nullopt);
}

// NC-40
TEST(ApiVersionsTest, AfterARefusalTheListedVersionIsTriedElse0) {
  EXPECT_EQ(NextApiVersionsVersion(4, Listing({{.api_key = 18, .min_version = 0, .max_version = 2}})), 2);
  EXPECT_EQ(NextApiVersionsVersion(4, Listing({})), 0);
  EXPECT_EQ(NextApiVersionsVersion(0, Listing({})), std::nullopt);
}

// NC-40: a node that refuses what it lists cannot keep us asking.
TEST(ApiVersionsTest, EachTryIsLowerThanTheLast) {
  const auto refusal = Listing({{.api_key = 18, .min_version = 0, .max_version = 4}});
  EXPECT_EQ(NextApiVersionsVersion(4, refusal), 3);
  EXPECT_EQ(NextApiVersionsVersion(1, refusal), 0);
  EXPECT_EQ(NextApiVersionsVersion(0, refusal), std::nullopt);
}

// B119
TEST(VersionFallbackTest, OneConnectionThatIsCutOffSaysNothing) {
  VersionFallback fallback(5);
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 5);
  fallback.CutOff(NodeId(1));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 5);
}

// B119
TEST(VersionFallbackTest, AfterTwoTheNodeIsAskedInVersion0AndNoOther) {
  VersionFallback fallback(5);
  for (int i = 0; i < 2; ++i) fallback.CutOff(NodeId(1));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 0);
  EXPECT_EQ(fallback.VersionFor(NodeId(2)), 5);
}

// B119
TEST(VersionFallbackTest, WhatTheNodeListsThenStays) {
  VersionFallback fallback(5);
  for (int i = 0; i < 2; ++i) fallback.CutOff(NodeId(1));
  const ApiVersions lists3(Listing({{.api_key = 18, .min_version = 0, .max_version = 3}}));
  for (int i = 0; i < 2; ++i) {
    fallback.Answered(NodeId(1), lists3);
    EXPECT_EQ(fallback.VersionFor(NodeId(1)), 3);
  }
  fallback.Answered(NodeId(1), ApiVersions(Listing({{.api_key = 18, .min_version = 0, .max_version = 4}})));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 4);
  for (int i = 0; i < 2; ++i) fallback.CutOff(NodeId(1));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 0);
}

// B119: it was an accident.
TEST(VersionFallbackTest, ANodeThatListsTheNewestIsAskedWithThatAgain) {
  VersionFallback fallback(5);
  for (int i = 0; i < 2; ++i) fallback.CutOff(NodeId(1));
  fallback.Answered(NodeId(1), ApiVersions(Listing({{.api_key = 18, .min_version = 0, .max_version = 5}})));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 5);
  fallback.CutOff(NodeId(1));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 5);
}

// B119
TEST(VersionFallbackTest, OnlyConnectionsInARowCount) {
  VersionFallback fallback(5);
  fallback.CutOff(NodeId(1));
  fallback.Answered(NodeId(1), ApiVersions(Listing({{.api_key = 18, .min_version = 0, .max_version = 4}})));
  fallback.CutOff(NodeId(1));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 5);
}

// B119
TEST(VersionFallbackTest, WhereVersion0DoesNotHelpTheVersionWasNotTheReason) {
  VersionFallback fallback(5);
  for (int i = 0; i < 3; ++i) fallback.CutOff(NodeId(1));
  EXPECT_EQ(fallback.VersionFor(NodeId(1)), 5);
}

// NC-43
TEST(FinalizedFeaturesTest, TheNewestEpochCounts) {
  FinalizedFeatures features;
  EXPECT_EQ(features.Level("transaction.version"), 0);
  features.Learn(
      {.finalized_features_epoch = 5, .finalized_features = {{.name = "transaction.version", .max_version_level = 2}}});
  features.Learn(
      {.finalized_features_epoch = 4, .finalized_features = {{.name = "transaction.version", .max_version_level = 1}}});
  features.Learn({.finalized_features_epoch = -1});
  EXPECT_EQ(features.Level("transaction.version"), 2);
  features.Learn({.finalized_features_epoch = 6});
  EXPECT_EQ(features.Level("transaction.version"), 0);
}

TEST(ApiVersionsTest, ClientsThrottleThemselvesFromTheseVersionsOn) {
  EXPECT_FALSE(ClientThrottles(ApiKey::kProduce, 5));
  EXPECT_TRUE(ClientThrottles(ApiKey::kProduce, 6));
  EXPECT_FALSE(ClientThrottles(ApiKey::kMetadata, 5));
  EXPECT_TRUE(ClientThrottles(ApiKey::kMetadata, 6));
  EXPECT_FALSE(ClientThrottles(ApiKey::kApiVersions, 1));
  EXPECT_TRUE(ClientThrottles(ApiKey::kApiVersions, 2));
  EXPECT_FALSE(ClientThrottles(ApiKey::kInitProducerId, 0));
  EXPECT_TRUE(ClientThrottles(ApiKey::kInitProducerId, 1));
}

}  // namespace
}  // namespace ktrial
