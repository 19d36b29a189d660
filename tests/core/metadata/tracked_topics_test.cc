#include "core/metadata/tracked_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ktrial {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant At(Duration since) { return Instant::FromNanos(0) + since; }

// MD-13
TEST(TrackedTopicsTest, ATopicIsNewUntilAnAnswerNamesIt) {
  TrackedTopics topics;
  EXPECT_TRUE(topics.Add("a", At(1s)));
  EXPECT_FALSE(topics.Add("a", At(2s)));
  EXPECT_TRUE(topics.IsNew("a"));
  EXPECT_TRUE(topics.IsUnasked("a"));
  EXPECT_THAT(topics.Ask(/*only_new=*/true), ElementsAre("a"));
  EXPECT_FALSE(topics.IsUnasked("a"));
  EXPECT_TRUE(topics.HasNew());
  topics.Answered("a");
  EXPECT_FALSE(topics.HasNew());
  EXPECT_THAT(topics.Ask(/*only_new=*/true), IsEmpty());
  EXPECT_THAT(topics.Ask(/*only_new=*/false), ElementsAre("a"));
}

TEST(TrackedTopicsTest, NamesComeInOrder) {
  TrackedTopics topics;
  for (const char* name : {"c", "a", "b"}) topics.Add(name, At(1s));
  topics.Answered("a");
  EXPECT_THAT(topics.Ask(/*only_new=*/true), ElementsAre("b", "c"));
  EXPECT_THAT(topics.Ask(/*only_new=*/false), ElementsAre("a", "b", "c"));
}

TEST(TrackedTopicsTest, AnAnswerThatNobodyAskedForCountsToo) {
  TrackedTopics topics;
  topics.Add("a", At(1s));
  topics.Answered("a");
  topics.Answered("stranger");
  EXPECT_FALSE(topics.IsUnasked("a"));
  EXPECT_FALSE(topics.HasNew());
}

// MD-36
TEST(TrackedTopicsTest, IdleTopicsAreDroppedNewOnesAreNot) {
  TrackedTopics topics;
  topics.Add("idle", At(10s));
  topics.Add("fresh", At(10s));
  topics.Answered("idle");
  EXPECT_TRUE(topics.Retain("idle", At(10s - 1ns)));
  EXPECT_TRUE(topics.Retain("fresh", At(1h)));
  EXPECT_FALSE(topics.Retain("idle", At(10s)));
  EXPECT_FALSE(topics.Contains("idle"));
  EXPECT_FALSE(topics.Retain("stranger", At(0s)));
  EXPECT_TRUE(topics.Add("idle", At(1h)));  // New again.
}

// MD-36
TEST(TrackedTopicsTest, UseMovesTheDeadline) {
  TrackedTopics topics;
  topics.Add("a", At(10s));
  topics.Answered("a");
  topics.Add("a", At(20s));
  EXPECT_TRUE(topics.Retain("a", At(15s)));
}

}  // namespace
}  // namespace ktrial
