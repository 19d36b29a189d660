// Reads one table of a scenario key by key, and reports every key that nobody asked for.
//
//   TableReader cluster(value, "cluster", errors);
//   if (const auto brokers = cluster.RequiredInteger("brokers", 1, kBrokersMax)) scenario.cluster.brokers = *brokers;
//   cluster.Finish();
//
// A value of the wrong type or out of range is reported where it stands, and reads as absent.
#ifndef SCENARIOS_LANGUAGE_READER_H_
#define SCENARIOS_LANGUAGE_READER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/document.h"
#include "scenarios/language/error.h"
#include "scenarios/language/quantity.h"
#include "sim/kernel/draws.h"

namespace ktrial::scenario {

class TableReader {
 public:
  // `table` and `errors` outlive this. `path` is what stands before the keys in messages; empty for the document
  // itself. A value that is not a table is reported and reads as an empty one.
  TableReader(const Value& table, std::string path, Errors& errors);

  // The member, if it is there; the key counts as known from now on. All other readers stand on it.
  const Member* Find(std::string_view key);
  bool Has(std::string_view key) { return Find(key) != nullptr; }
  // Reports a missing key, unless one stands there that can only be meant for it: Finish will suggest the right one.
  // `what` says what belongs there.
  const Member* FindRequired(std::string_view key, std::string_view what);

  std::optional<std::string> String(std::string_view key);
  std::optional<std::int64_t> Integer(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<bool> Boolean(std::string_view key);
  std::optional<Duration> OneDuration(std::string_view key);
  std::optional<sim::DurationRange> Durations(std::string_view key);
  std::optional<sim::Distribution> Delay(std::string_view key);
  std::optional<sim::SizeRange> Sizes(std::string_view key);
  std::optional<sim::Rate> OneRate(std::string_view key);
  std::optional<std::vector<std::string>> Strings(std::string_view key);
  // The index of the word in `words`.
  std::optional<std::size_t> Choice(std::string_view key, std::span<const std::string_view> words);
  std::optional<std::size_t> Choice(std::string_view key, std::initializer_list<std::string_view> words) {
    return Choice(key, std::span(words.begin(), words.size()));
  }

  // A key of the language that this build cannot do.
  void NotSupported(std::string_view key);
  // Two keys of which only one may stand here; reports the second.
  void Exclude(std::string_view first, std::string_view second);

  // "found X, allowed: `allowed`", at the value of `key`, which is there.
  void Wrong(std::string_view key, std::string_view allowed);
  // Any other complaint about the value of `key` if it is there, else about the table.
  void Complain(std::string_view key, std::string_view text);
  // Reports every key that was never asked for. Returns whether there was none.
  bool Finish();

  Position position() const { return table_->position; }
  const std::string& path() const { return path_; }
  std::string Path(std::string_view key) const;
  const Value& table() const { return *table_; }
  Errors& errors() { return errors_; }

 private:
  template <class Parse>
  auto Quantity(std::string_view key, std::string_view allowed, Parse parse);
  // Whether a key that nobody has asked for yet is nearly `key`.
  bool HasMisspelt(std::string_view key) const;

  const Value* table_;
  const std::string path_;
  Errors& errors_;
  std::vector<std::string_view> known_;
};

// The members of a list of tables ([[topic]]), or one table where `single` is legal ([producer]). Anything else is
// reported.
std::vector<const Value*> ReadTables(TableReader& reader, std::string_view key, bool single_allowed = false);

// The members of a table with flat keys, as text in Kafka's manner: 5 is "5", true is "true". Lists and tables are
// reported.
struct FlatEntry {
  std::string key;
  Position position;
  std::string value;
};
std::vector<FlatEntry> ReadFlat(const Value& table, std::string_view path, const std::vector<std::string_view>& except,
                                Errors& errors);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_READER_H_
