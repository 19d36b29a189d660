// Metrics as a producer reports them: Kafka's own groups, names, tags and units (PR-24 to PR-27). A snapshot is a plain
// list; nothing in it moves afterwards.
//
//   group                    tags                  what
//   producer-metrics         client-id             the producer and its connections
//   producer-topic-metrics   client-id, topic      made when a batch of the topic is drained for the first time
//   producer-node-metrics    client-id, node-id    made when a broker is connected for the first time
//   app-info                 client-id             what this client is: version and commit-id in words, start-time-ms
//
// Averages, maxima and rates are over metrics.num.samples windows of metrics.sample.window.ms; totals are since the
// start. A value of which nothing was measured is NaN for averages and maxima, 0 for rates and totals. Times are
// milliseconds unless the name says ns, sizes are bytes, rates are per second.
//
// A "select" is one wait of the sender thread for events, io-wait its length, and io the time from there to the next wait: reading,
// writing and everything else that the thread does, so io-ratio tells how busy it is. An answer counts when it is complete.
#ifndef CORE_PRODUCER_METRICS_H_
#define CORE_PRODUCER_METRICS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ktrial {

struct Metric {
  std::string group;
  std::string name;
  std::vector<std::pair<std::string, std::string>> tags;  // In the order of the table above.
  double value = 0;
  std::string text;  // Of the few that are words; their value is NaN.
};

struct MetricsSnapshot {
  std::vector<Metric> metrics;  // Ordered by group, tags, name.

  // The value of one metric: of the whole producer, or of one topic ("orders") or node ("node-1"). NaN if there is
  // none.
  double Value(std::string_view name, std::string_view topic_or_node = {}) const;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_METRICS_H_
