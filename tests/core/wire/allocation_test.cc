// What the wire code allocates: nothing for a record, and for hostile bytes never much more than their size. This binary counts.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/record_batch.h"
#include "core/wire/schema.h"
#include "tests/core/testing/counted_heap.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

using testing::HeapUse;
using testing::HeapUseOf;

TEST(AllocationTest, CountingWorks) {
  const HeapUse use = HeapUseOf([] { std::vector<char>(1000).shrink_to_fit(); });
  EXPECT_GE(use.allocations, 1);
  EXPECT_GE(use.bytes, 1000);
}

TEST(AllocationTest, ARecordIsAppendedWithoutAllocation) {
  std::vector<char> buffer(16384);
  const std::string value(100, 'v');
  const std::array<HeaderView, 1> headers = {HeaderView{"h", "x"}};
  RecordBatchBuilder builder(buffer);
  const HeapUse use = HeapUseOf([&] {
    while (builder.Append(1, "key", value, headers) > 0) continue;
    builder.Close();
  });
  EXPECT_EQ(use.allocations, 0);
  EXPECT_GT(builder.record_count(), 100);
}

TEST(AllocationTest, RecordsAreReadWithoutAllocation) {
  std::vector<char> buffer(16384);
  RecordBatchBuilder builder(buffer);
  while (builder.Append(1, "key", "value", {}) > 0) continue;
  const auto batch = RecordBatchView::Parse(builder.Close());
  int records = 0;
  const HeapUse use = HeapUseOf([&] {
    RecordReader reader(*batch);
    while (reader.Next() != nullptr) ++records;
  });
  EXPECT_EQ(use.allocations, 0);
  EXPECT_EQ(records, builder.record_count());
}

// The text of the error is all that is allocated.
TEST(AllocationTest, AHugeCountReservesNothing) {
  const std::string metadata = FromHex("7fffffff") + std::string(100, '\0');
  EXPECT_LT(HeapUseOf([&] { EXPECT_FALSE(Decode<MetadataResponse>(metadata, 0).ok()); }).bytes, 2000);
  const std::string compact = FromHex("0000 ffffffff0f") + std::string(100, '\0');
  EXPECT_LT(HeapUseOf([&] { EXPECT_FALSE(Decode<ApiVersionsResponse>(compact, 3).ok()); }).bytes, 2000);
  const std::string tags = FromHex("0000 01 00000000 ffffffff0f") + std::string(100, '\0');
  EXPECT_LT(HeapUseOf([&] { EXPECT_FALSE(Decode<ApiVersionsResponse>(tags, 3).ok()); }).bytes, 2000);
  const std::string records = FromHex("0000 0000 00000000 00000001 0000 7fffffff") + std::string(100, '\0');
  EXPECT_LT(HeapUseOf([&] { EXPECT_FALSE(Decode<ProduceRequest>(records, 3).ok()); }).bytes, 2000);
}

// Nothing but zeros is the densest input: every count is possible, every structure is empty.
TEST(AllocationTest, MemoryIsASmallMultipleOfTheInput) {
  ForEachMessage([]<class Message>(std::type_identity<Message>) {
    const VersionRange range = *CodecVersionRange(Message::kApi);
    for (std::int16_t version = range.min; version <= range.max; ++version) {
      for (std::size_t at = 0; at < 20; ++at) {
        std::string hostile(100'000, '\0');
        hostile.replace(at, 4, FromHex("00000fff"));
        const std::int64_t allocated = HeapUseOf([&] { (void)Decode<Message>(hostile, version); }).bytes;
        EXPECT_LT(allocated, 32 * std::ssize(hostile)) << ApiKeyName(Message::kApi) << " v" << version << " at " << at;
      }
    }
  });
}

}  // namespace
}  // namespace ktrial::wire
