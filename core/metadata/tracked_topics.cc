#include "core/metadata/tracked_topics.h"

namespace ktrial {

bool TrackedTopics::Add(std::string_view topic, Instant idle_deadline) {
  const auto found = topics_.find(topic);
  if (found != topics_.end()) {
    found->second.idle_deadline = idle_deadline;
    return false;
  }
  topics_.emplace(topic, Entry{.idle_deadline = idle_deadline});
  ++new_count_;
  return true;
}

bool TrackedTopics::IsNew(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found != topics_.end() && found->second.is_new;
}

bool TrackedTopics::IsUnasked(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found != topics_.end() && found->second.is_new && !found->second.asked;
}

std::vector<std::string> TrackedTopics::Ask(bool only_new) {
  std::vector<std::string> names;
  for (auto& [name, entry] : topics_) {
    if (only_new && !entry.is_new) continue;
    entry.asked = true;
    names.push_back(name);
  }
  return names;
}

void TrackedTopics::Answered(std::string_view topic) {
  const auto found = topics_.find(topic);
  if (found == topics_.end() || !found->second.is_new) return;
  --new_count_;
  found->second.is_new = false;
}

bool TrackedTopics::Retain(std::string_view topic, Instant now) {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return false;
  if (found->second.is_new || found->second.idle_deadline > now) return true;
  topics_.erase(found);
  return false;
}

}  // namespace ktrial
