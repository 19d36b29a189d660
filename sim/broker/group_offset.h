// GroupOffset is one offset that a group of consumers commits: up to which record of a partition it has come.
#ifndef SIM_BROKER_GROUP_OFFSET_H_
#define SIM_BROKER_GROUP_OFFSET_H_

#include <string>

#include "core/types.h"

namespace ktrial::sim {

struct GroupOffset {
  std::string group;
  TopicPartition partition;
  Offset offset = Offset(0);
  std::string metadata = {};  // Whatever the application keeps beside it.
  friend bool operator==(const GroupOffset&, const GroupOffset&) = default;
  friend auto operator<=>(const GroupOffset&, const GroupOffset&) = default;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_GROUP_OFFSET_H_
