// A TOML document as a plain tree that knows where each of its values stands. Only document.cc knows the TOML library.
#ifndef SCENARIOS_LANGUAGE_DOCUMENT_H_
#define SCENARIOS_LANGUAGE_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/error.h"

namespace ktrial::scenario {

struct Member;

struct Value {
  enum class Kind : std::uint8_t { kString, kInteger, kFloat, kBoolean, kDate, kArray, kTable };
  Kind kind = Kind::kTable;
  Position position;
  std::string text;  // a string's content; for other scalars what a person would write ("5", "0.4", "true")
  std::int64_t integer = 0;
  double number = 0;  // kFloat, kInteger
  bool boolean = false;
  std::vector<Value> items;     // kArray
  std::vector<Member> members;  // kTable, in the order of the keys' names

  const Member* Find(std::string_view key) const;
  // Came from --set, where nobody writes quotes: `text` is what was written, whatever the kind.
  bool overridden() const { return position.line == 0; }
};

struct Member {
  std::string key;
  Position position;  // of the key
  Value value;
};

// "\"abc\"", "5", "a list", "a table": what an error says was found.
std::string Describe(const Value& value);

// Nothing if the text is not TOML; the error is in `errors` then.
std::optional<Value> ParseDocument(std::string_view text, Errors& errors);

// Makes one table of nested ones: { linger = { ms = 5 } } becomes { "linger.ms" = 5 }. A key that stands there twice is
// an error.
void Flatten(Value& table, std::string_view path, Errors& errors);

// A table whose keys are flat; in a path every list of tables counts as its members ("topic.settings").
using FlatPaths = std::vector<std::string_view>;

// Applies KEY=VALUE, number `index` of the command line, to a document whose tables at `flat` have been flattened.
void ApplyOverride(Value& document, std::string_view key_value, int index, const FlatPaths& flat, Errors& errors);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_DOCUMENT_H_
