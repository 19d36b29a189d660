#include "sim/fault/topic_life.h"

#include "fmt/format.h"
#include "sim/kernel/draws.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

Cluster::TopicLags DrawTopicLags(const Cluster& cluster, const DurationRange& lag, Stream& draws) {
  Cluster::TopicLags lags;
  for (const auto& [id, broker] : cluster.brokers()) lags[id] = draws.Between(lag.min, lag.max);
  return lags;
}

bool MakeTopic(FaultWorld& world, const TopicSpec& topic, const Cluster::TopicLags& lags) {
  if (!world.cluster.CreateTopic(topic, lags).ok()) return false;
  world.trace.NoteText(TraceKind::kCluster, Subject::kNone, 0,
                       fmt::format("topic {} is made with {} partitions", topic.name, topic.partitions));
  return true;
}

}  // namespace ktrial::sim
