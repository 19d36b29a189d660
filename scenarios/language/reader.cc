#include "scenarios/language/reader.h"

#include <algorithm>
#include <limits>

namespace ktrial::scenario {
namespace {

const Value& EmptyTable() {
  static const Value empty;
  return empty;
}

constexpr std::string_view kDurationAllowed = "a duration such as \"250ms\" or \"2s\"";
constexpr std::string_view kDurationsAllowed = "a duration such as \"250ms\", or a range such as \"200ms..2s\"";
constexpr std::string_view kDelayAllowed =
    "a duration such as \"2ms\", a range such as \"1ms..5ms\", or { dist = \"lognormal\", median = \"500us\", p99 = "
    "\"5ms\" }";
constexpr std::string_view kSizesAllowed = "a size such as 100 or \"16KiB\", or a range such as \"100..1000\"";
constexpr std::string_view kRateAllowed = "a rate such as \"1000/s\"";

std::string IntegerAllowed(std::int64_t min, std::int64_t max) {
  if (max == std::numeric_limits<std::int64_t>::max()) return "a whole number, at least " + std::to_string(min);
  return "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
}

std::string Found(const Value& value, std::string_view allowed) {
  return "found " + Describe(value) + ", allowed: " + std::string(allowed);
}

}  // namespace

TableReader::TableReader(const Value& table, std::string path, Errors& errors)
    : table_(&table), path_(std::move(path)), errors_(errors) {
  if (table.kind == Value::Kind::kTable) return;
  errors_.Add(table.position, path_, Found(table, "a table"));
  table_ = &EmptyTable();
}

std::string TableReader::Path(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const Member* TableReader::Find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return table_->Find(key);
}

const Member* TableReader::FindRequired(std::string_view key, std::string_view what) {
  const Member* member = Find(key);
  // What was no table at all was complained of already.
  if (member == nullptr && table_ != &EmptyTable() && !HasMisspelt(key)) {
    errors_.Add(table_->position, Path(key), "missing, required: " + std::string(what));
  }
  return member;
}

bool TableReader::HasMisspelt(std::string_view key) const {
  return std::any_of(table_->members.begin(), table_->members.end(), [&](const Member& member) {
    const bool known = std::find(known_.begin(), known_.end(), member.key) != known_.end();
    return !known && !Suggestion(member.key, {&key, 1}).empty();
  });
}

void TableReader::Wrong(std::string_view key, std::string_view allowed) {
  const Value& value = table_->Find(key)->value;
  errors_.Add(value.position, Path(key), Found(value, allowed));
}

void TableReader::Complain(std::string_view key, std::string_view text) {
  const Member* member = table_->Find(key);
  errors_.Add(member != nullptr ? member->value.position : table_->position, Path(key), text);
}

std::optional<std::string> TableReader::String(std::string_view key) {
  const Member* member = Find(key);
  if (member == nullptr) return std::nullopt;
  const Value& value = member->value;
  const bool scalar = value.kind != Value::Kind::kArray && value.kind != Value::Kind::kTable;
  if (value.kind == Value::Kind::kString || (value.overridden() && scalar)) return value.text;
  Wrong(key, "a string");
  return std::nullopt;
}

std::optional<std::int64_t> TableReader::Integer(std::string_view key, std::int64_t min, std::int64_t max) {
  const Member* member = Find(key);
  if (member == nullptr) return std::nullopt;
  const Value& value = member->value;
  if (value.kind == Value::Kind::kInteger && value.integer >= min && value.integer <= max) return value.integer;
  Wrong(key, IntegerAllowed(min, max));
  return std::nullopt;
}

std::optional<bool> TableReader::Boolean(std::string_view key) {
  const Member* member = Find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.kind == Value::Kind::kBoolean) return member->value.boolean;
  Wrong(key, "true or false");
  return std::nullopt;
}

template <class Parse>
auto TableReader::Quantity(std::string_view key, std::string_view allowed, Parse parse) {
  using Result = decltype(parse(std::string_view()));
  const Member* member = Find(key);
  if (member == nullptr) return Result();
  Result result;
  if (member->value.kind == Value::Kind::kString) result = parse(member->value.text);
  if (!result) Wrong(key, allowed);
  return result;
}

std::optional<Duration> TableReader::OneDuration(std::string_view key) {
  return Quantity(key, kDurationAllowed, ParseDuration);
}
std::optional<sim::DurationRange> TableReader::Durations(std::string_view key) {
  return Quantity(key, kDurationsAllowed, ParseDurationRange);
}
std::optional<sim::Rate> TableReader::OneRate(std::string_view key) { return Quantity(key, kRateAllowed, ParseRate); }

std::optional<sim::SizeRange> TableReader::Sizes(std::string_view key) {
  const Member* member = Find(key);
  if (member != nullptr && member->value.kind == Value::Kind::kInteger && member->value.integer >= 0 &&
      member->value.integer <= std::numeric_limits<std::int32_t>::max()) {
    return sim::SizeRange(static_cast<std::int32_t>(member->value.integer));
  }
  return Quantity(key, kSizesAllowed, ParseSizeRange);
}

std::optional<sim::Distribution> TableReader::Delay(std::string_view key) {
  const Member* member = Find(key);
  if (member == nullptr || member->value.kind != Value::Kind::kTable) {
    const std::optional<sim::DurationRange> range = Quantity(key, kDelayAllowed, ParseDurationRange);
    if (!range) return std::nullopt;
    if (range->min == range->max) return sim::Distribution::Constant(range->min);
    return sim::Distribution::Uniform(range->min, range->max);
  }
  TableReader distribution(member->value, Path(key), errors_);
  distribution.FindRequired("dist", "\"lognormal\"");
  distribution.Choice("dist", {"lognormal"});
  distribution.FindRequired("median", kDurationAllowed);
  distribution.FindRequired("p99", kDurationAllowed);
  const std::optional<Duration> median = distribution.OneDuration("median");
  const std::optional<Duration> p99 = distribution.OneDuration("p99");
  distribution.Finish();
  if (!median || !p99) return std::nullopt;
  if (*p99 < *median || *median == Duration(0)) {
    distribution.Wrong("p99", "at least the median, which is more than 0s");
    return std::nullopt;
  }
  return sim::Distribution::LogNormal(*median, *p99);
}

std::optional<std::vector<std::string>> TableReader::Strings(std::string_view key) {
  const Member* member = Find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.kind != Value::Kind::kArray) {
    Wrong(key, "a list of strings");
    return std::nullopt;
  }
  std::vector<std::string> strings;
  for (const Value& item : member->value.items) {
    if (item.kind == Value::Kind::kString) {
      strings.push_back(item.text);
    } else {
      errors_.Add(item.position, Path(key), Found(item, "a string"));
    }
  }
  return strings;
}

std::optional<std::size_t> TableReader::Choice(std::string_view key, std::span<const std::string_view> words) {
  const Member* member = Find(key);
  if (member == nullptr) return std::nullopt;
  const std::string& text = member->value.text;
  const auto word = std::find(words.begin(), words.end(), text);
  if (member->value.kind == Value::Kind::kString && word != words.end()) {
    return static_cast<std::size_t>(word - words.begin());
  }
  const std::string allowed = JoinAllowed(words);
  Wrong(key, member->value.kind == Value::Kind::kString ? allowed + Suggestion(text, words) : allowed);
  return std::nullopt;
}

void TableReader::NotSupported(std::string_view key) {
  const Member* member = Find(key);
  if (member != nullptr) errors_.Add(member->position, Path(key), "not supported yet by this build");
}

void TableReader::Exclude(std::string_view first, std::string_view second) {
  const Member* a = Find(first);
  const Member* b = Find(second);
  if (a == nullptr || b == nullptr) return;
  const bool in_order = a->position < b->position;
  const Member& later = in_order ? *b : *a;
  const Member& earlier = in_order ? *a : *b;
  errors_.Add(
      later.position, Path(later.key),
      "stands beside " + earlier.key + ", allowed: one of " + std::string(first) + " and " + std::string(second));
}

bool TableReader::Finish() {
  bool good = true;
  std::vector<std::string_view> allowed = known_;
  std::sort(allowed.begin(), allowed.end());
  for (const Member& member : table_->members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    errors_.Add(member.position, Path(member.key),
                "unknown key, allowed: " + JoinAllowed(allowed) + Suggestion(member.key, allowed));
    good = false;
  }
  return good;
}

std::vector<const Value*> ReadTables(TableReader& reader, std::string_view key, bool single_allowed) {
  std::vector<const Value*> tables;
  const Member* member = reader.Find(key);
  if (member == nullptr) return tables;
  if (member->value.kind == Value::Kind::kTable && single_allowed) {
    tables.push_back(&member->value);
    return tables;
  }
  if (member->value.kind != Value::Kind::kArray) {
    reader.Wrong(key, "[[" + std::string(key) + "]], once for each");
    return tables;
  }
  for (const Value& item : member->value.items) tables.push_back(&item);
  return tables;
}

std::vector<FlatEntry> ReadFlat(const Value& table, std::string_view path, const std::vector<std::string_view>& except,
                                Errors& errors) {
  std::vector<FlatEntry> entries;
  for (const Member& member : table.members) {
    if (std::find(except.begin(), except.end(), member.key) != except.end()) continue;
    const Value::Kind kind = member.value.kind;
    if (kind == Value::Kind::kArray || kind == Value::Kind::kTable || kind == Value::Kind::kDate) {
      errors.Add(member.value.position, std::string(path) + "." + member.key,
                 Found(member.value, "a string, a number, true or false"));
      continue;
    }
    entries.push_back({member.key, member.position, member.value.text});
  }
  return entries;
}

}  // namespace ktrial::scenario
