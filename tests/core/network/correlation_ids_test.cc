#include "core/network/correlation_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace ktrial {
namespace {

// NC-20
TEST(CorrelationIdsTest, CountUp) {
  CorrelationIds ids;
  for (std::int32_t expected = 0; expected < 100; ++expected) EXPECT_EQ(ids.Next(), expected);
}

// NC-20
TEST(CorrelationIdsTest, LeaveOutThoseOfTheSaslExchange) {
  CorrelationIds ids(std::numeric_limits<std::int32_t>::max() - 9);
  EXPECT_EQ(ids.Next(), std::numeric_limits<std::int32_t>::max() - 9);
  EXPECT_EQ(ids.Next(), std::numeric_limits<std::int32_t>::max() - 8);
  EXPECT_EQ(ids.Next(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(ids.Next(), std::numeric_limits<std::int32_t>::min() + 1);
}

}  // namespace
}  // namespace ktrial
