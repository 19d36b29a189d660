#include "sim/checker/log_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

std::int64_t SlowInversions(const std::vector<std::int64_t>& numbers) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = i + 1; j < numbers.size(); ++j) count += numbers[i] > numbers[j] ? 1 : 0;
  }
  return count;
}

TEST(LogIndexTest, InversionsAreCountedAsByComparingAllPairs) {
  std::uint32_t state = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < round % 20; ++i) {
      state = state * 1664525 + 1013904223;
      numbers.push_back(state >> 28);
    }
    const std::int64_t expected = SlowInversions(numbers);
    ASSERT_EQ(CountInversions(numbers), expected);
    ASSERT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

std::int64_t AllPairs(GoodRun& run) {
  run.Violations();
  return run.index->ReorderedPairs([](const RecordEntry&) { return true; });
}

TEST(LogIndexTest, OrderedLogHasNoReorderedPairs) {
  GoodRun run;
  run.AppendAll();
  EXPECT_EQ(AllPairs(run), 0);
}

TEST(LogIndexTest, SwappedHalvesReorderEveryPairAcross) {
  GoodRun run;
  run.Append({run.ids.begin() + 5, run.ids.end()});
  run.Append({run.ids.begin(), run.ids.begin() + 5});
  EXPECT_EQ(AllPairs(run), 25);
}

TEST(LogIndexTest, SecondCopiesReorderNothing) {
  GoodRun run;
  run.AppendAll();
  run.AppendAll();
  EXPECT_EQ(AllPairs(run), 0);
}

TEST(LogIndexTest, OnlyChosenRecordsMakePairs) {
  GoodRun run;
  run.Append({run.ids.begin() + 5, run.ids.end()});
  run.Append({run.ids.begin(), run.ids.begin() + 5});
  run.Violations();
  EXPECT_EQ(run.index->ReorderedPairs([&](const RecordEntry& entry) { return &entry <= run.entries[5]; }), 5);
}

TEST(LogIndexTest, CopiesAndAcknowledgedOffsetsAreKnown) {
  GoodRun run;
  run.AppendAll();
  run.Append({run.ids[3]});
  run.Ack(0, 0);
  run.Ack(1, 2);
  run.Ack(3, 10);
  run.Violations();
  const RecordStream& stream = *run.history.streams()[0];
  EXPECT_EQ(run.index->at(stream, 3).copies, 2);
  EXPECT_EQ(run.index->at(stream, 0).copies, 1);
  EXPECT_TRUE(run.index->at(stream, 0).at_acked_offset);
  EXPECT_FALSE(run.index->at(stream, 1).at_acked_offset);
  EXPECT_TRUE(run.index->at(stream, 3).at_acked_offset);
}

TEST(LogIndexTest, CopiesInADeletedTopicAreCountedApart) {
  GoodRun run;
  run.AppendToDeleted({run.ids[0], run.ids[0], run.ids[1]});
  run.Append({run.ids[0]});
  run.Ack(0, 0);
  run.Ack(1, 2);
  run.Violations();
  const RecordStream& stream = *run.history.streams()[0];
  EXPECT_EQ(run.index->at(stream, 0).copies, 1);
  EXPECT_EQ(run.index->at(stream, 0).removed, 2);
  EXPECT_EQ(run.index->at(stream, 0).most_copies(), 2);
  EXPECT_EQ(run.index->at(stream, 1).copies, 0);
  EXPECT_TRUE(run.index->at(stream, 1).is_anywhere());
  EXPECT_TRUE(run.index->at(stream, 1).at_acked_offset);
  EXPECT_FALSE(run.index->at(stream, 2).is_anywhere());
  EXPECT_EQ(run.index->log_records(), 1);
}

TEST(LogIndexTest, EachLifeOfATopicHasItsOwnOrder) {
  GoodRun run;
  run.AppendToDeleted({run.ids.begin() + 5, run.ids.end()});
  run.Append({run.ids.begin(), run.ids.begin() + 5});
  EXPECT_EQ(AllPairs(run), 0);
}

TEST(LogIndexTest, RecordsOfNobodyAreForeign) {
  GoodRun run;
  run.Append({12345, run.ids[0]});
  run.Violations();
  EXPECT_EQ(run.index->foreign_records(), 1);
  EXPECT_EQ(run.index->log_records(), 2);
}

}  // namespace
}  // namespace ktrial::sim
