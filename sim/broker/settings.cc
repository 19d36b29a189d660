#include "sim/broker/settings.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include "absl/status/statusor.h"
#include "core/producer/text.h"
#include "fmt/format.h"

namespace ktrial::sim {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

absl::Status Refuse(std::string_view key, std::string_view found, std::string_view allowed) {
  return absl::InvalidArgumentError(fmt::format("{}: found \"{}\", allowed: {}", key, found, allowed));
}

absl::StatusOr<std::int64_t> ParseInteger(std::string_view key, std::string_view text, std::int64_t min,
                                          std::int64_t max) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < min || number > max) {
    return Refuse(key, text, fmt::format("an integer from {} to {}", min, max));
  }
  return number;
}

absl::Status Set(std::string_view key, std::string_view text, std::int64_t min, std::int32_t& target) {
  const absl::StatusOr<std::int64_t> number = ParseInteger(key, text, min, kInt32Max);
  if (number.ok()) target = static_cast<std::int32_t>(*number);
  return number.status();
}

absl::Status SetMillis(std::string_view key, std::string_view text, Duration& target, std::int64_t min = 1) {
  const absl::StatusOr<std::int64_t> number = ParseInteger(key, text, min, kInt32Max);
  if (number.ok()) target = std::chrono::milliseconds(*number);
  return number.status();
}

absl::Status Set(std::string_view key, std::string_view text, bool& target) {
  if (text != "true" && text != "false") return Refuse(key, text, "true or false");
  target = text == "true";
  return absl::OkStatus();
}

absl::Status Set(std::string_view key, std::string_view text, TimestampType& target) {
  if (text != "CreateTime" && text != "LogAppendTime") return Refuse(key, text, "CreateTime or LogAppendTime");
  target = text == "CreateTime" ? TimestampType::kCreateTime : TimestampType::kLogAppendTime;
  return absl::OkStatus();
}

absl::Status SetMechanisms(std::string_view key, std::string_view text, std::vector<std::string>& target) {
  target.clear();
  for (const std::string_view name : SplitAtCommas(text)) {
    if (!IsSaslMechanism(name)) return Refuse(key, name, "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, separated by commas");
    target.emplace_back(name);
  }
  return absl::OkStatus();
}

// The value is not shown, although it is a scenario's: errors are copied into other places than files with secrets.
absl::Status SetUsers(std::string_view key, std::string_view text, SaslAccess& target) {
  auto users = ParseSaslUsers(text);
  if (!users.has_value()) return Refuse(key, "...", "CLASS required user_NAME=\"PASSWORD\" ...;");
  target.users = *std::move(users);
  return absl::OkStatus();
}

template <class Settings>
struct Setting {
  std::string_view name;
  absl::Status (*apply)(std::string_view key, std::string_view text, Settings& settings);
};

// Both tables ascending by name.
constexpr Setting<BrokerSettings> kBrokerSettings[] = {
    {"auto.create.topics.enable", [](auto key, auto text, auto& to) { return Set(key, text, to.auto_create_topics); }},
    {"broker.session.timeout.ms",
     [](auto key, auto text, auto& to) { return SetMillis(key, text, to.session_timeout); }},
    {"connections.max.idle.ms",
     [](auto key, auto text, auto& to) { return SetMillis(key, text, to.connections_max_idle); }},
    {"connections.max.reauth.ms",
     [](auto key, auto text, auto& to) { return SetMillis(key, text, to.sasl.session, 0); }},
    {"default.replication.factor",
     [](auto key, auto text, auto& to) { return Set(key, text, 1, to.default_replication_factor); }},
    {"log.message.timestamp.type", [](auto key, auto text, auto& to) { return Set(key, text, to.timestamp_type); }},
    {"message.max.bytes", [](auto key, auto text, auto& to) { return Set(key, text, 0, to.message_max_bytes); }},
    {"min.insync.replicas", [](auto key, auto text, auto& to) { return Set(key, text, 1, to.min_insync_replicas); }},
    {"num.partitions", [](auto key, auto text, auto& to) { return Set(key, text, 1, to.num_partitions); }},
    {"offsets.topic.num.partitions",
     [](auto key, auto text, auto& to) { return Set(key, text, 1, to.offsets_topic_partitions); }},
    {"producer.id.expiration.ms",
     [](auto key, auto text, auto& to) { return SetMillis(key, text, to.producer_id_expiration); }},
    {"sasl.enabled.mechanisms",
     [](auto key, auto text, auto& to) { return SetMechanisms(key, text, to.sasl.mechanisms); }},
    {"sasl.jaas.config", [](auto key, auto text, auto& to) { return SetUsers(key, text, to.sasl); }},
    {"socket.request.max.bytes",
     [](auto key, auto text, auto& to) { return Set(key, text, 1, to.socket_request_max_bytes); }},
    {"transaction.abort.timed.out.transaction.cleanup.interval.ms",
     [](auto key, auto text, auto& to) { return SetMillis(key, text, to.transaction_abort_interval); }},
    {"transaction.max.timeout.ms",
     [](auto key, auto text, auto& to) { return SetMillis(key, text, to.transaction_max_timeout); }},
    {"transaction.state.log.num.partitions",
     [](auto key, auto text, auto& to) { return Set(key, text, 1, to.transaction_log_partitions); }},
};

constexpr Setting<TopicSettings> kTopicSettings[] = {
    {"max.message.bytes",
     [](auto key, auto text, auto& to) { return Set(key, text, 0, to.max_message_bytes.emplace()); }},
    {"message.timestamp.type",
     [](auto key, auto text, auto& to) { return Set(key, text, to.timestamp_type.emplace()); }},
    {"min.insync.replicas",
     [](auto key, auto text, auto& to) { return Set(key, text, 1, to.min_insync_replicas.emplace()); }},
};

template <class Settings>
std::vector<std::string_view> NamesOf(std::span<const Setting<Settings>> table) {
  std::vector<std::string_view> names;
  for (const Setting<Settings>& setting : table) names.push_back(setting.name);
  return names;
}

template <class Settings>
absl::Status Apply(const SettingsMap& map, std::span<const Setting<Settings>> table, std::string_view whose,
                   Settings& settings) {
  Settings changed = settings;
  for (const auto& [key, text] : map) {
    const auto setting = std::ranges::find(table, key, &Setting<Settings>::name);
    if (setting == table.end()) {
      return absl::InvalidArgumentError(fmt::format("{}: not a setting of {} that is supported, allowed: {}", key,
                                                    whose, fmt::join(NamesOf(table), ", ")));
    }
    if (absl::Status status = setting->apply(key, text, changed); !status.ok()) return status;
  }
  settings = changed;
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyBrokerSettings(const SettingsMap& map, BrokerSettings& settings) {
  return Apply<BrokerSettings>(map, kBrokerSettings, "brokers", settings);
}

absl::Status ApplyTopicSettings(const SettingsMap& map, TopicSettings& settings) {
  return Apply<TopicSettings>(map, kTopicSettings, "topics", settings);
}

std::vector<std::string_view> BrokerSettingNames() { return NamesOf<BrokerSettings>(kBrokerSettings); }
std::vector<std::string_view> TopicSettingNames() { return NamesOf<TopicSettings>(kTopicSettings); }

bool IsInternalTopic(std::string_view name) { return name == kTransactionLog || name == kOffsetLog; }

}  // namespace ktrial::sim
