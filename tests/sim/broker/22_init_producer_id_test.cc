#include <gtest/gtest.h>

#include <set>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;
using wire::InitProducerIdRequest;
using wire::InitProducerIdResponse;

InitProducerIdResponse Ask(BrokerWorld& world, std::int32_t broker, std::int16_t version,
                           const InitProducerIdRequest& request = {}) {
  const ConnectionId connection = world.Connect(broker);
  world.Send(connection, request, version);
  return world.Answer<InitProducerIdResponse>(connection, version).value_or(InitProducerIdResponse{});
}

// WP-12
TEST(InitProducerIdTest, EveryVersionOfEveryBrokerGivesAnIdOfItsOwn) {
  BrokerWorld world;
  std::set<std::int64_t> ids;
  for (std::int16_t version = 0; version <= 5; ++version) {
    for (const std::int32_t broker : {1, 2}) {
      const InitProducerIdResponse answer = Ask(world, broker, version);
      EXPECT_EQ(answer.error, ErrorCode::kNone);
      EXPECT_EQ(answer.producer_epoch, 0);
      EXPECT_GE(answer.producer_id, 0);
      ids.insert(answer.producer_id);
    }
  }
  EXPECT_EQ(ids.size(), 12U);
}

// The epoch of an id is raised only for a transactional one; an idempotent producer counts up by itself (SN-25).
TEST(InitProducerIdTest, IdThatIsNamedIsReplacedByANewOne) {
  BrokerWorld world;
  const std::int64_t first = Ask(world, 1, 4).producer_id;
  const InitProducerIdResponse second = Ask(world, 1, 4, {.producer_id = first, .producer_epoch = 32767});
  EXPECT_EQ(second.error, ErrorCode::kNone);
  EXPECT_EQ(second.producer_id, first + 1);
  EXPECT_EQ(second.producer_epoch, 0);
}

TEST(InitProducerIdTest, IdAndEpochAreNamedTogetherOrNotAtAll) {
  BrokerWorld world;
  for (const InitProducerIdRequest& half :
       {InitProducerIdRequest{.producer_id = 5}, InitProducerIdRequest{.producer_epoch = 0}}) {
    const InitProducerIdResponse answer = Ask(world, 1, 4, half);
    EXPECT_EQ(answer.error, ErrorCode::kInvalidRequest);
    EXPECT_EQ(answer.producer_id, -1);
    EXPECT_EQ(answer.producer_epoch, -1);
  }
}

TEST(InitProducerIdTest, BlockThatIsUsedUpIsFollowedByAFreshOne) {
  BrokerWorld world;
  EXPECT_EQ(world.cluster->NextProducerId(NodeId(1)), ProducerId(0));
  EXPECT_EQ(world.cluster->NextProducerId(NodeId(2)), ProducerId(1000));
  for (int i = 1; i < 1000; ++i) world.cluster->NextProducerId(NodeId(1));
  EXPECT_EQ(world.cluster->NextProducerId(NodeId(1)), ProducerId(2000));
}

TEST(InitProducerIdTest, TransactionalIdIsForItsCoordinatorAlone) {
  BrokerWorld world;
  const InitProducerIdResponse answer = Ask(world, 1, 4, {.transactional_id = "t", .transaction_timeout_ms = 1000});
  EXPECT_EQ(answer.error, ErrorCode::kNotCoordinator);
  EXPECT_EQ(answer.producer_id, -1);
}

}  // namespace
}  // namespace ktrial::sim
