// bootstrap.resolve.timeout.ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/core/network/client_world.h"

namespace ktrial::testing {
namespace {

// KIP-909
class BootstrapTimeoutTest : public ::testing::TestWithParam<bool> {
 protected:
  // For both ways of looking up. The hosts of MetadataWorld are boot-a and boot-b.
  static NetworkClientConfig Within(Duration timeout) {
    NetworkClientConfig config = ClientWorld::ClientConfig();
    config.bootstrap_resolve_timeout = timeout;
    if (GetParam()) config.canonical_bootstrap = {{.host = "boot-a", .port = 9092}, {.host = "boot-b", .port = 9092}};
    return config;
  }
  static void HideHosts(ClientWorld& world) {
    world.transport.hosts["boot-a"] = {};
    world.transport.hosts["boot-b"] = {};
  }
};
INSTANTIATE_TEST_SUITE_P(Lookups, BootstrapTimeoutTest, ::testing::Bool());

TEST_P(BootstrapTimeoutTest, WithoutAnyHostAllFailsForGoodOnce) {
  ClientWorld world(Within(2s));
  HideHosts(world);
  world.Poll();
  const Instant start = world.now();
  while (world.metadata.failure().ok() && world.now() < start + 10s) world.Wait(10ms);
  EXPECT_GE(world.now() - start, 2s);
  EXPECT_LE(world.now() - start, 2010ms);
  EXPECT_EQ(world.metadata.failure().code(), absl::StatusCode::kNotFound);
  const std::string text(world.metadata.failure().message());
  EXPECT_THAT(text,
              ::testing::StartsWith("no host of bootstrap.servers was found within bootstrap.resolve.timeout.ms: "));
  EXPECT_THAT(text, ::testing::HasSubstr("no such host"));
  EXPECT_EQ(world.metadata.AwaitUpdate(world.metadata.version(), world.now()).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world.metadata.TakeErrors("t").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world.metadata.TakeErrors("t").code(), absl::StatusCode::kNotFound) << "it is not used up";
}

TEST_P(BootstrapTimeoutTest, AfterItNothingIsTriedAnyMore) {
  ClientWorld world(Within(1s));
  HideHosts(world);
  world.Run(2s);
  world.transport.hosts["boot-a"] = {"10.0.1.1"};
  const int asked = world.transport.resolve_count("boot-a") + world.transport.resolve_count("boot-b");
  const int polls = world.transport.poll_count();
  world.Run(60s);
  EXPECT_EQ(world.transport.resolve_count("boot-a") + world.transport.resolve_count("boot-b"), asked);
  EXPECT_TRUE(world.transport.opens().empty());
  EXPECT_LE(world.transport.poll_count(), polls + 40);
}

TEST_P(BootstrapTimeoutTest, OneHostThatIsFoundEndsIt) {
  ClientWorld world(Within(1s));
  world.transport.hosts["boot-a"] = {};
  world.broker.accept = false;  // Found, which does not mean that anybody is there.
  world.Run(5s);
  EXPECT_EQ(world.metadata.failure(), absl::OkStatus());
}

TEST_P(BootstrapTimeoutTest, AHostThatAppearsInTimeIsInTime) {
  ClientWorld world(Within(2s));
  HideHosts(world);
  world.Run(500ms);
  world.transport.hosts["boot-a"] = {"10.0.1.1"};
  world.transport.hosts["10.0.1.1"] = {"10.0.1.1"};
  world.Run(5s);
  EXPECT_EQ(world.metadata.failure(), absl::OkStatus());
  EXPECT_FALSE(world.transport.opens().empty());
}

TEST_P(BootstrapTimeoutTest, ANameServerThatNeverAnswersIsNoHostEither) {
  ClientWorld world(Within(2s));
  world.transport.hosts.clear();
  world.Run(3s);
  EXPECT_EQ(world.metadata.failure().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace ktrial::testing
