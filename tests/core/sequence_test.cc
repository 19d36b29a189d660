#include "core/sequence.h"

#include <gtest/gtest.h>

#include <limits>

namespace ktrial {
namespace {

constexpr Sequence kLargest(std::numeric_limits<std::int32_t>::max());

// SN-22
TEST(SequenceTest, ZeroComesAfterTheLargest) {
  EXPECT_EQ(AdvanceSequence(kLargest, 1), Sequence(0));
  EXPECT_EQ(AdvanceSequence(kLargest, 0), kLargest);
  EXPECT_EQ(AdvanceSequence(Sequence(kLargest.value() - 49), 53), Sequence(3));
  EXPECT_EQ(AdvanceSequence(kLargest, std::numeric_limits<std::int32_t>::max()), Sequence(kLargest.value() - 1));
}

TEST(SequenceTest, ABatchMayLieAcrossTheEnd) {
  EXPECT_EQ(LastSequence(Sequence(5), 1), Sequence(5));
  EXPECT_EQ(LastSequence(Sequence(kLargest.value() - 1), 2), kLargest);
  EXPECT_EQ(LastSequence(Sequence(kLargest.value() - 1), 4), Sequence(1));
}

}  // namespace
}  // namespace ktrial
