#include "core/metadata/leader_epochs.h"

#include <gtest/gtest.h>

namespace ktrial {
namespace {

using Verdict = LeaderEpochs::Verdict;
constexpr PartitionIndex kZero{0};
constexpr TopicId kNoId{};
constexpr TopicId kOneId{1};
constexpr TopicId kOtherId{2};

Verdict Judge(LeaderEpochs& epochs, int epoch, const TopicId& id = kNoId, const TopicId& known = kNoId) {
  return epochs.Judge("t", kZero, LeaderEpoch(epoch), /*reliable=*/true, id, known);
}

// MD-38
TEST(LeaderEpochsTest, OlderIsStaleEqualIsKnownHigherIsNews) {
  LeaderEpochs epochs;
  EXPECT_EQ(Judge(epochs, 5), Verdict::kNews);
  EXPECT_EQ(Judge(epochs, 4), Verdict::kStale);
  EXPECT_EQ(Judge(epochs, 5), Verdict::kKnown);
  EXPECT_EQ(Judge(epochs, 6), Verdict::kNews);
  EXPECT_EQ(epochs.Find("t", kZero), LeaderEpoch(6));
}

// MD-39
TEST(LeaderEpochsTest, UnreliableEpochsAreAcceptedAndForgotten) {
  LeaderEpochs epochs;
  Judge(epochs, 5);
  EXPECT_EQ(epochs.Judge("t", kZero, LeaderEpoch(3), /*reliable=*/false, kNoId, kNoId), Verdict::kWithoutEpoch);
  EXPECT_EQ(epochs.Find("t", kZero), std::nullopt);
  EXPECT_EQ(Judge(epochs, 1), Verdict::kNews);
  EXPECT_EQ(epochs.Judge("t", kZero, kUnknownEpoch, /*reliable=*/true, kNoId, kNoId), Verdict::kWithoutEpoch);
}

// MD-40
TEST(LeaderEpochsTest, AnotherTopicIdLetsTheEpochGoDown) {
  LeaderEpochs epochs;
  Judge(epochs, 100);
  EXPECT_EQ(Judge(epochs, 10, kOneId, kNoId), Verdict::kNews);    // None before.
  EXPECT_EQ(Judge(epochs, 9, kOneId, kOneId), Verdict::kStale);   // The same.
  EXPECT_EQ(Judge(epochs, 2, kOtherId, kOneId), Verdict::kNews);  // Another.
  EXPECT_EQ(Judge(epochs, 1, kNoId, kOtherId), Verdict::kStale);  // None any more.
  EXPECT_EQ(epochs.Find("t", kZero), LeaderEpoch(2));
}

// MD-42
TEST(LeaderEpochsTest, RaiseNeedsARememberedSmallerEpoch) {
  LeaderEpochs epochs;
  EXPECT_FALSE(epochs.Raise("t", kZero, LeaderEpoch(5)));
  Judge(epochs, 5);
  EXPECT_FALSE(epochs.Raise("t", kZero, LeaderEpoch(5)));
  EXPECT_FALSE(epochs.Raise("t", kZero, LeaderEpoch(4)));
  EXPECT_TRUE(epochs.Raise("t", kZero, LeaderEpoch(6)));
  EXPECT_EQ(Judge(epochs, 5), Verdict::kStale);
}

// MD-41
TEST(LeaderEpochsTest, KeepOnlyForgetsWholeTopics) {
  LeaderEpochs epochs;
  epochs.Set("a", kZero, LeaderEpoch(1));
  epochs.Set("b", kZero, LeaderEpoch(2));
  epochs.KeepOnly([](std::string_view topic) { return topic == "b"; });
  EXPECT_EQ(epochs.Find("a", kZero), std::nullopt);
  EXPECT_EQ(epochs.Find("b", kZero), LeaderEpoch(2));
}

}  // namespace
}  // namespace ktrial
