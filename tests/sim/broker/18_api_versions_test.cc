#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ApiVersionsRequest;
using wire::ApiVersionsResponse;
using wire::ErrorCode;

const ApiVersionsRequest kRequest{.client_software_name = "test", .client_software_version = "1.0"};

ClusterSpec Of(std::string release) {
  ClusterSpec spec = SpecOf(1);
  spec.brokers[0].release = std::move(release);
  return spec;
}

// The header's version is that of the request; 6 and later cannot be encoded by the codec, so the frame is written by
// hand.
std::optional<ApiVersionsResponse> Ask(BrokerWorld& world, std::int16_t version, const ApiVersionsRequest& request) {
  const ConnectionId connection = world.Connect(1);
  std::string frame;
  wire::EncodeRequestHeader({wire::ApiKey::kApiVersions, version, 7, "test"}, frame);
  const wire::VersionRange known = *wire::CodecVersionRange(wire::ApiKey::kApiVersions);
  wire::Encode(request, std::min(version, known.max), frame);
  world.SendFrame(connection, frame);
  const std::optional<std::string> answer = world.NextAnswer(connection);
  if (!answer) return std::nullopt;
  const auto parts = wire::DecodeResponseHeader(*answer, wire::ApiKey::kApiVersions, version);
  auto decoded = wire::DecodeApiVersionsResponse(parts->body, std::min(version, known.max));
  if (!decoded.ok()) return std::nullopt;
  return *std::move(decoded);
}

TEST(ApiVersionsTest, ListsEverythingThatARealBrokerLists) {
  for (const BrokerRelease& release : BrokerReleases()) {
    // 0.9 does not know the request (00_produce_formats_test.cc).
    if (!release.Range(wire::ApiKey::kApiVersions).has_value()) continue;
    BrokerWorld world(Of(std::string(release.name)));
    const auto answer = Ask(world, 0, {});
    ASSERT_TRUE(answer.has_value()) << release.name;
    ASSERT_EQ(answer->api_keys.size(), release.apis.size());
    for (std::size_t i = 0; i < release.apis.size(); ++i) {
      EXPECT_EQ(answer->api_keys[i].api_key, static_cast<std::int16_t>(release.apis[i].api));
      EXPECT_EQ(answer->api_keys[i].min_version, release.apis[i].versions.min);
      EXPECT_EQ(answer->api_keys[i].max_version, release.apis[i].versions.max);
    }
  }
}

// B119
TEST(ApiVersionsTest, AGatewayResetsTheConnectionOnAVersionThatItDoesNotHave) {
  ClusterSpec spec = Of("2.8");
  spec.brokers[0].resets_unknown_versions = true;
  BrokerWorld world(spec);
  EXPECT_TRUE(Ask(world, 3, kRequest).has_value());
  EXPECT_EQ(Ask(world, 4, kRequest), std::nullopt);
}

// WP-06
TEST(ApiVersionsTest, EveryOfferedVersionIsAnswered) {
  BrokerWorld world(Of("4.4"));
  for (std::int16_t version = 0; version <= 5; ++version) {
    const auto answer = Ask(world, version, kRequest);
    ASSERT_TRUE(answer.has_value()) << version;
    EXPECT_EQ(answer->error, ErrorCode::kNone);
  }
}

// WP-07
TEST(ApiVersionsTest, TooNewIsRefusedInTheFormOfVersionZeroWithTheOwnRange) {
  BrokerWorld world(Of("2.8"));
  for (const std::int16_t version : {4, 5, 99}) {
    const auto answer = Ask(world, version, kRequest);
    ASSERT_TRUE(answer.has_value()) << version;
    EXPECT_EQ(answer->error, ErrorCode::kUnsupportedVersion);
    EXPECT_EQ(answer->api_keys, (std::vector<wire::ApiVersion>{{18, 0, 3}}));
  }
}

// WP-07
TEST(ApiVersionsTest, OldBrokersRefuseWithoutSayingWhatTheyHave) {
  BrokerWorld world(Of("0.11"));
  const auto answer = Ask(world, 3, kRequest);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error, ErrorCode::kUnsupportedVersion);
  EXPECT_TRUE(answer->api_keys.empty());
}

// WP-06
TEST(ApiVersionsTest, SoftwareNameThatIsNoneIsAnInvalidRequest) {
  BrokerWorld world(Of("4.0"));
  const auto answer = Ask(world, 3, {.client_software_name = "no name", .client_software_version = "1"});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error, ErrorCode::kInvalidRequest);
  EXPECT_TRUE(answer->api_keys.empty());
}

TEST(ApiVersionsTest, FeaturesThatStartAtZeroAreForVersionFour) {
  BrokerWorld world(Of("4.0"));
  const auto three = Ask(world, 3, kRequest);
  const auto four = Ask(world, 4, kRequest);
  EXPECT_EQ(three->supported_features, (std::vector<wire::SupportedFeature>{{"metadata.version", 7, 25}}));
  EXPECT_EQ(four->supported_features.size(), 5U);
  EXPECT_EQ(four->finalized_features.size(), 3U);
  EXPECT_EQ(four->finalized_features_epoch, 11);
}

TEST(ApiVersionsTest, AnOlderBrokerHoldsBackWhatIsFinalized) {
  using Features = std::vector<wire::FinalizedFeature>;
  const auto finalized_beside = [](std::string other) {
    ClusterSpec spec = SpecOf(2);
    spec.brokers[0].release = "4.4";
    spec.brokers[1].release = std::move(other);
    BrokerWorld world(spec);
    return Ask(world, 4, kRequest)->finalized_features;
  };
  EXPECT_EQ(finalized_beside("3.9"), Features{});
  EXPECT_EQ(finalized_beside("4.0"),
            (Features{{"group.version", 1, 1}, {"metadata.version", 25, 25}, {"transaction.version", 2, 2}}));
}

// KIP-1242
TEST(ApiVersionsTest, WhoeverMeansAnotherBrokerHasToBootstrapAgain) {
  BrokerWorld world(Of("4.4"));
  const std::string own = SpecOf(1).cluster_id;
  const auto error = [&](std::optional<std::string> cluster, std::int32_t node) {
    const auto answer = Ask(world, 5, {"test", "1.0", std::move(cluster), node});
    return answer.has_value() ? std::optional(answer->error) : std::nullopt;
  };
  EXPECT_EQ(error(std::nullopt, -1), ErrorCode::kNone);
  EXPECT_EQ(error(own, 1), ErrorCode::kNone);
  EXPECT_EQ(error(own, 2), ErrorCode::kRebootstrapRequired);
  EXPECT_EQ(error("another", 1), ErrorCode::kRebootstrapRequired);
  EXPECT_EQ(error(own, -1), ErrorCode::kInvalidRequest);
  EXPECT_EQ(error(std::nullopt, 1), ErrorCode::kInvalidRequest);
  EXPECT_TRUE(Ask(world, 5, {"test", "1.0", own, 2})->api_keys.empty());
}

}  // namespace
}  // namespace ktrial::sim
