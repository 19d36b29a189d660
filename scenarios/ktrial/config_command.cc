#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/producer/config_keys.h"
#include "core/producer/profile.h"
#include "scenarios/ktrial/arguments.h"
#include "scenarios/ktrial/commands.h"

namespace ktrial::scenario {
namespace {

using Json = nlohmann::ordered_json;

// A line of the table, and what stands below it if it was asked for by name.
struct Row {
  std::vector<std::string> columns;
  std::string_view doc;
};

// What the command lists: keys of Kafka's, and names of the profile's client.
struct Listing {
  std::vector<const ConfigKey*> keys;
  std::vector<const ProfileAlias*> aliases;
};

std::string DefaultOf(const ConfigKey& key, const ConfigProfile* profile) {
  return profile == nullptr ? std::string(key.default_value) : ProfileDefaultOf(*profile, key.name);
}

// Java's packages would make the column as wide as a screen.
std::string ShortDefault(const ConfigKey& key, const ConfigProfile* profile) {
  const std::string text = DefaultOf(key, profile);
  return text.starts_with("org.apache.kafka.") ? text.substr(text.rfind('.') + 1) : text;
}

void PrintTable(const std::vector<Row>& rows, bool docs) {
  std::vector<std::size_t> widths(rows.front().columns.size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row.columns[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool last = i + 1 == widths.size();
      line += last ? row.columns[i] : fmt::format("{:<{}}  ", row.columns[i], widths[i]);
    }
    std::printf("%s\n", line.c_str());
    if (docs && !row.doc.empty()) std::printf("  %s\n", std::string(row.doc).c_str());
  }
}

void PrintKeys(const std::vector<const ConfigKey*>& keys, const ConfigProfile* profile, bool docs) {
  const auto shown = [](std::string text) { return text.empty() ? std::string("-") : text; };
  std::vector<Row> rows = {{{"NAME", "TYPE", "DEFAULT", "RULE", "SUPPORT", "VALID VALUES"}, {}}};
  for (const ConfigKey* key : keys) {
    rows.push_back(
        {{std::string(key->name), std::string(ConfigTypeName(key->type)), shown(ShortDefault(*key, profile)),
          shown(std::string(key->rule)), std::string(ConfigSupportName(key->support)), shown(AllowedValues(*key))},
         key->doc});
  }
  PrintTable(rows, docs);
}

void PrintAliases(const std::vector<const ProfileAlias*>& aliases, const ConfigProfile& profile) {
  std::vector<Row> rows = {{{fmt::format("NAME OF {}", profile.client), "HERE"}, {}}};
  for (const ProfileAlias* alias : aliases) {
    std::string here(alias->note);
    if (alias->harmless == "*") {
      here = fmt::format("without effect: {}", alias->note);
    } else if (!alias->harmless.empty()) {
      here = fmt::format("only {}: {}", alias->harmless, alias->note);
    }
    rows.push_back({{std::string(alias->name), here}, {}});
  }
  PrintTable(rows, false);
}

void PrintJson(const Json& json) {
  std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(text); }

void PrintJsonListing(const Listing& listing, const ConfigProfile* profile, bool whole) {
  for (const ConfigKey* key : listing.keys) {
    PrintJson({{"name", key->name},
               {"type", ConfigTypeName(key->type)},
               {"default", TextOrNull(DefaultOf(*key, profile))},
               {"valid", AllowedValues(*key)},
               {"rule", TextOrNull(key->rule)},
               {"support", ConfigSupportName(key->support)},
               {"doc", key->doc}});
  }
  for (const ProfileAlias* alias : listing.aliases) {
    PrintJson({{"alias", alias->name},
               {"key", TextOrNull(alias->key)},
               {"only", TextOrNull(alias->harmless)},
               {"note", alias->note}});
  }
  if (profile == nullptr || !whole) return;
  for (const std::string_view difference : profile->differences) PrintJson({{"difference", difference}});
}

void PrintListing(const Listing& listing, const ConfigProfile* profile, bool whole) {
  if (!listing.keys.empty()) PrintKeys(listing.keys, profile, !whole);
  if (profile == nullptr) return;
  if (!listing.keys.empty() && !listing.aliases.empty()) std::printf("\n");
  if (!listing.aliases.empty()) PrintAliases(listing.aliases, *profile);
  if (!whole) return;
  std::printf("\nWhat still differs from %s:\n", std::string(profile->client).c_str());
  for (const std::string_view difference : profile->differences) std::printf("- %s\n", std::string(difference).c_str());
}

// Reports what is not known.
bool Find(const std::string& name, const ConfigProfile* profile, const Output& output, Listing& listing) {
  // Names of providers are the user's; what their keys are for stands with the list of them.
  const ConfigKey* key = FindConfigKey(name.starts_with("config.providers.") ? "config.providers" : name);
  const ProfileAlias* alias = profile == nullptr ? nullptr : FindAlias(*profile, name);
  if (key != nullptr) listing.keys.push_back(key);
  if (alias != nullptr) listing.aliases.push_back(alias);
  if (key == nullptr && alias == nullptr) ReportArgument(UnknownKeyText(name, profile), output);
  return key != nullptr || alias != nullptr;
}

}  // namespace

ExitStatus ConfigCommand(const ConfigCommandOptions& options) {
  const std::optional<const ConfigProfile*> profile = ProfileByName(options.profile, options.output);
  if (!profile) return kWrongInput;
  Listing listing;
  bool known = true;
  for (const std::string& name : options.names) known &= Find(name, *profile, options.output, listing);
  if (!known) return kWrongInput;
  const bool whole = options.names.empty();
  if (whole) {
    for (const ConfigKey& key : ProducerConfigKeys()) listing.keys.push_back(&key);
    if (*profile != nullptr) {
      for (const ProfileAlias& alias : (*profile)->aliases) listing.aliases.push_back(&alias);
    }
  }
  if (options.output.json) {
    PrintJsonListing(listing, *profile, whole);
  } else {
    PrintListing(listing, *profile, whole);
  }
  return kHolds;
}

}  // namespace ktrial::scenario
