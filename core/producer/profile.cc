#include "core/producer/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/producer/config_keys.h"
#include "core/producer/profile_librdkafka.h"
#include "core/producer/text.h"

namespace ktrial {

namespace {

using Values = std::map<std::string, std::string>;

constexpr std::string_view kCodecLevel = "compression.level";

// The class that Java calls by name is the one that is built in here.
bool DefaultPartitioner(std::string_view value, std::string& to) {
  const std::size_t package = value.rfind('.');
  const std::string_view name = package == std::string_view::npos ? value : value.substr(package + 1);
  if (name != "DefaultPartitioner") to = value;
  return true;
}

bool BlockOnBufferFull(std::string_view value, std::string& to) {
  if (EqualsIgnoringCase(value, "true")) to = "9223372036854775807";
  return EqualsIgnoringCase(value, "true") || EqualsIgnoringCase(value, "false");
}

// KIP-98 came with 0.11.
bool NoTransactions(std::string_view value, std::string&) { return value.empty(); }

constexpr ProfileAlias kDefaultPartitioner = {
    .name = "partitioner.class",
    .key = "partitioner.class",
    .translate = &DefaultPartitioner,
    .note = "DefaultPartitioner is the one that is built in",
};

// ProducerConfig.CONFIG of kafka-clients 2.8.2, where it differs from 4.4.0.
constexpr auto kJava28Defaults = std::to_array<ProfileDefault>({
    {"acks", "1"},
    {"enable.idempotence", "false"},
    {"linger.ms", "0"},
    {"metadata.cluster.check.enable", "false"},
    {"metadata.recovery.strategy", "none"},
    {"partitioner.adaptive.partitioning.enable", "false"},
});
constexpr auto kConstantRetryBackoff = std::to_array<ProfileFollower>({{"retry.backoff.max.ms", "retry.backoff.ms"}});
constexpr auto kJava28Aliases = std::to_array<ProfileAlias>({kDefaultPartitioner});
constexpr auto kJava28Differences = std::to_array<std::string_view>({
    "Records without a key stay with a partition for batch.size bytes; there, until the next batch begins.",
    "A batch whose leader has moved is sent to the new one at once; there, after retry.backoff.ms.",
    "A produce answer that names the new leader is believed; there, metadata is asked for first.",
    "Requests have the newest version that a broker knows; there, at most those of 2.8.",
});

// The same of 0.9.0.1. Its retries have no limit in time; with none of them, a record waits for its leader and then for
// its answer, each for request.timeout.ms at most.
constexpr auto kJava09Defaults = std::to_array<ProfileDefault>({
    {"acks", "1"},
    {"api.version.request", "false"},
    {"delivery.timeout.ms", "60000"},
    {"enable.idempotence", "false"},
    {"linger.ms", "0"},
    {"metadata.cluster.check.enable", "false"},
    {"metadata.max.idle.ms", "9223372036854775807"},
    {"metadata.recovery.strategy", "none"},
    {"partitioner.adaptive.partitioning.enable", "false"},
    {"retries", "0"},
});
constexpr auto kJava09Followers = std::to_array<ProfileFollower>(
    {{"reconnect.backoff.max.ms", "reconnect.backoff.ms"}, {"retry.backoff.max.ms", "retry.backoff.ms"}});
constexpr auto kJava09Aliases = std::to_array<ProfileAlias>({
    {.name = "block.on.buffer.full",
     .key = "max.block.ms",
     .translate = &BlockOnBufferFull,
     .note = "true: Send waits for ever; false: as long as max.block.ms says"},
    {.name = "metadata.fetch.timeout.ms", .key = "max.block.ms", .note = "max.block.ms, of which it is a part there"},
    kDefaultPartitioner,
    {.name = "timeout.ms", .key = "request.timeout.ms", .note = "request.timeout.ms under its older name"},
    {.name = "transactional.id",
     .key = "transactional.id",
     .translate = &NoTransactions,
     .note = "this client has no transactions"},
});
constexpr auto kJava09Differences = std::to_array<std::string_view>({
    "Records without a key stay with a partition for batch.size bytes; there, each goes to the next one.",
    "Every record ends after delivery.timeout.ms; there, after request.timeout.ms without a leader, and with retries "
    "maybe never.",
    "A connection that does not open ends after socket.connection.setup.timeout.ms; there, when the system gives up.",
    "All addresses of a host are tried; there, the first.",
    "A batch whose leader has moved is sent to the new one at once; there, after retry.backoff.ms.",
    "With api.version.request = true requests have the newest version that a broker knows, and batches its newest "
    "format; there, always Produce 1 and messages without headers and timestamps, as here by default.",
});

constexpr ConfigProfile kJava09 = {
    .name = "java-0.9",
    .client = "the Java client 0.9",
    .defaults = kJava09Defaults,
    .followers = kJava09Followers,
    .aliases = kJava09Aliases,
    .differences = kJava09Differences,
};
constexpr ConfigProfile kJava28 = {
    .name = "java-2.8",
    .client = "the Java client 2.8",
    .defaults = kJava28Defaults,
    .followers = kConstantRetryBackoff,
    .aliases = kJava28Aliases,
    .differences = kJava28Differences,
};

// One ApplyProfile.
class Translator {
 public:
  Translator(const ConfigProfile& profile, const Values& values) : profile_(profile), values_(values) {}

  ProfiledValues Run() {
    for (const auto& [name, value] : values_) {
      const ProfileAlias* alias = FindAlias(profile_, name);
      if (alias == nullptr) {
        Give(name, name, value, value);
      } else if (alias->key.empty()) {
        WithoutKey(*alias, value);
      } else {
        WithKey(*alias, value);
      }
    }
    AddDefaults();
    return std::move(result_);
  }

 private:
  void Give(const std::string& key, const std::string& name, std::string value, const std::string& written) {
    const auto [there, first] = result_.given.emplace(key, std::move(value));
    if (!first) {
      const auto other = result_.written.find(key);
      Problem(name, fmt::format("{} and {} are the same key, allowed: one of them", name,
                                other == result_.written.end() ? key : other->second.name));
    } else if (name != key || there->second != written) {
      result_.written[key] = {.name = name, .value = written};
    }
  }

  void WithKey(const ProfileAlias& alias, const std::string& written) {
    std::string value;
    if (alias.translate == nullptr) {
      value = written;
    } else if (!alias.translate(Trimmed(written), value)) {
      return Unmapped(alias);
    }
    if (!value.empty()) Give(std::string(alias.key), std::string(alias.name), std::move(value), written);
  }

  void WithoutKey(const ProfileAlias& alias, const std::string& written) {
    if (alias.name == kCodecLevel) return CodecLevel(written);
    if (alias.harmless == "*") {
      result_.warnings.push_back(fmt::format("{} has no effect: {}", alias.name, alias.note));
    } else if (alias.harmless.empty() || !EqualsIgnoringCase(Trimmed(written), alias.harmless)) {
      Unmapped(alias);
    }
  }

  // One key there, one for each codec here.
  void CodecLevel(const std::string& written) {
    std::string_view codec;
    for (const char* name : {"compression.codec", "compression.type"}) {
      if (const auto given = values_.find(name); given != values_.end()) codec = Trimmed(given->second);
    }
    const std::string_view level = Trimmed(written);
    const bool has_levels = codec == "gzip" || codec == "lz4" || codec == "zstd";
    const bool is_default = level == "-1" || (codec == "lz4" && level == "0");
    if (!has_levels) return LevelOfNothing(codec, level);
    if (is_default) return;
    Give(fmt::format("compression.{}.level", codec), std::string(kCodecLevel), std::string(level), written);
  }

  // That client takes a level beside a codec that has none, too, and uses it for nothing.
  void LevelOfNothing(std::string_view codec, std::string_view level) {
    int number = 0;
    const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), number);
    if (error != std::errc() || end != level.data() + level.size() || number < -1 || number > 12) {
      return Problem(std::string(kCodecLevel),
                     fmt::format("{} = \"{}\" is not allowed: -1 ... 12", kCodecLevel, level));
    }
    if (number == -1) return;
    result_.warnings.push_back(
        fmt::format("{} has no effect: compression.codec is {}", kCodecLevel, codec.empty() ? "not given" : codec));
  }

  // The value is not shown: it may be a password.
  void Unmapped(const ProfileAlias& alias) {
    // One of Kafka's own has a counterpart, but not in that client.
    if (alias.name == alias.key) {
      return Problem(std::string(alias.name), fmt::format("{} is not allowed: {}", alias.name, alias.note));
    }
    const std::string only = alias.harmless.empty() ? std::string() : fmt::format("; allowed: {}", alias.harmless);
    Problem(std::string(alias.name), fmt::format("{} has no counterpart here: {}{}", alias.name, alias.note, only));
  }

  void Problem(const std::string& name, std::string text) {
    result_.problems.push_back({.key = name, .text = std::move(text)});
  }

  void AddDefaults() {
    for (const ProfileDefault& row : profile_.defaults) result_.defaults[std::string(row.key)] = row.value;
    for (const ProfileFollower& row : profile_.followers) {
      const auto leader = result_.given.find(std::string(row.leader));
      result_.defaults[std::string(row.key)] =
          leader == result_.given.end() ? ProfileDefaultOf(profile_, row.leader) : leader->second;
    }
  }

  const ConfigProfile& profile_;
  const Values& values_;
  ProfiledValues result_;
};

}  // namespace

std::span<const ConfigProfile> ConfigProfiles() {
  static constexpr auto kProfiles = std::to_array<ConfigProfile>({kJava09, kJava28, librdkafka::kProfile});
  return kProfiles;
}

const ConfigProfile* FindProfile(std::string_view name) {
  const auto profiles = ConfigProfiles();
  const auto found =
      std::find_if(profiles.begin(), profiles.end(), [name](const ConfigProfile& it) { return it.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

std::string ProfileNames() {
  std::string names;
  const auto profiles = ConfigProfiles();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (i > 0) names += i + 1 == profiles.size() ? " or " : ", ";
    names += profiles[i].name;
  }
  return names;
}

const ProfileAlias* FindAlias(const ConfigProfile& profile, std::string_view name) {
  const auto found = std::find_if(profile.aliases.begin(), profile.aliases.end(),
                                  [name](const ProfileAlias& it) { return it.name == name; });
  return found == profile.aliases.end() ? nullptr : &*found;
}

std::string ProfileDefaultOf(const ConfigProfile& profile, std::string_view key) {
  for (const ProfileDefault& row : profile.defaults) {
    if (row.key == key) return std::string(row.value);
  }
  for (const ProfileFollower& row : profile.followers) {
    if (row.key == key) return ProfileDefaultOf(profile, row.leader);
  }
  const ConfigKey* found = FindConfigKey(key);
  return found == nullptr ? std::string() : std::string(found->default_value);
}

std::string UnknownKeyText(std::string_view name, const ConfigProfile* profile) {
  std::string text = fmt::format("{} is not a key of Kafka's producer", name);
  if (profile != nullptr) text += fmt::format(" or of {}", profile->client);
  for (const ConfigProfile& other : ConfigProfiles()) {
    if (FindAlias(other, name) != nullptr) {
      return text + fmt::format("; it is one of {}, for which there is the profile {}", other.client, other.name);
    }
  }
  const std::string_view closest = ClosestConfigKey(name, profile);
  if (!closest.empty()) text += fmt::format("; did you mean {}?", closest);
  return text;
}

ProfiledValues ApplyProfile(const ConfigProfile& profile, const Values& values) {
  return Translator(profile, values).Run();
}

}  // namespace ktrial
