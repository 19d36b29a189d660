#include "core/metadata/leader_epochs.h"

namespace ktrial {

LeaderEpochs::Verdict LeaderEpochs::Judge(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch,
                                          bool reliable, const TopicId& topic_id, const TopicId& known_topic_id) {
  if (!reliable || epoch < LeaderEpoch(0)) {
    const auto found = topics_.find(topic);
    if (found != topics_.end()) found->second.erase(partition);
    return Verdict::kWithoutEpoch;
  }
  const std::optional<LeaderEpoch> last = Find(topic, partition);
  const bool made_anew = topic_id != TopicId{} && topic_id != known_topic_id;
  if (last.has_value() && !made_anew) {
    if (epoch < *last) return Verdict::kStale;
    if (epoch == *last) return Verdict::kKnown;
  }
  Set(topic, partition, epoch);
  return Verdict::kNews;
}

bool LeaderEpochs::Raise(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch) {
  const std::optional<LeaderEpoch> last = Find(topic, partition);
  if (!last.has_value() || epoch <= *last) return false;
  Set(topic, partition, epoch);
  return true;
}

void LeaderEpochs::Set(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch) {
  auto found = topics_.find(topic);
  if (found == topics_.end()) found = topics_.emplace(topic, std::map<PartitionIndex, LeaderEpoch>()).first;
  found->second[partition] = epoch;
}

std::optional<LeaderEpoch> LeaderEpochs::Find(std::string_view topic, PartitionIndex partition) const {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return std::nullopt;
  const auto epoch = found->second.find(partition);
  if (epoch == found->second.end()) return std::nullopt;
  return epoch->second;
}

void LeaderEpochs::KeepOnly(absl::FunctionRef<bool(std::string_view topic)> retained) {
  std::erase_if(topics_, [&](const auto& topic) { return !retained(topic.first); });
}

}  // namespace ktrial
