#include "core/producer/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/producer/config_keys.h"
#include "core/wire/limits.h"

namespace ktrial {

namespace {

std::int64_t Millis(Duration duration) { return duration / std::chrono::milliseconds(1); }

absl::Status NotAllowed(std::string_view key, std::int64_t value, std::string_view allowed) {
  return absl::InvalidArgumentError(fmt::format("{} = {} is not allowed: {}", key, value, allowed));
}

// Whole milliseconds are what the keys know; what is shorter than one is rounded away from zero.
std::int64_t CeilMillis(Duration duration) {
  return duration < Duration::zero() ? -Millis(-duration - Duration(1)) - 1 : Millis(duration);
}

absl::Status CheckNumbers(const ProducerConfig& c) {
  const std::pair<std::string_view, std::int64_t> numbers[] = {
      {"batch.size", c.batch_size},
      {"buffer.memory", c.buffer_memory},
      {"compression.gzip.level", c.compression_gzip_level},
      {"compression.lz4.level", c.compression_lz4_level},
      {"compression.zstd.level", c.compression_zstd_level},
      {"delivery.timeout.ms", CeilMillis(c.delivery_timeout)},
      {"linger.ms", CeilMillis(c.linger)},
      {"max.block.ms", CeilMillis(c.max_block)},
      {"max.in.flight.requests.per.connection", c.max_in_flight_requests_per_connection},
      {"max.request.size", c.max_request_size},
      {"metadata.max.age.ms", CeilMillis(c.metadata_max_age)},
      {"metadata.max.idle.ms", CeilMillis(c.metadata_max_idle)},
      {"metadata.recovery.rebootstrap.trigger.ms", CeilMillis(c.metadata_rebootstrap_trigger)},
      {"metrics.num.samples", c.metrics_num_samples},
      {"metrics.sample.window.ms", CeilMillis(c.metrics_sample_window)},
      {"partitioner.availability.timeout.ms", CeilMillis(c.partitioner_availability_timeout)},
      {"receive.buffer.bytes", c.receive_buffer_bytes},
      {"reconnect.backoff.max.ms", CeilMillis(c.reconnect_backoff_max)},
      {"reconnect.backoff.ms", CeilMillis(c.reconnect_backoff)},
      {"request.timeout.ms", CeilMillis(c.request_timeout)},
      {"retries", c.retries},
      {"retry.backoff.max.ms", CeilMillis(c.retry_backoff_max)},
      {"retry.backoff.ms", CeilMillis(c.retry_backoff)},
      {"send.buffer.bytes", c.send_buffer_bytes},
      {"socket.connection.setup.timeout.max.ms", CeilMillis(c.connection_setup_timeout_max)},
      {"socket.connection.setup.timeout.ms", CeilMillis(c.connection_setup_timeout)},
  };
  for (const auto& [name, value] : numbers) {
    const ConfigKey* key = FindConfigKey(name);
    KT_CHECK(key != nullptr);
    ProducerConfig unused;
    const bool in_range = value >= key->min && value <= key->max;
    if (!in_range || !key->store(unused, value, std::string_view()))
      return NotAllowed(name, value, AllowedValues(*key));
  }
  return absl::OkStatus();
}

absl::Status CheckTexts(const ProducerConfig& config) {
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"client.id", config.client_id},
      {"client.rack", config.client_rack},
      {"transactional.id", config.transactional_id},
  };
  for (const auto& [key, text] : texts) {
    if (text.size() <= wire::kStringBytesMax) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} of {} bytes is not allowed: at most {}", key, text.size(), wire::kStringBytesMax));
  }
  for (const BootstrapServer& server : config.bootstrap_servers) {
    if (!server.host.empty() && server.port != 0) continue;
    return absl::InvalidArgumentError(fmt::format(
        "bootstrap.servers: \"{}:{}\" is not allowed: a host and a port from 1 to 65535", server.host, server.port));
  }
  if (std::ranges::find(config.interceptors, nullptr) != config.interceptors.end()) {
    return absl::InvalidArgumentError("interceptors: null is not allowed: objects");
  }
  return absl::OkStatus();
}

// PR-21, PR-22, BP-04
absl::Status CheckTogether(const ProducerConfig& config) {
  if (!config.transactional_id.empty() && !config.enable_idempotence) {
    return absl::InvalidArgumentError("enable.idempotence = false is not allowed with transactional.id: only true");
  }
  if (config.enable_idempotence) {
    const std::string_view needed_by = "with enable.idempotence = true";
    const std::int32_t in_flight = config.max_in_flight_requests_per_connection;
    if (config.acks != Acks::kAll) {
      return NotAllowed("acks", static_cast<int>(config.acks), fmt::format("{} only -1, all", needed_by));
    }
    if (config.retries == 0) return NotAllowed("retries", 0, fmt::format("{} at least 1", needed_by));
    if (in_flight > 5) {
      return NotAllowed("max.in.flight.requests.per.connection", in_flight, fmt::format("{} at most 5", needed_by));
    }
    if (!config.api_version_request) {
      return absl::InvalidArgumentError(fmt::format("api.version.request = false is not allowed {}", needed_by));
    }
  }
  if (config.delivery_timeout < config.linger + config.request_timeout) {
    return NotAllowed("delivery.timeout.ms", Millis(config.delivery_timeout),
                      fmt::format("at least linger.ms + request.timeout.ms = {} + {}", Millis(config.linger),
                                  Millis(config.request_timeout)));
  }
  if (config.batch_size > config.buffer_memory) {
    return NotAllowed("batch.size", config.batch_size, fmt::format("at most buffer.memory = {}", config.buffer_memory));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckConfig(const ProducerConfig& config) {
  if (config.bootstrap_servers.empty()) return absl::InvalidArgumentError("bootstrap.servers is required (PR-20)");
  absl::Status status = CheckNumbers(config);
  if (status.ok()) status = CheckTexts(config);
  if (status.ok()) status = CheckTogether(config);
  return status;
}

}  // namespace ktrial
