#include "sim/metrics/event_log.h"

#include "core/check.h"

namespace ktrial::sim {

std::int16_t EventLog::TopicIndex(std::string_view topic) {
  const auto known = topic_indices_.find(topic);
  if (known != topic_indices_.end()) return known->second;
  KT_CHECK_MSG(topics_.size() < INT16_MAX, "more topics than an event log can tell apart");
  const auto index = static_cast<std::int16_t>(topics_.size());
  topics_.emplace_back(topic);
  topic_indices_.emplace(topic, index);
  return index;
}

}  // namespace ktrial::sim
