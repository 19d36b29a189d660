// Record is what an application sends: views of its own memory, which is copied before Send returns.
#ifndef CORE_PRODUCER_RECORD_H_
#define CORE_PRODUCER_RECORD_H_

#include <optional>
#include <span>
#include <string_view>

#include "core/env/clock.h"
#include "core/types.h"
#include "core/wire/header_view.h"

namespace ktrial {

using Header = wire::HeaderView;

struct Record {
  std::string_view topic = {};  // Not empty.
  // kUnknownPartition: by the key, or as the producer likes (core/producer/partitioner.h).
  PartitionIndex partition = kUnknownPartition;
  // Null is not empty: an empty key is a key, a null value is a tombstone.
  std::optional<std::string_view> key = {};
  std::optional<std::string_view> value = {};
  std::span<const Header> headers = {};
  // Not negative. Without one: when Send was called (PR-10).
  std::optional<WallTime> timestamp = {};
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_RECORD_H_
