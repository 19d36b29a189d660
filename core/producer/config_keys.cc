#include "core/producer/config_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/producer/config.h"
#include "core/producer/config_security.h"
#include "core/producer/profile.h"
#include "core/producer/text.h"
#include "core/wire/limits.h"

namespace ktrial {

namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLongMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLongMax = std::numeric_limits<std::int64_t>::max();

// A quarter of what Duration can hold, 73 years: as good as for ever, and sums of a few of them do not overflow.
constexpr Duration kForever = Duration::max() / 4;

Duration FromMillis(std::int64_t count) {
  constexpr std::int64_t kMax = kForever / std::chrono::milliseconds(1);
  return std::chrono::milliseconds(std::clamp(count, -kMax, kMax));
}

// How the field of a key is written, and read.
struct Field {
  decltype(ConfigKey::store) store = nullptr;
  decltype(ConfigKey::load) load = nullptr;
};

template <auto kMember>
bool StoreNumber(ProducerConfig& config, std::int64_t number, std::string_view) {
  using Value = std::remove_reference_t<decltype(config.*kMember)>;
  config.*kMember = static_cast<Value>(number);
  return true;
}

template <auto kMember>
bool StoreMillis(ProducerConfig& config, std::int64_t number, std::string_view) {
  config.*kMember = FromMillis(number);
  return true;
}

// PR-20: what does not fit into 32 bits is as much as fits.
bool StoreLinger(ProducerConfig& config, std::int64_t number, std::string_view) {
  config.linger = FromMillis(std::min(number, kIntMax));
  return true;
}

// A window without length would hold nothing, and its rates be divided by nothing.
bool StoreWindow(ProducerConfig& config, std::int64_t number, std::string_view) {
  config.metrics_sample_window = FromMillis(std::max<std::int64_t>(number, 1));
  return true;
}

// Kafka knows the one spelling: "ALL" is refused.
bool StoreAcks(ProducerConfig& config, std::int64_t, std::string_view text) {
  if (text == "all" || text == "-1") {
    config.acks = Acks::kAll;
  } else if (text == "1") {
    config.acks = Acks::kLeader;
  } else if (text == "0") {
    config.acks = Acks::kNone;
  } else {
    return false;
  }
  return true;
}

bool StoreCodec(ProducerConfig& config, std::int64_t, std::string_view text) {
  const std::optional<Codec> codec = CodecFromName(text);
  if (codec.has_value()) config.compression_type = *codec;
  return codec.has_value();
}

template <auto kMember, Codec kCodec>
bool StoreLevel(ProducerConfig& config, std::int64_t number, std::string_view) {
  config.*kMember = static_cast<int>(number);
  return LevelRangeOf(kCodec)->Contains(config.*kMember);
}

bool StorePartitioner(ProducerConfig& config, std::int64_t, std::string_view text) {
  const std::optional<PartitionerKind> kind = PartitionerFromName(text);
  if (kind.has_value()) config.partitioner_kind = *kind;
  return kind.has_value();
}

template <auto kMember>
bool StoreText(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.*kMember = std::string(text);
  return text.size() <= wire::kStringBytesMax;
}

bool StoreRecovery(ProducerConfig& config, std::int64_t, std::string_view text) {
  if (EqualsIgnoringCase(text, "rebootstrap")) {
    config.metadata_recovery = MetadataRecovery::kRebootstrap;
  } else if (EqualsIgnoringCase(text, "none")) {
    config.metadata_recovery = MetadataRecovery::kNone;
  } else {
    return false;
  }
  return true;
}

// All sensors of a producer are of INFO; only what is no level is wrong. Kafka knows these spellings alone.
bool StoreRecordingLevel(ProducerConfig&, std::int64_t, std::string_view text) {
  return text == "INFO" || text == "DEBUG" || text == "TRACE";
}

bool StoreAllocation(ProducerConfig& config, std::int64_t, std::string_view text) {
  config.incremental_allocation = EqualsIgnoringCase(text, "incremental");
  return config.incremental_allocation || EqualsIgnoringCase(text, "full");
}

// Dealt with before all other keys (config_provider.h).
bool StoreProviders(ProducerConfig&, std::int64_t, std::string_view) { return true; }

bool StoreDnsLookup(ProducerConfig& config, std::int64_t, std::string_view text) {
  const bool canonical = text == "resolve_canonical_bootstrap_servers_only";
  config.client_dns_lookup = canonical ? DnsLookup::kCanonicalBootstrap : DnsLookup::kAllIps;
  return canonical || text == "use_all_dns_ips";
}

bool StoreBootstrapServers(ProducerConfig& config, std::int64_t, std::string_view text) {
  for (const std::string_view part : SplitAtCommas(text)) {
    std::optional<BootstrapServer> server = ParseBootstrapServer(part);
    if (!server) return false;
    config.bootstrap_servers.push_back(*std::move(server));
  }
  return !config.bootstrap_servers.empty();
}

template <auto kMember>
std::int64_t LoadNumber(const ProducerConfig& config) {
  return static_cast<std::int64_t>(config.*kMember);
}

// Rounded down: what is a little less than nothing is not nothing.
template <auto kMember>
std::int64_t LoadMillis(const ProducerConfig& config) {
  return std::chrono::floor<std::chrono::milliseconds>(config.*kMember).count();
}

template <auto kMember>
constexpr Field kNumber{.store = &StoreNumber<kMember>, .load = &LoadNumber<kMember>};
template <auto kMember>
constexpr Field kMillis{.store = &StoreMillis<kMember>, .load = &LoadMillis<kMember>};
template <auto kMember, Codec kCodec>
constexpr Field kLevel{.store = &StoreLevel<kMember, kCodec>, .load = &LoadNumber<kMember>};
constexpr Field kLinger{.store = &StoreLinger, .load = &LoadMillis<&ProducerConfig::linger>};
constexpr Field kWindow{.store = &StoreWindow, .load = &LoadMillis<&ProducerConfig::metrics_sample_window>};

constexpr ConfigKey Int(std::string_view name, std::string_view default_value, std::int64_t min, std::string_view rule,
                        Field field, std::string_view doc) {
  return {.name = name,
          .type = ConfigType::kInt,
          .default_value = default_value,
          .rule = rule,
          .doc = doc,
          .min = min,
          .max = kIntMax,
          .store = field.store,
          .load = field.load};
}

constexpr ConfigKey Long(std::string_view name, std::string_view default_value, std::int64_t min, std::string_view rule,
                         Field field, std::string_view doc) {
  ConfigKey key = Int(name, default_value, min, rule, field, doc);
  key.type = ConfigType::kLong;
  key.max = kLongMax;
  return key;
}

constexpr ConfigKey Bool(std::string_view name, std::string_view default_value, std::string_view rule, Field field,
                         std::string_view doc) {
  ConfigKey key = Int(name, default_value, 0, rule, field, doc);
  key.type = ConfigType::kBoolean;
  key.max = 1;
  return key;
}

constexpr ConfigKey Level(std::string_view name, std::string_view default_value, std::string_view allowed,
                          std::int64_t min, std::int64_t max, Field field, std::string_view doc) {
  ConfigKey key = Int(name, default_value, min, "WP-15", field, doc);
  key.max = max;
  key.allowed = allowed;
  return key;
}

constexpr ConfigKey Text(std::string_view name, ConfigType type, std::string_view default_value,
                         std::string_view allowed, std::string_view rule,
                         bool (*store)(ProducerConfig&, std::int64_t, std::string_view), std::string_view doc) {
  return {.name = name,
          .type = type,
          .default_value = default_value,
          .allowed = allowed,
          .rule = rule,
          .doc = doc,
          .store = store};
}

// A key that this producer has no use for yet. `harmless` is the value with which it works as if the key were
// supported.
constexpr ConfigKey NotYet(std::string_view name, ConfigType type, std::string_view harmless, std::string_view doc) {
  return {.name = name,
          .type = type,
          .support = ConfigSupport::kNotYet,
          .default_value = harmless,
          .doc = doc,
          .harmless = harmless};
}

constexpr ConfigKey Ignored(std::string_view name, ConfigType type, std::string_view doc,
                            std::string_view default_value = {}) {
  return {.name = name, .type = type, .support = ConfigSupport::kIgnored, .default_value = default_value, .doc = doc};
}

using enum ConfigType;
using C = ProducerConfig;

// Keys, types, defaults and ranges are those of Kafka 4.4; where a key is another client's, its text says so.
constexpr auto kKeys = std::to_array<ConfigKey>({
    Text("acks", kString, "all", "all, -1, 0 or 1", "PR-20", &StoreAcks,
         "how many brokers must have a record before it counts as sent"),
    Bool("api.version.request", "true", "NC-39", kNumber<&C::api_version_request>,
         "ask brokers which versions they speak, a key of librdkafka; false for Kafka 0.9, which never answers that"),
    Int("batch.size", "16384", 0, "AC-06", kNumber<&C::batch_size>,
        "bytes of a batch; a larger record gets a batch of its own; 0: one record a batch"),
    Long("bootstrap.resolve.timeout.ms", "0", 0, "KIP-909", kMillis<&C::bootstrap_resolve_timeout>,
         "how long no name of bootstrap.servers may have an address, before all calls fail for good; 0: for ever, "
         "where the Java client fails at its start"),
    Text("bootstrap.servers", kList, "", "host:port, separated by commas; an IPv6 address in brackets", "PR-20",
         &StoreBootstrapServers, "where to ask for the cluster; required"),
    Long("buffer.memory", "33554432", 0, "BP-02", kNumber<&C::buffer_memory>,
         "bytes that batches may take in all before Send waits"),
    Text("buffer.memory.allocation.strategy", kString, "full", "full or incremental", "BP-02", &StoreAllocation,
         "full: a batch takes batch.size of buffer.memory at once; incremental: it begins with 1024 bytes and "
         "doubles them as records come, so that many partitions can have large batches; where no memory is left to "
         "grow, it is sent as it is"),
    Text("client.dns.lookup", kString, "use_all_dns_ips", "use_all_dns_ips or resolve_canonical_bootstrap_servers_only",
         "NC-11", &StoreDnsLookup,
         "all addresses of a host are tried in turn; the other value has bootstrap.servers replaced by the names "
         "that their addresses really have"),
    Text("client.id", kString, "", "any text of at most 32767 bytes", "PR-20", &StoreText<&C::client_id>,
         "the name that brokers log and meter; default producer- and transactional.id, else producer-N"),
    Text("client.rack", kString, "", "any text of at most 32767 bytes", "PT-07", &StoreText<&C::client_rack>,
         "the rack of this client, for partitioner.rack.aware"),
    Level("compression.gzip.level", "-1", "1 ... 9, or -1 for gzip's own choice", -1, 9,
          kLevel<&C::compression_gzip_level, Codec::kGzip>, "effort of gzip"),
    Level("compression.lz4.level", "9", {}, 1, 17, kLevel<&C::compression_lz4_level, Codec::kLz4>,
          "effort of lz4; the default is its fast compressor"),
    Text("compression.type", kString, "none", "none, gzip, snappy, lz4 or zstd", "WP-15", &StoreCodec,
         "codec of batches"),
    Level("compression.zstd.level", "3", {}, -131072, 22, kLevel<&C::compression_zstd_level, Codec::kZstd>,
          "effort of zstd"),
    Text(
        "config.providers", kList, "", "names, separated by commas", "KIP-297", &StoreProviders,
        "where ${NAME:PATH:KEY} in values is looked up; each NAME has config.providers.NAME.class, FileConfigProvider, "
        "DirectoryConfigProvider or EnvVarConfigProvider of org.apache.kafka.common.config.provider, and may have "
        "config.providers.NAME.param.allowed.paths, for the last one param.allowlist.pattern; for programs that look "
        "up, as ktrial produce does"),
    Long("connections.max.idle.ms", "540000", kLongMin, "NC-37", kMillis<&C::connections_max_idle>,
         "a connection without traffic is closed after this; negative: never"),
    Int("delivery.timeout.ms", "120000", 0, "PR-22", kMillis<&C::delivery_timeout>,
        "from the return of Send, which may have waited for max.block.ms itself, to the callback, at most"),
    Bool("enable.idempotence", "true", "PR-21", kNumber<&C::enable_idempotence>,
         "exactly one copy of each record, in order, however often it is sent"),
    NotYet("enable.metrics.push", kBoolean, "false", "brokers may ask for this client's metrics"),
    Ignored("interceptor.classes", kList, "Java classes; interceptors are objects here (core/producer/interceptor.h)"),
    Ignored("key.serializer", kClass,
            "Java classes; serializers are objects here (core/producer/serializing_producer.h)"),
    Long("linger.ms", "5", 0, "AC-12", kLinger, "how long a batch waits for more records"),
    Long("max.block.ms", "60000", 0, "PR-03", kMillis<&C::max_block>,
         "how long Send and PartitionsFor may wait for metadata and memory"),
    Int("max.in.flight.requests.per.connection", "5", 1, "SN-17", kNumber<&C::max_in_flight_requests_per_connection>,
        "requests without an answer on a connection; 1 keeps the order when a batch is sent again"),
    Int("max.request.size", "1048576", 0, "PR-09", kNumber<&C::max_request_size>,
        "bytes of a request, and of a record before compression"),
    Bool("metadata.cluster.check.enable", "true", "KIP-1242", kNumber<&C::metadata_cluster_check>,
         "brokers are told which one of which cluster is meant; one that is another (since Kafka 4.4) makes this "
         "client start again from bootstrap.servers; without effect if metadata.recovery.strategy is none"),
    Long("metadata.max.age.ms", "300000", 0, "MD-04", kMillis<&C::metadata_max_age>,
         "metadata is asked for again after this, even if nothing is wrong"),
    Long("metadata.max.idle.ms", "300000", 5000, "MD-36", kMillis<&C::metadata_max_idle>,
         "a topic that was not used for so long is forgotten"),
    Long("metadata.recovery.rebootstrap.trigger.ms", "300000", 0, "MD-23", kMillis<&C::metadata_rebootstrap_trigger>,
         "start again from bootstrap.servers after so long in vain"),
    Text("metadata.recovery.strategy", kString, "rebootstrap", "rebootstrap or none", "MD-22", &StoreRecovery,
         "what to do when no known broker can be reached"),
    Ignored("metric.reporters", kList, "metrics are read with Metrics()",
            "org.apache.kafka.common.metrics.JmxReporter"),
    Int("metrics.num.samples", "2", 1, "PR-27", kNumber<&C::metrics_num_samples>, "windows that a rate is over"),
    Text("metrics.recording.level", kString, "INFO", "INFO, DEBUG or TRACE", "PR-27", &StoreRecordingLevel,
         "how much is measured; changes nothing: all metrics of a producer are of INFO, as those of Kafka's are"),
    Long("metrics.sample.window.ms", "30000", 0, "PR-27", kWindow, "length of one such window; 0 is 1"),
    Bool("partitioner.adaptive.partitioning.enable", "true", "PT-12", kNumber<&C::partitioner_adaptive>,
         "records without a key go rather where less is waiting"),
    Long("partitioner.availability.timeout.ms", "0", 0, "PT-14", kMillis<&C::partitioner_availability_timeout>,
         "records without a key avoid a broker that took nothing for so long; 0: off"),
    Text("partitioner.class", kClass, "", kPartitionerNames, "PT-02", &StorePartitioner,
         "how partitions are chosen; empty: by the key, and for records without one so as to fill batches. Kafka's "
         "classes may stand with their package too"),
    Bool("partitioner.ignore.keys", "false", "PT-07", kNumber<&C::partitioner_ignore_keys>,
         "keys do not decide about the partition"),
    Bool("partitioner.rack.aware", "false", "PT-07", kNumber<&C::partitioner_rack_aware>,
         "records without a key prefer partitions with a leader in client.rack"),
    Int("receive.buffer.bytes", "32768", -1, "", kNumber<&C::receive_buffer_bytes>,
        "the socket's receive buffer; -1: as the system likes"),
    Long("reconnect.backoff.max.ms", "1000", 0, "NC-04", kMillis<&C::reconnect_backoff_max>,
         "the longest wait before a broker is connected again"),
    Long("reconnect.backoff.ms", "50", 0, "NC-04", kMillis<&C::reconnect_backoff>,
         "the first wait before a broker is connected again"),
    Int("request.timeout.ms", "30000", 0, "NC-21", kMillis<&C::request_timeout>,
        "a request without an answer for so long ends its connection"),
    Int("retries", "2147483647", 0, "SN-06", kNumber<&C::retries>, "how often a batch is sent again"),
    Long("retry.backoff.max.ms", "1000", 0, "AC-14", kMillis<&C::retry_backoff_max>,
         "the longest wait before a batch is sent, or metadata asked for, again"),
    Long("retry.backoff.ms", "100", 0, "AC-14", kMillis<&C::retry_backoff>,
         "the first wait before a batch is sent, or metadata asked for, again"),
    Ignored("sasl.client.callback.handler.class", kClass, "a Java class"),
    Text("sasl.jaas.config", kPassword, "", kJaasForm, "", &StoreJaas, "the user and the password of this client"),
    NotYet("sasl.kerberos.kinit.cmd", kString, "/usr/bin/kinit", "SASL"),
    NotYet("sasl.kerberos.min.time.before.relogin", kLong, "60000", "SASL"),
    NotYet("sasl.kerberos.service.name", kString, "", "SASL"),
    NotYet("sasl.kerberos.ticket.renew.jitter", kDouble, "0.05", "SASL"),
    NotYet("sasl.kerberos.ticket.renew.window.factor", kDouble, "0.8", "SASL"),
    Ignored("sasl.login.callback.handler.class", kClass, "a Java class"),
    Ignored("sasl.login.class", kClass, "a Java class"),
    NotYet("sasl.login.connect.timeout.ms", kInt, "", "SASL"),
    NotYet("sasl.login.read.timeout.ms", kInt, "", "SASL"),
    NotYet("sasl.login.refresh.buffer.seconds", kShort, "300", "SASL"),
    NotYet("sasl.login.refresh.min.period.seconds", kShort, "60", "SASL"),
    NotYet("sasl.login.refresh.window.factor", kDouble, "0.8", "SASL"),
    NotYet("sasl.login.refresh.window.jitter", kDouble, "0.05", "SASL"),
    NotYet("sasl.login.retry.backoff.max.ms", kLong, "10000", "SASL"),
    NotYet("sasl.login.retry.backoff.ms", kLong, "100", "SASL"),
    Text("sasl.mechanism", kString, "GSSAPI", kSaslMechanismNames, "", &StoreSaslMechanism,
         "how this client shows who it is; the default is not supported"),
    NotYet("sasl.oauthbearer.allow.unverified.audience", kBoolean, "false", "SASL"),
    NotYet("sasl.oauthbearer.allow.unverified.issuer", kBoolean, "false", "SASL"),
    NotYet("sasl.oauthbearer.assertion.algorithm", kString, "RS256", "SASL"),
    NotYet("sasl.oauthbearer.assertion.claim.aud", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.assertion.claim.exp.seconds", kInt, "300", "SASL"),
    NotYet("sasl.oauthbearer.assertion.claim.iss", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.assertion.claim.jti.include", kBoolean, "false", "SASL"),
    NotYet("sasl.oauthbearer.assertion.claim.nbf.seconds", kInt, "60", "SASL"),
    NotYet("sasl.oauthbearer.assertion.claim.sub", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.assertion.file", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.assertion.private.key.file", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.assertion.private.key.passphrase", kPassword, "", "SASL"),
    NotYet("sasl.oauthbearer.assertion.template.file", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.client.credentials.client.id", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.client.credentials.client.secret", kPassword, "", "SASL"),
    NotYet("sasl.oauthbearer.clock.skew.seconds", kInt, "30", "SASL"),
    NotYet("sasl.oauthbearer.expected.audience", kList, "", "SASL"),
    NotYet("sasl.oauthbearer.expected.issuer", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.header.urlencode", kBoolean, "false", "SASL"),
    NotYet("sasl.oauthbearer.jwks.endpoint.refresh.ms", kLong, "3600000", "SASL"),
    NotYet("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", kLong, "10000", "SASL"),
    NotYet("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", kLong, "100", "SASL"),
    NotYet("sasl.oauthbearer.jwks.endpoint.url", kString, "", "SASL"),
    Ignored("sasl.oauthbearer.jwt.retriever.class", kClass, "a Java class",
            "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"),
    Ignored("sasl.oauthbearer.jwt.validator.class", kClass, "a Java class",
            "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator"),
    NotYet("sasl.oauthbearer.scope", kString, "", "SASL"),
    NotYet("sasl.oauthbearer.scope.claim.name", kString, "scope", "SASL"),
    NotYet("sasl.oauthbearer.sub.claim.name", kString, "sub", "SASL"),
    NotYet("sasl.oauthbearer.token.endpoint.url", kString, "", "SASL"),
    Text("sasl.password", kPassword, "", "any text", "", &StoreSasl<&SaslSettings::password>,
         "the password of this client, a key of librdkafka; Kafka's is sasl.jaas.config"),
    Text("sasl.username", kString, "", "any text", "", &StoreSasl<&SaslSettings::user>,
         "the user of this client, a key of librdkafka; Kafka's is sasl.jaas.config"),
    Text("security.protocol", kString, "PLAINTEXT", kSecurityProtocolNames, "", &StoreSecurityProtocol,
         "how brokers are spoken to; SSL is TLS, SASL says who the client is"),
    Ignored("security.providers", kString, "Java classes"),
    Int("send.buffer.bytes", "131072", -1, "", kNumber<&C::send_buffer_bytes>,
        "the socket's send buffer; -1: as the system likes"),
    Long("socket.connection.setup.timeout.max.ms", "30000", 0, "NC-07", kMillis<&C::connection_setup_timeout_max>,
         "the longest wait for a connection to open"),
    Long("socket.connection.setup.timeout.ms", "10000", 0, "NC-07", kMillis<&C::connection_setup_timeout>,
         "the first wait for a connection to open"),
    Text("ssl.cipher.suites", kList, "", "names of the TLS standard or of OpenSSL, separated by commas", "",
         &StoreCipherSuites, "which suites may be agreed on; empty: OpenSSL's choice"),
    Text("ssl.enabled.protocols", kList, "TLSv1.2,TLSv1.3", kTlsVersionNames, "", &StoreTlsVersions,
         "which versions may be agreed on"),
    Text("ssl.endpoint.identification.algorithm", kString, "https", kHostCheckNames, "", &StoreHostCheck,
         "how to check that the certificate of a broker is for its host"),
    Ignored("ssl.engine.factory.class", kClass, "a Java class"),
    Text("ssl.key.password", kPassword, "", "any text", "", &StoreKeyPassword,
         "of an encrypted private key in PEM, in ssl.keystore.key or ssl.keystore.location"),
    Ignored("ssl.keymanager.algorithm", kString, "Java's own", "SunX509"),
    Text("ssl.keystore.certificate.chain", kPassword, "", "certificates in PEM, with or without line ends", "",
         &StoreTls<&TlsSettings::own, &TlsStore::certificates>,
         "the certificate of this client, then those that vouch for it"),
    Text("ssl.keystore.key", kPassword, "", "a private key in PEM, with or without line ends", "",
         &StoreTls<&TlsSettings::own, &TlsStore::key>, "the private key of this client"),
    Text("ssl.keystore.location", kString, "", "a path", "", &StoreTls<&TlsSettings::own, &TlsStore::location>,
         "a file with the private key and the certificate of this client: PEM or PKCS12"),
    Text("ssl.keystore.password", kPassword, "", "any text", "", &StoreTls<&TlsSettings::own, &TlsStore::password>,
         "of a PKCS12 file"),
    Text("ssl.keystore.type", kString, "JKS", kStoreTypeNames, "", &StoreOwnType, "what ssl.keystore.location is"),
    Text("ssl.protocol", kString, "TLSv1.3", kTlsProtocolNames, "", &StoreTlsProtocol,
         "ssl.enabled.protocols decides, this one has no effect beside it"),
    Ignored("ssl.provider", kString, "Java's own"),
    Ignored("ssl.secure.random.implementation", kString, "Java's own"),
    Ignored("ssl.trustmanager.algorithm", kString, "Java's own", "PKIX"),
    Text("ssl.truststore.certificates", kPassword, "", "certificates in PEM, with or without line ends", "",
         &StoreTls<&TlsSettings::trust, &TlsStore::certificates>, "who may vouch for the certificates of brokers"),
    Text("ssl.truststore.location", kString, "", "a path", "", &StoreTls<&TlsSettings::trust, &TlsStore::location>,
         "a file with who may vouch for brokers: PEM or PKCS12; empty: the authorities that the system trusts"),
    Text("ssl.truststore.password", kPassword, "", "any text", "", &StoreTls<&TlsSettings::trust, &TlsStore::password>,
         "of a PKCS12 file"),
    Text("ssl.truststore.type", kString, "JKS", kStoreTypeNames, "", &StoreTrustType,
         "what ssl.truststore.location is"),
    Int("transaction.timeout.ms", "60000", 1, "SN-31", kMillis<&C::transaction_timeout>,
        "a transaction that is open for so long is aborted by its coordinator; brokers have a maximum"),
    NotYet("transaction.two.phase.commit.enable", kBoolean, "false", "transactions that another system decides about"),
    Text("transactional.id", kString, "", "any text of at most 32767 bytes", "SN-31", &StoreText<&C::transactional_id>,
         "the name under which a producer goes on with its transactions after a restart; it fences off the one before"),
    Ignored("value.serializer", kClass,
            "Java classes; serializers are objects here (core/producer/serializing_producer.h)"),
});

constexpr bool ByName(const ConfigKey& left, const ConfigKey& right) { return left.name < right.name; }
static_assert(std::is_sorted(kKeys.begin(), kKeys.end(), ByName), "FindConfigKey searches by halving");

}  // namespace

std::string_view ConfigTypeName(ConfigType type) {
  switch (type) {
    case kBoolean:
      return "boolean";
    case kShort:
      return "short";
    case kInt:
      return "int";
    case kLong:
      return "long";
    case kDouble:
      return "double";
    case kString:
      return "string";
    case kList:
      return "list";
    case kClass:
      return "class";
    case kPassword:
      return "password";
  }
  CheckFailed("known config type", __FILE__, __LINE__);
}

std::string_view ConfigSupportName(ConfigSupport support) {
  switch (support) {
    case ConfigSupport::kSupported:
      return "supported";
    case ConfigSupport::kNotYet:
      return "not yet";
    case ConfigSupport::kIgnored:
      return "without effect";
  }
  CheckFailed("known config support", __FILE__, __LINE__);
}

std::span<const ConfigKey> ProducerConfigKeys() { return kKeys; }

std::string AllowedValues(const ConfigKey& key) {
  if (key.support == ConfigSupport::kIgnored) return "anything, without effect";
  if (key.support == ConfigSupport::kNotYet) {
    return key.harmless.empty() ? std::string("nothing yet") : fmt::format("only {} yet", key.harmless);
  }
  if (key.type == kBoolean) return "true or false";
  if (!key.allowed.empty() || (key.type != kInt && key.type != kLong)) return std::string(key.allowed);
  return key.min == kLongMin ? std::string("any whole number") : fmt::format("{} ... {}", key.min, key.max);
}

const ConfigKey* FindConfigKey(std::string_view name) {
  const auto found = std::lower_bound(kKeys.begin(), kKeys.end(), ConfigKey{.name = name}, ByName);
  return found != kKeys.end() && found->name == name ? &*found : nullptr;
}

std::string_view ClosestConfigKey(std::string_view name, const ConfigProfile* profile) {
  std::string wanted = AsciiLower(name);
  std::replace(wanted.begin(), wanted.end(), '_', '.');
  // A third of the letters may be wrong: "linger" still means linger.ms, "batch.sizes" batch.size.
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  std::string_view best;
  const auto consider = [&](std::string_view known) {
    const std::size_t distance = known.starts_with(wanted) && wanted.size() >= 4 ? 1 : EditDistance(wanted, known);
    if (distance >= best_distance) return;
    best_distance = distance;
    best = known;
  };
  for (const ConfigKey& key : kKeys) consider(key.name);
  if (profile != nullptr) {
    for (const ProfileAlias& alias : profile->aliases) consider(alias.name);
  }
  return best;
}

}  // namespace ktrial
