#include "core/exponential_backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "tests/core/testing/fake_env.h"

namespace ktrial {
namespace {

using namespace std::chrono_literals;
constexpr DrawPurpose kPurpose = DrawPurpose::kRetryBackoff;

// EB of behaviours.md, read with jitter 1: min(max, base * 2^min(n, log2(max / base))).
TEST(ExponentialBackoffTest, GrowsByTwoUpToTheMaximum) {
  testing::FakeEntropy entropy;
  const ExponentialBackoff backoff(50ms, 1000ms);
  const Duration expected[] = {50ms, 100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms};
  for (int n = 0; n < 7; ++n) EXPECT_EQ(backoff.Delay(n, entropy, kPurpose), expected[n]) << n;
}

TEST(ExponentialBackoffTest, JitterIsAFifthEitherWay) {
  testing::FakeEntropy entropy;
  const ExponentialBackoff backoff(100ms, 100s);
  entropy.Fix(kPurpose, 0);
  EXPECT_EQ(backoff.Delay(3, entropy, kPurpose), 640ms);
  entropy.Fix(kPurpose, 1000);
  EXPECT_EQ(backoff.Delay(3, entropy, kPurpose), 960ms);
}

TEST(ExponentialBackoffTest, TheCapAppliesAfterJitter) {
  testing::FakeEntropy entropy;
  const ExponentialBackoff backoff(100ms, 1000ms);
  entropy.Fix(kPurpose, 1000);
  EXPECT_EQ(backoff.Delay(20, entropy, kPurpose), 1000ms);
  entropy.Fix(kPurpose, 0);
  EXPECT_EQ(backoff.Delay(20, entropy, kPurpose), 800ms);
}

TEST(ExponentialBackoffTest, WithoutRoomToGrowItIsConstantAndDrawsNothing) {
  testing::FakeEntropy entropy;
  entropy.Fix(kPurpose, 0);
  EXPECT_EQ(ExponentialBackoff(100ms, 100ms).Delay(5, entropy, kPurpose), 100ms);
  EXPECT_EQ(ExponentialBackoff(100ms, 30ms).Delay(5, entropy, kPurpose), 30ms);
  EXPECT_EQ(entropy.draws(kPurpose), 0);
}

TEST(ExponentialBackoffTest, NothingGrowsFromNothing) {
  testing::FakeEntropy entropy;
  EXPECT_EQ(ExponentialBackoff(0ms, 1000ms).Delay(10, entropy, kPurpose), 0ms);
}

TEST(ExponentialBackoffTest, ManyFailuresDoNotOverflow) {
  testing::FakeEntropy entropy;
  const ExponentialBackoff backoff(1ms, std::chrono::hours(24 * 365));
  for (std::int64_t n = 0; n < 200; ++n) {
    const Duration delay = backoff.Delay(n, entropy, kPurpose);
    EXPECT_GE(delay, 1ms);
    EXPECT_LE(delay, backoff.Max());
  }
  EXPECT_EQ(backoff.Delay(std::int64_t{1} << 62, entropy, kPurpose), backoff.Max());
}

// Against the formula in floating point.
TEST(ExponentialBackoffTest, AgreesWithTheFormula) {
  testing::FakeEntropy entropy;
  for (const int base : {1, 7, 50, 100, 999}) {
    for (const int max : {1, 50, 1000, 32000}) {
      const ExponentialBackoff backoff{std::chrono::milliseconds(base), std::chrono::milliseconds(max)};
      for (int n = 0; n < 20; ++n) {
        const double first = std::min(base, max);
        const double exponent = std::min<double>(n, std::log2(static_cast<double>(max) / base));
        const double expected = max <= base ? first : std::min<double>(max, first * std::exp2(exponent));
        const double got = static_cast<double>(backoff.Delay(n, entropy, kPurpose).count()) / 1e6;
        EXPECT_NEAR(got, expected, 0.001) << base << " " << max << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace ktrial
