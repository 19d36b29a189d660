#include "core/producer/partitioner.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace ktrial {
namespace {

// PT-03
TEST(PartitionerTest, Murmur2GivesKafkasNumbers) {
  EXPECT_EQ(Murmur2("21"), -973932308);
  EXPECT_EQ(Murmur2("foobar"), -790332482);
  EXPECT_EQ(Murmur2("a-little-bit-long-string"), -985981536);
  EXPECT_EQ(Murmur2("a-little-bit-longer-string"), -1486304829);
  EXPECT_EQ(Murmur2("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8"), -58897971);
  EXPECT_EQ(Murmur2("abc"), 479470107);
}

// PT-02, PT-03: the number is that of kafka-clients 4.4 for an array of no bytes.
TEST(PartitionerTest, EmptyKeyIsAKey) {
  EXPECT_EQ(Murmur2(""), 275646681);
  EXPECT_EQ(PartitionOfKey("", 10), PartitionIndex(1));
}

// PT-03: bytes above 127 count as 128 to 255.
TEST(PartitionerTest, Murmur2TakesBytesAsUnsigned) {
  EXPECT_EQ(Murmur2("\xff\xfe\xfd\xfc\xfb"), 524068735);
  EXPECT_EQ(Murmur2("\xff\xfe\xfd"), 998637092);
}

// PT-02, PT-04: the sign bit is masked, not negated.
TEST(PartitionerTest, NegativeHashKeepsItsLowBits) {
  EXPECT_EQ(PartitionOfKey("21", 1000), PartitionIndex((-973932308 & 0x7fffffff) % 1000));
  EXPECT_EQ(PartitionOfKey("foobar", 7), PartitionIndex((-790332482 & 0x7fffffff) % 7));
}

// PT-02
TEST(PartitionerTest, EveryPartitionIsInRange) {
  for (int i = 0; i < 1000; ++i) {
    const PartitionIndex partition = PartitionOfKey("key-" + std::to_string(i), 3);
    EXPECT_GE(partition.value(), 0);
    EXPECT_LT(partition.value(), 3);
  }
}

}  // namespace
}  // namespace ktrial
