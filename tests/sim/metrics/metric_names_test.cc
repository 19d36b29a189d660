#include "sim/metrics/metric_names.h"

#include <gtest/gtest.h>

namespace ktrial::sim {
namespace {

TEST(MetricNamesTest, EveryListedNameIsAName) {
  for (const std::string& name : AllMetricNames()) EXPECT_TRUE(IsMetricName(name)) << name;
}

TEST(MetricNamesTest, FamiliesTakeOnlyTheirMembers) {
  EXPECT_TRUE(IsMetricName("requests.Produce"));
  EXPECT_FALSE(IsMetricName("requests.Nonsense"));
  EXPECT_TRUE(IsMetricName("errors.NOT_LEADER_OR_FOLLOWER"));
  EXPECT_TRUE(IsMetricName("errors.CANCELLED"));
  EXPECT_FALSE(IsMetricName("errors.NONE"));
  EXPECT_TRUE(IsMetricName("delivery.p99"));
  EXPECT_FALSE(IsMetricName("delivery.p98"));
  EXPECT_TRUE(IsMetricName("metadata.reason.produce_error"));
  EXPECT_FALSE(IsMetricName("metadata.reason.boredom"));
  EXPECT_FALSE(IsMetricName(""));
}

TEST(MetricNamesTest, MetricsAreNarrowedByWhatTheyAreCountedBy) {
  EXPECT_TRUE(MetricHasFilter("metadata.requests", MetricFilter::kBroker));
  EXPECT_FALSE(MetricHasFilter("metadata.requests", MetricFilter::kPartition));
  EXPECT_TRUE(MetricHasFilter("delivery.max", MetricFilter::kWorkload));
  EXPECT_TRUE(MetricHasFilter("failed", MetricFilter::kError));
  EXPECT_FALSE(MetricHasFilter("nonsense", MetricFilter::kProducer));
}

TEST(MetricNamesTest, ErrorNamesReadBack) {
  for (const int error : {-1, 7, 19, kStatusErrorBase + 1, kStatusErrorBase + 9}) {
    EXPECT_EQ(ErrorFromMetricName(ErrorMetricName(static_cast<std::int16_t>(error))), error);
  }
}

TEST(MetricNamesTest, DurationsAreKnown) {
  EXPECT_TRUE(MetricIsDuration("delivery.p50"));
  EXPECT_TRUE(MetricIsDuration("recovery"));
  EXPECT_FALSE(MetricIsDuration("batch.fill"));
}

TEST(MetricNamesTest, StatisticsAreToldFromCounters) {
  EXPECT_TRUE(MetricIsStatistic("delivery.max"));
  EXPECT_TRUE(MetricIsStatistic("recovery"));
  EXPECT_TRUE(MetricIsStatistic("batch.fill"));
  EXPECT_FALSE(MetricIsStatistic("batches"));
  EXPECT_FALSE(MetricIsStatistic("buffer.peak"));
}

TEST(MetricNamesTest, WhatTheLogsHoldAtTheEndHasNoWindow) {
  for (const char* name : {"lost", "duplicates", "reordered", "log.records", "offsets.committed", "recovery"}) {
    EXPECT_FALSE(MetricHasWindow(name)) << name;
  }
  EXPECT_TRUE(MetricHasWindow("records.acked"));
  EXPECT_TRUE(MetricHasWindow("delivery.p99"));
}

TEST(MetricNamesTest, FilterNamesReadBack) {
  EXPECT_EQ(MetricFilterFromName("workload"), MetricFilter::kWorkload);
  EXPECT_EQ(MetricFilterName(MetricFilter::kWorkload), "workload");
  EXPECT_EQ(MetricFilterFromName("thread"), std::nullopt);
}

}  // namespace
}  // namespace ktrial::sim
