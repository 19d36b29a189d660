// Batches that are compressed when they are drained, and how much goes into them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/accumulator/compression_estimate.h"
#include "core/accumulator/record_accumulator.h"
#include "core/compression/decompressor.h"
#include "core/wire/record_batch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/accumulator_world.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

const std::string kDull(100, 'x');

// --- The estimate (AC-04) ---

class EstimateTest : public ::testing::Test {
 protected:
  std::unique_ptr<Env> env_ = MakePosixEnv(1);
  CompressionEstimate estimate_{env_->threads()};
};

TEST_F(EstimateTest, BeginsWithoutAnyGain) { EXPECT_EQ(estimate_.ratio(), 1'000'000); }

TEST_F(EstimateTest, ImprovesByAHalfPercentABatch) {
  estimate_.Observe(300'000);
  EXPECT_EQ(estimate_.ratio(), 995'000);
  estimate_.Observe(994'000);
  EXPECT_EQ(estimate_.ratio(), 994'000);
}

TEST_F(EstimateTest, GetsWorseAtOnceAndByFivePercentAtLeast) {
  for (int i = 0; i < 100; ++i) estimate_.Observe(500'000);
  EXPECT_EQ(estimate_.ratio(), 500'000);
  estimate_.Observe(510'000);
  EXPECT_EQ(estimate_.ratio(), 550'000);
  estimate_.Observe(900'000);
  EXPECT_EQ(estimate_.ratio(), 900'000);
}

// AC-29
TEST_F(EstimateTest, AfterABatchThatWasTooLargeNothingIsCountedOn) {
  for (int i = 0; i < 100; ++i) estimate_.Observe(500'000);
  estimate_.GiveUp(600'000);
  EXPECT_EQ(estimate_.ratio(), 1'000'000);
  estimate_.GiveUp(1'100'000);
  EXPECT_EQ(estimate_.ratio(), 1'100'000);
}

TEST_F(EstimateTest, CountsFivePercentMore) { EXPECT_EQ(CompressionEstimate::Compressed(1000, 500'000), 525); }

// --- Batches ---

class CompressionTest : public ::testing::TestWithParam<Codec> {
 protected:
  CompressionTest() : world_({.batch_size = 2000, .buffer_memory = 1'000'000, .codec = GetParam()}) {}

  // One full batch after the other, so that the estimate learns. Gives the records of the largest one.
  std::int32_t FillAndSend(int batches) {
    std::int32_t records = 0;
    for (int i = 0; i < batches; ++i) {
      while (!world_.Append("orders", 0, kDull).batch_full) {
      }
      for (std::vector<BatchRef> sent = world_.Drain(1); !sent.empty(); sent = world_.Drain(1)) {
        records = std::max(records, sent.front()->record_count());
        world_.Succeed(*sent.front(), 0);
      }
    }
    return records;
  }

  AccumulatorWorld world_;
};

INSTANTIATE_TEST_SUITE_P(, CompressionTest, ::testing::Values(Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd),
                         [](const auto& info) { return std::string(CodecName(info.param)); });

// WP-15, WP-16, AC-19
TEST_P(CompressionTest, ADrainedBatchIsCompressedAndHasItsRecords) {
  for (int i = 0; i < 10; ++i) world_.Append("orders", 0, kDull);
  const std::vector<BatchRef> sent = world_.Drain(1);
  const auto batch = wire::RecordBatchView::Parse(sent.front()->bytes());
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->codec(), GetParam());
  EXPECT_LT(sent.front()->size_bytes(), 500);
  EXPECT_GT(sent.front()->plain_bytes(), 1000);
  EXPECT_THAT(ValuesOf(*sent.front()),
              ElementsAre(kDull, kDull, kDull, kDull, kDull, kDull, kDull, kDull, kDull, kDull));
}

TEST_P(CompressionTest, ARetrySendsTheSameBytes) {
  world_.Append("orders", 0, kDull);
  const std::vector<BatchRef> sent = world_.Drain(1);
  const std::string first(sent.front()->bytes());
  world_.accumulator->Reenqueue(*sent.front(), wire::ErrorCode::kNotEnoughReplicas, world_.clock.now);
  world_.Advance(Millis(200));
  EXPECT_EQ(world_.Drain(1).front()->bytes(), first);
}

// AC-03, AC-04: batch.size is about what is sent.
TEST_P(CompressionTest, AsTheEstimateImprovesMoreRecordsGoIntoABatch) {
  const std::int32_t at_first = FillAndSend(1);
  EXPECT_LE(at_first, 19);
  EXPECT_GE(FillAndSend(150), 2 * at_first);
}

// AC-02, AC-03: however small it becomes.
TEST_P(CompressionTest, ARecordLargerThanABatchGetsABatchOfItsOwn) {
  const std::string large(10'000, 'x');
  world_.Append("orders", 0, "a");
  EXPECT_TRUE(world_.Append("orders", 0, large).new_batch);
  EXPECT_TRUE(world_.Append("orders", 0, "b").new_batch);
  EXPECT_THAT(ValuesOf(*world_.Drain(1).front()), ElementsAre("a"));
  const std::vector<BatchRef> sent = world_.Drain(1);
  EXPECT_THAT(ValuesOf(*sent.front()), ElementsAre(large));
  EXPECT_EQ(wire::RecordBatchView::Parse(sent.front()->bytes())->codec(), GetParam());
  EXPECT_THAT(ValuesOf(*world_.Drain(1).front()), ElementsAre("b"));
}

// Incompressible records must not make a batch larger than it would be.
TEST_P(CompressionTest, WhatDoesNotGetSmallerGoesAsItIs) {
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 1000; ++i) noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  world_.Append("orders", 0, noise);
  const std::vector<BatchRef> sent = world_.Drain(1);
  EXPECT_EQ(sent.front()->size_bytes(), sent.front()->plain_bytes());
  EXPECT_THAT(ValuesOf(*sent.front()), ElementsAre(noise));
}

// AC-28, AC-29
TEST_P(CompressionTest, ATooLargeBatchIsSplitIntoSmallerOnesOfTheSameCodec) {
  for (int i = 0; i < 8; ++i) world_.Append("orders", 0, kDull);
  std::vector<BatchRef> sent = world_.Drain(1);
  EXPECT_GT(world_.accumulator->Split(*sent.front()), 1);
  EXPECT_GE(world_.accumulator->Topic("orders").compression().ratio(), 1'000'000);
  std::size_t records = 0;
  for (sent = world_.Drain(1); !sent.empty(); sent = world_.Drain(1)) {
    records += ValuesOf(*sent.front()).size();
    EXPECT_EQ(wire::RecordBatchView::Parse(sent.front()->bytes())->codec(), GetParam());
    world_.Succeed(*sent.front(), 0);
  }
  EXPECT_EQ(records, 8u);
}

// AC-28
TEST_P(CompressionTest, HeadersSurviveASplit) {
  const std::vector<wire::HeaderView> headers = {{.key = "h", .value = "1"}, {.key = "n", .value = std::nullopt}};
  for (int i = 0; i < 2; ++i) {
    const NewRecord record{.partition = PartitionIndex(0), .value = kDull, .headers = headers};
    ASSERT_TRUE(world_.accumulator->Append(world_.accumulator->Topic("orders"), record).ok());
  }
  std::vector<BatchRef> sent = world_.Drain(1);
  ASSERT_EQ(world_.accumulator->Split(*sent.front()), 2);
  for (int part = 0; part < 2; ++part) {
    sent = world_.Drain(1);
    const auto batch = wire::RecordBatchView::Parse(sent.front()->bytes());
    ASSERT_EQ(batch->codec(), GetParam());
    Decompressor decompressor;
    std::string buffer;
    const auto plain = batch->PlainRecords(decompressor, 10'000, buffer);
    ASSERT_TRUE(plain.ok());
    wire::RecordReader reader(*batch, *plain);
    const wire::RecordView* record = reader.Next();
    EXPECT_EQ(record->value, kDull);
    EXPECT_THAT(record->headers, ::testing::ElementsAreArray(headers));
  }
}

// BP-01: what is gathered before compression counts in full.
TEST_P(CompressionTest, MemoryIsCountedAsItIsUsed) {
  FillAndSend(150);
  EXPECT_EQ(world_.used_bytes(), 0);
  world_.Append("orders", 0, kDull);
  EXPECT_GE(world_.used_bytes(), 8000);
}

TEST(CompressionMemoryTest, ABatchGathersAnEighthOfAllMemoryAtMost) {
  AccumulatorWorld world({.batch_size = 2000, .buffer_memory = 20'000, .codec = Codec::kZstd});
  for (int i = 0; i < 150; ++i) {
    while (!world.Append("orders", 0, kDull).batch_full) {
    }
    EXPECT_EQ(world.used_bytes() % 2000, 0);
    for (std::vector<BatchRef> sent = world.Drain(1); !sent.empty(); sent = world.Drain(1)) {
      EXPECT_LE(sent.front()->plain_bytes(), 2000);
      world.Succeed(*sent.front(), 0);
    }
  }
}

}  // namespace
}  // namespace ktrial
