// What Prometheus and readers of JSON get.
#include "core/producer/metrics_text.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ktrial {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
using ::testing::HasSubstr;

MetricsSnapshot Example() {
  return {.metrics = {
              {.group = "producer-metrics", .name = "record-send-total", .tags = {{"client-id", "c"}}, .value = 12},
              {.group = "producer-metrics", .name = "batch-size-avg", .tags = {{"client-id", "c"}}, .value = kNothing},
              {.group = "producer-topic-metrics",
               .name = "record-send-total",
               .tags = {{"client-id", "c"}, {"topic", "a"}},
               .value = 5},
              {.group = "producer-topic-metrics",
               .name = "compression-rate",
               .tags = {{"client-id", "c"}, {"topic", "a"}},
               .value = 0.25},
              {.group = "producer-topic-metrics",
               .name = "record-send-total",
               .tags = {{"client-id", "c"}, {"topic", "b"}},
               .value = 7},
              {.group = "app-info", .name = "version", .tags = {{"client-id", "c"}}, .value = kNothing, .text = "0.1"},
          }};
}

TEST(PrometheusTextTest, NamesStandTogetherWithTheirKind) {
  EXPECT_EQ(PrometheusText({Example()}),
            "# TYPE kafka_app_info_version gauge\n"
            "kafka_app_info_version{client_id=\"c\",version=\"0.1\"} 1\n"
            "# TYPE kafka_producer_batch_size_avg gauge\n"
            "kafka_producer_batch_size_avg{client_id=\"c\"} NaN\n"
            "# TYPE kafka_producer_record_send_total counter\n"
            "kafka_producer_record_send_total{client_id=\"c\"} 12\n"
            "# TYPE kafka_producer_topic_compression_rate gauge\n"
            "kafka_producer_topic_compression_rate{client_id=\"c\",topic=\"a\"} 0.25\n"
            "# TYPE kafka_producer_topic_record_send_total counter\n"
            "kafka_producer_topic_record_send_total{client_id=\"c\",topic=\"a\"} 5\n"
            "kafka_producer_topic_record_send_total{client_id=\"c\",topic=\"b\"} 7\n");
}

TEST(PrometheusTextTest, SeveralProducersShareTheirNames) {
  MetricsSnapshot other;
  other.metrics = {
      {.group = "producer-metrics", .name = "record-send-total", .tags = {{"client-id", "d"}}, .value = 1}};
  EXPECT_THAT(PrometheusText({Example(), other}), HasSubstr("kafka_producer_record_send_total{client_id=\"c\"} 12\n"
                                                            "kafka_producer_record_send_total{client_id=\"d\"} 1\n"));
}

TEST(PrometheusTextTest, LabelsAreEscaped) {
  MetricsSnapshot odd;
  odd.metrics = {{.group = "producer-metrics", .name = "x", .tags = {{"client-id", "a\"b\\c\nd"}}, .value = 1}};
  EXPECT_THAT(PrometheusText({odd}), HasSubstr(R"(client_id="a\"b\\c\nd")"));
}

TEST(MetricsJsonTest, GroupsTagsAndNamesAreKafkas) {
  EXPECT_EQ(
      MetricsJson(Example()),
      R"({"producer-metrics":[{"tags":{"client-id":"c"},"metrics":{"record-send-total":12.0,"batch-size-avg":null}}],)"
      R"("producer-topic-metrics":[{"tags":{"client-id":"c","topic":"a"},"metrics":{"record-send-total":5.0,)"
      R"("compression-rate":0.25}},{"tags":{"client-id":"c","topic":"b"},"metrics":{"record-send-total":7.0}}],)"
      R"("app-info":[{"tags":{"client-id":"c"},"metrics":{"version":"0.1"}}]})");
}

}  // namespace
}  // namespace ktrial
