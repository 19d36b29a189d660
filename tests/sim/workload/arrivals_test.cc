#include "sim/workload/arrivals.h"

#include <gtest/gtest.h>

#include "sim/trace/trace.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart = Instant::FromNanos(1000);

TEST(ArrivalsTest, EvenArrivalsDoNotDrift) {
  Trace trace;
  Stream draws(1, "app", "arrivals", trace);
  Arrivals arrivals(Rate{.count = 3, .per = 1s}, Arrival::kEven, kStart, draws);
  EXPECT_EQ(arrivals.next(), kStart);
  for (int i = 0; i < 3'000'000; ++i) arrivals.Advance();
  EXPECT_EQ(arrivals.next(), kStart + 1'000'000s);
}

TEST(ArrivalsTest, PoissonArrivalsHaveTheRate) {
  Trace trace;
  Stream draws(1, "app", "arrivals", trace);
  Arrivals arrivals(Rate{.count = 1000, .per = 1s}, Arrival::kPoisson, kStart, draws);
  EXPECT_GT(arrivals.next(), kStart);
  for (int i = 0; i < 100'000; ++i) arrivals.Advance();
  EXPECT_GT(arrivals.next(), kStart + 99s);
  EXPECT_LT(arrivals.next(), kStart + 101s);
}

}  // namespace
}  // namespace ktrial::sim
