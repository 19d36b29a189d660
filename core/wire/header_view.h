// One header of a record, as views: of the caller's memory on the way out, of the batch's on the way in.
#ifndef CORE_WIRE_HEADER_VIEW_H_
#define CORE_WIRE_HEADER_VIEW_H_

#include <optional>
#include <string_view>

namespace ktrial::wire {

// Keys are UTF-8, may repeat and may be empty, but are never null. A null value is not an empty one.
struct HeaderView {
  std::string_view key;
  std::optional<std::string_view> value;
  friend bool operator==(const HeaderView&, const HeaderView&) = default;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_HEADER_VIEW_H_
