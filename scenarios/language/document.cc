#include "scenarios/language/document.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>

namespace ktrial::scenario {
namespace {

Position ToPosition(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::string FloatText(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, end.ptr);
}

Value FromToml(const toml::node& node);

Value FromTable(const toml::table& table) {
  Value value;
  value.kind = Value::Kind::kTable;
  for (const auto& [key, child] : table) {
    value.members.push_back({std::string(key.str()), ToPosition(key.source()), FromToml(child)});
  }
  return value;
}

Value FromToml(const toml::node& node) {
  Value value;
  if (const toml::table* table = node.as_table()) {
    value = FromTable(*table);
  } else if (const toml::array* array = node.as_array()) {
    value.kind = Value::Kind::kArray;
    for (const toml::node& item : *array) value.items.push_back(FromToml(item));
  } else if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::kString;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Value::Kind::kInteger;
    value.integer = integer->get();
    value.number = static_cast<double>(value.integer);
    value.text = std::to_string(value.integer);
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Value::Kind::kFloat;
    value.number = number->get();
    value.text = FloatText(value.number);
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Value::Kind::kBoolean;
    value.boolean = boolean->get();
    value.text = value.boolean ? "true" : "false";
  } else {
    value.kind = Value::Kind::kDate;
  }
  value.position = ToPosition(node.source());
  return value;
}

void SetPosition(Value& value, Position position) {
  value.position = position;
  for (Value& item : value.items) SetPosition(item, position);
  for (Member& member : value.members) {
    member.position = position;
    SetPosition(member.value, position);
  }
}

// TOML if it is a TOML value, else a string: nobody quotes for the shell and then again.
Value OverrideValue(std::string_view text, int index) {
  Value value;
  const toml::parse_result parsed = toml::parse("value = " + std::string(text));
  if (parsed && parsed.table().size() == 1) value = FromToml(parsed.table().begin()->second);
  const bool is_toml = parsed && parsed.table().size() == 1 && value.kind != Value::Kind::kDate;
  if (!is_toml) value.kind = Value::Kind::kString;
  const bool keeps_content = is_toml && value.kind == Value::Kind::kString;
  if (!keeps_content) value.text = std::string(text);
  SetPosition(value, {0, index});
  return value;
}

Member& FindOrAdd(Value& table, std::string_view key, Position position) {
  const auto place = std::lower_bound(table.members.begin(), table.members.end(), key,
                                      [](const Member& member, std::string_view name) { return member.key < name; });
  if (place != table.members.end() && place->key == key) return *place;
  Value empty;
  empty.position = position;
  return *table.members.insert(place, {std::string(key), position, std::move(empty)});
}

struct Override {
  std::string_view key;  // all of it, for messages
  Value value;
  const FlatPaths& flat;
  Errors& errors;
};

void Assign(Value& target, std::string_view path, std::string_view rest, const Override& change) {
  const Position position = change.value.position;
  if (target.kind == Value::Kind::kArray) {
    const std::string_view first = rest.substr(0, rest.find('.'));
    std::size_t number = 0;
    const auto parsed = std::from_chars(first.data(), first.data() + first.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != first.data() + first.size()) {
      for (Value& item : target.items) Assign(item, path, rest, change);
    } else if (number < 1 || number > target.items.size() || first.size() == rest.size()) {
      change.errors.Add(position, change.key,
                        "there are " + std::to_string(target.items.size()) + " of " + std::string(path) +
                            ", allowed: " + std::string(path) + ".NUMBER.KEY, counted from 1");
    } else {
      Assign(target.items[number - 1], path, rest.substr(first.size() + 1), change);
    }
    return;
  }
  if (target.kind != Value::Kind::kTable) {
    change.errors.Add(position, change.key, std::string(path) + " is " + Describe(target) + " and has no keys");
    return;
  }
  const bool is_flat = std::find(change.flat.begin(), change.flat.end(), path) != change.flat.end();
  const std::size_t dot = is_flat ? std::string_view::npos : rest.find('.');
  const std::string_view key = rest.substr(0, dot);
  Member& member = FindOrAdd(target, key, position);
  if (dot == std::string_view::npos) {
    member.position = position;
    member.value = change.value;
    return;
  }
  const std::string inner = path.empty() ? std::string(key) : std::string(path) + "." + std::string(key);
  Assign(member.value, inner, rest.substr(dot + 1), change);
}

// A key that is written as one ("linger.ms = 5") stands where its first part does; `outer` is that part's place.
void FlattenInto(const Value& table, const std::string& prefix, Position outer, std::string_view path,
                 std::vector<Member>& flat, Errors& errors) {
  for (const Member& member : table.members) {
    const std::string key = prefix.empty() ? member.key : prefix + "." + member.key;
    const Position position = !prefix.empty() && outer.line == member.position.line ? outer : member.position;
    if (member.value.kind == Value::Kind::kTable) {
      FlattenInto(member.value, key, position, path, flat, errors);
      continue;
    }
    const bool known = std::any_of(flat.begin(), flat.end(), [&key](const Member& other) { return other.key == key; });
    if (known) {
      errors.Add(position, std::string(path) + "." + key, "stands here twice, allowed: once");
      continue;
    }
    flat.push_back({key, position, member.value});
  }
}

}  // namespace

const Member* Value::Find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

std::string Describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kString:
      return "\"" + value.text + "\"";
    case Value::Kind::kInteger:
    case Value::Kind::kFloat:
    case Value::Kind::kBoolean:
      return value.text;
    case Value::Kind::kDate:
      return "a date";
    case Value::Kind::kArray:
      return "a list";
    case Value::Kind::kTable:
      return "a table";
  }
  return "nothing";
}

namespace {

// The library bounds the depth of values and not that of keys, and follows both on the stack.
constexpr std::int64_t kKeyPartsMax = 100;

// The first line whose key has too many parts. Dots in a value do not count, nor do those inside of quotes.
std::optional<int> LineOfTooDeepKey(std::string_view text) {
  int number = 1;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view key = line.substr(0, line.find_first_of("=#\"'"));
    if (std::count(key.begin(), key.end(), '.') >= kKeyPartsMax) return number;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
  }
  return std::nullopt;
}

}  // namespace

namespace {

// The key without quotes that a line assigns a value to; empty if it does not.
std::string_view BareKey(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  const auto end = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_part) - line.begin());
  const std::size_t equals = line.find_first_not_of(kBlanks, end);
  return equals != std::string_view::npos && line[equals] == '=' ? line.substr(0, end) : std::string_view();
}

bool GoesOnFrom(std::string_view key, std::string_view shorter) {
  return key.size() > shorter.size() && key.starts_with(shorter) && key[shorter.size()] == '.';
}

struct PlacedKey {
  std::string_view key;
  Position position;
};
// Of Kafka's keys one may go on from another ("buffer.memory", "buffer.memory.allocation.strategy"), which without quotes is a value and
// a table by one name. The longer key and the shorter one, if that is what is wrong in a line.
std::optional<std::pair<PlacedKey, std::string_view>> ClashAt(std::string_view text, int line_number) {
  std::vector<PlacedKey> keys;  // of the table that the line is in
  for (int number = 1; number <= line_number; ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] == '[') keys.clear();
    if (const std::string_view key = BareKey(line); !key.empty()) {
      keys.push_back({key, {number, static_cast<int>(first) + 1}});
    }
  }
  if (keys.empty() || keys.back().position.line != line_number) return std::nullopt;
  const PlacedKey last = keys.back();
  for (const PlacedKey& other : keys) {
    if (GoesOnFrom(last.key, other.key)) return std::pair(last, other.key);
    if (GoesOnFrom(other.key, last.key)) return std::pair(other, last.key);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> ParseDocument(std::string_view text, Errors& errors) {
  if (const std::optional<int> line = LineOfTooDeepKey(text)) {
    errors.Add({*line, 1}, "key",
               "more than " + std::to_string(kKeyPartsMax) + " parts, allowed: what this language knows");
    return std::nullopt;
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    if (const auto clash = ClashAt(text, ToPosition(parsed.error().source()).line)) {
      const auto& [longer, shorter] = *clash;
      errors.Add(longer.position, longer.key,
                 "goes on from " + std::string(shorter) + ", which has a value itself, allowed: in quotes, \"" +
                     std::string(longer.key) + "\" = ...");
      return std::nullopt;
    }
    errors.Add(ToPosition(parsed.error().source()), "not TOML", parsed.error().description());
    return std::nullopt;
  }
  Value document = FromTable(parsed.table());
  document.position = {1, 1};
  return document;
}

void Flatten(Value& table, std::string_view path, Errors& errors) {
  std::vector<Member> flat;
  FlattenInto(table, "", table.position, path, flat, errors);
  std::sort(flat.begin(), flat.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  table.members = std::move(flat);
}

void ApplyOverride(Value& document, std::string_view key_value, int index, const FlatPaths& flat, Errors& errors) {
  const std::size_t equals = key_value.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    errors.Add({0, index}, key_value, "no value, allowed: KEY=VALUE");
    return;
  }
  const std::string_view key = key_value.substr(0, equals);
  const Override change{key, OverrideValue(key_value.substr(equals + 1), index), flat, errors};
  Assign(document, "", key, change);
}

}  // namespace ktrial::scenario
