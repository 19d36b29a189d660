// LeaderEpochs remembers the highest leader epoch seen for each partition, so that a lagging broker cannot move a
// leader back (MD-38 to MD-42).
//
// An epoch outlives the snapshot that it came with: a topic that comes back with an error keeps its epochs while it is
// tracked (MD-41). Only a changed topic id, which means deleted and made anew, lets an epoch go down (MD-40).
#ifndef CORE_METADATA_LEADER_EPOCHS_H_
#define CORE_METADATA_LEADER_EPOCHS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/types.h"

namespace ktrial {

// Thread safety: none; Metadata guards it.
class LeaderEpochs {
 public:
  enum class Verdict : std::uint8_t {
    kStale,         // Older than what we know: keep the entry that we have.
    kKnown,         // Accept; it says nothing new.
    kNews,          // Accept; a partition, an epoch or a topic id that we had not seen.
    kWithoutEpoch,  // Accept, and store it without an epoch: this response's epochs mean nothing (MD-39). Counts as
                    // news.
  };

  // Judges one partition of a response and remembers its epoch if accepted. `reliable`: the response is of Metadata v9
  // or later. `topic_id` is the response's, `known_topic_id` that of the snapshot so far; all zero for none.
  Verdict Judge(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch, bool reliable,
                const TopicId& topic_id, const TopicId& known_topic_id);
  // True if an epoch is remembered and this one is larger; then this one is remembered (MD-42).
  bool Raise(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch);
  // Remembers without judging (MD-43).
  void Set(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch);
  std::optional<LeaderEpoch> Find(std::string_view topic, PartitionIndex partition) const;
  // Forgets all topics for which `retained` is false (MD-41).
  void KeepOnly(absl::FunctionRef<bool(std::string_view topic)> retained);

 private:
  std::map<std::string, std::map<PartitionIndex, LeaderEpoch>, std::less<>> topics_;
};

}  // namespace ktrial

#endif  // CORE_METADATA_LEADER_EPOCHS_H_
