// TrackedTopics is the set of topics that a producer needs metadata for: who was used lately, and which of them nobody
// has told us about yet.
//
// A topic is *new* until it appears in a response, be it with an error (MD-13). It stays tracked while it is new or was
// used within max.idle (MD-36); it is dropped only while a response is processed, never by time alone.
#ifndef CORE_METADATA_TRACKED_TOPICS_H_
#define CORE_METADATA_TRACKED_TOPICS_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"

namespace ktrial {

// Thread safety: none; Metadata guards it.
class TrackedTopics {
 public:
  // True if the topic was not tracked before. Always sets its idle deadline.
  bool Add(std::string_view topic, Instant idle_deadline);
  bool Contains(std::string_view topic) const { return topics_.find(topic) != topics_.end(); }
  bool IsNew(std::string_view topic) const;
  bool HasNew() const { return new_count_ > 0; }
  // New, and no request has named it yet.
  bool IsUnasked(std::string_view topic) const;

  // All topics, or the new ones only, by name. They count as asked for from now on.
  std::vector<std::string> Ask(bool only_new);
  // A response names this topic. No effect on topics that are not tracked.
  void Answered(std::string_view topic);
  // Does this topic still matter? Drops it if not (MD-36).
  bool Retain(std::string_view topic, Instant now);

 private:
  struct Entry {
    Instant idle_deadline;
    bool is_new = true;
    bool asked = false;
  };
  std::map<std::string, Entry, std::less<>> topics_;
  std::size_t new_count_ = 0;
};

}  // namespace ktrial

#endif  // CORE_METADATA_TRACKED_TOPICS_H_
