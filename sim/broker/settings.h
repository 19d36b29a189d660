// Settings of brokers and topics, by Kafka's own names and with Kafka's defaults. A name that we do not know is an
// error and not a silent nothing: a scenario that sets it would mean something by it.
#ifndef SIM_BROKER_SETTINGS_H_
#define SIM_BROKER_SETTINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "sim/broker/sasl.h"

namespace ktrial::sim {

using SettingsMap = std::map<std::string, std::string, std::less<>>;

enum class TimestampType : std::uint8_t { kCreateTime, kLogAppendTime };

struct BrokerSettings {
  bool auto_create_topics = true;                               // auto.create.topics.enable
  std::int32_t num_partitions = 1;                              // num.partitions, of topics created on first use
  std::int32_t default_replication_factor = 1;                  // default.replication.factor
  std::int32_t min_insync_replicas = 1;                         // min.insync.replicas
  std::int32_t message_max_bytes = 1048588;                     // message.max.bytes, of one batch
  std::int32_t socket_request_max_bytes = 104857600;            // socket.request.max.bytes
  TimestampType timestamp_type = TimestampType::kCreateTime;    // log.message.timestamp.type
  Duration connections_max_idle = std::chrono::minutes(10);     // connections.max.idle.ms
  Duration session_timeout = std::chrono::seconds(9);           // broker.session.timeout.ms
  Duration producer_id_expiration = std::chrono::hours(24);     // producer.id.expiration.ms
  std::int32_t offsets_topic_partitions = 50;                   // offsets.topic.num.partitions
  std::int32_t transaction_log_partitions = 50;                 // transaction.state.log.num.partitions
  Duration transaction_max_timeout = std::chrono::minutes(15);  // transaction.max.timeout.ms
  // transaction.abort.timed.out.transaction.cleanup.interval.ms
  Duration transaction_abort_interval = std::chrono::seconds(10);
  SaslAccess sasl;  // sasl.enabled.mechanisms, sasl.jaas.config, connections.max.reauth.ms
};

// What a topic sets; the rest is the broker's.
struct TopicSettings {
  std::optional<std::int32_t> min_insync_replicas;  // min.insync.replicas
  std::optional<std::int32_t> max_message_bytes;    // max.message.bytes
  std::optional<TimestampType> timestamp_type;      // message.timestamp.type
};

// Change `settings` by what the map says. INVALID_ARGUMENT names the key, what was found and what is allowed; nothing
// is changed then.
absl::Status ApplyBrokerSettings(const SettingsMap& map, BrokerSettings& settings);
absl::Status ApplyTopicSettings(const SettingsMap& map, TopicSettings& settings);

// The topics in which coordinators keep what they know.
inline constexpr std::string_view kTransactionLog = "__transaction_state";
inline constexpr std::string_view kOffsetLog = "__consumer_offsets";
// One of these.
bool IsInternalTopic(std::string_view name);

// The names that the functions above accept, sorted; for suggestions.
std::vector<std::string_view> BrokerSettingNames();
std::vector<std::string_view> TopicSettingNames();

}  // namespace ktrial::sim

#endif  // SIM_BROKER_SETTINGS_H_
