// buffer.memory.allocation.strategy=incremental: batches begin small and grow.
#include <cstdint>
#include <string>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "core/wire/record_batch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

constexpr std::int32_t kBatchSize = 16'384;
const std::string kHundred(100, 'x');  // 108 bytes encoded: 150 of them fit into a batch, with its header.

WorldOptions Incremental() {
  return {.batch_size = kBatchSize, .buffer_memory = 4 * kBatchSize, .incremental_allocation = true};
}

TEST(IncrementalAllocationTest, ASmallBatchTakesLittleMemory) {
  AccumulatorWorld world(Incremental());
  world.Append("orders", 0, "a");
  EXPECT_EQ(world.used_bytes(), 1024);
}

TEST(IncrementalAllocationTest, ABatchGrowsByDoublingUpToBatchSizeAndKeepsItsRecords) {
  AccumulatorWorld world(Incremental());
  std::vector<std::int64_t> used;
  std::vector<std::string> sent;
  while (!world.Append("orders", 0, sent.emplace_back(std::to_string(sent.size()) + kHundred)).batch_full) {
    if (used.empty() || used.back() != world.used_bytes()) used.push_back(world.used_bytes());
  }
  EXPECT_THAT(used, ElementsAre(1024, 2048, 4096, 8192, 16384));
  sent.pop_back();  // It is the first of the next batch.
  EXPECT_GE(sent.size(), 140u);
  EXPECT_EQ(ValuesOf(*world.Drain(1).front()), sent);
}

TEST(IncrementalAllocationTest, ABatchIsNotFullBeforeItHasBatchSize) {
  AccumulatorWorld world({.batch_size = 1024 + 61, .buffer_memory = 10'000, .incremental_allocation = true});
  // As much as the first buffer holds.
  EXPECT_FALSE(world.Append("orders", 0, std::string(1024 - 61 - 10, 'x')).batch_full);
  EXPECT_FALSE(world.Append("orders", 0, std::string(30, 'x')).batch_full);
}

TEST(IncrementalAllocationTest, MorePartitionsThanWholeBatchesFitIntoMemory) {
  AccumulatorWorld world(Incremental());
  world.SetCluster({{"orders", std::vector<Leadership>(40, Leadership{.node = 1})}});
  for (std::int32_t partition = 0; partition < 40; ++partition) world.Append("orders", partition, "a");
  EXPECT_EQ(world.used_bytes(), 40 * 1024);
}

TEST(IncrementalAllocationTest, WithoutMemoryToGrowABatchIsFullAndNobodyWaitsUnderItsLock) {
  WorldOptions options = Incremental();
  options.buffer_memory = kBatchSize + 1024;
  AccumulatorWorld world(options);
  world.Append("payments", 0, std::string(kBatchSize - 1000, 'x'));
  world.Append("orders", 0, kHundred);
  NewRecord record{.value = kHundred, .may_block = false};
  record.partition = PartitionIndex(0);
  absl::Status refused;
  for (int i = 0; i < 20 && refused.ok(); ++i) {
    refused = world.accumulator->Append(world.accumulator->Topic("orders"), record).status();
  }
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(world.Ready().nodes.size() == 1) << "what is there has to go before anything new comes";
}

TEST(IncrementalAllocationTest, MemoryComesBackWholeWhenTheBatchIsDone) {
  AccumulatorWorld world(Incremental());
  for (int i = 0; i < 100; ++i) world.Append("orders", 0, kHundred);
  EXPECT_EQ(world.used_bytes(), kBatchSize);
  world.Advance(Millis(5));
  std::vector<BatchRef> batches = world.Drain(1);
  world.Succeed(*batches.front(), 0);
  batches.clear();
  EXPECT_EQ(world.used_bytes(), 0);
}

TEST(IncrementalAllocationTest, CompressedBatchesGrowToo) {
  WorldOptions options = Incremental();
  options.codec = Codec::kLz4;
  AccumulatorWorld world(options);
  int records = 0;
  while (!world.Append("orders", 0, kHundred).batch_full) ++records;
  EXPECT_GE(records, 140);
  EXPECT_EQ(world.Drain(1).front()->record_count(), records);
}

TEST(IncrementalAllocationTest, ALargeRecordTakesWhatItNeedsAtOnce) {
  AccumulatorWorld world(Incremental());
  world.Append("orders", 0, std::string(5000, 'x'));
  EXPECT_GE(world.used_bytes(), 5000);
  EXPECT_LE(world.used_bytes(), 5100);
}

}  // namespace
}  // namespace ktrial
