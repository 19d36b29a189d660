// Metrics in forms that other programs read. Pure functions; equal snapshots give equal text.
#ifndef CORE_PRODUCER_METRICS_TEXT_H_
#define CORE_PRODUCER_METRICS_TEXT_H_

#include <string>
#include <vector>

#include "core/producer/metrics.h"

namespace ktrial {

// The text exposition format of Prometheus, version 0.0.4 (Content-Type: text/plain; version=0.0.4), of one or more
// producers. Series differ by client.id alone: two producers with the same one give the same series twice, of which
// Prometheus keeps one. Give the producers of one text different client.ids, or none: those that one Env makes up differ
// from each other. Names are Kafka's, with the group in front and '_' for what Prometheus does not allow:
//
//   producer-metrics        record-send-total        kafka_producer_record_send_total{client_id="c"} 12
//   producer-topic-metrics  record-send-total        kafka_producer_topic_record_send_total{client_id="c",topic="t"} 12
//   producer-node-metrics   request-latency-avg      kafka_producer_node_request_latency_avg{client_id="c",node_id="node-1"} 1.5
//   app-info                version, start-time-ms   kafka_app_info_version{client_id="c",version="0.1"} 1, kafka_app_info_start_time_ms
//
// What ends in "-total" is a counter, all else a gauge. What was not measured (NaN) is NaN, as Prometheus writes it.
std::string PrometheusText(const std::vector<MetricsSnapshot>& snapshots);

// One JSON object, of one line: {"producer-metrics": [{"tags": {"client-id": "c"}, "metrics": {"record-send-total": 12,
// ...}}], "producer-topic-metrics": [...], ...}. What was not measured is null, words are strings.
std::string MetricsJson(const MetricsSnapshot& snapshot);

}  // namespace ktrial

#endif  // CORE_PRODUCER_METRICS_TEXT_H_
