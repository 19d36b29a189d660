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

// --- The partitioners by name ---

struct Vector {
  std::string_view key;
  std::int32_t consistent;
  std::int32_t murmur2;
  std::int32_t fnv1a;
};
// Where kcat with librdkafka 2.0.2 puts these keys among 1000 partitions.
constexpr Vector kVectors[] = {
    {"foobar", 69, 166, 576},
    {"21", 532, 340, 452},
    {"a-little-bit-long-string", 554, 112, 104},
    {"abc", 578, 107, 331},
    {"key-0", 940, 41, 857},
    {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", 433, 677, 966},
    {"\xff\xfe\xfd", 61, 92, 41},
};

TEST(PartitionerByNameTest, KeysGoWhereLibrdkafkaPutsThem) {
  for (const Vector& vector : kVectors) {
    SCOPED_TRACE(std::string(vector.key));
    EXPECT_EQ(PartitionByName(PartitionerKind::kConsistent, vector.key, 1000), PartitionIndex(vector.consistent));
    EXPECT_EQ(PartitionByName(PartitionerKind::kConsistentRandom, vector.key, 1000), PartitionIndex(vector.consistent));
    EXPECT_EQ(PartitionByName(PartitionerKind::kMurmur2, vector.key, 1000), PartitionIndex(vector.murmur2));
    EXPECT_EQ(PartitionByName(PartitionerKind::kMurmur2Random, vector.key, 1000), PartitionIndex(vector.murmur2));
    EXPECT_EQ(PartitionByName(PartitionerKind::kFnv1a, vector.key, 1000), PartitionIndex(vector.fnv1a));
    EXPECT_EQ(PartitionByName(PartitionerKind::kFnv1aRandom, vector.key, 1000), PartitionIndex(vector.fnv1a));
  }
}

// As kcat does it, too.
TEST(PartitionerByNameTest, AnEmptyKeyIsAKeyForAllButConsistentRandom) {
  EXPECT_EQ(PartitionByName(PartitionerKind::kConsistent, "", 1000), PartitionIndex(0));
  EXPECT_EQ(PartitionByName(PartitionerKind::kConsistentRandom, "", 1000), kUnknownPartition);
  EXPECT_EQ(PartitionByName(PartitionerKind::kMurmur2, "", 1000), PartitionIndex(681));
  EXPECT_EQ(PartitionByName(PartitionerKind::kMurmur2Random, "", 1000), PartitionIndex(681));
  EXPECT_EQ(PartitionByName(PartitionerKind::kFnv1a, "", 1000), PartitionIndex(35));
  EXPECT_EQ(PartitionByName(PartitionerKind::kFnv1aRandom, "", 1000), PartitionIndex(35));
}

TEST(PartitionerByNameTest, NoKeyIsAnEmptyOneOrLeftToTheAccumulator) {
  EXPECT_EQ(PartitionByName(PartitionerKind::kConsistent, std::nullopt, 1000), PartitionIndex(0));
  EXPECT_EQ(PartitionByName(PartitionerKind::kMurmur2, std::nullopt, 1000), PartitionIndex(681));
  EXPECT_EQ(PartitionByName(PartitionerKind::kFnv1a, std::nullopt, 1000), PartitionIndex(35));
  for (const PartitionerKind kind :
       {PartitionerKind::kBuiltIn, PartitionerKind::kConsistentRandom, PartitionerKind::kMurmur2Random,
        PartitionerKind::kFnv1aRandom, PartitionerKind::kRandom, PartitionerKind::kUniformSticky}) {
    EXPECT_EQ(PartitionByName(kind, std::nullopt, 1000), kUnknownPartition);
  }
}

TEST(PartitionerByNameTest, JavaNamesMayHaveTheirPackage) {
  EXPECT_EQ(PartitionerFromName("org.apache.kafka.clients.producer.RoundRobinPartitioner"),
            PartitionerKind::kRoundRobin);
  EXPECT_EQ(PartitionerFromName("RoundRobinPartitioner"), PartitionerKind::kRoundRobin);
  EXPECT_EQ(PartitionerFromName(""), PartitionerKind::kBuiltIn);
  EXPECT_EQ(PartitionerFromName("org.example.Mine"), std::nullopt);
}

}  // namespace
}  // namespace ktrial
