// ProducerConfig is what a producer was told to be: Kafka's own keys with the defaults of 4.x, parsed from strings and
// checked as a whole.
//
//   auto config = ProducerConfig::Parse({{"bootstrap.servers", "127.0.0.1:9092"}, {"acks", "1"}});
//   auto config = ProducerConfig::FromProperties(content, "producer.properties");
//
// What Parse does with a key:
//   known and supported     its value is checked: type, range, list of names;
//   known, not supported    an error that says so, unless the value asks for nothing (compression.type=none);
//   of another client only  a warning (key.serializer, metric.reporters): it has no effect here;
//   unknown                 an error that names the closest known key.
// Values may stand elsewhere: ${NAME:PATH:KEY} (core/producer/config_provider.h). Those are never shown either.
// With a profile (core/producer/profile.h) keys, defaults and meanings are those of another client.
// Then the whole is checked. Two *explicit* values that contradict each other are an error; a default that contradicts
// an explicit value adapts to it, and `warnings` says so (PR-22, PR-23).
//
// An error names the key, what was found, what is allowed and the rule. Values of secret keys are never shown.
// Host names are not looked up here: only their syntax is checked.
#ifndef CORE_PRODUCER_CONFIG_H_
#define CORE_PRODUCER_CONFIG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/compression/codec.h"
#include "core/env/clock.h"
#include "core/producer/log.h"
#include "core/producer/partitioner.h"
#include "core/sasl/sasl_settings.h"
#include "core/tls/tls_settings.h"

namespace ktrial {

// One entry of bootstrap.servers: "host:port", "127.0.0.1:9092" or "[::1]:9092" (without the brackets here).
struct BootstrapServer {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const BootstrapServer&, const BootstrapServer&) = default;
};
// nullopt: not of that form (no port, port 0, empty host, IPv6 without brackets).
std::optional<BootstrapServer> ParseBootstrapServer(std::string_view text);

// client.dns.lookup
enum class DnsLookup : std::uint8_t {
  kAllIps,              // Every address of a host is tried in turn.
  kCanonicalBootstrap,  // The same, with the names that the addresses of bootstrap.servers really have in place of these.
};

// How many brokers must have a record before it counts as sent; the number is what goes on the wire.
enum class Acks : std::int16_t { kNone = 0, kLeader = 1, kAll = -1 };

// What happens when no known broker can be reached (MD-22, MD-23).
enum class MetadataRecovery : std::uint8_t { kNone, kRebootstrap };

// How brokers are spoken to: with TLS or without, and whether the client says who it is.
enum class SecurityProtocol : std::uint8_t { kPlaintext, kSsl, kSaslPlaintext, kSaslSsl };
constexpr bool UsesTls(SecurityProtocol protocol) {
  return protocol == SecurityProtocol::kSsl || protocol == SecurityProtocol::kSaslSsl;
}
constexpr bool UsesSasl(SecurityProtocol protocol) {
  return protocol == SecurityProtocol::kSaslPlaintext || protocol == SecurityProtocol::kSaslSsl;
}
// "SASL_SSL"
std::string_view SecurityProtocolName(SecurityProtocol protocol);

class ConfigProviderFactory;
struct ConfigProfile;
class ProducerInterceptor;

// One thing that is wrong with a configuration.
struct ConfigProblem {
  std::string key;           // As it was given: with a profile it may be a name that only that client knows.
  std::string text;          // Names key, value, what is allowed, and the rule.
  bool unsupported = false;  // Kafka knows it, this producer does not yet.
};

struct ProducerConfig {
  // Finds everything that is wrong. The Status is INVALID_ARGUMENT (UNIMPLEMENTED if all that is wrong is not supported
  // yet) and has one problem a line; `problems`, if given, gets them one by one. `profile` may be null: Kafka's own
  // keys and defaults; and so may `providers`: nothing is looked up, and config.providers has to be empty.
  static absl::StatusOr<ProducerConfig> Parse(const std::map<std::string, std::string>& values,
                                              std::vector<ConfigProblem>* problems = nullptr,
                                              const ConfigProfile* profile = nullptr,
                                              ConfigProviderFactory* providers = nullptr);
  // The same of the content of a .properties file (core/producer/config_properties.h says how one is written); `name` is
  // the file's, for errors: each line of one begins with "NAME:LINE: ". Reading the file is the caller's. Where a program
  // has more to say than the file: ParseProperties, and what comes of both to Parse.
  static absl::StatusOr<ProducerConfig> FromProperties(std::string_view content, std::string_view name,
                                                       std::vector<ConfigProblem>* problems = nullptr,
                                                       const ConfigProfile* profile = nullptr,
                                                       ConfigProviderFactory* providers = nullptr);

  std::vector<BootstrapServer> bootstrap_servers;
  Duration bootstrap_resolve_timeout = Duration::zero();  // Without any host of theirs found, all fails. Zero: never.
  DnsLookup client_dns_lookup = DnsLookup::kAllIps;
  std::string
      client_id;  // Empty: "producer-" and transactional.id, or "producer-N", N counting the producers of the Env (PR-20).
  Acks acks = Acks::kAll;
  std::string client_rack;         // As the brokers' racks are called; empty: none.
  bool enable_idempotence = true;  // Needs acks = all, retries and at most five requests in flight (PR-21).
  std::string transactional_id;    // Empty: no transactions.
  Duration transaction_timeout = std::chrono::seconds(60);  // After which its coordinator aborts a transaction.
  Codec compression_type = Codec::kNone;
  int compression_gzip_level = -1;  // Levels as LevelRangeOf has them; each is for its codec alone.
  int compression_lz4_level = 9;
  int compression_zstd_level = 3;
  std::int32_t retries = 2147483647;
  std::int32_t max_in_flight_requests_per_connection = 5;  // 1: strict order (SN-17).
  std::int32_t batch_size = 16384;                         // 0: one record a batch (AC-06).
  std::int64_t buffer_memory = 33554432;
  bool incremental_allocation = false;  // buffer.memory.allocation.strategy: batches grow as records come.
  std::int32_t max_request_size = 1048576;
  Duration linger = std::chrono::milliseconds(5);
  Duration max_block = std::chrono::seconds(60);
  Duration request_timeout = std::chrono::seconds(30);
  Duration delivery_timeout = std::chrono::seconds(120);
  Duration retry_backoff = std::chrono::milliseconds(100);
  Duration retry_backoff_max = std::chrono::seconds(1);
  Duration reconnect_backoff = std::chrono::milliseconds(50);
  Duration reconnect_backoff_max = std::chrono::seconds(1);
  Duration connection_setup_timeout = std::chrono::seconds(10);
  Duration connection_setup_timeout_max = std::chrono::seconds(30);
  Duration connections_max_idle = std::chrono::minutes(9);  // Negative: never closed for idleness.
  std::int32_t send_buffer_bytes = 131072;                  // -1: the system's default.
  std::int32_t receive_buffer_bytes = 32768;
  Duration metadata_max_age = std::chrono::minutes(5);
  Duration metadata_max_idle = std::chrono::minutes(5);
  MetadataRecovery metadata_recovery = MetadataRecovery::kRebootstrap;
  Duration metadata_rebootstrap_trigger = std::chrono::minutes(5);
  bool metadata_cluster_check = true;  // metadata.cluster.check.enable; only with MetadataRecovery::kRebootstrap.
  bool api_version_request = true;     // False: all brokers are of Kafka 0.9, which does not know the question.
  bool partitioner_adaptive = true;
  bool partitioner_rack_aware = false;                           // Needs client_rack.
  Duration partitioner_availability_timeout = Duration::zero();  // Zero: off (PT-14).
  bool partitioner_ignore_keys = false;
  PartitionerKind partitioner_kind = PartitionerKind::kBuiltIn;  // partitioner.class
  SecurityProtocol security_protocol = SecurityProtocol::kPlaintext;
  SaslSettings sasl;  // sasl.mechanism, sasl.jaas.config
  TlsSettings tls;    // ssl.*. Files that it names are read by Producer::Create, through its Env.
  std::int32_t metrics_num_samples = 2;
  Duration metrics_sample_window = std::chrono::seconds(30);

  // What Parse adapted or what has no effect, one sentence each. The producer logs them when it starts.
  std::vector<std::string> warnings;

  // Not keys of Kafka: what a program passes as an object.
  CustomPartitioner partitioner;                                   // Null: partitioner.class.
  std::vector<std::shared_ptr<ProducerInterceptor>> interceptors;  // In their order (core/producer/interceptor.h).
  std::shared_ptr<LogSink> log;                                    // Null: no log.
  LogLevel log_level = LogLevel::kInfo;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_CONFIG_H_
