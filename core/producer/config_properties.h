// Reads a configuration from a .properties file, as Kafka's users write it (java.util.Properties):
//
//   # a comment; so is a line that begins with !
//   acks: all
//   linger.ms 5
//
// The key ends at the first '=', ':' or blank that no backslash precedes; blanks around the separator do not count,
// those at the end of the value do. A line that ends with an odd number of backslashes goes on in the next one, whose
// leading blanks are dropped. Escapes: \t \n \r \f, \uXXXX, and a backslash before any other character is left out. A
// key may stand there again: the last one counts.
//
// The bytes are taken as UTF-8, where Java takes them as Latin-1; \uXXXX means the same in both.
#ifndef CORE_PRODUCER_CONFIG_PROPERTIES_H_
#define CORE_PRODUCER_CONFIG_PROPERTIES_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ktrial {

struct PropertyValue {
  std::string text;
  int line = 0;  // Of its key, counted from 1.
  friend bool operator==(const PropertyValue&, const PropertyValue&) = default;
};
using PropertyFile = std::map<std::string, PropertyValue>;

// `name` is for the errors: "NAME:LINE: text", INVALID_ARGUMENT, for a \u that is not one and a line without a key.
// Values are never shown: they may be secret.
absl::StatusOr<PropertyFile> ParseProperties(std::string_view content, std::string_view name);

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_PROPERTIES_H_
