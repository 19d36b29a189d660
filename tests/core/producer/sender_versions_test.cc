// What is sent to brokers of other releases.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compression/codec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/producer/sender_world.h"

namespace ktrial::testing {
namespace {

using ::testing::ElementsAre;
using wire::ErrorCode;

const TopicId kFirstId{1};
const TopicId kSecondId{2};

// WP-10, SN-30
TEST(SenderVersionsTest, OldBrokersGetTheirOwnFormat) {
  for (const std::int16_t version : {0, 1, 2}) {
    SenderWorld world;
    world.cluster.produce_version_min = 0;
    world.cluster.produce_version_max = version;
    world.cluster.topics["t"] = {{1}};
    world.Append("t", 0, "x");
    const ReceivedProduce& request = world.AwaitProduce(1);
    EXPECT_EQ(request.version, version);
    EXPECT_EQ(request.magic, version < 2 ? 0 : 1);
    EXPECT_THAT(request.values.at({"t", 0}), ElementsAre("x"));
    world.cluster.Answer(request, ErrorCode::kNone, 3);
    ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
    EXPECT_EQ(world.told[0].code, ErrorCode::kNone);
    EXPECT_EQ(world.told[0].offset, 3);
  }
}

// AC-02, SN-30
TEST(SenderVersionsTest, ARecordLargerThanABatchGoesToAnOldBrokerAlone) {
  const std::string large(2048, 'x');
  const std::string small(100, 'x');
  for (const std::int16_t version : {1, 2}) {
    for (const Codec codec : {Codec::kNone, Codec::kGzip}) {
      SCOPED_TRACE(std::to_string(version) + " " + std::string(CodecName(codec)));
      const int level = codec == Codec::kNone ? 0 : DefaultLevel(codec);
      SenderWorld world(
          {.sender = {.codec = codec, .compression_level = level},
           .accumulator = {
               .batch_size = 1024, .linger = Duration::zero(), .codec = codec, .compression_level = level}});
      world.cluster.produce_version_min = 0;
      world.cluster.produce_version_max = version;
      world.cluster.topics["t"] = {{1}};
      for (const std::string& value : {small, large, small}) world.Append("t", 0, value);
      std::vector<std::vector<std::string>> sent;
      for (std::size_t count = 1; count <= 3; ++count) {
        const ReceivedProduce& request = world.AwaitProduce(count);
        EXPECT_EQ(request.magic, version - 1);
        sent.push_back(request.values.at({"t", 0}));
      }
      EXPECT_THAT(sent, ElementsAre(ElementsAre(small), ElementsAre(large), ElementsAre(small)));
    }
  }
}

// WP-10: the newer one, if both are there.
TEST(SenderVersionsTest, OldVersionsAreOnlyForOldBrokers) {
  SenderWorld world;
  world.cluster.produce_version_min = 0;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  EXPECT_EQ(world.AwaitProduce(1).version, 12);
}

// SN-30
TEST(SenderVersionsTest, ARecordWithHeadersFailsAloneAtAnOldBroker) {
  SenderWorld world;
  world.cluster.produce_version_min = 0;
  world.cluster.produce_version_max = 2;
  world.cluster.topics["t"] = {{1}, {1}};
  world.Append("t", 0, "with", {{.key = "h", .value = "1"}});
  world.Append("t", 1, "without");
  world.cluster.Answer(world.AwaitProduce(1));
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_THAT(world.told_values(), ElementsAre("with", "without"));
  EXPECT_THAT(world.codes(), ElementsAre(ErrorCode::kUnsupportedForMessageFormat, ErrorCode::kNone));
}

// WP-10, SN-29
TEST(SenderVersionsTest, ZstdNeedsABrokerThatKnowsIt) {
  SenderWorld world({.sender = {.codec = Codec::kZstd},
                     .accumulator = {.linger = Duration::zero(), .codec = Codec::kZstd, .compression_level = 3}});
  world.cluster.produce_version_max = 6;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].code, ErrorCode::kUnsupportedCompressionType);
  EXPECT_TRUE(world.cluster.produces.empty());
}

// WP-10
TEST(SenderVersionsTest, NewBrokersAreToldTopicsByTheirIds) {
  SenderWorld world;
  world.cluster.produce_version_max = 13;
  world.cluster.topic_ids["t"] = kFirstId;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  const ReceivedProduce& request = world.AwaitProduce(1);
  EXPECT_EQ(request.version, 13);
  world.cluster.Answer(request, ErrorCode::kNone, 3);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 1; }));
  EXPECT_EQ(world.told[0].offset, 3);
}

// WP-10
TEST(SenderVersionsTest, WithoutAnIdTheNameGoes) {
  SenderWorld world;
  world.cluster.produce_version_max = 13;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  EXPECT_EQ(world.AwaitProduce(1).version, 12);
}

// An answer is about the ids of its request, whatever is known of the topic by then.
TEST(SenderVersionsTest, AnAnswerIsUnderstoodAfterTheTopicWasMadeAgain) {
  SenderWorld world;
  world.cluster.produce_version_max = 13;
  world.cluster.topic_ids["t"] = kFirstId;
  world.cluster.topics["t"] = {{1}, {2}};
  world.Append("t", 1, "warm");
  world.cluster.Answer(world.AwaitProduce(1));
  world.Append("t", 0, "x");
  const ReceivedProduce slow = world.AwaitProduce(2);
  // Broker 2, which is idle, is asked for the metadata.
  world.cluster.topic_ids["t"] = kSecondId;
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.clock.Advance(std::chrono::seconds(1));
  world.Append("t", 1, "y");
  EXPECT_EQ(world.AwaitProduce(3).topic_ids.at("t"), kSecondId);
  world.cluster.Answer(slow, ErrorCode::kNone, 3);
  ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == 2; }));
  EXPECT_EQ(world.told[1].value, "x");
  EXPECT_EQ(world.told[1].offset, 3);
}

// A leader of the new topic takes any number to begin with (KIP-360), so order is for us to keep.
TEST(SenderVersionsTest, NothingGoesToATopicThatWasMadeAgainBeforeWhatWasMeantForTheOneBefore) {
  SenderWorld world({.brokers = 2, .accumulator = {.batch_size = 0, .linger = Duration::zero()}, .idempotent = true});
  world.cluster.produce_version_max = 13;
  world.cluster.topic_ids["t"] = kFirstId;
  world.cluster.topics["t"] = {{1}, {2}};
  world.Append("t", 0, "known");
  world.cluster.Answer(world.AwaitProduce(1));
  world.Append("t", 0, "a");
  const ReceivedProduce slow = world.AwaitProduce(2);
  world.cluster.topic_ids["t"] = kSecondId;
  world.metadata.RequestUpdate(RefreshReason::kProduceError);
  world.clock.Advance(std::chrono::seconds(1));
  world.Append("t", 1, "elsewhere");
  ASSERT_EQ(world.AwaitProduce(3).topic_ids.at("t"), kSecondId);
  world.Append("t", 0, "b");
  world.transport.WakeUp();  // A turn that does not wait for the answer.
  world.Turns(1);
  EXPECT_EQ(world.cluster.produces.size(), 3u);
  world.cluster.Answer(slow, ErrorCode::kUnknownTopicId);
  const ReceivedProduce again = world.AwaitProduce(4);
  EXPECT_EQ(again.topic_ids.at("t"), kSecondId);
  EXPECT_THAT(again.values.at({"t", 0}), ElementsAre("a"));
  world.cluster.Answer(again);
  EXPECT_THAT(world.AwaitProduce(5).values.at({"t", 0}), ElementsAre("b"));
}

// SN-06, SN-08
TEST(SenderVersionsTest, AnIdThatTheBrokerDoesNotKnowIsAskedForAndTriedAgain) {
  SenderWorld world;
  world.cluster.produce_version_max = 13;
  world.cluster.topic_ids["t"] = kFirstId;
  world.cluster.topics["t"] = {{1}};
  world.Append("t", 0, "x");
  const ReceivedProduce first = world.AwaitProduce(1);
  world.cluster.topic_ids["t"] = kSecondId;
  world.cluster.Answer(first, ErrorCode::kUnknownTopicId);
  const ReceivedProduce& second = world.AwaitProduce(2);
  EXPECT_EQ(second.topic_ids.at("t"), kSecondId);
}

}  // namespace
}  // namespace ktrial::testing
