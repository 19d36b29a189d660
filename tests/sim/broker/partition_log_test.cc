#include "sim/broker/partition_log.h"

#include <gtest/gtest.h>

#include <array>

#include "core/wire/record_batch.h"

namespace ktrial::sim {
namespace {

using Ids = std::vector<RecordIdentity>;

Ids All(const PartitionLog& log) {
  Ids all;
  for (std::int64_t offset = 0; offset < log.end_offset().value(); ++offset) {
    all.push_back(log.IdentityAt(Offset(offset)).value_or(0));
  }
  return all;
}

TEST(PartitionLogTest, BatchesFollowEachOther) {
  PartitionLog log;
  EXPECT_EQ(log.Append({}, Ids{11, 12}), Offset(0));
  EXPECT_EQ(log.Append({}, Ids{13}), Offset(2));
  EXPECT_EQ(log.end_offset(), Offset(3));
  EXPECT_EQ(All(log), (Ids{11, 12, 13}));
  EXPECT_EQ(log.IdentityAt(Offset(3)), std::nullopt);
  EXPECT_EQ(log.batches().size(), 2U);
  EXPECT_EQ(log.IdentitiesOf(log.batches()[1]).front(), 13U);
}

TEST(PartitionLogTest, TruncationForgetsTheTailAndAppendsGoOnThere) {
  PartitionLog log;
  log.Append({}, Ids{11, 12});
  log.Append({}, Ids{13, 14});
  EXPECT_EQ(log.TruncateTo(Offset(2)), 2);
  EXPECT_EQ(log.TruncateTo(Offset(5)), 0);
  EXPECT_EQ(log.Append({}, Ids{15}), Offset(2));
  EXPECT_EQ(All(log), (Ids{11, 12, 15}));
  EXPECT_EQ(log.truncated_records(), 2);
}

TEST(PartitionLogTest, LostAppendLeavesAHole) {
  PartitionLog log;
  log.Append({}, Ids{11});
  log.Plant(PlantedBug::kLoseAppends);
  EXPECT_EQ(log.Append({}, Ids{12}), Offset(1));
  log.Plant(PlantedBug::kNone);
  EXPECT_EQ(log.Append({}, Ids{13}), Offset(2));
  EXPECT_EQ(All(log), (Ids{11, 0, 13}));
  EXPECT_EQ(log.planted_effects(), 1);
}

TEST(PartitionLogTest, SwappedAppendsChangePlacesInPairs) {
  PartitionLog log;
  log.Append({}, Ids{10});
  log.Plant(PlantedBug::kSwapAppends);
  EXPECT_EQ(log.Append({}, Ids{11, 12}), Offset(1));
  EXPECT_EQ(log.Append({}, Ids{13}), Offset(3));
  EXPECT_EQ(log.Append({}, Ids{14}), Offset(4));  // without a partner so far
  EXPECT_EQ(All(log), (Ids{10, 13, 11, 12, 14}));
  EXPECT_EQ(log.Append({}, Ids{15}), Offset(5));
  EXPECT_EQ(All(log), (Ids{10, 13, 11, 12, 15, 14}));
  EXPECT_EQ(log.planted_effects(), 2);
}

TEST(PartitionLogTest, TruncationAfterASwapKeepsTheRest) {
  PartitionLog log;
  log.Plant(PlantedBug::kSwapAppends);
  log.Append({}, Ids{11, 12});
  log.Append({}, Ids{13});
  log.Append({}, Ids{14});
  EXPECT_EQ(log.TruncateTo(Offset(3)), 1);
  EXPECT_EQ(log.Append({}, Ids{15}), Offset(3));
  EXPECT_EQ(All(log), (Ids{13, 11, 12, 15}));
}

TEST(PartitionLogTest, KeptBytesNameTheirOffsetAndEpoch) {
  std::string buffer(200, '\0');
  wire::RecordBatchBuilder builder(buffer);
  ASSERT_GT(builder.Append(0, std::nullopt, "v", {}), 0U);
  PartitionLog log;
  log.Append({}, Ids{1, 2, 3});
  log.Append({.leader_epoch = LeaderEpoch(7), .raw = std::string(builder.Close())}, Ids{4});
  const auto kept = wire::RecordBatchView::Parse(log.batches()[1].raw);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->base_offset(), 3);
  EXPECT_EQ(kept->partition_leader_epoch(), 7);
}

TEST(PartitionLogTest, MarkerTakesAnOffsetAndIsNoRecord) {
  PartitionLog log;
  log.Append({}, std::vector<RecordIdentity>{7});
  EXPECT_EQ(log.Append({.kind = BatchKind::kCommitMarker}, {}), Offset(1));
  log.Append({}, std::vector<RecordIdentity>{8});
  EXPECT_EQ(log.end_offset(), Offset(3));
  EXPECT_EQ(log.record_count(), 2);
  EXPECT_EQ(log.IdentityAt(Offset(1)), std::nullopt);
  EXPECT_EQ(log.IdentityAt(Offset(2)), 8U);
  EXPECT_TRUE(log.IdentitiesOf(log.batches()[1]).empty());
  EXPECT_EQ(log.TruncateTo(Offset(1)), 2);
  EXPECT_EQ(log.IdentityAt(Offset(0)), 7U);
}

TEST(PartitionLogTest, DeletedRecordsMoveTheStartAndStayForCheckers) {
  PartitionLog log;
  for (int i = 0; i < 3; ++i) log.Append({}, std::vector<RecordIdentity>{7, 8});
  EXPECT_TRUE(log.DeleteBefore(Offset(4)));
  EXPECT_EQ(log.start_offset(), Offset(4));
  EXPECT_EQ(log.record_count(), 6);
  EXPECT_FALSE(log.DeleteBefore(Offset(4))) << "already";
  EXPECT_FALSE(log.DeleteBefore(Offset(2))) << "never back";
  EXPECT_FALSE(log.DeleteBefore(Offset(7))) << "behind the end";
  log.TruncateTo(Offset(2));
  EXPECT_EQ(log.start_offset(), Offset(2));
}

}  // namespace
}  // namespace ktrial::sim
