// What the wire code allocates: nothing for a record, and for hostile bytes never much more than their size. This binary counts.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/record_batch.h"
#include "core/wire/schema.h"
#include "tests/core/wire/hex.h"

namespace {
// Single-threaded test; plain counters will do.
std::size_t allocation_count = 0;
std::size_t allocated_bytes = 0;
}  // namespace

// Not inlined: gcc would see malloc in one of the pair and not in the other, and call it a mismatch.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocation_count;
  allocated_bytes += size;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ktrial::wire {
namespace {

template <class Function>
std::size_t BytesAllocatedBy(Function&& function) {
  const std::size_t before = allocated_bytes;
  function();
  return allocated_bytes - before;
}

TEST(AllocationTest, CountingWorks) {
  EXPECT_GE(BytesAllocatedBy([] { std::vector<char>(1000).shrink_to_fit(); }), 1000U);
}

TEST(AllocationTest, ARecordIsAppendedWithoutAllocation) {
  std::vector<char> buffer(16384);
  const std::string value(100, 'v');
  const std::array<HeaderView, 1> headers = {HeaderView{"h", "x"}};
  RecordBatchBuilder builder(buffer);
  const std::size_t before = allocation_count;
  while (builder.Append(1, "key", value, headers) > 0) continue;
  builder.Close();
  EXPECT_EQ(allocation_count, before);
  EXPECT_GT(builder.record_count(), 100);
}

TEST(AllocationTest, RecordsAreReadWithoutAllocation) {
  std::vector<char> buffer(16384);
  RecordBatchBuilder builder(buffer);
  while (builder.Append(1, "key", "value", {}) > 0) continue;
  const auto batch = RecordBatchView::Parse(builder.Close());
  const std::size_t before = allocation_count;
  RecordReader reader(*batch);
  int records = 0;
  while (reader.Next() != nullptr) ++records;
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(records, builder.record_count());
}

// The text of the error is all that is allocated.
TEST(AllocationTest, AHugeCountReservesNothing) {
  const std::string metadata = FromHex("7fffffff") + std::string(100, '\0');
  EXPECT_LT(BytesAllocatedBy([&] { EXPECT_FALSE(Decode<MetadataResponse>(metadata, 0).ok()); }), 2000U);
  const std::string compact = FromHex("0000 ffffffff0f") + std::string(100, '\0');
  EXPECT_LT(BytesAllocatedBy([&] { EXPECT_FALSE(Decode<ApiVersionsResponse>(compact, 3).ok()); }), 2000U);
  const std::string tags = FromHex("0000 01 00000000 ffffffff0f") + std::string(100, '\0');
  EXPECT_LT(BytesAllocatedBy([&] { EXPECT_FALSE(Decode<ApiVersionsResponse>(tags, 3).ok()); }), 2000U);
  const std::string records = FromHex("0000 0000 00000000 00000001 0000 7fffffff") + std::string(100, '\0');
  EXPECT_LT(BytesAllocatedBy([&] { EXPECT_FALSE(Decode<ProduceRequest>(records, 3).ok()); }), 2000U);
}

// Nothing but zeros is the densest input: every count is possible, every structure is empty.
TEST(AllocationTest, MemoryIsASmallMultipleOfTheInput) {
  ForEachMessage([]<class Message>(std::type_identity<Message>) {
    const VersionRange range = *CodecVersionRange(Message::kApi);
    for (std::int16_t version = range.min; version <= range.max; ++version) {
      for (std::size_t at = 0; at < 20; ++at) {
        std::string hostile(100'000, '\0');
        hostile.replace(at, 4, FromHex("00000fff"));
        const std::size_t allocated = BytesAllocatedBy([&] { (void)Decode<Message>(hostile, version); });
        EXPECT_LT(allocated, 32 * hostile.size()) << ApiKeyName(Message::kApi) << " v" << version << " at " << at;
      }
    }
  });
}

}  // namespace
}  // namespace ktrial::wire
