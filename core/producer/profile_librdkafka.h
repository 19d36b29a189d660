// The profile of librdkafka 2: data for profile.cc. Names, defaults and meanings are those of its CONFIGURATION.md.
#ifndef CORE_PRODUCER_PROFILE_LIBRDKAFKA_H_
#define CORE_PRODUCER_PROFILE_LIBRDKAFKA_H_

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/producer/profile.h"
#include "core/producer/text.h"

namespace ktrial::librdkafka {

// No time limit. Kafka's key is an int.
inline bool ZeroIsForever(std::string_view value, std::string& to) {
  to = value == "0" ? "2147483647" : value;
  return true;
}

// "As the system likes", and "never".
inline bool ZeroIsMinusOne(std::string_view value, std::string& to) {
  to = value == "0" ? "-1" : value;
  return true;
}

inline bool MinusOneIsForever(std::string_view value, std::string& to) {
  to = value == "-1" ? "9223372036854775807" : value;
  return true;
}

inline bool Kibibytes(std::string_view value, std::string& to) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc() && end == value.data() + value.size() && number >= 0 && number <= 2147483647;
  to = whole ? std::to_string(number * 1024) : std::string(value);
  return true;
}

inline bool OnlyOneMessage(std::string_view value, std::string& to) {
  if (value == "1") to = "0";
  return value == "1";
}

// A broker without a port is at 9092.
inline bool AddPorts(std::string_view value, std::string& to) {
  for (const std::string_view server : SplitAtCommas(value)) {
    if (!to.empty()) to += ',';
    to += server;
    const bool address_only = server.ends_with("]");
    if (address_only || server.find(':', server.find("://") + 1) == std::string_view::npos) to += ":9092";
  }
  if (to.empty()) to = value;
  return true;
}

inline constexpr auto kDefaults = std::to_array<ProfileDefault>({
    {"batch.size", "1000000"},
    {"buffer.memory", "1073741824"},
    {"client.id", "rdkafka"},
    {"connections.max.idle.ms", "-1"},
    {"delivery.timeout.ms", "300000"},
    {"enable.idempotence", "false"},
    {"max.in.flight.requests.per.connection", "1000000"},
    {"max.request.size", "1000000"},
    {"metadata.cluster.check.enable", "false"},
    {"partitioner.adaptive.partitioning.enable", "false"},
    {"partitioner.class", "consistent_random"},
    {"receive.buffer.bytes", "-1"},
    {"reconnect.backoff.max.ms", "10000"},
    {"reconnect.backoff.ms", "100"},
    {"request.timeout.ms", "60000"},
    {"send.buffer.bytes", "-1"},
    {"socket.connection.setup.timeout.ms", "30000"},
});

inline constexpr auto kFollowers =
    std::to_array<ProfileFollower>({{"socket.connection.setup.timeout.max.ms", "socket.connection.setup.timeout.ms"}});

inline constexpr std::string_view kOneFile =
    "write key and certificate into one file in PEM, and its path to ssl.keystore.location";
inline constexpr std::string_view kOpenSslDecides = "OpenSSL's own choice stands";
inline constexpr std::string_view kNoSasl = "of SASL, PLAIN and SCRAM are supported";
inline constexpr std::string_view kOwnLog = "what is logged is the program's choice";
inline constexpr std::string_view kNoUse = "librdkafka itself has no use for it any more";
inline constexpr std::string_view kVersions =
    "brokers tell by what they answer; api.version.request = false is for 0.9";

// Sorted by name.
inline constexpr auto kAliases = std::to_array<ProfileAlias>({
    {.name = "api.version.fallback.ms", .harmless = "*", .note = kVersions},
    {.name = "api.version.request.timeout.ms", .harmless = "*", .note = "request.timeout.ms counts"},
    {.name = "batch.num.messages",
     .key = "batch.size",
     .translate = &OnlyOneMessage,
     .note = "batches have no limit by number, batch.size counts bytes; 1 is batch.size = 0"},
    {.name = "bootstrap.servers", .key = "bootstrap.servers", .translate = &AddPorts, .note = "without a port: 9092"},
    {.name = "broker.address.family", .harmless = "any", .note = "IPv4 and IPv6 are tried"},
    {.name = "broker.address.ttl", .harmless = "*", .note = "addresses are looked up again after a connection failed"},
    {.name = "broker.version.fallback", .harmless = "*", .note = kVersions},
    {.name = "compression.codec", .key = "compression.type", .note = "compression.type"},
    {.name = "compression.level",
     .note = "compression.gzip.level, compression.lz4.level or compression.zstd.level, as the codec is; without such a "
             "codec, of no effect"},
    {.name = "connections.max.idle.ms",
     .key = "connections.max.idle.ms",
     .translate = &ZeroIsMinusOne,
     .note = "0 is never"},
    {.name = "debug", .harmless = "*", .note = kOwnLog},
    {.name = "delivery.report.only.error", .harmless = "false", .note = "callbacks run for every record that has one"},
    {.name = "delivery.timeout.ms", .key = "delivery.timeout.ms", .translate = &ZeroIsForever, .note = "0 is never"},
    {.name = "enable.gapless.guarantee", .harmless = "false", .note = "a failed batch does not end the producer"},
    {.name = "enable.random.seed", .harmless = "*", .note = "the environment gives the randomness"},
    {.name = "enable.sasl.oauthbearer.unsecure.jwt", .harmless = "false", .note = kNoSasl},
    {.name = "enable.ssl.certificate.verification", .harmless = "true", .note = "certificates are always verified"},
    {.name = "log.connection.close", .harmless = "*", .note = kOwnLog},
    {.name = "log.queue", .harmless = "*", .note = kOwnLog},
    {.name = "log.thread.name", .harmless = "*", .note = kOwnLog},
    {.name = "log_level", .harmless = "*", .note = kOwnLog},
    {.name = "max.in.flight",
     .key = "max.in.flight.requests.per.connection",
     .note = "max.in.flight.requests.per.connection"},
    {.name = "message.copy.max.bytes", .harmless = "*", .note = "every record is copied once"},
    {.name = "message.max.bytes", .key = "max.request.size", .note = "max.request.size"},
    {.name = "message.send.max.retries", .key = "retries", .note = "retries"},
    {.name = "message.timeout.ms",
     .key = "delivery.timeout.ms",
     .translate = &ZeroIsForever,
     .note = "delivery.timeout.ms; 0 is never"},
    {.name = "metadata.broker.list",
     .key = "bootstrap.servers",
     .translate = &AddPorts,
     .note = "bootstrap.servers; without a port: 9092"},
    {.name = "partitioner", .key = "partitioner.class", .note = "partitioner.class"},
    {.name = "plugin.library.paths", .note = "there are no plugins"},
    {.name = "produce.offset.report", .harmless = "*", .note = kNoUse},
    {.name = "queue.buffering.backpressure.threshold",
     .harmless = "*",
     .note = "batches fill until a request can take them"},
    {.name = "queue.buffering.max.kbytes",
     .key = "buffer.memory",
     .translate = &Kibibytes,
     .note = "buffer.memory, which is bytes"},
    {.name = "queue.buffering.max.messages",
     .harmless = "0",
     .note = "records in memory have no limit by number, only buffer.memory"},
    {.name = "queue.buffering.max.ms", .key = "linger.ms", .note = "linger.ms, in whole milliseconds"},
    {.name = "queuing.strategy", .harmless = "fifo", .note = "records are sent in their order"},
    {.name = "receive.message.max.bytes", .harmless = "*", .note = "answers have a limit of their own"},
    {.name = "reconnect.backoff.jitter.ms", .harmless = "*", .note = kNoUse},
    {.name = "request.required.acks", .key = "acks", .note = "acks"},
    {.name = "sasl.kerberos.keytab", .note = kNoSasl},
    {.name = "sasl.kerberos.principal", .note = kNoSasl},
    {.name = "sasl.mechanisms", .key = "sasl.mechanism", .note = "sasl.mechanism"},
    {.name = "sasl.oauthbearer.client.id", .note = kNoSasl},
    {.name = "sasl.oauthbearer.client.secret", .note = kNoSasl},
    {.name = "sasl.oauthbearer.config", .note = kNoSasl},
    {.name = "sasl.oauthbearer.extensions", .note = kNoSasl},
    {.name = "sasl.oauthbearer.method", .note = kNoSasl},
    {.name = "socket.blocking.max.ms", .harmless = "*", .note = kNoUse},
    {.name = "socket.keepalive.enable", .harmless = "false", .note = "connections have request.timeout.ms instead"},
    {.name = "socket.max.fails", .harmless = "1", .note = "a request without an answer ends its connection"},
    {.name = "socket.nagle.disable", .harmless = "true", .note = "requests are never held back"},
    {.name = "socket.receive.buffer.bytes",
     .key = "receive.buffer.bytes",
     .translate = &ZeroIsMinusOne,
     .note = "receive.buffer.bytes; 0 is as the system likes"},
    {.name = "socket.send.buffer.bytes",
     .key = "send.buffer.bytes",
     .translate = &ZeroIsMinusOne,
     .note = "send.buffer.bytes; 0 is as the system likes"},
    {.name = "socket.timeout.ms", .key = "request.timeout.ms", .note = "request.timeout.ms"},
    {.name = "ssl.ca.location",
     .key = "ssl.truststore.location",
     .note = "ssl.truststore.location, a file, not a folder"},
    {.name = "ssl.ca.pem", .key = "ssl.truststore.certificates", .note = "ssl.truststore.certificates"},
    {.name = "ssl.certificate.location", .note = kOneFile},
    {.name = "ssl.certificate.pem", .key = "ssl.keystore.certificate.chain", .note = "ssl.keystore.certificate.chain"},
    {.name = "ssl.crl.location", .note = "lists of revoked certificates are not read"},
    {.name = "ssl.curves.list", .note = kOpenSslDecides},
    {.name = "ssl.engine.id", .note = kOpenSslDecides},
    {.name = "ssl.engine.location", .note = kOpenSslDecides},
    {.name = "ssl.key.location", .note = kOneFile},
    {.name = "ssl.key.pem", .key = "ssl.keystore.key", .note = "ssl.keystore.key"},
    {.name = "ssl.providers", .note = kOpenSslDecides},
    {.name = "ssl.sigalgs.list", .note = kOpenSslDecides},
    {.name = "statistics.interval.ms", .harmless = "0", .note = "Metrics() is asked when it is wanted"},
    {.name = "sticky.partitioning.linger.ms",
     .note = "a record without a key stays with a partition for batch.size bytes, not for a time"},
    {.name = "topic.blacklist", .note = "no topic is left out of metadata"},
    {.name = "topic.metadata.propagation.max.ms", .note = "Send waits max.block.ms for a topic that is new"},
    {.name = "topic.metadata.refresh.fast.cnt", .harmless = "*", .note = kNoUse},
    {.name = "topic.metadata.refresh.fast.interval.ms", .note = "retry.backoff.ms is for metadata too"},
    {.name = "topic.metadata.refresh.interval.ms",
     .key = "metadata.max.age.ms",
     .translate = &MinusOneIsForever,
     .note = "metadata.max.age.ms; -1 is never"},
    {.name = "topic.metadata.refresh.sparse", .harmless = "true", .note = "metadata is asked for of topics in use"},
});

inline constexpr auto kDifferences = std::to_array<std::string_view>({
    "Send waits up to max.block.ms for memory and for the metadata of a new topic; there, it fails at once when the "
    "queue is full, and records of "
    "unknown topics wait in the queue.",
    "What waits is limited by buffer.memory alone; there, also by queue.buffering.max.messages, 100000 records.",
    "A batch is limited by batch.size alone; there, also by batch.num.messages, 10000 records.",
    "request.timeout.ms is both for the answer to come and for the brokers to have it; there, these are "
    "socket.timeout.ms, 60000, and "
    "request.timeout.ms, 30000.",
    "metadata.max.age.ms is when metadata is asked for again, topic.metadata.refresh.interval.ms there; there, it is "
    "when metadata is forgotten.",
    "Callbacks run on the sender thread as soon as a batch ends; there, on the thread that polls, when it polls.",
    "Records without a key stay with a partition for batch.size bytes; there, for sticky.partitioning.linger.ms.",
    "delivery.timeout.ms is counted from the first record of a batch; there, message.timeout.ms from each record.",
    "linger.ms is whole milliseconds; there, it may be a fraction.",
    "compression.level 9 of lz4 is its fast compressor; there, it is the ninth level of the slow one.",
    "Waits before a broker is connected again vary by a fifth; there, by -25 % to +50 %.",
    "A topic that does not exist fails records after max.block.ms; there, after topic.metadata.propagation.max.ms.",
});

inline constexpr ConfigProfile kProfile = {
    .name = "librdkafka-2",
    .client = "librdkafka 2",
    .defaults = kDefaults,
    .followers = kFollowers,
    .aliases = kAliases,
    .differences = kDifferences,
    .empty_id_is_none = true,
};

}  // namespace ktrial::librdkafka

#endif  // CORE_PRODUCER_PROFILE_LIBRDKAFKA_H_
